// SPDX-License-Identifier: Apache-2.0
// GrowingValues: the buffer of a table while its length is not known yet. It grows by realloc,
// which moves pages instead of copying them, and starts as float32: widen() makes it float64 at the
// first value that needs it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "mbsc/io/table.h"

namespace mbsc {

class GrowingValues {
 public:
  /// `name` of the file is for messages.
  explicit GrowingValues(std::string name) : name_(std::move(name)) {}

  ScalarType type() const { return type_; }
  float* float32() { return static_cast<float*>(buffer_.get()); }
  double* float64() { return static_cast<double*>(buffer_.get()); }

  /// Makes room for `count` values; throws InvalidInput where they exceed the machine's memory.
  void reserve(int64_t count);
  /// From float32 to float64, in place; the first `used` values are kept.
  void widen(int64_t used);
  /// Lengthens rows from `before` to `after` values, in place, with zeros at their ends.
  void lengthen_rows(int64_t rows, int64_t before, int64_t after);
  /// Gives the buffer away, cut to `count` values.
  std::unique_ptr<void, Table::Free> release(int64_t count);

 private:
  int64_t value_bytes() const { return type_ == ScalarType::float32 ? 4 : 8; }
  bool resize(int64_t count);
  void require_memory(int64_t count) const;

  std::string name_;
  ScalarType type_ = ScalarType::float32;
  int64_t capacity_ = 0;
  std::unique_ptr<void, Table::Free> buffer_;
};

}  // namespace mbsc
