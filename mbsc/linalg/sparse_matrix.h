// SPDX-License-Identifier: Apache-2.0
// A sparse matrix over the rows of a RowSpace, in compressed sparse row (CSR) form, and its product with a tall matrix
// V. A product reads one row of V for each stored entry. Rows of V that other ranks own are fetched first.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mbsc/input.h"
#include "mbsc/linalg/row_exchange.h"

namespace mbsc {

/// The own rows in compressed form, with columns in ascending order of their global number.
struct SparseMatrix {
  std::vector<int64_t> starts;   ///< index of the first entry of each own row, and the number of entries
  std::vector<int32_t> columns;  ///< own rows by local number; then the rows of other ranks, in the order of `others`
  std::vector<float> values;
  RowExchange others;
  int64_t rows() const { return int64_t(starts.size()) - 1; }
};

/// Replaces the global column numbers of own rows by local ones, and sets `others`. Collective.
void make_columns_local(const RowSpace& space, SparseMatrix& matrix);

/// out += factor * S V, where S is `matrix` with `values` instead of matrix.values. Zero rows of V cost little.
/// Collective: fetches the rows of V that other ranks own.
template <class T>
void add_sparse_product(const RowSpace& space, const SparseMatrix& matrix, std::span<const T> values, double factor,
                        MatrixView<const T> V, MatrixView<T> out);

/// out = S V, where S is `matrix`. Collective: fetches the rows of V that other ranks own.
void multiply_sparse(const RowSpace& space, const SparseMatrix& matrix, MatrixView<const float> V,
                     MatrixView<float> out);

}  // namespace mbsc
