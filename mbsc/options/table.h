// SPDX-License-Identifier: Apache-2.0
// The option table: one row per option (options/row.h). Everything that handles options loops over it.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "mbsc/options/row.h"
#include "mbsc/solvers/registry.h"

namespace mbsc {

/// All options: those of the problem, those that several solvers share, those of each solver, the limits, and those of
/// the run.
std::span<const OptionRow> option_rows();
/// The row of the option with this name; null if there is none.
const OptionRow* find_option(std::string_view name);
/// The row whose Python argument, name or old name is `argument`; null if there is none.
const OptionRow* find_python_option(std::string_view argument);

/// Throws InvalidInput if a value is out of its range for n points. The message names the option, the range and the
/// value.
void check_ranges(const ClusterOptions& options, int64_t n);
/// Throws InvalidInput if an option differs from its default but does not apply to the solver. The message names both.
void check_applies(const ClusterOptions& options, const SolverRow& solver);
/// Throws InvalidInput if an option differs from its default but does not apply because another option does not have
/// the word that the first one needs. The message names both.
void check_conditions(const ClusterOptions& options);
/// Whether another option has the word that this one needs. True if this option needs none, or if the other option is
/// unset.
bool meets_condition(const OptionRow& row, const ClusterOptions& options);
/// Whether all options that differ from their defaults apply to the solver.
bool all_apply(const ClusterOptions& options, const SolverRow& solver);
/// Whether an option applies to the solver.
bool applies(const OptionRow& row, const SolverRow& solver);

/// Parses a value as a user types it: "auto", "3", "0.5", "500M", "true", or a word. Throws InvalidInput with the name
/// of the option and the rule that was broken.
OptionValue parse_option(const OptionRow& row, const std::string& text);
/// The value as a user would type it.
std::string to_text(const OptionRow& row, const OptionValue& value);
/// Throws InvalidInput unless `word` is one of the row's words.
void check_word(const OptionRow& row, const std::string& word);
/// The default value for the help, such as "10" or "true". If the default is automatic, what that means, such as "from
/// sampled distances".
std::string default_text(const OptionRow& row);
/// "positive", "at least 1, at most n", or "" if any value of its kind is in range.
std::string range_text(const OptionRow& row);
/// The names of the solvers that the option applies to, such as "minibatch, adagrad", or the other option that it needs,
/// such as "assign = kmeans"; "" if it always applies.
std::string methods_text(const OptionRow& row);

/// The text of docs/options.md.
std::string options_page();

}  // namespace mbsc
