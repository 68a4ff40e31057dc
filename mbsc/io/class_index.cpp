// SPDX-License-Identifier: Apache-2.0
#include "mbsc/io/class_index.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mbsc/io/number.h"

namespace mbsc {
namespace {

// Above 2^53, several integers are the same double. Such names stay text.
bool is_exact_integer(double value) { return std::abs(value) <= 0x1p53 && value == std::floor(value); }

}  // namespace

int32_t ClassIndex::index_of(std::string_view name) {
  const auto found = index_.find(name);
  if (found != index_.end()) return found->second;
  const auto next = static_cast<int32_t>(names_.size());
  names_.emplace_back(name);
  index_.emplace(names_.back(), next);
  return next;
}

void sort_integer_classes(std::vector<int32_t>& classes, std::vector<std::string>& names) {
  std::vector<int64_t> values;
  for (const std::string& name : names) {
    double value = 0;
    if (parse_number(name, value) != CellKind::number || !is_exact_integer(value)) return;
    values.push_back(static_cast<int64_t>(value));
  }
  std::vector<int64_t> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  std::vector<int32_t> moved(values.size());
  for (size_t c = 0; c < values.size(); ++c) {
    const auto place = std::lower_bound(sorted.begin(), sorted.end(), values[c]);
    moved[c] = static_cast<int32_t>(place - sorted.begin());
  }
  for (int32_t& c : classes) c = moved[static_cast<size_t>(c)];
  names.clear();
  for (const int64_t value : sorted) names.push_back(fmt::to_string(value));
}

std::string class_name(double value) {
  return is_exact_integer(value) ? fmt::to_string(static_cast<int64_t>(value)) : fmt::to_string(value);
}

}  // namespace mbsc
