// SPDX-License-Identifier: Apache-2.0
// Method: Nystrom, one-shot and orthogonalized.
// Reference: Fowlkes, Belongie, Chung, Malik, "Spectral grouping using the Nystrom method", PAMI 2004.
// Algorithm: m landmarks S; K = L with a(x, x) on the diagonal of the affinity (with a zero diagonal the landmark
//   block would be indefinite). K_SS = E e E';  B = K_nS E e^-1/2, so that K ~ B B';  B'B = F theta F'.
//   The vectors B F theta^-1/2 = K_nS [E e^-1/2 F theta^-1/2] are orthonormal. The values theta are those of K,
//   which exceed those of L by up to the largest a(x, x) s^2.
// Memory: B is never formed. B'B = e^-1/2 E' (K_Sn K_nS) E e^-1/2 is summed block by block. The vectors are one
//   product with the landmark columns. Some of these are kept (kept_columns.h); the others are evaluated again.
//   In total O(m^2 + n k) and the kept columns.
// Cost: n m to 2 n m kernel values, n m^2 multiply-adds. Not exact: the error is the part that the landmarks miss.
#include "mbsc/solvers/nystrom/nystrom.h"

#include <algorithm>
#include <cmath>

#include "mbsc/base/float64.h"
#include "mbsc/base/require.h"
#include "mbsc/solvers/budget.h"
#include "mbsc/solvers/nystrom/nystrom_basis.h"
#include "mbsc/solvers/rayleigh_ritz.h"
#include "mbsc/solvers/registry.h"

namespace mbsc {
namespace {

void resolve_nystrom(int64_t n, ClusterOptions& options) {
  const int64_t k = options.clusters;
  options.landmarks = options.landmarks.value_or(std::min(n, std::max<int64_t>(500, 2 * k)));
  require(*options.landmarks >= k, "landmarks must be at least the number of clusters, {}; got {}", k,
          *options.landmarks);
  options.block_size = std::max(k, options.block_size.value_or(0));
}

SolverMemory nystrom_memory(int64_t n, int64_t input_bytes, const ClusterOptions& options) {
  const int64_t m = *options.landmarks, block = *options.block_size;
  return {.columns = 5 * block + 16 + std::min(m, kept_count<float>(n, input_bytes)),
          .block = block,
          .small_bytes = landmark_bytes(n, m)};
}

}  // namespace

template <class T>
Solution<T> solve_nystrom(const Normalized<T>& L, const ClusterOptions& given, const Observer<T>& observer) {
  ClusterOptions options = given;
  resolve_nystrom(L.n(), options);
  const int64_t n = L.n(), k = options.clusters;
  const Budget budget(n, options.limits, {}, L.comm());
  const std::vector<int64_t> landmarks = choose_landmarks(L, *options.landmarks, options.seed);
  NystromBasis<T> basis = nystrom_basis(L, landmarks, *options.block_size, options.stop);
  Solution<T> pairs;
  pairs.vectors = Matrix<T>(basis.vectors.rows(), k);
  copy<T>(L.rows(), basis.vectors.view().columns_between(0, std::min(k, basis.vectors.cols())), pairs.vectors);
  // If the landmarks have lower rank than k (duplicates), random directions fill the rest.
  orthonormalize_or_refill<T>(L.rows(), pairs.vectors, options.seed, 0);
  pairs.values = basis.values;
  pairs.values.resize(size_t(k), 0.0);
  if (options.keep_block) {
    pairs.block = std::move(basis.vectors);
    orthonormalize_or_refill<T>(L.rows(), pairs.block, options.seed, 0);
  }
  const double m = double(landmarks.size()), N = double(n), K = double(k);
  pairs.landmarks = int64_t(landmarks.size());
  pairs.columns_evaluated = basis.columns_evaluated;
  pairs.iterations = 1;
  pairs.flops = 6 * N * K + 8 * K * K * K - 3 * K * K + 4 * N * K * K - 3 * K + 2 * N * K * m + N * m + 2 * N * m * m +
                m * m + m * m * m - N;
  if (options.limits.tolerance) {
    Solution<T> certified = pairs;
    try {
      certify(L, options.stop, k, certified);
      pairs = std::move(certified);
      pairs.status = largest_residual(pairs) <= *options.limits.tolerance ? Status::converged : Status::budget;
    } catch (const Stopped&) {
      pairs.status = Status::stopped;  // the vectors are complete, their certificate is not
    }
  }
  Progress<T> progress{1, double(pairs.columns_evaluated) / N, 1.0, 0, std::nan(""), pairs.vectors};
  for (const double value : pairs.values) progress.objective += value;
  if (!observe(options, observer, progress, budget.seconds(), pairs)) pairs.status = Status::stopped;
  pairs.seconds = budget.seconds();
  return pairs;
}

const SolverRow& nystrom_solver() {
  static const SolverRow row{.name = "nystrom",
                             .method = "nystrom",
                             .resolve = resolve_nystrom,
                             .memory = nystrom_memory,
                             .solve = solve_nystrom<float>,
                             MBSC_FLOAT64(.solve_double = solve_nystrom<double>)};
  return row;
}

template Solution<float> solve_nystrom(const Normalized<float>&, const ClusterOptions&, const Observer<float>&);
MBSC_FLOAT64(template Solution<double> solve_nystrom(const Normalized<double>&, const ClusterOptions&,
                                                     const Observer<double>&);)

}  // namespace mbsc
