// SPDX-License-Identifier: Apache-2.0
// Points: a view of this rank's rows of X. It owns no coordinates: an array of Python's, a file's buffer or a
// test's vector serves as it lies. The value that counts is (x - shift) * scale per feature, worked out in
// double while a tile is packed, so that neither scaling nor centering needs a copy.
#pragma once

#include <cstdint>
#include <vector>

#include "mbsc/base/matrix.h"
#include "mbsc/base/row_blocks.h"

namespace mbsc {

enum class ScalarType { float32, float64 };

struct Points {
  const void* data = nullptr;
  ScalarType type = ScalarType::float32;
  int64_t rows = 0;        ///< rows held here
  int64_t features = 0;    ///< d
  int64_t row_stride = 0;  ///< elements between one row and the next
  int64_t feature_stride = 1;
  int64_t first_row = 0;      ///< global number of row 0
  std::vector<double> shift;  ///< per feature; empty = 0
  std::vector<double> scale;  ///< per feature; empty = 1

  Points() = default;
  explicit Points(MatrixView<const float> X) : Points(X.data, ScalarType::float32, X.rows, X.cols, X.stride) {}
  explicit Points(MatrixView<const double> X) : Points(X.data, ScalarType::float64, X.rows, X.cols, X.stride) {}
  Points(const void* data_, ScalarType type_, int64_t rows_, int64_t features_, int64_t row_stride_,
         int64_t feature_stride_ = 1)
      : data(data_),
        type(type_),
        rows(rows_),
        features(features_),
        row_stride(row_stride_),
        feature_stride(feature_stride_) {}

  /// Rows [begin, end), counted here from 0.
  Points rows_between(int64_t begin, int64_t end) const {
    Points part = *this;
    const int64_t bytes = begin * row_stride * (type == ScalarType::float32 ? 4 : 8);
    part.data = static_cast<const char*>(data) + bytes;
    part.rows = end - begin;
    part.first_row = first_row + begin;
    return part;
  }
  /// The stored value.
  double raw(int64_t i, int64_t f) const {
    const int64_t at = i * row_stride + f * feature_stride;
    return type == ScalarType::float32 ? static_cast<double>(static_cast<const float*>(data)[at])
                                       : static_cast<const double*>(data)[at];
  }
  /// The value that counts.
  double operator()(int64_t i, int64_t f) const {
    double x = raw(i, f);
    if (!shift.empty()) x -= shift[f];
    if (!scale.empty()) x *= scale[f];
    return x;
  }
};

}  // namespace mbsc
