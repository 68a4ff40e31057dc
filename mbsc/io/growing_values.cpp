// SPDX-License-Identifier: Apache-2.0
#include "mbsc/io/growing_values.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "mbsc/base/require.h"

namespace mbsc {
namespace {

double physical_bytes() {
  return static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

template <class T>
void lengthen(T* values, int64_t rows, int64_t before, int64_t after) {
  for (int64_t i = rows - 1; i >= 0; --i) {
    T* row = values + i * after;
    std::memmove(row, values + i * before, static_cast<size_t>(before) * sizeof(T));
    std::fill(row + before, row + after, T{0});
  }
}

}  // namespace

bool GrowingValues::resize(int64_t count) {
  const auto bytes = static_cast<size_t>(std::max<int64_t>(count, 1) * value_bytes());
  void* moved = std::realloc(buffer_.get(), bytes);
  if (moved == nullptr) return false;
  (void)buffer_.release();
  buffer_.reset(moved);
  capacity_ = count;
  return true;
}

void GrowingValues::require_memory(int64_t count) const {
  const double needed = static_cast<double>(count) * static_cast<double>(value_bytes());
  require(needed <= physical_bytes(), "{}: the table needs {:.1f} GB, but this machine has {:.1f} GB", name_,
          needed / 1e9, physical_bytes() / 1e9);
}

void GrowingValues::reserve(int64_t count) {
  if (count <= capacity_) return;
  require_memory(count);
  if (!resize(std::max(count, capacity_ + capacity_ / 2)) && !resize(count)) throw std::bad_alloc();
}

void GrowingValues::widen(int64_t used) {
  if (type_ == ScalarType::float64) return;
  type_ = ScalarType::float64;
  require_memory(used);
  if (!resize(std::max(capacity_, used))) throw std::bad_alloc();
  // The last value is converted first: double i overwrites floats 2i and 2i + 1, which have been converted already.
  const char* narrow = static_cast<const char*>(buffer_.get());
  char* wide = static_cast<char*>(buffer_.get());
  for (int64_t i = used - 1; i >= 0; --i) {
    float value;
    std::memcpy(&value, narrow + 4 * i, sizeof value);
    const double widened = value;
    std::memcpy(wide + 8 * i, &widened, sizeof widened);
  }
}

void GrowingValues::lengthen_rows(int64_t rows, int64_t before, int64_t after) {
  reserve(rows * after);
  if (type_ == ScalarType::float32) {
    lengthen(float32(), rows, before, after);
  } else {
    lengthen(float64(), rows, before, after);
  }
}

std::unique_ptr<void, Table::Free> GrowingValues::release(int64_t count) {
  if (!resize(count)) throw std::bad_alloc();
  capacity_ = 0;
  return std::move(buffer_);
}

}  // namespace mbsc
