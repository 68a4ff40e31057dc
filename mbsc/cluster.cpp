// SPDX-License-Identifier: Apache-2.0
#include "mbsc/cluster.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <memory>

#include "mbsc/affinity/matrix_affinity.h"
#include "mbsc/affinity/sampled_degrees.h"
#include "mbsc/affinity/symmetric_pass.h"
#include "mbsc/base/memory.h"
#include "mbsc/base/require.h"
#include "mbsc/base/stopwatch.h"
#include "mbsc/base/thread_pool.h"
#include "mbsc/comm/agree.h"
#include "mbsc/kmeans/kmeans.h"
#include "mbsc/labeling.h"
#include "mbsc/linalg/reduce.h"
#include "mbsc/metrics/normalized_cut.h"
#include "mbsc/shared_points.h"
#include "mbsc/simd_level.h"
#include "mbsc/solvers/krylov_sizes.h"
#include "mbsc/solvers/nystrom_basis.h"
#include "mbsc/solvers/ritz_plan.h"

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

constexpr int64_t fewest_degree_columns = 100;  // below, c/4 rows say nothing about the others in doubt

void check_degrees(int64_t n, const ClusterOptions& options) {
  require(options.degrees != DegreeKind::nystrom || options.method == Method::nystrom,
          "degrees = nystrom goes with method = nystrom only");
  require(options.degrees == DegreeKind::exact || options.solver.start != Start::neighbors,
          "start = neighbors needs degrees = exact, whose pass finds them");
  require(neighbors_kept(n) > 0 || options.solver.start != Start::neighbors,
          "start = neighbors keeps some entries of every row, too many at {} points", n);
  if (options.degrees != DegreeKind::sampled) {
    require(options.degree_columns == 0, "degree_columns goes with degrees = sampled only; got {}",
            options.degree_columns);
    return;
  }
  const int64_t fewest = std::min(n, fewest_degree_columns), given = options.degree_columns;
  require(given == 0 || (given >= fewest && given <= n), "degree_columns must be in [{}, {}], or 0 = automatic; got {}",
          fewest, n, given);
  const int64_t most = most_degree_columns(n, choose_degree_columns(n, options));
  const std::optional<double>& passes = options.solver.passes;
  require(!passes || double(most) < *passes * double(n),
          "sampled degrees take up to {} columns and leave nothing of passes = {}, which is {:.0f} columns", most,
          passes.value_or(0), passes.value_or(0) * double(n));
}

void check(const Points& points, const ClusterOptions& options, const RowSpace& rows) {
  const int64_t n = rows.n(), k = options.clusters;
  require(n >= 2, "clustering needs at least 2 points; got {}", n);
  require(points.features >= 1, "the points have no features");
  require(k >= 1 && k <= n, "clusters must be in [1, {}], the number of points; got {}", n, k);
  require(options.restarts >= 1, "restarts must be at least 1; got {}", options.restarts);
  require(!options.gamma || (std::isfinite(*options.gamma) && *options.gamma > 0), "gamma must be positive; got {}",
          options.gamma.value_or(0));
  require(std::isfinite(options.regularization) && options.regularization >= 0,
          "regularization must be at least 0; got {}", options.regularization);
  check_options(choose_method(n, points.features, options), n, solver_options(options, {}));
  check_degrees(n, options);
  agree(rows.comm(), [&] { check_finite(points, rows.threads()); });
  if (options.affinity == AffinityKind::precomputed) return;
  const int64_t distinct = count_distinct(points, std::max<int64_t>(2, k), rows);
  require(distinct > 1, "all {} points are equal: 1 distinct point, nothing to cluster", n);
  require(distinct >= k, "only {} distinct points; cannot make {} clusters", distinct, k);
}

void check_memory(int64_t of_this_rank, const Comm& comm) {
  // Of ranks on one machine each sees all that is available; whether they fit together is not known here. All decide alike.
  const auto bytes = int64_t(largest_of_all(comm, double(of_this_rank)));
  const auto available = int64_t(-largest_of_all(comm, -double(available_memory_bytes())));
  require(bytes <= available, "this needs about {:.1f} GiB beside the points, but only {:.1f} GiB are available",
          double(bytes) / double(1 << 30), double(available) / double(1 << 30));
}

/// Ranks repeat small algebra and go by its last bits: they must have the same.
void check_simd_levels(const Comm& comm) {
  std::array<char, 16> mine{};
  const std::string level = simd_level();
  std::copy_n(level.begin(), std::min(level.size(), mine.size() - 1), mine.begin());
  const auto all = comm.gather<std::array<char, 16>>(std::span<const std::array<char, 16>>(&mine, 1));
  for (const auto& other : all)
    require(other == all.front(), "ranks must have the same SIMD level; there are {} and {} (MBSC_SIMD sets a lower one)",
            all.front().data(), other.data());
}

