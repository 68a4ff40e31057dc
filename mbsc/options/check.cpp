// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "mbsc/base/require.h"
#include "mbsc/options/table.h"

namespace mbsc {
namespace {

double number_of(const OptionValue& value) {
  if (const auto* integer = std::get_if<int64_t>(&value)) return double(*integer);
  return std::get<double>(value);
}

/// The rule of an option for an input of n points: "at least 0", "in [1, 500]", "positive".
std::string rule_of(const OptionRow& row, int64_t n) {
  if (row.is_positive) return range_text(row);
  const double most = row.most_is_n ? double(n) : row.most;
  if (std::isfinite(most) && n < std::numeric_limits<int64_t>::max())
    return fmt::format("in [{:.0f}, {:.0f}]", row.least, most);
  return fmt::format("at least {:g}", row.least);
}

bool is_in_range(const OptionRow& row, double value, int64_t n) {
  if (row.is_positive) return std::isfinite(value) && value > 0 && value <= row.most;
  return std::isfinite(value) && value >= row.least && value <= (row.most_is_n ? double(n) : row.most);
}

}  // namespace

std::string range_text(const OptionRow& row) {
  if (row.is_positive) return std::isfinite(row.most) ? fmt::format("in (0, {:g}]", row.most) : "positive";
  std::string text = std::isfinite(row.least) ? fmt::format("at least {:g}", row.least) : "";
  if (row.most_is_n) text += text.empty() ? "at most n" : ", at most n";
  return text;
}

void check_ranges(const ClusterOptions& options, int64_t n) {
  for (const OptionRow& row : option_rows()) {
    const OptionValue value = row.get(options);
    if (!std::holds_alternative<int64_t>(value) && !std::holds_alternative<double>(value)) continue;
    require(is_in_range(row, number_of(value), n), "{} must be {}; got {}", row.name, rule_of(row, n),
            to_text(row, value));
  }
  if (options.method) check_word(*find_option("method"), *options.method);
}

bool meets_condition(const OptionRow& row, const ClusterOptions& options) {
  if (!row.condition) return true;
  const OptionValue value = find_option(row.condition->option)->get(options);
  const auto has = [&](const std::string& word) { return value == OptionValue(word); };
  return std::holds_alternative<std::monostate>(value) || std::ranges::any_of(row.condition->words, has);
}

void check_conditions(const ClusterOptions& options) {
  static const ClusterOptions defaults;
  for (const OptionRow& row : option_rows()) {
    if (meets_condition(row, options) || row.get(options) == row.get(defaults)) continue;
    const OptionRow& other = *find_option(row.condition->option);
    throw InvalidInput(fmt::format("{} applies to {} only; got {} = {}", row.name, methods_text(row), other.name,
                                   to_text(other, other.get(options))));
  }
}

bool applies(const OptionRow& row, const SolverRow& solver) {
  return row.methods.empty() || std::find(row.methods.begin(), row.methods.end(), solver.name) != row.methods.end();
}

namespace {

/// The first option that is not at its default and does not apply to the solver; null if there is none.
const OptionRow* find_foreign(const ClusterOptions& options, const SolverRow& solver) {
  static const ClusterOptions defaults;
  for (const OptionRow& row : option_rows())
    if (!applies(row, solver) && row.get(options) != row.get(defaults)) return &row;
  return nullptr;
}

}  // namespace

bool all_apply(const ClusterOptions& options, const SolverRow& solver) {
  return find_foreign(options, solver) == nullptr;
}

void check_applies(const ClusterOptions& options, const SolverRow& solver) {
  const OptionRow* foreign = find_foreign(options, solver);
  if (foreign == nullptr) return;
  const std::string name =
      solver.name == solver.method ? solver.name : fmt::format("{} with step_rule = {}", solver.method, solver.name);
  throw InvalidInput(
      fmt::format("{} does not apply to the method {}; it applies to {}", foreign->name, name, methods_text(*foreign)));
}

}  // namespace mbsc
