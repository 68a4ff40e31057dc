// SPDX-License-Identifier: Apache-2.0
#include "options.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>

#include "mbsc/base/require.h"
#include "mbsc/options/table.h"

namespace mbsc::python {
namespace {

namespace nb = nanobind;

std::string text_of(nb::handle value) { return nb::cast<std::string>(nb::repr(value)); }

template <class T>
OptionValue cast(const OptionRow& row, nb::handle value, const char* kind) {
  T result{};
  require(nb::try_cast(value, result), "{} must be {}; got {}", row.name, kind, text_of(value));
  return result;
}

OptionValue word_of_python(const OptionRow& row, std::string word) {
  for (const auto& [ours, theirs] : row.python_words)
    if (theirs == word) word = ours;
  return parse_option(row, word);
}

OptionValue value_of(const OptionRow& row, nb::handle value) {
  const bool is_text = nb::isinstance<nb::str>(value);
  if (is_text && row.can_be_automatic() && nb::cast<std::string>(value) == "auto") return {};
  switch (row.kind) {
    case OptionKind::flag:
      return cast<bool>(row, value, "True or False");
    case OptionKind::bytes:
      if (is_text) return parse_option(row, nb::cast<std::string>(value));
      [[fallthrough]];
    case OptionKind::integer:
      return cast<int64_t>(row, value, "an integer");
    case OptionKind::real:
      return cast<double>(row, value, "a number");
    case OptionKind::word:
      if (!is_text) check_word(row, text_of(value));
      return word_of_python(row, nb::cast<std::string>(value));
  }
  return {};
}

}  // namespace

ClusterOptions options_of(const nb::dict& given) {
  ClusterOptions options;
  for (const auto& [key, value] : given) {
    if (value.is_none()) continue;
    const auto name = nb::cast<std::string>(key);
    const OptionRow* row = find_python_option(name);
    require(row != nullptr, "there is no option {}", name);
    row->set(options, value_of(*row, value));
  }
  return options;
}

namespace {

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
}

}  // namespace

std::string in_python_words(const std::string& message) {
  const OptionRow* first = find_option(message.substr(0, message.find(' ')));
  std::string text = first && !first->python.empty() ? first->python + message.substr(first->name.size()) : message;
  for (const OptionRow& row : option_rows()) {
    if (row.python.empty()) continue;
    for (const auto& [ours, theirs] : row.python_words)
      replace_all(text, " " + row.name + " = " + ours + " ", " " + row.name + " = " + theirs + " ");
    replace_all(text, " " + row.name + " = ", " " + row.python + " = ");
  }
  return text;
}

namespace {

/// These words of an option, in Python's spelling.
std::vector<std::string> in_python(std::vector<std::string> words, const OptionRow& row) {
  for (std::string& word : words)
    for (const auto& [ours, theirs] : row.python_words)
      if (word == ours) {
        word = theirs;
        break;
      }
  return words;
}

/// The other option that the option needs, in Python's words: its name, and the words it may have.
nb::tuple condition_of(const OptionRow& row) {
  const OptionRow& other = *find_option(row.condition->option);
  return nb::make_tuple(other.python, in_python(row.condition->words, other));
}

}  // namespace

nb::list describe_options() {
  nb::list rows;
  for (const OptionRow& row : option_rows()) {
    if (row.python.empty()) continue;
    nb::dict described;
    described["python"] = row.python;
    described["name"] = row.name;
    const char* kinds[] = {"bool", "int", "float", "str", "int or str"};
    described["kind"] = kinds[int(row.kind)];
    described["words"] = in_python(row.words, row);
    described["methods"] = row.methods;
    described["condition"] = row.condition ? nb::object(condition_of(row)) : nb::object(nb::none());
    described["automatic"] = row.automatic;
    described["help"] = row.description;
    rows.append(described);
  }
  return rows;
}

}  // namespace mbsc::python
