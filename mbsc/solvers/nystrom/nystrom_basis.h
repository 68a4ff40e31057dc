// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

#include "mbsc/solvers/nystrom/kept_columns.h"
#include "mbsc/solvers/solver.h"

namespace mbsc {

/// The Nystrom approximation from given landmarks: orthonormal vectors and eigenvalues of K, which is L with a(x, x) on
/// the diagonal of the affinity.
template <class T>
struct NystromBasis {
  Matrix<T> vectors;           ///< own rows x rank
  std::vector<double> values;  ///< descending
  KeptColumns<T> kept;         ///< columns of the landmarks, as many as fit
  int64_t columns_evaluated = 0;
};

/// At most `landmarks` distinct columns, ascending, drawn uniformly among points with neighbors. Points whose degree
/// is below a thousandth of a(x, x) are left out, because as landmarks they would represent only themselves. If all
/// points are like this, they are used anyway.
template <class T>
std::vector<int64_t> choose_landmarks(const Normalized<T>& L, int64_t landmarks, uint64_t seed);

/// At most `rank` leading pairs; fewer if the landmark block has lower rank. Keeps the columns of at most `keep`
/// landmarks and evaluates the others twice. The first `sharp` pairs are almost exactly those of the Nystrom
/// approximation. The others are less accurate.
template <class T>
NystromBasis<T> nystrom_basis(const Normalized<T>& L, const std::vector<int64_t>& landmarks, int64_t rank,
                              const StopToken& stop, int64_t keep, int64_t sharp);
template <class T>
NystromBasis<T> nystrom_basis(const Normalized<T>& L, const std::vector<int64_t>& landmarks, int64_t rank,
                              const StopToken& stop) {
  return nystrom_basis(L, landmarks, rank, stop, kept_count<T>(L.n(), L.input_bytes()), rank);
}

/// Approximate degrees of own rows by Nystrom, d = K_nS (K_SS)^+ (K_Sn 1), including a(x, x) (Fowlkes et al.). With m
/// landmarks S they need two n x m blocks, instead of the n^2/2 values of exact degrees. They are at least
/// a(x, x) * 1e-6.
template <class T>
std::vector<double> nystrom_degrees(const Affinity<T>& affinity, int64_t landmarks, uint64_t seed,
                                    const StopToken& stop);

/// An upper bound on the bytes of the matrices whose size depends on the number of landmarks.
int64_t landmark_bytes(int64_t n, int64_t landmarks);

}  // namespace mbsc