KernelKind kernel_kind(AffinityKind kind) {
  if (kind == AffinityKind::exponential) return KernelKind::exponential;
  return kind == AffinityKind::cosine ? KernelKind::cosine : KernelKind::rbf;
}

/// Bytes of all kernel values, about: half of them, as the matrix is symmetric, in 16 bits.
int64_t all_values_bytes(int64_t n) { return n * n; }

bool keeps_values(const ClusterOptions& options) {
  return options.memory > 0 && options.degrees == DegreeKind::exact && options.affinity != AffinityKind::precomputed;
}

std::unique_ptr<Affinity<float>> make_affinity(const Points& points, const ClusterOptions& options,
                                               const RowSpace& rows, double& gamma, int64_t& kept_bytes) {
  gamma = not_known;
  if (options.affinity == AffinityKind::precomputed) return std::make_unique<MatrixAffinity<float>>(points, rows);
  const KernelKind kind = kernel_kind(options.affinity);
  const double width = options.gamma ? *options.gamma : choose_gamma(points, kind, options.clusters, options.seed, rows);
  if (kind != KernelKind::cosine) gamma = width;
  auto affinity = std::make_unique<KernelAffinity<float>>(points, Kernel{kind, width}, rows);
  if (keeps_values(options)) affinity->keep_values(options.memory);
  kept_bytes = affinity->kept_bytes();
  return affinity;
}

/// Whether the solver may start from the graph of neighbors.
bool starts_from_neighbors(Method method, const ClusterOptions& options) {
  const SolverOptions& solver = options.solver;
  if (method != Method::minibatch || solver.step_rule != StepRule::ritz) return false;
  return solver.start == Start::neighbors || solver.start == Start::automatic;
}

/// The degrees the options ask for; what they cost and how good they are goes to the result.
Degrees find_degrees(const Affinity<float>& affinity, const ClusterOptions& options, const StopToken& stop,
                     const std::function<void(double)>& progress, Clustering& result) {
  const int64_t n = affinity.n();
  if (options.degrees == DegreeKind::exact) {
    const int64_t neighbors = starts_from_neighbors(result.method, options) ? neighbors_kept(n) : 0;
    // Where a pass takes a fraction of a second, looking for neighbors takes most of it, often for nothing.
    if (neighbors > 0 && double(n) * double(n) * (affinity.cost_of_value() + 10) < 2e10) {
      Degrees degrees = affinity.degrees(stop, progress);
      const Normalized<float> L(affinity, degrees, options.regularization);
      if (!wants_neighbors(L, solver_options(options, stop))) return degrees;
    }
    return affinity.degrees(stop, progress, neighbors);
  }
  Degrees degrees;
  if (options.degrees == DegreeKind::nystrom) {
    degrees.sum =
        nystrom_degrees(affinity, landmark_count(n, solver_options(options, stop), false), options.seed, stop);
    return degrees;
  }
  SampledDegrees sampled = sample_degrees(affinity, choose_degree_columns(n, options), options.seed, stop, progress);
  result.degree_columns = sampled.columns_evaluated;
  return std::move(sampled.degrees);
}

/// The rows that stand apart from the clustering, counted; refuses where too few are left.
std::vector<uint8_t> exclude_isolated(const Normalized<float>& L, const ClusterOptions& options, Clustering& result) {
  std::vector<uint8_t> excluded = excluded_rows(L, options.embedding_scale);
  result.isolated_points = std::llround(sum_over_blocks(L.rows(), 1, [&](int64_t, Range range, std::span<double> out) {
    for (int64_t i = range.begin; i < range.end; ++i) out[0] += excluded[size_t(i)];
  })[0]);
  const int64_t left = L.n() - result.isolated_points;
  require(left >= options.clusters, "only {} of {} points have a neighbor{}: too few for {} clusters", left, L.n(),
          std::isnan(result.gamma) ? "" : fmt::format(" at gamma = {}; choose a smaller gamma", result.gamma),
          options.clusters);
  return excluded;
}

