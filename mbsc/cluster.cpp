// SPDX-License-Identifier: Apache-2.0
#include "mbsc/cluster.h"

#include <cmath>
#include <memory>
#include <optional>

#include "mbsc/flow/affinity.h"
#include "mbsc/flow/check.h"
#include "mbsc/flow/cut.h"
#include "mbsc/flow/degrees.h"
#include "mbsc/flow/embedding.h"
#include "mbsc/flow/labels.h"
#include "mbsc/flow/landmarks.h"
#include "mbsc/flow/run.h"
#include "mbsc/flow/shared_input.h"
#include "mbsc/flow/solve.h"

namespace mbsc {
namespace {

/// Writes the cost of the run to the result: the kernel values and cached bytes of all ranks, the traffic of this rank.
void count_cost(const Affinity<float>& affinity, const Run& run, Clustering& result) {
  Cost& cost = result.cost;
  cost.traffic = run.traffic();
  cost.cached_bytes = affinity.cached_bytes();
  const int64_t mine = affinity.kernel_values();
  for (const int64_t values : affinity.rows().comm().gather<int64_t>(std::span<const int64_t>(&mine, 1)))
    cost.kernel_values += values;
}

/// The whole flow. Each stage is one call.
Clustering cluster_rows(Input& input, const RowSpace& rows, Plan& plan, const StageObserver& observer) {
  Clustering result;
  Cost::Seconds& seconds = result.cost.seconds;
  const EmbeddingScale scale = plan.options.embedding_scale;
  Run run(rows.comm(), plan.options.stop, observer);
  std::optional<Run::Clock> clock(seconds.graph);
  const auto affinity = build_affinity(input, rows, plan, result.graph);

  clock.emplace(seconds.degrees);
  Normalized<float> L(*affinity, find_degrees(*affinity, plan, run, result.degrees), *plan.options.regularization);
  IsolatedRows isolated = find_isolated(L, scale);
  check_isolated(isolated, plan);

  clock.emplace(seconds.solve);
  Solution<float> solution = solve_plan(L, result.degrees.columns, run, plan);
  if (solution.degrees) {
    L = L.with(std::move(*solution.degrees));
    isolated = find_isolated(L, scale);
    check_isolated(isolated, plan);
  }
  report_errors(L, plan, result.degrees);
  result.status = solution.status;
  result.pairs = std::move(solution);
  result.plan = plan;
  result.plan.options.stop = {};
  result.cost.columns_evaluated = result.degrees.columns + result.pairs.columns_evaluated;
  result.cost.passes = double(result.cost.columns_evaluated) / double(plan.n);

  clock.emplace(seconds.kmeans);
  run.report({"kmeans", std::nan(""), 0, result.cost.passes, 0, std::nan("")});
  const Matrix<float> embedding = embed(result.pairs.labeled_vectors(), *affinity, L, scale, run.stop());
  label_rows(input, rows, embedding, isolated, plan.options, run.stop(), result);

  clock.emplace(seconds.cut);
  find_cut(*affinity, L, has_product_left(result.pairs, result.degrees.columns, plan), run.stop(), result);
  clock.reset();

  result.landmarks = extend_landmarks(input, *affinity, L, isolated, run.stop(), result);
  result.degrees.values.assign(L.degrees().begin(), L.degrees().end());
  result.degrees.isolated_points = isolated.count;
  count_cost(*affinity, run, result);
  return result;
}

}  // namespace

Clustering cluster(const Input& input, const ClusterOptions& options, const StageObserver& observer) {
  return cluster(input, options, serial_comm(), observer);
}

Clustering cluster(const Input& given, const ClusterOptions& options, const Comm& comm, const StageObserver& observer) {
  check_simd_levels(comm);
  SharedInput shared(given, comm);
  Plan plan = resolve(shared.shape(), options);
  const RowSpace rows(plan.n, *plan.options.threads, comm);
  check_rows(shared.input(), rows, plan.options.clusters);
  check_memory(plan.memory_bytes, comm);
  Clustering result = cluster_rows(shared.input(), rows, plan, observer);
  shared.give_back(result);
  return result;
}

}  // namespace mbsc
