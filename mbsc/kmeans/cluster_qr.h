// SPDX-License-Identifier: Apache-2.0
// cluster_qr: labels for the rows of k eigenvectors, without iterations and without random numbers.
//
// Let X be the n x k matrix of the rows.
//     1. QR with column pivoting of X' chooses k rows. Each step chooses the row that has the largest part outside the
//        span of the rows chosen before.
//     2. C is the k x k matrix of the chosen rows, and C = H V its polar decomposition: H is symmetric positive
//        semidefinite, V is orthogonal. Row c of V is the direction of cluster c.
//     3. The label of a row x is the c for which |x v_c| is largest.
// If all rows have the same length (embedding_scale row), many rows tie in step 1. A row counts as tied if the square
// of its part is within 0.1 % of the largest one. The tied row with the lowest number is chosen, so rounding errors do
// not decide. If fewer than k rows are independent, polar decomposition completes V with directions that no row has.
//
// There are exactly k clusters: in the order of their numbers, each empty cluster c takes the row x for which
// |x v_c| / |x v_label| is largest. Only clusters with more than one row lose a row. Ties go to the lowest row number.
//
// Cost: O(n k^2). Memory: 8 bytes for each row.
//
// A. Damle, V. Minden, L. Ying, "Simple, direct and efficient multi-way spectral clustering", Information and
// Inference, 2019.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mbsc/input.h"
#include "mbsc/linalg/row_space.h"

namespace mbsc {

struct ClusterQrResult {
  std::vector<int32_t> labels;  ///< for the rows of this rank, in [0, k); -1 if excluded
  Matrix<double> directions;    ///< V, k x k
};

/// Labels the rows of an n x k matrix. excluded[i] != 0 excludes row i (empty span: none). The bits are the same for
/// any number of threads and ranks. Requires at least k rows that are not excluded. Collective.
ClusterQrResult cluster_qr(const RowSpace& space, MatrixView<const float> rows, std::span<const uint8_t> excluded);

/// The c for which |x v_c| is largest; ties go to the lowest c.
int32_t strongest_direction(const float* row, MatrixView<const double> directions);

}  // namespace mbsc