void take_pairs(EigenPairs<float>&& pairs, int64_t n, Clustering& result) {
  result.eigenvalues = std::move(pairs.values);
  result.eigenvalues_are_exact = pairs.values_are_exact;
  result.residuals = std::move(pairs.residuals);
  result.embedding = std::move(pairs.vectors);
  result.status = pairs.status;
  result.iterations = pairs.iterations;
  result.columns_evaluated = result.degree_columns + pairs.columns_evaluated;
  result.passes = double(result.columns_evaluated) / double(n);
  result.flops = pairs.flops;
  result.batch_size = pairs.batch_size;
  result.landmarks = pairs.landmarks;
  result.guards = pairs.guards;
  result.control_variate = pairs.control_variate;
  result.residuals_are_bounds = pairs.residuals_are_bounds;
  result.subspace_error = pairs.subspace_error;
  result.subspace_error_source = pairs.subspace_error_source;
  result.probe = pairs.probe;
  result.start_is_graph = pairs.start_is_graph;
  result.trace = std::move(pairs.trace);
  for (TraceEntry& entry : result.trace) entry.passes += double(result.degree_columns) / double(n);
}

}  // namespace

namespace {

Clustering cluster_shares(const Points& points, const ClusterOptions& options, const RowSpace& rows,
                          const StageObserver& observer);

}  // namespace

Clustering cluster(const Points& points, const ClusterOptions& options, const StageObserver& observer) {
  const int threads = options.threads > 0 ? options.threads : default_threads();
  return cluster_shares(points, options, RowSpace(points.rows, threads), observer);
}

Clustering cluster(const Points& points, const ClusterOptions& options, const Comm& comm,
                   const StageObserver& observer) {
  if (comm.size() == 1) return cluster(points, options, observer);
  const int threads = options.threads > 0 ? options.threads : default_threads();
  check_simd_levels(comm);
  const SharedPoints shared(points, comm);
  const RowBalance& balance = shared.balance();
  Clustering result = cluster_shares(shared.points(), options, RowSpace(balance.n(), threads, comm), observer);
  if (balance.is_balanced()) return result;
  result.labels = balance.to_given<int32_t>(result.labels, 1);
  result.degrees = balance.to_given<double>(result.degrees, 1);
  const int64_t width = result.embedding.cols();
  const std::vector<float> embedding =
      balance.to_given<float>({result.embedding.data(), size_t(result.embedding.size())}, width);
  result.embedding = Matrix<float>(points.rows, width);
  std::copy(embedding.begin(), embedding.end(), result.embedding.data());
  return result;
}

