// SPDX-License-Identifier: Apache-2.0
// ClassIndex: numbers classes in the order of their first appearance.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace mbsc {

class ClassIndex {
 public:
  /// The number of the class `name`. A name that was not seen before gets the next number.
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

/// If every name is an integer, renumbers the classes in the order of these integers. "2", "+2" and "2.0" become the
/// same class "2". If a name is not an integer, changes nothing.
void sort_integer_classes(std::vector<int32_t>& classes, std::vector<std::string>& names);

/// The name of a class that is given as a number: "3" for 3.0; the shortest exact text if it is not an integer.
std::string class_name(double value);

}  // namespace mbsc
