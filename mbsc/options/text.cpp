// SPDX-License-Identifier: Apache-2.0
// Options as text: parses values that a user types, and shows values and rows.
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "mbsc/base/require.h"
#include "mbsc/options/table.h"

namespace mbsc {
namespace {

std::string join(const std::vector<std::string>& words, const char* separator) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : separator) + word;
  return text;
}

std::string or_auto(const OptionRow& row) { return row.can_be_automatic() ? ", or auto" : ""; }

int64_t parse_integer(const OptionRow& row, const std::string& text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  require(error == std::errc() && end == text.data() + text.size(), "{} must be an integer{}; got '{}'", row.name,
          or_auto(row), text);
  return value;
}

double parse_real(const OptionRow& row, const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  require(!text.empty() && *end == '\0', "{} must be a number{}; got '{}'", row.name, or_auto(row), text);
  return value;
}

/// Parses a size such as 500M, 1.5G or 4096, and rounds it to an integer number of bytes. K is 1,024.
int64_t parse_bytes(const OptionRow& row, const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  std::string unit = end;
  if (unit.ends_with("iB")) unit.resize(unit.size() - 2);
  const size_t power = unit.empty() ? 0 : std::string("KMGT").find(unit) + 1;
  require(end != text.c_str() && value >= 0 && value < 1e15 && unit.size() <= 1 && (unit.empty() || power > 0),
          "{} must be a size such as 500M or 5G; got '{}'", row.name, text);
  return int64_t(std::min(std::round(value * std::pow(1024.0, double(power))), double(int64_t{1} << 60)));
}

bool parse_flag(const OptionRow& row, const std::string& text) {
  require(text == "true" || text == "false", "{} must be true or false; got '{}'", row.name, text);
  return text == "true";
}

}  // namespace

void check_word(const OptionRow& row, const std::string& word) {
  for (const std::string& choice : row.words)
    if (choice == word) return;
  throw InvalidInput(fmt::format("{} must be one of {}{}; got '{}'", row.name, row.can_be_automatic() ? "auto, " : "",
                                 join(row.words, ", "), word));
}

OptionValue parse_option(const OptionRow& row, const std::string& text) {
  if (row.can_be_automatic() && (text == "auto" || (row.zero_is_automatic && text == "0"))) return {};
  switch (row.kind) {
    case OptionKind::flag:
      return parse_flag(row, text);
    case OptionKind::integer:
      return parse_integer(row, text);
    case OptionKind::bytes:
      return parse_bytes(row, text);
    case OptionKind::real:
      return parse_real(row, text);
    case OptionKind::word:
      check_word(row, text);
      return text;
  }
  return {};
}

std::string to_text(const OptionRow&, const OptionValue& value) {
  struct Show {
    std::string operator()(std::monostate) const { return "auto"; }
    std::string operator()(bool flag) const { return flag ? "true" : "false"; }
    std::string operator()(int64_t number) const { return std::to_string(number); }
    std::string operator()(double number) const { return fmt::format("{}", number); }
    std::string operator()(const std::string& word) const { return word; }
  };
  return std::visit(Show(), value);
}

std::string default_text(const OptionRow& row) {
  if (row.can_be_automatic()) return row.automatic;
  return to_text(row, row.get(ClusterOptions()));
}

std::string methods_text(const OptionRow& row) {
  if (!row.condition) return join(row.methods, ", ");
  std::vector<std::string> words = row.condition->words;
  const std::string last = words.back();
  words.pop_back();
  return row.condition->option + " = " + (words.empty() ? last : join(words, ", ") + " or " + last);
}

namespace {

/// Escapes a text for a cell of a Markdown table.
std::string cell(const std::string& text) {
  std::string escaped;
  for (const char c : text) escaped += c == '|' ? std::string("\\|") : std::string(1, c);
  return escaped;
}

}  // namespace

std::string options_page() {
  std::string page =
      "# Options\n\n"
      "Every option of a clustering, generated from the option table: `mbsc options > docs/options.md`.\n\n"
      "An option has one name: the field of `ClusterOptions`, the key in the summary and the name in messages. The\n"
      "command line writes it as a flag, Python as an argument; if scikit-learn has a name for it, Python uses that "
      "name. `auto`\n"
      "can be given for every option with an automatic value. An option that is given to a method it does not apply "
      "to\n"
      "is refused. Under \"applies to\", `minibatch` is that method with `step_rule` `ritz`, and `adagrad` is the "
      "same\n"
      "method with `step_rule` `adagrad`, the paper's algorithm. The command line has no default for `clusters`.\n";
  const std::pair<OptionGroup, const char*> groups[] = {{OptionGroup::problem, "The problem"},
                                                        {OptionGroup::solver, "The solver"},
                                                        {OptionGroup::limits, "Limits"},
                                                        {OptionGroup::run, "The run"}};
  for (const auto& [group, title] : groups) {
    page += fmt::format(
        "\n## {}\n\n| option | flag | Python | applies to | values | default | meaning |\n"
        "|---|---|---|---|---|---|---|\n",
        title);
    for (const OptionRow& row : option_rows()) {
      if (row.group != group) continue;
      const char* kinds[] = {"flag", "integer", "number", "", "bytes"};
      std::string values = row.words.empty() ? kinds[int(row.kind)] : join(row.words, ", ");
      if (const std::string range = range_text(row); !range.empty()) values += ", " + range;
      page += fmt::format("| `{}` | `{}` | {} | {} | {} | {}{} | {} |\n", row.name, row.flag,
                          row.python.empty() ? "" : "`" + row.python + "`",
                          row.methods.empty() && !row.condition ? "all methods" : methods_text(row), values,
                          row.can_be_automatic() ? "auto: " : "", cell(default_text(row)), cell(row.description));
    }
  }
  return page;
}

}  // namespace mbsc
