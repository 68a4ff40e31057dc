// SPDX-License-Identifier: Apache-2.0
// Table: what a reader gives. It owns the coordinates and, where the file had them, the true
// classes.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "mbsc/base/points.h"

namespace mbsc {

/// The rows of a file. Values are kept in float32 as long as every one of them is exactly
/// representable there (integers, float32 files), in float64 otherwise; so nothing is lost before
/// scaling.
struct Table {
  struct Free {
    void operator()(void* p) const { std::free(p); }
  };

  std::unique_ptr<void, Free> buffer;
  ScalarType type = ScalarType::float32;
  int64_t rows = 0;
  int64_t features = 0;
  bool column_major = false;   ///< NPY in Fortran order
  int64_t first_row = 0;       ///< of the file, when only a range of rows was read
  std::vector<int32_t> truth;  ///< class of each row, an index into class_names; empty = unknown
  std::vector<std::string> class_names;
  std::vector<std::string> feature_names;  ///< from a header line; empty = none
  std::string format;                      ///< "csv", "tsv", "libsvm", "npy", with ".gz" where compressed
  int64_t memory_bytes() const { return rows * features * (type == ScalarType::float32 ? 4 : 8); }

  /// A view of the coordinates, unscaled.
  Points points() const;
};

}  // namespace mbsc
