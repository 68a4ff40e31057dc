// SPDX-License-Identifier: Apache-2.0
// ClassIndex: numbers classes in the order in which their names appear.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace mbsc {

class ClassIndex {
 public:
  /// The number of the class called `name`; a new one where it was not seen before.
  int32_t index_of(std::string_view name);
  const std::vector<std::string>& names() const { return names_; }
  std::vector<std::string> release() { return std::move(names_); }

 private:
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view name) const { return std::hash<std::string_view>{}(name); }
  };
  std::unordered_map<std::string, int32_t, Hash, std::equal_to<>> index_;
  std::vector<std::string> names_;
};

/// Where every name is an integer ("2", "+2" and "2.0" are the same one): renumbers `classes` in
/// the order of these integers. Otherwise leaves both alone.
void sort_integer_classes(std::vector<int32_t>& classes, std::vector<std::string>& names);

/// How a number is called as a class: 3 for 3.0, otherwise its shortest text.
std::string class_name(double value);

}  // namespace mbsc
