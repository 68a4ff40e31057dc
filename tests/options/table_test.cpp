// SPDX-License-Identifier: Apache-2.0
// Tests every row of the option table: values are set and returned unchanged, text is parsed and printed consistently,
// and messages about ranges and methods use the option's own name.
#include "mbsc/options/table.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "mbsc/cluster.h"

namespace mbsc {
namespace {

constexpr InputShape shape{1000, 5};

/// Some values of an option, all in its range for 1,000 points. At least one of them is not the default.
std::vector<OptionValue> values_of(const OptionRow& row) {
  std::vector<OptionValue> values;
  switch (row.kind) {
    case OptionKind::flag:
      return {true, false};
    case OptionKind::integer:
      return {int64_t{1}, int64_t{7}, int64_t{999}};
    case OptionKind::bytes:
      return {int64_t{0}, int64_t{12345}, int64_t{3} << 40};
    case OptionKind::real:
      return {0.1, 1.0 / 3, 1e-12, 2e5, 7.0};
    case OptionKind::word:
      for (const std::string& word : row.words) values.emplace_back(word);
      return values;
  }
  return values;
}

/// A value that is not the default.
OptionValue other_value(const OptionRow& row) {
  const OptionValue usual = row.get(ClusterOptions());
  for (const OptionValue& value : values_of(row))
    if (value != usual) return value;
  ADD_FAILURE() << row.name << " has only one value";
  return usual;
}

/// The message with which resolve() refuses the options, or "accepted".
std::string refusal(const ClusterOptions& options) {
  try {
    resolve(shape, options);
  } catch (const InvalidInput& error) {
    return error.what();
  }
  return "accepted";
}

std::string parse_error(const OptionRow& row, const std::string& text) {
  try {
    parse_option(row, text);
  } catch (const InvalidInput& error) {
    return error.what();
  }
  return "accepted";
}

TEST(OptionTable, DefaultsAndOtherValuesComeBackAsTheyWereSet) {
  for (const OptionRow& row : option_rows()) {
    const OptionValue usual = row.get(ClusterOptions());
    for (const OptionValue& value : values_of(row)) {
      ClusterOptions options;
      row.set(options, value);
      EXPECT_EQ(row.get(options), value) << row.name;
      row.set(options, usual);
      EXPECT_EQ(row.get(options), usual) << row.name;
    }
  }
}

TEST(OptionTable, SettingAnOptionChangesNoOther) {
  for (const OptionRow& row : option_rows()) {
    ClusterOptions options;
    row.set(options, other_value(row));
    for (const OptionRow& other : option_rows())
      EXPECT_EQ(other.get(options) == other.get(ClusterOptions()), other.name != row.name)
          << row.name << " was set, " << other.name << " was looked at";
  }
}

TEST(OptionTable, AnOptionIsUnsetByDefaultWhereItCanBeAutomaticAndOnlyThere) {
  for (const OptionRow& row : option_rows())
    EXPECT_EQ(std::holds_alternative<std::monostate>(row.get(ClusterOptions())), row.can_be_automatic()) << row.name;
}

TEST(OptionTable, ValuesGoThroughTextUnchanged) {
  for (const OptionRow& row : option_rows()) {
    std::vector<OptionValue> values = values_of(row);
    values.push_back(row.get(ClusterOptions()));
    for (const OptionValue& value : values) EXPECT_EQ(parse_option(row, to_text(row, value)), value) << row.name;
  }
}

TEST(OptionTable, EveryWordIsReadAndSet) {
  for (const OptionRow& row : option_rows()) {
    EXPECT_EQ(row.words.empty(), row.kind != OptionKind::word) << row.name;
    for (const std::string& word : row.words) {
      const OptionValue value = parse_option(row, word);
      EXPECT_EQ(value, OptionValue(word)) << row.name;
      ClusterOptions options;
      row.set(options, value);
      EXPECT_EQ(row.get(options), OptionValue(word)) << row.name;
    }
    EXPECT_EQ(std::set(row.words.begin(), row.words.end()).size(), row.words.size()) << row.name;
  }
}

TEST(OptionTable, AnUnknownWordIsRefusedWithTheChoices) {
  for (const OptionRow& row : option_rows()) {
    if (row.kind != OptionKind::word) continue;
    for (const char* word : {"wrong", "", "RBF"}) {
      const std::string message = parse_error(row, word);
      EXPECT_EQ(message.rfind(row.name + " must be one of ", 0), 0u) << message;
      EXPECT_NE(message.find(fmt::format("got '{}'", word)), std::string::npos) << message;
      for (const std::string& choice : row.words) EXPECT_NE(message.find(choice), std::string::npos) << message;
      EXPECT_EQ(message.find("auto, ") != std::string::npos, row.can_be_automatic()) << message;
    }
  }
  EXPECT_EQ(parse_error(*find_option("start"), "nystroem"),
            "start must be one of auto, random, nystrom, neighbors; got 'nystroem'");
  ClusterOptions options;
  options.method = "lanczos";
  EXPECT_EQ(refusal(options).rfind("method must be one of auto, ", 0), 0u) << refusal(options);
}

TEST(OptionTable, AutoAndWhereItIsAcceptedZeroMeanUnset) {
  for (const OptionRow& row : option_rows()) {
    EXPECT_EQ(parse_error(row, "auto") == "accepted", row.can_be_automatic()) << row.name;
    if (row.can_be_automatic()) {
      EXPECT_EQ(parse_option(row, "auto"), OptionValue()) << row.name;
      EXPECT_EQ(to_text(row, OptionValue()), "auto");
    }
    if (row.kind == OptionKind::integer) {
      EXPECT_EQ(parse_option(row, "0"), row.zero_is_automatic ? OptionValue() : OptionValue(int64_t{0})) << row.name;
    }
    EXPECT_TRUE(row.can_be_automatic() || !row.zero_is_automatic) << row.name;
  }
}

TEST(OptionTable, TextThatIsNoValueIsRefused) {
  for (const OptionRow& row : option_rows()) {
    for (const char* text : {"x", "", "3x", "1 2", "--3"}) {
      const std::string message = parse_error(row, text);
      EXPECT_EQ(message.rfind(row.name + " must be ", 0), 0u) << row.name << ", '" << text << "': " << message;
    }
    if (row.kind == OptionKind::integer) {
      EXPECT_EQ(parse_error(row, "1.5"),
                fmt::format("{} must be an integer{}; got '1.5'", row.name, row.can_be_automatic() ? ", or auto" : ""));
      EXPECT_NE(parse_error(row, "99999999999999999999"), "accepted") << row.name;
    }
  }
}

TEST(OptionTable, BytesAreReadWithTheirUnits) {
  const OptionRow& cache = *find_option("cache");
  const auto bytes = [&](const char* text) { return std::get<int64_t>(parse_option(cache, text)); };
  EXPECT_EQ(bytes("0"), 0);
  EXPECT_EQ(bytes("4096"), 4096);
  EXPECT_EQ(bytes("2K"), 2048);
  EXPECT_EQ(bytes("500M"), int64_t{500} << 20);
  EXPECT_EQ(bytes("1.5G"), int64_t{3} << 29);
  EXPECT_EQ(bytes("5GiB"), int64_t{5} << 30);
  EXPECT_EQ(bytes("1T"), int64_t{1} << 40);
  for (const char* bad : {"5X", "5GB", "G", "-1", "-5M", "1KM", "nan", "inf"})
    EXPECT_EQ(parse_error(cache, bad), fmt::format("cache must be a size such as 500M or 5G; got '{}'", bad));
}

TEST(OptionTable, ValuesOutOfRangeAreRefusedByName) {
  const auto expect_refused = [](const OptionRow& row, const OptionValue& value) {
    ClusterOptions options;
    row.set(options, value);
    const std::string message = refusal(options);
    EXPECT_EQ(message.rfind(row.name + " must be ", 0), 0u)
        << row.name << " = " << to_text(row, value) << ": " << message;
    EXPECT_TRUE(message.ends_with("; got " + to_text(row, value))) << message;
  };
  int64_t checked = 0;
  for (const OptionRow& row : option_rows()) {
    if (row.kind == OptionKind::integer || row.kind == OptionKind::bytes) {
      ASSERT_TRUE(std::isfinite(row.least)) << row.name;
      if (row.name != "seed") expect_refused(row, int64_t(row.least) - 1);  // its field is unsigned
      if (row.most_is_n) expect_refused(row, shape.n + 1);
      ++checked;
    }
    if (row.kind == OptionKind::real) {
      ASSERT_TRUE(row.is_positive || std::isfinite(row.least)) << row.name;
      for (const double bad : {-1.0, std::nan(""), std::numeric_limits<double>::infinity()}) expect_refused(row, bad);
      if (row.is_positive) expect_refused(row, 0.0);
      ++checked;
    }
  }
  EXPECT_GT(checked, 15);
}

TEST(OptionTable, MessagesNameTheRangeAndTheValue) {
  const auto message_for = [](const char* name, const OptionValue& value) {
    ClusterOptions options;
    find_option(name)->set(options, value);
    return refusal(options);
  };
  EXPECT_EQ(message_for("batch_size", int64_t{0}), "batch_size must be in [1, 1000]; got 0");
  EXPECT_EQ(message_for("batch_size", int64_t{1001}), "batch_size must be in [1, 1000]; got 1001");
  EXPECT_EQ(message_for("clusters", int64_t{0}), "clusters must be in [1, 1000]; got 0");
  EXPECT_EQ(message_for("gamma", -1.0), "gamma must be positive; got -1");
  EXPECT_EQ(message_for("iterations", int64_t{0}), "iterations must be at least 1; got 0");
  EXPECT_EQ(message_for("stall", -0.5), "stall must be at least 0; got -0.5");
}

/// Options that select this solver.
ClusterOptions options_of(const SolverRow& solver) {
  ClusterOptions options;
  options.method = solver.method;
  if (solver.method == "transfer") options.affinity = AffinityKind::landmarks;
  options.step_rule = solver.step_rule.value_or(StepRule::ritz);
  return options;
}

TEST(OptionTable, AnOptionOfAnotherMethodIsRefusedByNameAndMethod) {
  int64_t pairs = 0;
  for (const SolverRow* solver : solvers()) {
    EXPECT_EQ(refusal(options_of(*solver)), "accepted") << solver->name;
    for (const OptionRow& row : option_rows()) {
      if (applies(row, *solver)) continue;
      ClusterOptions options = options_of(*solver);
      row.set(options, other_value(row));
      const std::string name = solver->name == "adagrad" ? "minibatch with step_rule = adagrad" : solver->method;
      EXPECT_EQ(refusal(options),
                fmt::format("{} does not apply to the method {}; it applies to {}", row.name, name, methods_text(row)));
      EXPECT_FALSE(all_apply(options, *solver));
      row.set(options, row.get(ClusterOptions()));
      EXPECT_EQ(refusal(options), "accepted") << "the default of " << row.name << " is no option of another method";
      ++pairs;
    }
  }
  EXPECT_GT(pairs, 40);
}

TEST(OptionTable, MethodsOfAnOptionAreTheOnesItWorksWith) {
  const auto message_for = [](const char* method, const auto& change) {
    ClusterOptions options;
    options.method = method;
    change(options);
    return refusal(options);
  };
  EXPECT_EQ(message_for("exact", [](ClusterOptions& o) { o.batch_size = 10; }),
            "batch_size does not apply to the method exact; it applies to minibatch, adagrad");
  EXPECT_EQ(message_for("minibatch", [](ClusterOptions& o) { o.block_size = 10; }),
            "block_size does not apply to the method minibatch; it applies to exact, nystrom, power, chebyshev");
  EXPECT_EQ(message_for("minibatch", [](ClusterOptions& o) { o.adagrad.estimator = Estimator::signs; }),
            "estimator does not apply to the method minibatch; it applies to adagrad");
  EXPECT_EQ(message_for("minibatch",
                        [](ClusterOptions& o) {
                          o.step_rule = StepRule::adagrad;
                          o.ritz.polish = false;
                        }),
            "polish does not apply to the method minibatch with step_rule = adagrad; it applies to minibatch");
  EXPECT_EQ(message_for("power", [](ClusterOptions& o) { o.landmarks = 10; }),
            "landmarks applies to the method power only if affinity = landmarks");
  EXPECT_EQ(message_for("nystrom", [](ClusterOptions& o) { o.exact.basis_size = 100; }),
            "basis_size does not apply to the method nystrom; it applies to exact");
  EXPECT_EQ(message_for("exact", [](ClusterOptions& o) { o.power.power_operator = PowerOperator::shifted; }),
            "power_operator does not apply to the method exact; it applies to power");
}

TEST(OptionTable, AnOptionThatNeedsAnotherIsRefusedWithoutIt) {
  const auto refusal = [](const ClusterOptions& options) -> std::string {
    try {
      check_conditions(options);
    } catch (const InvalidInput& error) {
      return error.what();
    }
    return "accepted";
  };
  int64_t checked = 0;
  for (const OptionRow& row : option_rows()) {
    if (!row.condition) continue;
    const OptionRow* other = find_option(row.condition->option);
    ASSERT_NE(other, nullptr) << row.name;
    const std::vector<std::string>& needed = row.condition->words;
    const auto is_needed = [&](const std::string& word) { return std::ranges::count(needed, word) > 0; };
    EXPECT_EQ(std::ranges::count_if(other->words, is_needed), int64_t(needed.size())) << row.name;
    ClusterOptions options;
    row.set(options, row.kind == OptionKind::real ? OptionValue(0.1) : other_value(row));
    for (const std::string& word : needed) {
      other->set(options, word);
      EXPECT_EQ(refusal(options), "accepted") << row.name;
    }
    const std::string wrong = *std::ranges::find_if_not(other->words, is_needed);
    other->set(options, wrong);
    EXPECT_EQ(refusal(options),
              fmt::format("{} applies to {} only; got {} = {}", row.name, methods_text(row), other->name, wrong));
    row.set(options, row.get(ClusterOptions()));
    EXPECT_EQ(refusal(options), "accepted") << "the default of " << row.name;
    ++checked;
  }
  EXPECT_GE(checked, 3);
  ClusterOptions options;
  options.assign = Assign::cluster_qr;
  options.restarts = 3;
  EXPECT_EQ(refusal(options), "restarts applies to assign = kmeans only; got assign = cluster_qr");
}

TEST(OptionTable, MethodsAreNamesOfSolvers) {
  std::set<std::string> names;
  for (const SolverRow* solver : solvers()) EXPECT_TRUE(names.insert(solver->name).second) << solver->name;
  for (const OptionRow& row : option_rows())
    for (const std::string& method : row.methods) EXPECT_TRUE(names.contains(method)) << row.name << ": " << method;
  for (const SolverRow* solver : solvers())
    for (const OptionRow& row : solver->options)
      EXPECT_EQ(row.methods, std::vector<std::string>{solver->name}) << row.name << " is its own";
  EXPECT_EQ(find_option("method")->words, method_names());
}

TEST(OptionTable, NamesFlagsAndPythonNamesAreUnique) {
  std::set<std::string> names, flags, arguments;
  for (const OptionRow& row : option_rows()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_EQ(find_option(row.name), &row);
    for (size_t at = 0; at < row.flag.size();) {
      const size_t comma = std::min(row.flag.find(',', at), row.flag.size());
      const std::string flag = row.flag.substr(at, comma - at);
      EXPECT_TRUE(flag.starts_with("-")) << flag;
      EXPECT_TRUE(flags.insert(flag).second) << flag;
      at = comma + 1;
    }
    const std::string& argument = row.python.empty() ? row.name : row.python;
    EXPECT_TRUE(arguments.insert(argument).second) << argument;
    EXPECT_EQ(find_python_option(argument), &row) << argument;
  }
  // Old names are accepted too. They must differ from all other names.
  for (const OptionRow& row : option_rows()) {
    if (row.old_name.empty()) continue;
    EXPECT_TRUE(names.insert(row.old_name).second) << row.old_name;
    EXPECT_TRUE(arguments.insert(row.old_name).second) << row.old_name;
    EXPECT_EQ(find_python_option(row.old_name), &row) << row.old_name;
    EXPECT_TRUE(flags.insert("--" + row.old_name).second) << row.old_name;
  }
  EXPECT_EQ(find_option("no such option"), nullptr);
  EXPECT_EQ(find_python_option("no such option"), nullptr);
}

TEST(OptionTable, EveryRowExplainsItselfAndIsOnThePage) {
  const std::string page = options_page();
  for (const OptionRow& row : option_rows()) {
    EXPECT_FALSE(row.description.empty()) << row.name;
    EXPECT_FALSE(default_text(row).empty()) << row.name;
    EXPECT_NE(page.find(fmt::format("| `{}` | `{}` |", row.name, row.flag)), std::string::npos) << row.name;
  }
}

}  // namespace
}  // namespace mbsc
