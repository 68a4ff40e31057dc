// SPDX-License-Identifier: Apache-2.0
// Python arrays as views, and results as arrays, without a copy in either direction.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "mbsc/base/require.h"
#include "mbsc/input.h"

namespace mbsc::python {

namespace nb = nanobind;

/// Rows of float32 or float64 with any strides; read-only.
using AnyMatrix = nb::ndarray<nb::ro, nb::ndim<2>, nb::device::cpu>;
/// Values of float32 or float64; read-only.
using AnyVector = nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using DenseMatrix = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using DenseVector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using NumpyArray = nb::ndarray<nb::numpy, T>;

inline Points points_of(const AnyMatrix& X) {
  const bool single = X.dtype() == nb::dtype<float>();
  require(single || X.dtype() == nb::dtype<double>(), "points must be float32 or float64");
  return Points(X.data(), single ? ScalarType::float32 : ScalarType::float64, int64_t(X.shape(0)), int64_t(X.shape(1)),
                X.stride(0), X.stride(1));
}

template <class T>
MatrixView<const T> view_of(const DenseMatrix<T>& X) {
  return {X.data(), int64_t(X.shape(0)), int64_t(X.shape(1))};
}
template <class T>
std::span<const T> span_of(const DenseVector<T>& x) {
  return {x.data(), x.shape(0)};
}

inline Graph graph_of(const DenseVector<int64_t>& starts, const DenseVector<int32_t>& columns, const AnyVector& values,
                      bool by_column) {
  const bool single = values.dtype() == nb::dtype<float>();
  require(single || values.dtype() == nb::dtype<double>(), "weights must be float32 or float64");
  require(values.shape(0) == columns.shape(0), "there are {} weights for {} indices", values.shape(0),
          columns.shape(0));
  Graph graph;
  graph.nodes = int64_t(starts.shape(0)) - 1;
  graph.starts = span_of(starts);
  graph.columns = span_of(columns);
  graph.values = values.data();
  graph.type = single ? ScalarType::float32 : ScalarType::float64;
  graph.by_column = by_column;
  return graph;
}

/// An array that owns the moved value.
template <class T>
NumpyArray<T> to_numpy(Matrix<T>&& matrix) {
  auto* kept = new Matrix<T>(std::move(matrix));
  const nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<Matrix<T>*>(p); });
  return NumpyArray<T>(kept->data(), {size_t(kept->rows()), size_t(kept->cols())}, owner);
}
template <class T>
NumpyArray<T> to_numpy(std::vector<T>&& values) {
  auto* kept = new std::vector<T>(std::move(values));
  const nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return NumpyArray<T>(kept->data(), {kept->size()}, owner);
}

/// A read-only array of a vector that `owner` keeps alive.
template <class T>
nb::ndarray<nb::numpy, const T> view_of(const std::vector<T>& values, std::shared_ptr<const void> owner) {
  auto* kept = new std::shared_ptr<const void>(std::move(owner));
  const nb::capsule capsule(kept, [](void* p) noexcept { delete static_cast<std::shared_ptr<const void>*>(p); });
  return nb::ndarray<nb::numpy, const T>(values.data(), {values.size()}, capsule);
}

}  // namespace mbsc::python
