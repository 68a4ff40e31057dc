// SPDX-License-Identifier: Apache-2.0
// Method: Nystrom, one-shot and orthogonalised.
// Reference: Fowlkes, Belongie, Chung, Malik, "Spectral grouping using the Nystrom method", PAMI 2004.
// Algorithm: m landmarks S; K = L with a(x, x) on the diagonal of the affinity (with a zero diagonal the landmark
//   block is indefinite). K_SS = E e E';  B = K_nS E e^-1/2, so that K ~ B B';  B'B = F theta F';
//   vectors B F theta^-1/2 = K_nS [E e^-1/2 F theta^-1/2], orthonormal; values theta, which are those of K,
//   above L's by up to the largest a(x, x) s^2.
// Memory: B is never formed. B'B = e^-1/2 E' (K_Sn K_nS) E e^-1/2 is summed block by block, and the vectors are one
//   product with the landmark columns: O(m^2 + n k).
// Cost: 2 n m kernel values, n m^2 multiply-adds. Not exact: error is what the landmarks miss.
#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "mbsc/base/random.h"
#include "mbsc/base/require.h"
#include "mbsc/linalg/reduce.h"
#include "mbsc/solvers/budget.h"
#include "mbsc/solvers/nystrom_basis.h"
#include "mbsc/solvers/rayleigh_ritz.h"

namespace mbsc {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
template <class T>
using RowMajor = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

template <class T>
MatrixXd widen(const Matrix<T>& A) {
  return Eigen::Map<const RowMajor<T>>(A.data(), A.rows(), A.cols()).template cast<double>();
}
template <class T>
Matrix<T> narrow(const MatrixXd& A) {
  Matrix<T> out(A.rows(), A.cols());
  Eigen::Map<RowMajor<T>>(out.data(), A.rows(), A.cols()) = A.template cast<T>();
  return out;
}

/// E e^-1/2 over the eigenvalues above the noise of T: (K_SS)^+ = result * result'.
template <class T>
MatrixXd inverse_root(const MatrixXd& block) {
  const SmallEigen eigen = eigen_descending(block);
  const double least = eigen.values[0] * std::max(1e-6, 10.0 * double(std::numeric_limits<T>::epsilon()));
  int64_t rank = 0;
  while (rank < eigen.values.size() && eigen.values[rank] > least) ++rank;
  return eigen.vectors.leftCols(rank) * eigen.values.head(rank).cwiseSqrt().cwiseInverse().asDiagonal();
}

/// K_Sn K_nS, block by block.
template <class T>
MatrixXd landmark_gram(const Normalized<T>& L, const std::vector<int64_t>& landmarks, const StopToken& stop) {
  const int64_t m = int64_t(landmarks.size());
  // Partials of m^2 numbers per block would not fit: groups of blocks share one, in an order fixed by n.
  MatrixXd total = MatrixXd::Zero(m, m);
  const RowSpace& space = L.rows();
  require(space.comm().size() == 1, "nystrom over several ranks is not supported yet");
  const int64_t blocks = space.own_blocks().size();
  constexpr int64_t together = 8;
  std::vector<RowMajor<T>> partial(together);
  for (int64_t first = 0; first < blocks; first += together) {
    const int64_t count = std::min(together, blocks - first);
    parallel_for(space.threads(), count, [&](int64_t b) {
      if (stop.stop_requested()) return;
      const Range rows = space.blocks().block(first + b);
      Matrix<T> K(rows.size(), m);
      L.evaluate_definite(rows, landmarks, K);
      const Eigen::Map<const RowMajor<T>> block(K.data(), K.rows(), m);
      partial[size_t(b)].noalias() = block.transpose() * block;
    });
    if (stop.stop_requested()) throw Stopped();
    for (int64_t b = 0; b < count; ++b) total += partial[size_t(b)].template cast<double>();
  }
  return total;
}

}  // namespace

int64_t landmark_count(int64_t n, const SolverOptions& options, bool as_start) {
  const int64_t k = options.clusters;
  require(options.landmarks >= 0 && options.landmarks <= n, "landmarks must be in [1, {}]; got {}", n,
          options.landmarks);
  if (as_start) return std::min<int64_t>(n, options.landmarks > 0 ? options.landmarks : 10);
  const int64_t count = options.landmarks > 0 ? options.landmarks : std::min(n, std::max<int64_t>(500, 2 * k));
  require(count >= k, "landmarks must be at least the number of clusters, {}; got {}", k, count);
  return count;
}

