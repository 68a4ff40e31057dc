// SPDX-License-Identifier: Apache-2.0
// GrowingValues: the buffer of a table whose length is not known yet. It grows by realloc, which can move pages instead
// of copying them. It begins as float32. widen() converts it to float64 if a value requires that.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "mbsc/read.h"

namespace mbsc {

class GrowingValues {
 public:
  /// `name` is the file name for messages.
  explicit GrowingValues(std::string name) : name_(std::move(name)) {}

  ScalarType type() const { return type_; }
  float* float32() { return static_cast<float*>(buffer_.get()); }
  double* float64() { return static_cast<double*>(buffer_.get()); }

  /// Allocates memory for `count` values. Throws InvalidInput if the machine does not have that much.
  void reserve(int64_t count);
  /// Converts the buffer from float32 to float64, in place. Keeps the first `used` values.
  void widen(int64_t used);
  /// Extends rows from `before` to `after` values, in place. The new values are 0.
  void lengthen_rows(int64_t rows, int64_t before, int64_t after);
  /// Returns the buffer, shortened to `count` values. The object is then empty.
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
