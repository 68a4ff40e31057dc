// SPDX-License-Identifier: Apache-2.0
// Rayleigh-Ritz: the best eigenpairs in a subspace. With orthonormal V and Y = LV, eigenpairs (theta, u) of V'Y
// give Ritz pairs (theta, V u) with residuals |Y u - theta V u|. These residuals are computed, not estimated: they
// certify the pairs.
#pragma once

#include <vector>

#include "mbsc/linalg/dense.h"
#include "mbsc/linalg/tall.h"
#include "mbsc/solvers/solver.h"

namespace mbsc {

/// Fills values, vectors and residuals of `pairs` with the k leading Ritz pairs of V, where Y = LV.
template <class T>
void take_ritz_pairs(const RowSpace& space, MatrixView<const T> V, MatrixView<const T> Y, int64_t k,
                     EigenPairs<T>& pairs);

/// The largest residual; infinity if there are none.
template <class T>
double largest_residual(const EigenPairs<T>& pairs);

/// Multiplies the vectors of `pairs` by L and replaces them by their k leading Ritz pairs, with recomputed residuals.
/// `image`: this product, if the caller has it already. In both cases one full product is counted.
template <class T>
void certify(const Normalized<T>& L, const StopToken& stop, int64_t k, EigenPairs<T>& pairs, Matrix<T> image = {});

/// Orthonormalizes W and replaces lost directions by random ones, which depend only on (seed, step).
template <class T>
void orthonormalize_or_refill(const RowSpace& space, MatrixView<T> W, uint64_t seed, int64_t step);

/// Orthonormalizes W so that, for every j, its first j columns span the same space as before (QR). orthonormalize() may
/// rotate the columns instead. If W is almost singular, this function calls orthonormalize_or_refill().
template <class T>
void orthonormalize_in_order(const RowSpace& space, MatrixView<T> W, uint64_t seed);

/// A random orthonormal n x c basis.
template <class T>
Matrix<T> random_basis(const Normalized<T>& L, int64_t c, uint64_t seed);

}  // namespace mbsc
