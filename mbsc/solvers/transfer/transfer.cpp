// SPDX-License-Identifier: Apache-2.0
// Method: the transfer cut, for a landmark affinity A = B Dr^-1 B' (affinity/landmarks/landmark_affinity.h).
// Reference: Li, Wu, Chang, "Segmentation using superpixels: a bipartite graph partitioning approach", CVPR 2012; Huang
//   et al., "Ultra-scalable spectral clustering and ensemble clustering", IEEE TKDE 2020.
// Algorithm: L = Z Z' with Z = S B Dr^-1/2, S = (Dx + tau)^-1/2. The eigenpairs (theta, v) of the p x p matrix Z'Z give
//   those of L: (theta, Z v / sqrt(theta)).
//   - Z'Z = Dr^-1/2 H Dr^-1/2 is the normalized matrix of the graph H = B' S^2 B of the landmarks (shared_points.h),
//     whose degrees are Dr. So its leading k + 1 eigenpairs come from the solver for sparse graphs (chebyshev). The
//     pair after the k-th gives the gap.
//   - Ritz pairs in the span of the vectors Z v, and their residuals, come from one product with L.
// End: always after this one product. With a tolerance, the status is `converged` if the residuals are within it, else
//   `stalled`. Without one it is `finished`, or `unresolved` if a residual, or the rounding error, is above the gap.
// Over ranks: a rank works on its own points and on its share of H; every rank solves the small problem.
// Cost: K^2 multiply-adds for each point, a few hundred products with H, one product with L. Memory: four blocks of k.
#include "mbsc/solvers/transfer/transfer.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mbsc/affinity/graph/sparse_affinity.h"
#include "mbsc/base/float64.h"
#include "mbsc/base/require.h"
#include "mbsc/solvers/budget.h"
#include "mbsc/solvers/chebyshev/chebyshev.h"
#include "mbsc/solvers/rayleigh_ritz.h"
#include "mbsc/solvers/registry.h"
#include "mbsc/solvers/transfer/shared_points.h"

namespace mbsc {
namespace {

constexpr double small_tolerance = 1e-6;  // residuals of the small problem; a few rounding errors of float

void resolve_transfer(int64_t, ClusterOptions&) {}

SolverMemory transfer_memory(int64_t n, int64_t, const ClusterOptions& options) {
  // The vectors, their image, and the Ritz vectors with theirs; the points of each landmark and 1 / degrees.
  const int64_t k = options.clusters, p = options.landmarks.value_or(0), K = options.neighbors.value_or(5);
  // Entries of H: a point joins its K landmarks with each other, and a landmark has at most 400 others near it.
  const int64_t entries = std::min(p * std::min<int64_t>(p, 400), n * K * K);
  return {.columns = 4 * k, .block = k, .small_bytes = entries * 16 + p * 4 * 6 * (k + 32), .row_bytes = 4 * K + 8};
}

/// The leading eigenpairs of Z'Z: k, and the one after them if there is one.
EigenPairs<float> solve_small(const Normalized<float>& L, const LandmarkFactor& factor, const ClusterOptions& options) {
  SparseMatrix H = shared_points(L, factor);
  const int64_t p = H.rows();
  const RowSpace space(p, L.rows().threads());
  const SparseAffinity affinity(std::move(H), space);
  const Normalized<float> small(affinity, affinity.degrees({}), 0);
  ClusterOptions own;
  own.clusters = std::min(p, options.clusters + 1);
  own.seed = options.seed;
  own.stop = options.stop;
  own.limits.tolerance = small_tolerance;
  return solve_chebyshev<float>(small, own);
}

/// Z V for the first `count` columns of V.
Matrix<float> lift(const Normalized<float>& L, const LandmarkFactor& factor, const Matrix<float>& V, int64_t count) {
  const int64_t p = factor.size();
  Matrix<float> T(p, count);
  for (int64_t r = 0; r < p; ++r) {
    const double degree = factor.degrees[size_t(r)];
    for (int64_t j = 0; j < count && degree > 0; ++j) T(r, j) = float(double(V(r, j)) / std::sqrt(degree));
  }
  Matrix<float> W(L.rows().local_rows(), count);
  spread_to_points(L.rows(), factor, T, W);
  // The extra landmark has the weight tau to each point, and the degree n tau.
  const bool has_extra = V.rows() > p;
  const double extra = has_extra ? std::sqrt(L.regularization_added() / double(L.n())) : 0;
  L.rows().for_each_block([&](int64_t, Range range) {
    for (int64_t i = range.begin; i < range.end; ++i)
      for (int64_t j = 0; j < count; ++j) {
        if (has_extra) W(i, j) += float(extra * double(V(p, j)));
        W(i, j) *= L.inverse_root_degrees()[size_t(i)];
      }
  });
  return W;
}

}  // namespace

Solution<float> solve_transfer(const Normalized<float>& L, const ClusterOptions& options,
                               const Observer<float>& observer) {
  require(L.factor() != nullptr, "method = transfer needs affinity = landmarks");
  const LandmarkFactor& factor = *L.factor();
  const Stopwatch watch;
  const int64_t k = options.clusters;
  const std::optional<double>& tolerance = options.limits.tolerance;
  Solution<float> pairs;
  const EigenPairs<float> small = solve_small(L, factor, options);
  if (small.status == Status::stopped) throw Stopped();
  pairs.iterations = small.iterations;
  pairs.flops = small.flops;
  pairs.vectors = lift(L, factor, small.vectors, k);
  orthonormalize_or_refill<float>(L.rows(), pairs.vectors, options.seed, 0);
  certify(L, options.stop, k, pairs);
  const double residual = largest_residual(pairs);
  const double gap = int64_t(small.values.size()) > k ? small.values[size_t(k - 1)] - small.values[size_t(k)] : 1;
  const double error = std::max(residual, 4 * double(std::numeric_limits<float>::epsilon()));  // rounding of the gap
  pairs.subspace_error = gap > error ? error / gap : 1;
  pairs.subspace_error_source = ErrorSource::residuals;
  pairs.status = error < gap ? Status::finished : Status::unresolved;
  if (tolerance) pairs.status = residual <= *tolerance ? Status::converged : Status::stalled;
  double objective = 0;
  for (const double value : pairs.values) objective += value;
  pairs.seconds = watch.seconds();
  if (!observe(options, observer, Progress<float>{pairs.iterations, 1, 1, objective, residual, pairs.vectors},
               pairs.seconds, pairs))
    pairs.status = Status::stopped;
  return pairs;
}

const SolverRow& transfer_solver() {
  static const SolverRow row{.name = "transfer",
                             .method = "transfer",
                             .resolve = resolve_transfer,
                             .memory = transfer_memory,
                             .solve = solve_transfer,
                             MBSC_FLOAT64(.solve_double = [](const Normalized<double>&, const ClusterOptions&,
                                                             const Observer<double>&) -> Solution<double> {
                               throw InvalidInput("method = transfer exists in float32 only");
                             })};
  return row;
}

}  // namespace mbsc