namespace {

Clustering cluster_shares(const Points& points, const ClusterOptions& options, const RowSpace& rows,
                          const StageObserver& observer) {
  const Comm& comm = rows.comm();
  const int64_t n = rows.n();
  check(points, options, rows);
  Clustering result;
  result.threads = rows.threads();
  result.ranks = comm.size();
  result.method = choose_method(n, points.features, options);
  result.memory_estimate_bytes = estimate_memory(n, points.features, options, comm.size());
  check_memory(result.memory_estimate_bytes, comm);
  std::atomic<bool> observer_stops{false};
  // Ranks stop together, between products; one that is alone looks for it at every tile.
  const StopToken asked = options.stop.or_when(observer_stops), stop = comm.size() == 1 ? asked : StopToken();
  const auto tell = [&](const Stage& stage) {
    if (observer && !observer(stage)) observer_stops = true;
    return !observer_stops && !asked.stop_requested();
  };
  const auto stop_together = [&] {
    if (comm.broadcast<int>(asked.stop_requested())) throw Stopped();
  };

  const auto affinity = make_affinity(points, options, rows, result.gamma, result.kept_bytes);
  const Traffic before = comm.traffic();

  const Stopwatch degree_clock;
  tell({"degrees", 0, 0, 0, 0, not_known});
  Degrees degrees = find_degrees(
      *affinity, options, stop,
      [&](double share) {
        tell({"degrees", share, 0, 0, 0, not_known});
      },
      result);
  stop_together();
  const double degree_passes = double(result.degree_columns) / double(n);
  Normalized<float> L(*affinity, std::move(degrees), options.regularization);
  std::vector<uint8_t> excluded = exclude_isolated(L, options, result);
  result.seconds.degrees = degree_clock.seconds();

  const Stopwatch solve_clock;
  SolverOptions solver = solver_options(options, stop);
  if (solver.passes) *solver.passes -= degree_passes;  // check_degrees() left some
  EigenPairs<float> pairs = solve<float>(result.method, L, solver, [&](const Progress<float>& p) {
    return tell({"solve", p.fraction, p.iteration, degree_passes + p.passes, p.objective, p.residual});
  });
  // An exact cut is one more product: only where the method made some, and no budget forbids it.
  const bool exact_cut =
      pairs.full_products > 0 && !solver.seconds && !solver.iterations &&
      (!solver.passes || double(pairs.columns_evaluated) / double(n) + 1 <= *solver.passes);
  if (pairs.iterations == 0 && pairs.status == Status::stopped) throw Stopped();
  std::optional<Degrees> better = std::move(pairs.degrees);
  take_pairs(std::move(pairs), n, result);
  if (better) {
    L = L.with(std::move(*better));
    excluded = exclude_isolated(L, options, result);
  }
  if (options.degrees == DegreeKind::sampled) {
    const DegreeError error = degree_error(rows, L.all_degrees());
    result.degree_relative_error = error.relative;
    result.degree_largest_error = error.largest;
  }
  result.seconds.solve = solve_clock.seconds();

  const Stopwatch kmeans_clock;
  tell({"kmeans", not_known, 0, result.passes, 0, not_known});
  Matrix<float> embedding = scale_embedding(result.embedding, L, options.embedding_scale);
  adopt_neighbors(*affinity, L, options.embedding_scale, embedding, stop);
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
  result.cluster_centers = std::move(found.centers);
  result.cluster_sizes = order_by_size(rows, result.labels, result.cluster_centers);
  result.seconds.kmeans = kmeans_clock.seconds();

  const Stopwatch cut_clock;
  if (options.degrees != DegreeKind::nystrom && !stopped) {
    // The volumes of sampled degrees are off by more than a cut is: better from the cut's own columns.
    const bool exact_degrees = result.degree_largest_error.value_or(0) == 0;
    const std::span<const double> volumes = exact_degrees ? L.degrees() : std::span<const double>();
    try {
      if (exact_cut) {
        result.normalized_cut = normalized_cut<float>(*affinity, volumes, result.labels, options.clusters, stop);
      } else {
        const CutEstimate cut =
            estimate_normalized_cut<float>(*affinity, volumes, result.labels, options.clusters, options.seed, stop);
        result.normalized_cut_estimate = cut.value;
        result.normalized_cut_standard_error = cut.standard_error;
      }
    } catch (const Stopped&) {
      result.status = Status::stopped;  // the labels are there, the cut is not
    }
  }
  result.seconds.cut = cut_clock.seconds();
  result.traffic = {comm.traffic().messages - before.messages, comm.traffic().bytes - before.bytes};
  const int64_t values = affinity->kernel_values();
  for (const int64_t of_rank : comm.gather<int64_t>(std::span<const int64_t>(&values, 1))) result.kernel_values += of_rank;
  result.degrees.assign(L.degrees().begin(), L.degrees().end());
  return result;
}

}  // namespace

void apply_paper_preset(ClusterOptions& options) {
  options.method = Method::minibatch;
  options.regularization = 0;
  options.embedding_scale = EmbeddingScale::none;
  options.solver.step_rule = StepRule::adagrad;
  options.solver.guards = 0;
  options.solver.estimator = Estimator::columns;
  options.solver.batch_size = 100;
  options.solver.nonzeros = 2;
  options.solver.start = Start::nystrom;
  options.solver.landmarks = 10;
  options.solver.step = 0;
  options.solver.epsilon = 1e-6;
}

int64_t choose_degree_columns(int64_t n, const ClusterOptions& options) {
  if (options.degree_columns > 0) return options.degree_columns;
  int64_t columns = std::max<int64_t>(2000, n / 50);
  // A quarter of the budget, a fifth of that for rows in doubt.
  if (const auto& passes = options.solver.passes; passes && *passes < 1e6)
    columns = std::min(columns, int64_t(*passes * double(n) / 5));
  return std::min(n, std::max(columns, fewest_degree_columns));
}

Method choose_method(int64_t n, int64_t features, const ClusterOptions& options) {
  if (options.method) return *options.method;
  if (options.solver.tolerance) return Method::exact;
  if (options.solver.passes || options.solver.iterations) return Method::minibatch;
  // Twenty symmetric passes with 1.5 k right-hand sides on both sides: what exact takes, to an order of magnitude.
  // Of the values that are kept, only the certificate evaluates any.
  const double share =
      keeps_values(options) ? std::min(1.0, double(options.memory) / double(all_values_bytes(n))) : 0;
  const double evaluated = double(features) * (1 + 19 * (1 - share)) + 20 * 3 * double(options.clusters);
  const double operations = double(n) * double(n) * evaluated;
  return operations <= 4e12 ? Method::exact : Method::minibatch;
}

