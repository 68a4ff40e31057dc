// SPDX-License-Identifier: Apache-2.0
// A second order of the rows of a RowSpace: each row has a place. Places are distributed over the ranks like rows, so the
// rows of a rank and the rows at its places differ. This class moves rows to their places and back.
// Memory: 12 bytes for each own row. A move sends each row at most once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "mbsc/input.h"
#include "mbsc/linalg/row_exchange.h"

namespace mbsc {

class RowPermutation {
 public:
  RowPermutation() = default;
  /// `rows` has the (global) row at each own place. Collective.
  RowPermutation(const RowSpace& space, std::vector<int32_t> rows);

  /// The (global) row at each own place.
  const std::vector<int32_t>& rows() const { return rows_; }

  /// The rows of V by place, from the own rows of V; and the rows of V from the rows at own places. Collective.
  template <class T>
  Matrix<T> to_places(const Comm& comm, MatrixView<const T> V) const {
    return move<T>(comm, V, row_numbers_, places_);
  }
  template <class T>
  Matrix<T> to_rows(const Comm& comm, MatrixView<const T> V) const {
    return move<T>(comm, V, places_, row_numbers_);
  }
  template <class T>
  std::vector<T> to_places(const Comm& comm, const std::vector<T>& values) const {
    const Matrix<T> moved = to_places<T>(comm, MatrixView<const T>(values.data(), int64_t(values.size()), 1));
    return {moved.data(), moved.data() + moved.size()};
  }
  template <class T>
  std::vector<T> to_rows(const Comm& comm, const std::vector<T>& values) const {
    const Matrix<T> moved = to_rows<T>(comm, MatrixView<const T>(values.data(), int64_t(values.size()), 1));
    return {moved.data(), moved.data() + moved.size()};
  }

 private:
  using Numbers = std::vector<std::vector<int32_t>>;
  /// Row from[rank][i] of V goes to the rank, which puts it into its row to[this rank][i].
  template <class T>
  static Matrix<T> move(const Comm& comm, MatrixView<const T> V, const Numbers& from, const Numbers& to) {
    std::vector<std::vector<T>> parts(from.size());
    for (size_t rank = 0; rank < from.size(); ++rank) {
      parts[rank].reserve(from[rank].size() * size_t(V.cols));
      for (const int32_t row : from[rank]) parts[rank].insert(parts[rank].end(), V.row(row), V.row(row) + V.cols);
    }
    parts = exchange_parts<T>(comm, std::move(parts));
    Matrix<T> out(V.rows, V.cols);
    for (size_t rank = 0; rank < to.size(); ++rank)
      for (size_t i = 0; i < to[rank].size(); ++i)
        std::copy_n(parts[rank].data() + i * size_t(V.cols), V.cols, out.row(to[rank][i]));
    return out;
  }

  std::vector<int32_t> rows_;
  Numbers
      row_numbers_;  ///< for each rank: the own rows (local numbers) whose places it owns, in the order of the places
  Numbers places_;   ///< for each rank: the own places (local numbers) whose rows it owns, ascending
};

}  // namespace mbsc
