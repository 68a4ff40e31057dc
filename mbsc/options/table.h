// SPDX-License-Identifier: Apache-2.0
// The option table: one row per option (options/row.h). Everything that handles options loops over it.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "mbsc/options/row.h"
#include "mbsc/solvers/registry.h"

namespace mbsc {

/// All options: those of the problem, of the run, shared by several solvers, and of each solver.
std::span<const OptionRow> option_rows();
/// The row of a name; null if there is none.
const OptionRow* find_option(std::string_view name);
/// The row whose Python argument, name or old name is `argument`; null if there is none.
const OptionRow* find_python_option(std::string_view argument);

/// Throws InvalidInput if a value is out of its range for n points, naming the option, the range and the value.
void check_ranges(const ClusterOptions& options, int64_t n);
/// Throws InvalidInput if an option differs from its default but does not apply to the solver, naming both.
void check_applies(const ClusterOptions& options, const SolverRow& solver);
bool all_apply(const ClusterOptions& options, const SolverRow& solver);
bool applies(const OptionRow& row, const SolverRow& solver);

/// A value as typed: "auto", "3", "0.5", "500M", "true", or a word. Throws InvalidInput, naming the option and the rule.
OptionValue parse_option(const OptionRow& row, const std::string& text);
/// The value as it would be typed.
std::string to_text(const OptionRow& row, const OptionValue& value);
/// Throws InvalidInput unless `word` is one of the row's words.
void check_word(const OptionRow& row, const std::string& word);
/// The default for the help: "10", "true", or what automatic means: "from sampled distances".
std::string default_text(const OptionRow& row);
/// "positive", "at least 1, at most n", or nothing if any value of its kind is in range.
std::string range_text(const OptionRow& row);
/// "minibatch, adagrad", or nothing if it applies to all methods.
std::string methods_text(const OptionRow& row);

/// docs/options.md.
std::string options_page();

}  // namespace mbsc
