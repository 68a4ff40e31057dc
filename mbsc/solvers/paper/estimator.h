// SPDX-License-Identifier: Apache-2.0
// Unbiased estimates of LW from a few columns of L. The estimate is L[:, S] C, with coefficients C (|S| x k) drawn so
// that its expectation is LW. L has n columns, and m = |S|. For `signed` there are N_r random vectors r_v; each has l
// non-zeros, in the columns S_v and with the signs sigma_v, and p = l/n. o and ^2 apply to each entry.
//
//   columns   C_j = (n/m) W_j for j in S, S a uniform subset of m columns (the authors' script).
//             Variance of entry i of one column w:  n^2/m (1 - m/n) s_i^2,
//             s_i^2 = sum_j (L_ij w_j - g_i/n)^2 / (n - 1),  g = Lw.
//   signed    (1/N_r) sum_v L r_v r_v' W, components of r_v in {-p^-1/2, 0, p^-1/2} (the paper, Eq. 5):
//             C_j = 1/(N_r p) sum_v sigma_vj sum_{j' in S_v} sigma_vj' W_j'.
//             Variance with independent components:  [g^2 + (1/p - 3) (L o L) w^2 + sum_j L_ij^2] / N_r,
//             with exactly l non-zeros:  [(2c - 1) g^2 + (n/l - 3c) (L o L) w^2 + c sum_j L_ij^2] / N_r,
//             c = n(l - 1) / (l(n - 1)).   At fixed m = l N_r it grows with l (the paper's "asymmetry").
//
// Sampling `reshuffle` follows a keyed permutation of the columns, with each column once per pass. The batches of a
// pass are then dependent, but each batch alone is still unbiased. `independent` draws every batch, and every vector
// of `signed`, independently.
#pragma once

#include <vector>

#include "mbsc/input.h"
#include "mbsc/linalg/row_space.h"
#include "mbsc/solvers/solver.h"

namespace mbsc {

/// Columns (ascending, distinct) and their coefficients.
template <class T>
struct Batch {
  std::vector<int64_t> columns;
  Matrix<T> coefficients;
};

/// Draws the columns of a batch and its signs. They depend only on (seed, iteration).
class BatchPlan {
 public:
  BatchPlan(int64_t n, const ClusterOptions& options);

  int64_t batch_size() const { return batch_size_; }
  /// The columns of one batch, for each vector. For `columns` there is one vector.
  struct Draw {
    std::vector<std::vector<int64_t>> vectors;
    std::vector<std::vector<int>> signs;  ///< empty for `columns`
    double scale = 1;                     ///< n/m for `columns`, 1/(N_r p) for `signed`
  };
  /// Draws batch number t (from 0).
  Draw draw(int64_t t) const;

 private:
  std::vector<int64_t> next_columns(int64_t t) const;
  Draw draw_signed(int64_t t) const;

  int64_t n_;
  int64_t batch_size_;
  ClusterOptions options_;
};

/// The batch for iteration t at W.
template <class T>
Batch<T> make_batch(const BatchPlan& plan, int64_t t, const RowSpace& space, MatrixView<const T> W);

}  // namespace mbsc
