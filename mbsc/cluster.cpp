// SPDX-License-Identifier: Apache-2.0
#include "mbsc/cluster.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "mbsc/affinity/matrix_affinity.h"
#include "mbsc/base/memory.h"
#include "mbsc/base/require.h"
#include "mbsc/base/stopwatch.h"
#include "mbsc/kmeans/kmeans.h"
#include "mbsc/labelling.h"
#include "mbsc/metrics/normalized_cut.h"
#include "mbsc/solvers/krylov_sizes.h"
#include "mbsc/solvers/nystrom_basis.h"

namespace mbsc {
namespace {

constexpr double not_known = std::numeric_limits<double>::quiet_NaN();

SolverOptions solver_options(const ClusterOptions& options, const StopToken& stop) {
  SolverOptions solver = options.solver;
  solver.clusters = options.clusters;
  solver.seed = options.seed;
  solver.stop = stop;
  return solver;
}

void check(const Points& points, const ClusterOptions& options, int threads) {
  const int64_t n = points.rows, k = options.clusters;
  require(n >= 2, "clustering needs at least 2 points; got {}", n);
  require(points.features >= 1, "the points have no features");
  require(k >= 1 && k <= n, "clusters must be in [1, {}], the number of points; got {}", n, k);
  require(options.restarts >= 1, "restarts must be at least 1; got {}", options.restarts);
  require(!options.gamma || (std::isfinite(*options.gamma) && *options.gamma > 0), "gamma must be positive; got {}",
          options.gamma.value_or(0));
  require(std::isfinite(options.regularization) && options.regularization >= 0,
          "regularization must be at least 0; got {}", options.regularization);
  check_options(choose_method(n, points.features, options), n, solver_options(options, {}));
  require(options.degrees == DegreeKind::exact || options.method == Method::nystrom,
          "degrees = nystrom goes with method = nystrom only");
  check_finite(points, threads);
  if (options.affinity == AffinityKind::precomputed) return;
  const int64_t distinct = count_distinct(points, std::max<int64_t>(2, k));
  require(distinct > 1, "all {} points are equal: 1 distinct point, nothing to cluster", n);
  require(distinct >= k, "only {} distinct points; cannot make {} clusters", distinct, k);
}

void check_memory(int64_t bytes) {
  const int64_t available = available_memory_bytes();
  require(bytes <= available, "this needs about {:.1f} GiB beside the points, but only {:.1f} GiB are available",
          double(bytes) / double(1 << 30), double(available) / double(1 << 30));
}

KernelKind kernel_kind(AffinityKind kind) {
  if (kind == AffinityKind::exponential) return KernelKind::exponential;
  return kind == AffinityKind::cosine ? KernelKind::cosine : KernelKind::rbf;
}

std::unique_ptr<Affinity<float>> make_affinity(const Points& points, const ClusterOptions& options,
                                               const RowSpace& rows, double& gamma) {
  gamma = not_known;
  if (options.affinity == AffinityKind::precomputed) return std::make_unique<MatrixAffinity<float>>(points, rows);
  const KernelKind kind = kernel_kind(options.affinity);
  const double width = options.gamma ? *options.gamma : choose_gamma(points, kind, options.clusters, options.seed);
  if (kind != KernelKind::cosine) gamma = width;
  return std::make_unique<KernelAffinity<float>>(points, Kernel{kind, width}, rows);
}

void take_pairs(EigenPairs<float>&& pairs, int64_t n, Clustering& result) {
  result.eigenvalues = std::move(pairs.values);
  result.eigenvalues_are_exact = pairs.values_are_exact;
  result.residuals = std::move(pairs.residuals);
  result.embedding = std::move(pairs.vectors);
  result.status = pairs.status;
  result.iterations = pairs.iterations;
  result.columns_evaluated = pairs.columns_evaluated;
  result.passes = double(pairs.columns_evaluated) / double(n);
  result.flops = pairs.flops;
  result.batch_size = pairs.batch_size;
  result.landmarks = pairs.landmarks;
  result.trace = std::move(pairs.trace);
}

}  // namespace

Clustering cluster(const Points& points, const ClusterOptions& options, const StageObserver& observer) {
  const int threads = options.threads > 0 ? options.threads : omp_get_max_threads();
  check(points, options, threads);
  Clustering result;
  result.threads = threads;
  result.method = choose_method(points.rows, points.features, options);
  result.memory_estimate_bytes = estimate_memory(points.rows, points.features, options);
  check_memory(result.memory_estimate_bytes);
  std::atomic<bool> observer_stops{false};
  const StopToken stop = options.stop.or_when(observer_stops);
  const auto tell = [&](const Stage& stage) {
    if (observer && !observer(stage)) observer_stops = true;
    return !observer_stops;
  };

  const RowSpace rows(points.rows, threads);
  const auto affinity = make_affinity(points, options, rows, result.gamma);

  const Stopwatch degree_clock;
  tell({"degrees", 0, 0, 0, 0, not_known});
  result.degrees = options.degrees == DegreeKind::nystrom
                       ? nystrom_degrees(*affinity, landmark_count(points.rows, solver_options(options, stop), false),
                                         options.seed, stop)
                       : affinity->degrees(stop,
                                           [&](double share) {
                                             tell({"degrees", share, 0, 0, 0, not_known});
                                           })
                             .sum;
  const Normalized<float> L(*affinity, result.degrees, options.regularization);
  const std::vector<uint8_t> excluded = excluded_rows(L, options.embedding_scale);
  result.isolated_points = std::count(excluded.begin(), excluded.end(), uint8_t{1});
  require(points.rows - result.isolated_points >= options.clusters,
          "only {} of {} points have a neighbour{}: too few for {} clusters", points.rows - result.isolated_points,
          points.rows,
          std::isnan(result.gamma) ? "" : fmt::format(" at gamma = {}; choose a smaller gamma", result.gamma),
          options.clusters);
  result.seconds.degrees = degree_clock.seconds();

  const Stopwatch solve_clock;
  const SolverOptions solver = solver_options(options, stop);
  EigenPairs<float> pairs = solve<float>(result.method, L, solver, [&](const Progress<float>& p) {
    return tell({"solve", p.fraction, p.iteration, p.passes, p.objective, p.residual});
  });
  // An exact cut is one more product: only where the method made some, and no budget forbids it.
  const bool exact_cut =
      pairs.full_products > 0 && !solver.seconds && !solver.iterations &&
      (!solver.passes || double(pairs.columns_evaluated) / double(points.rows) + 1 <= *solver.passes);
  if (pairs.iterations == 0 && pairs.status == Status::stopped) throw Stopped();
  take_pairs(std::move(pairs), points.rows, result);
  result.seconds.solve = solve_clock.seconds();

  const Stopwatch kmeans_clock;
  tell({"kmeans", not_known, 0, result.passes, 0, not_known});
  Matrix<float> embedding = scale_embedding(result.embedding, L, options.embedding_scale);
  adopt_neighbours(*affinity, L, options.embedding_scale, embedding, stop);
  KMeansOptions kmeans_options;
  kmeans_options.clusters = options.clusters;
  kmeans_options.restarts = options.restarts;
  kmeans_options.seed = options.seed;
  // A run that was stopped still gets its labels: one restart, not to be stopped again.
  const bool stopped = result.status == Status::stopped;
  if (stopped) kmeans_options.restarts = 1;
  KMeansResult found = kmeans<float>(rows, embedding, excluded, kmeans_options, stopped ? StopToken{} : stop);
  result.inertia = found.inertia;
  if (result.isolated_points > 0) label_isolated(points, options, rows, found.labels);
  result.labels = std::move(found.labels);
  result.cluster_sizes = order_by_size(result.labels, options.clusters);
  result.seconds.kmeans = kmeans_clock.seconds();

  const Stopwatch cut_clock;
  if (options.degrees == DegreeKind::exact && !stopped) {
    try {
      if (exact_cut) {
        result.normalized_cut = normalized_cut<float>(*affinity, result.degrees, result.labels, options.clusters, stop);
      } else {
        const CutEstimate cut = estimate_normalized_cut<float>(*affinity, result.degrees, result.labels,
                                                               options.clusters, options.seed, stop);
        result.normalized_cut_estimate = cut.value;
        result.normalized_cut_standard_error = cut.standard_error;
      }
    } catch (const Stopped&) {
      result.status = Status::stopped;  // the labels are there, the cut is not
    }
  }
  result.seconds.cut = cut_clock.seconds();
  result.kernel_values = affinity->kernel_values();
  return result;
}

void apply_paper_preset(ClusterOptions& options) {
  options.method = Method::minibatch;
  options.regularization = 0;
  options.embedding_scale = EmbeddingScale::none;
  options.solver.estimator = Estimator::columns;
  options.solver.batch_size = 100;
  options.solver.nonzeros = 2;
  options.solver.start = Start::nystrom;
  options.solver.landmarks = 10;
  options.solver.step = 0;
  options.solver.epsilon = 1e-6;
}

Method choose_method(int64_t n, int64_t features, const ClusterOptions& options) {
  if (options.method) return *options.method;
  if (options.solver.tolerance) return Method::exact;
  if (options.solver.passes || options.solver.iterations) return Method::minibatch;
  // Twenty symmetric passes with 1.5 k right-hand sides on both sides: what exact takes, to an order of magnitude.
  const double operations = 20 * double(n) * double(n) * (double(features) + 3 * double(options.clusters));
  return operations <= 4e12 ? Method::exact : Method::minibatch;
}

int64_t estimate_memory(int64_t n, int64_t features, const ClusterOptions& options) {
  const int64_t k = options.clusters;
  const int64_t threads = options.threads > 0 ? options.threads : omp_get_max_threads();
  const SolverOptions solver = solver_options(options, {});
  int64_t columns = 5 * k, block = k, square = 0;  // n-vectors of float32; doubles of Nystrom's small matrices
  switch (choose_method(n, features, options)) {
    case Method::exact: {
      const KrylovSizes sizes = krylov_sizes(n, solver);
      block = sizes.block;
      columns = sizes.capacity + 4 * sizes.block;  // the basis, the next block, its image and what is multiplied
      break;
    }
    case Method::minibatch:
      columns = 5 * k + (solver.tolerance ? 3 * k : 0) + (solver.stall ? k : 0);
      break;
    case Method::nystrom: {
      const int64_t m = landmark_count(n, solver, false);
      columns = 5 * k + 16;
      square = 9 * m * m;
      break;
    }
    case Method::power:
      break;
  }
  const int64_t tiles = threads * RowBlocks(n).block_rows() * (2 * features + 4 * block) * 4;
  const int64_t vectors = n * (8 + 8 + 4 + 4 + 4 + 1);  // degrees twice, roots, labels, flags
  return columns * n * 4 + square * 8 + tiles + vectors;
}

}  // namespace mbsc
