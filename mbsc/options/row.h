// SPDX-License-Identifier: Apache-2.0
// A row of the option table: everything that the C++, command-line and Python interfaces need to know about one option.
// The flags and the help of the command line, the Python setter, the checks, the summary and docs/options.md all loop
// over these rows (options/table.h).
//
// To add an option, add a field in mbsc/options.h, a row in options/table.cpp (or in the folder of the solver that it
// belongs to), and an argument in the signature of the Python estimator. A row is made from an accessor of its field:
//
//     integer_option("guards", [](auto& o) -> auto& { return o.guards; }).at_least(0).at_most_n().help("...")
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "mbsc/options/words.h"

namespace mbsc {

/// The value of an option; std::monostate means automatic.
using OptionValue = std::variant<std::monostate, bool, int64_t, double, std::string>;

enum class OptionKind { flag, integer, real, word, bytes };
/// The groups of options, in the order of the headings in the help.
enum class OptionGroup { problem, solver, limits, run };

struct OptionRow {
  std::string name;      ///< the name of the field, the key in the summary, and the name in messages
  std::string flag;      ///< on the command line; by default "--" and the name with dashes
  std::string python;    ///< the argument in Python; empty: there is none
  std::string old_name;  ///< still accepted, with a warning, on the command line and in Python; empty: there is none
  OptionGroup group = OptionGroup::solver;
  std::vector<std::string> methods;  ///< the solvers that the option applies to (SolverRow::name); empty: all
  /// The option applies only if another option has one of these words.
  struct Condition {
    std::string option;
    std::vector<std::string> words;
  };
  std::optional<Condition> condition;
  OptionKind kind = OptionKind::word;
  std::vector<std::string> words;  ///< the choices, if the kind is `word`
  /// The choices that Python spells as scikit-learn does, as pairs: our word, Python's word.
  std::vector<std::pair<std::string, std::string>> python_words;
  double least = -std::numeric_limits<double>::infinity(), most = std::numeric_limits<double>::infinity();
  bool is_positive = false;        ///< more than 0, and finite
  bool most_is_n = false;          ///< the number of points is the largest value
  bool zero_is_automatic = false;  ///< 0 means the same as "auto"
  std::string automatic;           ///< what an unset value means; empty: it cannot be unset
  std::string description;
  std::function<OptionValue(const ClusterOptions&)> get;
  /// The value must have the kind of the row, or be std::monostate if the option can be unset.
  std::function<void(ClusterOptions&, const OptionValue&)> set;

  bool can_be_automatic() const { return !automatic.empty(); }

  OptionRow&& help(std::string text) && { return description = std::move(text), std::move(*this); }
  OptionRow&& in(OptionGroup heading) && { return group = heading, std::move(*this); }
  OptionRow&& for_methods(std::vector<std::string> names) && { return methods = std::move(names), std::move(*this); }
  OptionRow&& only_if(std::string option, std::vector<std::string> words_of_it) && {
    return condition = Condition{std::move(option), std::move(words_of_it)}, std::move(*this);
  }
  OptionRow&& automatically(std::string text) && { return automatic = std::move(text), std::move(*this); }
  OptionRow&& flagged(std::string text) && { return flag = std::move(text), std::move(*this); }
  OptionRow&& in_python(std::string text) && { return python = std::move(text), std::move(*this); }
  OptionRow&& spelled_in_python(std::string word, std::string there) && {
    return python_words.emplace_back(std::move(word), std::move(there)), std::move(*this);
  }
  OptionRow&& formerly(std::string text) && { return old_name = std::move(text), std::move(*this); }
  OptionRow&& at_least(double value) && { return least = value, std::move(*this); }
  OptionRow&& at_most(double value) && { return most = value, std::move(*this); }
  OptionRow&& at_most_n() && { return most_is_n = true, std::move(*this); }
  OptionRow&& positive() && { return is_positive = true, std::move(*this); }
  OptionRow&& or_zero() && { return zero_is_automatic = true, std::move(*this); }
};

namespace detail {

inline OptionRow named_row(std::string name, OptionKind kind) {
  OptionRow row;
  row.flag = "--" + name;
  for (char& c : row.flag)
    if (c == '_') c = '-';
  row.python = name;
  row.name = std::move(name);
  row.kind = kind;
  return row;
}

template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};

/// A row for a field of any type, or an optional of it. `Stored` is the alternative of OptionValue that holds the
/// value; `to` and `from` convert the value of the field to `Stored` and back.
template <class Stored, class Field, class ToStored, class FromStored>
OptionRow field_row(std::string name, OptionKind kind, Field field, ToStored to, FromStored from) {
  OptionRow row = named_row(std::move(name), kind);
  row.get = [field, to](const ClusterOptions& options) -> OptionValue {
    const auto& value = field(options);
    if constexpr (IsOptional<std::remove_cvref_t<decltype(value)>>::value)
      return value ? OptionValue(to(*value)) : OptionValue();
    else
      return OptionValue(to(value));
  };
  row.set = [field, from](ClusterOptions& options, const OptionValue& value) {
    auto& target = field(options);
    if constexpr (IsOptional<std::remove_cvref_t<decltype(target)>>::value) {
      target.reset();
      if (!std::holds_alternative<std::monostate>(value)) target = from(std::get<Stored>(value));
    } else {
      target = from(std::get<Stored>(value));
    }
  };
  return row;
}

template <class Field>
using FieldValue = std::remove_cvref_t<decltype(std::declval<Field>()(std::declval<ClusterOptions&>()))>;
template <class T>
struct Inner {
  using type = T;
};
template <class T>
struct Inner<std::optional<T>> {
  using type = T;
};

}  // namespace detail

template <class Field>
OptionRow integer_option(std::string name, Field field, OptionKind kind = OptionKind::integer) {
  using T = typename detail::Inner<detail::FieldValue<Field>>::type;
  return detail::field_row<int64_t>(
      std::move(name), kind, field, [](T value) { return int64_t(value); }, [](int64_t value) { return T(value); });
}

/// A number of bytes: "500M", "5G".
template <class Field>
OptionRow bytes_option(std::string name, Field field) {
  return integer_option(std::move(name), field, OptionKind::bytes);
}

template <class Field>
OptionRow real_option(std::string name, Field field) {
  const auto same = [](double value) { return value; };
  return detail::field_row<double>(std::move(name), OptionKind::real, field, same, same);
}

template <class Field>
OptionRow flag_option(std::string name, Field field) {
  const auto same = [](bool value) { return value; };
  return detail::field_row<bool>(std::move(name), OptionKind::flag, field, same, same);
}

template <class Enum, class Field>
OptionRow word_option(std::string name, const Words<Enum>& words, Field field) {
  OptionRow row = detail::field_row<std::string>(
      std::move(name), OptionKind::word, field, [&words](Enum value) { return word_of(words, value); },
      [&words](const std::string& word) {
        auto found = words.begin();
        while (found->first != word) ++found;
        return found->second;
      });
  for (const auto& entry : words) row.words.push_back(entry.first);
  return row;
}

/// An option whose value is one of `words` and is stored as text.
template <class Field>
OptionRow text_option(std::string name, std::vector<std::string> words, Field field) {
  const auto same = [](const std::string& value) { return value; };
  OptionRow row = detail::field_row<std::string>(std::move(name), OptionKind::word, field, same, same);
  row.words = std::move(words);
  return row;
}

}  // namespace mbsc