int64_t estimate_memory(int64_t n, int64_t features, const ClusterOptions& options, int ranks) {
  const int64_t k = options.clusters;
  const int64_t threads = options.threads > 0 ? options.threads : default_threads();
  const SolverOptions solver = solver_options(options, {});
  int64_t columns = 5 * k, block = k, square = 0;  // n-vectors of float32; doubles of Nystrom's small matrices
  // Triangles that wait in the sum over the blocks (linalg/reduce.h).
  const auto triangles = int64_t(std::bit_width(uint64_t(RowBlocks(n).count()))) / 2 + 1;
  // Nystrom's start keeps the columns of its landmarks, and is over before the rest begins.
  const auto count_start = [&] {
    if (solver.start != Start::nystrom) return;
    const int64_t m = landmark_count(n, solver, true);
    columns = std::max(columns, 3 * block + std::min(m, kept_count<float>(n)));
    square = (9 + triangles) * m * m;
  };
  switch (choose_method(n, features, options)) {
    case Method::exact: {
      const KrylovSizes sizes = krylov_sizes(n, solver);
      block = sizes.block;
      columns = sizes.capacity + 4 * sizes.block;  // the basis, the next block, its image and what is multiplied
      count_start();
      break;
    }
    case Method::minibatch: {
      block = block_columns(n, solver);
      if (solver.step_rule == StepRule::adagrad) {
        columns = 5 * block + (solver.tolerance ? 3 * block : 0) + (solver.stall ? block : 0);
        count_start();
        break;
      }
      const int64_t m =
          most_landmarks<float>(n, solver.passes ? int64_t(std::min(*solver.passes, 1.0) * double(n)) : n, solver);
      const int64_t rank = model_rank(n, block);
      square = (12 + triangles) * m * m + 10 * m * rank;
      const int64_t kept = std::min(m + n / 16, kept_count<float>(n));
      // keep_more() holds the columns of the landmarks twice.
      columns = std::max(12 * block + 2 * rank + kept, block + rank + std::min(m, kept) + kept);
      if (solver.polish && (solver.tolerance || solver.seconds || solver.passes.value_or(1) >= 1.5)) {
        SolverOptions krylov = solver;
        krylov.block_size = block;
        columns = std::max(columns, krylov_sizes(n, krylov).capacity + 6 * block);
      }
      break;
    }
    case Method::nystrom: {
      const int64_t m = landmark_count(n, solver, false);
      block = std::max(k, solver.block_size);
      columns = 5 * block + 16 + std::min(m, kept_count<float>(n));
      square = (9 + triangles) * m * m;
      break;
    }
    case Method::power:
      block = std::max(k, solver.block_size);
      columns = 5 * block;
      break;
  }
  if (solver.keep_block) columns += block;
  columns += block;  // a full product sums what its rows and its columns give apart
  const RowBlocks blocks(n);
  // The rows of a rank, what every rank has of all rows (roots of degrees, flags), and blocks of columns on their way.
  const int64_t share = std::min(n, (blocks.count() + ranks - 1) / ranks * blocks.block_rows());
  const int64_t replicated = ranks > 1 ? 40 * n : 0;
  const int64_t together = turns_together(blocks, features, 4);
  const int64_t on_the_way = ranks > 1 ? 5 * together * (8 * features + 8 * block + 300) : 0;
  // Sums of columns wait on a rank that is neither the first nor the last of their way.
  const int64_t waiting = ranks > 2 ? share * std::max<int64_t>(16 + 17 * neighbors_kept(n), 4 * block) : 0;
  const int64_t of_thread = 4 * (features + (2 + together) * block);
  const int64_t tiles = blocks.block_rows() * (2 * together * features * 4 + on_the_way + threads * of_thread);
  const int64_t vectors = 8 + 8 + 8 + 4 + 4 + 4 + 1;  // degrees twice and squares, roots, labels, flags
  const int64_t fixed = square * 8 + tiles + replicated + waiting;
  if (options.degrees != DegreeKind::sampled) {
    const bool graph = starts_from_neighbors(choose_method(n, features, options), options);
    // The graph with what each edge has in L and in the model; as much while it is collected.
    const int64_t edges = graph ? 33 * neighbors_kept(n) : 0;
    const int64_t values = keeps_values(options) ? std::min(options.memory, all_values_bytes(n)) / ranks : 0;
    return (columns * 4 + edges + vectors) * share + fixed + values;
  }
  // Variances, rows in doubt, column sums; of minibatch a tally and, twice while they change, better degrees.
  const bool tallied = choose_method(n, features, options) == Method::minibatch && solver.step_rule == StepRule::ritz;
  return (std::max(columns * 4 + (tallied ? 120 : 0), int64_t{24}) + vectors) * share + fixed;
}

}  // namespace mbsc
