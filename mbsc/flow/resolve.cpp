// SPDX-License-Identifier: Apache-2.0
// resolve() decides every automatic value that depends only on the options and the shape of the input, once, before any
// work. Later stages add the values that depend on the data, such as gamma or the number of neighbors (result.h).
#include <algorithm>

#include "mbsc/affinity/degrees/sampled_degrees.h"
#include "mbsc/affinity/graph/neighbor_graph.h"
#include "mbsc/affinity/landmarks/landmark_graph.h"
#include "mbsc/affinity/make_affinity.h"
#include "mbsc/base/require.h"
#include "mbsc/base/thread_pool.h"
#include "mbsc/base/version.h"
#include "mbsc/cluster.h"
#include "mbsc/flow/choose_affinity.h"
#include "mbsc/flow/memory.h"
#include "mbsc/options/table.h"
#include "mbsc/simd/tile.h"

namespace mbsc {
namespace {

constexpr int64_t fewest_degree_columns =
    100;  // with fewer, too few of the uncertain rows are evaluated exactly to represent the rest

/// Checks what holds for every graph that is stored: a neighbor graph, a landmark graph, and a given graph. `name` is for
/// messages.
void check_stored_graph(const InputShape& shape, const std::string& name, const ClusterOptions& options) {
  require(shape.ranks == 1 || shape.kind != Input::Kind::graph, "{} can be clustered on one rank only; got {} ranks",
          name, shape.ranks);
  require(shape.n < int64_t{1} << 31, "{} needs fewer than 2^31 points; got {}", name, shape.n);
  require(options.degrees == DegreeKind::exact, "degrees must be exact for {}", name);
  const bool has_landmarks = options.affinity == AffinityKind::landmarks;
  const std::string method = options.method.value_or("chebyshev");
  require(method == "chebyshev" || method == "exact" || method == "power" || method == "transfer",
          "method = {} needs a dense affinity; {} has {}chebyshev, exact and power", method, name,
          has_landmarks ? "transfer, " : "");
}

/// Sets the automatic regularization, except that of a neighbor graph. For graphs, also sets edge_width and the method.
/// Checks the options that depend on whether the affinity is a graph.
void resolve_graph(const InputShape& shape, AffinityKind kind, ClusterOptions& options) {
  const bool is_given = shape.kind == Input::Kind::graph;
  const bool has_neighbors = kind == AffinityKind::neighbors, has_landmarks = kind == AffinityKind::landmarks;
  // A neighbor graph decides its regularization when it is built.
  if (!options.regularization && !has_neighbors) options.regularization = is_given || has_landmarks ? 0 : 0.001;
  require(is_given || !options.symmetrize, "symmetrize applies to a given graph only");
  require(has_landmarks || options.method != "transfer", "method = transfer needs affinity = landmarks");
  if (!is_given && !has_neighbors && !has_landmarks) return;
  check_stored_graph(shape, is_given ? "a given graph" : "affinity = " + word_of(words::affinities, kind), options);
  if (has_neighbors && !options.edge_width) options.edge_width = automatic_edge_width(shape.n, shape.features);
  require(!options.neighbors || *options.neighbors < shape.n, "neighbors must be in [1, {}]; got {}", shape.n - 1,
          options.neighbors.value_or(0));
  if (!options.method) options.method = has_landmarks ? "transfer" : "chebyshev";
}

/// Sets the automatic number of landmarks, and checks the options of the affinity landmarks.
void resolve_landmarks(const InputShape& shape, ClusterOptions& options) {
  options.landmarks = options.landmarks.value_or(automatic_landmarks(shape.n, options.clusters));
  require(*options.landmarks >= options.clusters, "landmarks must be at least the number of clusters, {}; got {}",
          options.clusters, *options.landmarks);
  require(options.neighbors.value_or(1) <= *options.landmarks,
          "neighbors must be at most the number of landmarks, {}; got {}", *options.landmarks,
          options.neighbors.value_or(1));
}

void resolve_affinity(const InputShape& shape, Plan& plan) {
  ClusterOptions& options = plan.options;
  const bool is_points = shape.kind == Input::Kind::points;
  if (!options.affinity) {
    AffinityChoice choice = choose_affinity(shape, options);
    options.affinity = choice.kind;
    plan.affinity_reason = std::move(choice.reason);
  }
  const AffinityKind kind = *options.affinity;
  require(kind != AffinityKind::precomputed || !is_points,
          "affinity = precomputed needs a matrix of affinities or a graph; the input is points");
  require(kind == AffinityKind::precomputed || is_points,
          "the input is a matrix of affinities or a graph, so affinity must be precomputed; got {}",
          word_of(words::affinities, kind));
  check_conditions(options);
  resolve_graph(shape, kind, options);
  if (kind == AffinityKind::landmarks) resolve_landmarks(shape, options);
  require(is_points || options.scale == Scaling::none, "scale applies to points, not to a precomputed affinity");
  require(!options.scale_rows || options.scale != Scaling::none,
          "scale_rows needs scale = unit, symmetric or standard");
  if (options.degrees != DegreeKind::exact) options.cache = 0;  // nothing would fill it
}

/// n/50 columns, but at least 2,000 and at most n. If passes are limited, the number is reduced so that three quarters
/// of the budget are left to the solver.
int64_t automatic_degree_columns(int64_t n, const ClusterOptions& options) {
  int64_t columns = std::max<int64_t>(2000, n / 50);
  // The degrees get a quarter of the budget: a fifth of the budget for the drawn columns, a twentieth for uncertain
  // rows.
  if (const auto& passes = options.limits.passes; passes && *passes < 1e6)
    columns = std::min(columns, int64_t(*passes * double(n) / 5));
  return std::min(n, std::max(columns, fewest_degree_columns));
}

void resolve_degrees(int64_t n, ClusterOptions& options) {
  require(options.degrees != DegreeKind::nystrom || options.method == "nystrom",
          "degrees = nystrom applies to method = nystrom only");
  if (options.degrees != DegreeKind::sampled) {
    require(!options.degree_columns, "degree_columns = {} needs degrees = sampled", options.degree_columns.value_or(0));
    return;
  }
  const int64_t fewest = std::min(n, fewest_degree_columns);
  const int64_t columns = options.degree_columns.value_or(automatic_degree_columns(n, options));
  require(columns >= fewest && columns <= n, "degree_columns must be in [{}, {}]; got {}", fewest, n, columns);
  options.degree_columns = columns;
  const int64_t most = most_degree_columns(n, columns);
  const std::optional<double>& passes = options.limits.passes;
  require(!passes || double(most) < *passes * double(n),
          "sampled degrees need up to {} columns and leave nothing for the solver: passes = {} is {:.0f} columns", most,
          passes.value_or(0), passes.value_or(0) * double(n));
}

/// Whether the method exact is cheap. To an order of magnitude it takes twenty symmetric passes. Each pass multiplies
/// 1.5 k vectors and uses the value of a pair twice: as a_ij and as a_ji. Nineteen passes read the cached values from
/// the cache. The last pass recomputes the residuals and evaluates all values again.
bool exact_is_cheap(const InputShape& shape, const ClusterOptions& options) {
  const double pairs = double(shape.n) * double(shape.n);
  const double share = std::min(1.0, double(options.cache) / pairs);  // n^2 bytes hold all n^2/2 values, two bytes each
  const double evaluated = double(shape.features) * (1 + 19 * (1 - share)) + 20 * 3 * double(options.clusters);
  return pairs * evaluated <= 4e12;
}

/// Chooses exact if there is a tolerance. Otherwise chooses minibatch if passes or iterations are limited. Otherwise
/// chooses exact if it is cheap, else minibatch. If an option does not apply to the chosen method, but all options
/// apply to the other method, chooses the other one.
std::string choose_method(const InputShape& shape, const ClusterOptions& options) {
  const Limits& limits = options.limits;
  const bool prefers_exact =
      limits.tolerance || (!limits.passes && !limits.iterations && exact_is_cheap(shape, options));
  const std::string first = prefers_exact ? "exact" : "minibatch", second = prefers_exact ? "minibatch" : "exact";
  const auto fits = [&](const std::string& method) {
    return all_apply(options, find_solver(method, options.step_rule));
  };
  return fits(first) || !fits(second) ? first : second;
}

}  // namespace

namespace {

/// The plan with landmarks, if neighbors was chosen automatically, no option speaks against landmarks, `neighbors` is not
/// given, and there are at least k landmarks.
std::shared_ptr<const Plan> resolve_fallback(const InputShape& shape, ClusterOptions given,
                                             const ClusterOptions& resolved) {
  const bool is_chosen = !given.affinity && resolved.affinity == AffinityKind::neighbors;
  if (!is_chosen || given.neighbors || !is_possible(given, AffinityKind::landmarks)) return nullptr;
  given.affinity = AffinityKind::landmarks;
  if (given.landmarks.value_or(automatic_landmarks(shape.n, given.clusters)) < given.clusters) return nullptr;
  auto plan = std::make_shared<Plan>(resolve(shape, given));
  plan->is_fallback = true;
  return plan;
}

}  // namespace

Plan resolve(const InputShape& shape, const ClusterOptions& given) {
  const int64_t n = shape.n;
  require(n >= 2, "clustering needs at least 2 points; got {}", n);
  require(shape.features >= 1 || shape.kind == Input::Kind::graph, "the points have no features");
  check_ranges(given, n);
  Plan plan;
  plan.n = n;
  plan.features = shape.features;
  plan.ranks = shape.ranks;
  plan.options = given;
  plan.gamma_is_given = given.gamma.has_value();
  ClusterOptions& options = plan.options;
  resolve_affinity(shape, plan);
  options.threads = given.threads.value_or(default_threads());
  if (!options.method) options.method = choose_method(shape, options);
  const SolverRow& solver = find_solver(*options.method, options.step_rule);
  check_applies(given, solver);
  require(options.affinity != AffinityKind::landmarks || given.start.value_or(Start::random) == Start::random,
          "start must be random if affinity = landmarks");
  const bool samples_points = solver.method != "chebyshev" && solver.method != "power";
  require(!given.landmarks || samples_points || options.affinity == AffinityKind::landmarks,
          "landmarks applies to the method {} only if affinity = landmarks", solver.method);
  solver.resolve(n, options);
  resolve_degrees(n, options);
  plan.memory_bytes = estimate_memory(shape, options);
  plan.fallback = resolve_fallback(shape, given, options);
  return plan;
}

std::string simd_level() { return simd::level_name(); }

std::string version() { return version_text; }

std::string to_string(Status status) {
  switch (status) {
    case Status::converged:
      return "converged";
    case Status::finished:
      return "finished";
    case Status::budget:
      return "budget spent";
    case Status::stalled:
      return "stalled";
    case Status::unresolved:
      return "unresolved";
    case Status::stopped:
      return "stopped";
  }
  return {};
}

}  // namespace mbsc
