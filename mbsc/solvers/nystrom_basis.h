// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

#include "mbsc/solvers/rescaling.h"
#include "mbsc/solvers/solver.h"

namespace mbsc {

/// How many columns of n values are kept in memory: 256 MiB.
template <class T>
int64_t kept_count(int64_t n) {
  return (int64_t{256} << 20) / int64_t(sizeof(T)) / std::max<int64_t>(1, n);
}
/// How many landmarks a budget of columns pays for: one column each as long as they are kept, two from then on.
template <class T>
int64_t affordable_landmarks(int64_t n, int64_t budget) {
  const int64_t kept = kept_count<T>(n);
  return std::min(n, budget <= kept ? budget : (budget + kept) / 2);
}

/// Columns of L, without its rank-one regularization, that need not be evaluated again.
template <class T>
struct KeptColumns {
  std::vector<int64_t> indices;  ///< ascending
  Matrix<T> values;              ///< own rows x as many
};

/// Nystrom's approximation from given landmarks: orthonormal vectors and eigenvalues of K, L with a(x, x) on the
/// diagonal of the affinity.
template <class T>
struct NystromBasis {
  Matrix<T> vectors;           ///< own rows x rank
  std::vector<double> values;  ///< descending
  KeptColumns<T> kept;         ///< of the landmarks, as many as fit
  int64_t columns_evaluated = 0;
};

/// How many landmarks the options ask for: 500 (or 2k) as a method, 10 as a start.
int64_t landmark_count(int64_t n, const SolverOptions& options, bool as_start);

/// At most `landmarks` distinct columns, ascending, uniformly among those that are tied to others: a landmark whose
/// degree is below a thousandth of a(x, x) would see nothing but itself. Where all points are such, they are taken.
template <class T>
std::vector<int64_t> choose_landmarks(const Normalized<T>& L, int64_t landmarks, uint64_t seed);

/// At most `rank` leading pairs; fewer where the landmark block has lower rank. Keeps the columns of at most `keep`
/// landmarks, and evaluates the others twice. The first `sharp` pairs are those of the approximation, the others a part
/// of it that is nearly as good.
template <class T>
NystromBasis<T> nystrom_basis(const Normalized<T>& L, const std::vector<int64_t>& landmarks, int64_t rank,
                              const StopToken& stop, int64_t keep, int64_t sharp);
template <class T>
NystromBasis<T> nystrom_basis(const Normalized<T>& L, const std::vector<int64_t>& landmarks, int64_t rank,
                              const StopToken& stop) {
  return nystrom_basis(L, landmarks, rank, stop, kept_count<T>(L.n()), rank);
}

/// The first block of a solver, `columns` wide: random directions, with `start` nystrom Nystrom's vectors in the first
/// `known` of them. Counts what it evaluates.
template <class T>
Matrix<T> start_block(const Normalized<T>& L, int64_t columns, int64_t known, const SolverOptions& options,
                      EigenPairs<T>& pairs);

/// Evaluates more columns (ascending) and keeps them.
template <class T>
void keep_more(const Normalized<T>& L, const std::vector<int64_t>& columns, KeptColumns<T>& kept,
               const StopToken& stop);

/// The columns as better degrees have them.
template <class T>
void rescale(const Rescaling<T>& by, KeptColumns<T>& kept);
/// Adds the row sums of A over these columns, of own rows that are not isolated.
template <class T>
void add_row_sums(const Normalized<T>& L, const KeptColumns<T>& kept, std::vector<double>& sums);

/// Nystrom's own approximate degrees, d = K_nS (K_SS)^+ (K_Sn 1), of own rows, a(x, x) included (Fowlkes et al.):
/// two n x m blocks instead of the n^2/2 of the exact ones. Never below a(x, x) * 1e-6.
template <class T>
std::vector<double> nystrom_degrees(const Affinity<T>& affinity, int64_t landmarks, uint64_t seed,
                                    const StopToken& stop);

}  // namespace mbsc