template <class T>
std::vector<int64_t> choose_landmarks(const Normalized<T>& L, int64_t landmarks, uint64_t seed) {
  const std::vector<double> diagonal = L.comm().template gather<double>(L.hidden_diagonal());
  const KeyedPermutation permutation(L.n(), Random(seed, Stream::landmarks), 0);
  std::vector<int64_t> chosen;
  const auto choose = [&](double least, double most) {
    for (int64_t i = 0; i < L.n() && int64_t(chosen.size()) < landmarks; ++i) {
      const double self = diagonal[size_t(permutation(i))];
      if (least < self && self <= most) chosen.push_back(permutation(i));
    }
  };
  choose(0, 1000);
  if (chosen.empty()) choose(1000, std::numeric_limits<double>::infinity());
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

template <class T>
NystromBasis<T> nystrom_basis(const Normalized<T>& L, const std::vector<int64_t>& landmarks, int64_t rank,
                              const StopToken& stop) {
  const int64_t m = int64_t(landmarks.size());
  Matrix<T> square(m, m);
  L.evaluate_definite_square(landmarks, square);
  const MatrixXd root = inverse_root<T>(widen(square));
  const SmallEigen eigen = eigen_descending(root.transpose() * landmark_gram(L, landmarks, stop) * root);
  const double least = eigen.values[0] * 10 * double(std::numeric_limits<T>::epsilon());
  int64_t kept = 0;
  while (kept < std::min<int64_t>(rank, eigen.values.size()) && eigen.values[kept] > least) ++kept;
  const MatrixXd coefficients =
      root * eigen.vectors.leftCols(kept) * eigen.values.head(kept).cwiseSqrt().cwiseInverse().asDiagonal();
  NystromBasis<T> basis;
  basis.vectors = Matrix<T>(L.rows().local_rows(), kept);
  L.multiply_definite_columns(landmarks, narrow<T>(coefficients), basis.vectors, stop);
  basis.values.assign(eigen.values.data(), eigen.values.data() + kept);
  return basis;
}

template <class T>
std::vector<double> nystrom_degrees(const Affinity<T>& affinity, int64_t landmarks, uint64_t seed,
                                    const StopToken& stop) {
  // With unit degrees the normalised operator is the affinity itself.
  const Normalized<T> K(affinity, std::vector<double>(size_t(affinity.rows().local_rows()), 1.0), 0);
  const std::vector<int64_t> chosen = choose_landmarks(K, landmarks, seed);
  const int64_t m = int64_t(chosen.size());
  const std::vector<double> sums = sum_over_blocks(affinity.rows(), m, [&](int64_t, Range rows, std::span<double> out) {
    Matrix<T> block(rows.size(), m);
    K.evaluate_definite(rows, chosen, block);
    for (int64_t i = 0; i < block.rows(); ++i)
      for (int64_t j = 0; j < m; ++j) out[size_t(j)] += double(block(i, j));
  });
  Matrix<T> square(m, m);
  K.evaluate_definite_square(chosen, square);
  const MatrixXd root = inverse_root<T>(widen(square));
  const VectorXd weights = root * (root.transpose() * Eigen::Map<const VectorXd>(sums.data(), m));
  Matrix<T> out(affinity.rows().local_rows(), 1);
  K.multiply_definite_columns(chosen, narrow<T>(weights), out, stop);
  std::vector<double> degrees(size_t(out.rows()));
  for (int64_t i = 0; i < out.rows(); ++i)
    degrees[size_t(i)] = std::max(double(out(i, 0)), 1e-6 * affinity.self_similarity());
  return degrees;
}

template <class T>
EigenPairs<T> solve_nystrom(const Normalized<T>& L, const SolverOptions& options, const Observer<T>& observer) {
  const int64_t n = L.n(), k = options.clusters;
  const Budget budget(n, options, {}, L.comm());
  const std::vector<int64_t> landmarks = choose_landmarks(L, landmark_count(n, options, false), options.seed);
  NystromBasis<T> basis = nystrom_basis(L, landmarks, std::max(k, options.block_size), options.stop);
  EigenPairs<T> pairs;
  pairs.vectors = Matrix<T>(basis.vectors.rows(), k);
  copy<T>(L.rows(), basis.vectors.view().columns_between(0, std::min(k, basis.vectors.cols())), pairs.vectors);
  // Landmarks of lower rank than k (duplicates): the rest is filled with random directions.
  orthonormalize_or_refill<T>(L.rows(), pairs.vectors, options, 0);
  pairs.values = basis.values;
  pairs.values.resize(size_t(k), 0.0);
  if (options.keep_block) {
    pairs.block = std::move(basis.vectors);
    orthonormalize_or_refill<T>(L.rows(), pairs.block, options, 0);
  }
  const double m = double(landmarks.size()), N = double(n), K = double(k);
  pairs.landmarks = int64_t(landmarks.size());
  pairs.columns_evaluated = 2 * pairs.landmarks;
  pairs.iterations = 1;
  pairs.flops = 6 * N * K + 8 * K * K * K - 3 * K * K + 4 * N * K * K - 3 * K + 2 * N * K * m + N * m + 2 * N * m * m +
                m * m + m * m * m - N;
  if (options.tolerance) {
    EigenPairs<T> certified = pairs;
    try {
      certify(L, options.stop, certified);
      pairs = std::move(certified);
      pairs.status = largest_residual(pairs) <= *options.tolerance ? Status::converged : Status::budget;
    } catch (const Stopped&) {
      pairs.status = Status::stopped;  // the vectors are there, their certificate is not
    }
  }
  Progress<T> progress{1, double(pairs.columns_evaluated) / N, 1.0, 0, std::nan(""), pairs.vectors};
  for (const double value : pairs.values) progress.objective += value;
  if (!observe(L, options, observer, progress, budget.seconds(), pairs)) pairs.status = Status::stopped;
  pairs.seconds = budget.seconds();
  return pairs;
}

#define MBSC_INSTANTIATE(T)                                                                              \
  template std::vector<int64_t> choose_landmarks(const Normalized<T>&, int64_t, uint64_t);               \
  template NystromBasis<T> nystrom_basis(const Normalized<T>&, const std::vector<int64_t>&, int64_t,     \
                                         const StopToken&);                                              \
  template std::vector<double> nystrom_degrees(const Affinity<T>&, int64_t, uint64_t, const StopToken&); \
  template EigenPairs<T> solve_nystrom(const Normalized<T>&, const SolverOptions&, const Observer<T>&);
MBSC_INSTANTIATE(float)
MBSC_INSTANTIATE(double)
#undef MBSC_INSTANTIATE

}  // namespace mbsc
