// SPDX-License-Identifier: Apache-2.0
// Method: mini-batches with Ritz steps, the default step rule of `minibatch`. It goes beyond the paper.
// A budget of columns is spent in this order:
//   1. start(): Nystrom from landmarks drawn by importance, 2,000 at most by default (ritz_plan.h). The block W
//      consists of the k' leading eigenvectors of the resulting model of L (nystrom_model.h), k' = 3k by default. If
//      the kernel is too narrow for landmarks, the graph of neighbors may give the block (graph_start.h).
//   2. sample() and step(), in turn. Each batch of columns improves the estimates G ~ LW and B ~ W'LW, and a step
//      follows each batch. The estimates use the columns of all batches so far. If there are several batches,
//      the estimates also use the model as a control variate, and the largest entries of each row if the degree pass
//      collected them (batch_memory.h). During the first pass, G and B would be unbiased if all columns so far had
//      been multiplied by the same W (see below). After one pass, every column has been evaluated; G and B are then
//      exact if all columns were multiplied by the current W. Some columns belong to every batch: the most important
//      columns, and the landmark columns that are stored. These are the fixed columns. In the first pass, each batch
//      doubles the number of columns seen (worthwhile_batches() chooses the number of batches). After the first pass,
//      a batch is a quarter of the columns that are not fixed. `batch_size` overrides both rules. A step is a power
//      step, shrunk according to its measured noise. So it needs no tuning. If the start is more accurate than the
//      estimates of the batches, the steps hardly change it.
//   3. polish(): full products, by block Krylov from W. It runs if `passes` is at least 1.5 (1.05 with a tolerance).
//      Without `passes`, it runs if a tolerance is given, or if `seconds` is given without `iterations` (plan_ritz()).
// If degrees are sampled, every column of a batch also improves the degrees. Before each step, L is rescaled to
// the better degrees (degree_tally.h, rescaling.h). The degrees are exact after a pass, or after the first full
// product.
// If the budget for batches is more than one pass (RitzPlan::sampled > n), phase 2 continues: each column is evaluated
// again and multiplied by the current W; this product replaces the earlier one. Columns multiplied by an earlier W, and
// shrunk steps, add a bias that vanishes as the run goes on.
// Cost of a column: n kernel values and 2 n k' operations.
// Memory: 12 arrays of n x k'; two of n x 400 for the model (fewer columns if an array would exceed 256 MiB, but never
//   fewer than k'); two numbers per edge of the graph; and the columns that stay in memory (kept_columns.h).
#include "mbsc/solvers/minibatch/minibatch.h"

#include "mbsc/base/float64.h"
#include "mbsc/base/require.h"
#include "mbsc/linalg/tall.h"
#include "mbsc/solvers/batch_size.h"
#include "mbsc/solvers/krylov/krylov_sizes.h"
#include "mbsc/solvers/minibatch/state.h"
#include "mbsc/solvers/registry.h"

namespace mbsc {
namespace minibatch {
namespace {

/// For a run in which every column is stored. A step then evaluates no kernel values, so eight steps are taken.
template <class T>
bool run_in_memory(const Problem<T>& problem, State<T>& state, BatchMemory<T>& memory) {
  for (int round = 0; round < 8; ++round) {
    memory.add_kept(state.kept, state.W);
    ++state.pairs.iterations;
    if (!report(problem, state) || !step(problem, state, memory)) return false;
  }
  return true;
}

/// Returns false if the run was stopped, or if the block has stalled (state.is_stalled).
template <class T>
bool run_batches(const Problem<T>& problem, State<T>& state) {
  Batches batches = plan_batches(problem, state);
  const bool all_in_memory = int64_t(state.kept.indices.size()) == problem.n;
  if (!all_in_memory && !batches.are_worthwhile) return report(problem, state);
  BatchMemory<T> memory = open_memory(problem, state, batches);
  if (all_in_memory) return run_in_memory(problem, state, memory);
  while (batches.left > 0 && !problem.budget.spent(0, state.pairs.iterations - 1)) {
    const int64_t before = state.pairs.columns_evaluated;
    const Sampled sampled = sample(problem, state, batches, memory);
    if (sampled == Sampled::stopped) return false;
    if (sampled == Sampled::nothing) break;
    if (memory.can_step() && !step(problem, state, memory)) return false;
    if (state.pairs.columns_evaluated == before) break;
  }
  return true;
}

/// Copies the k leading columns of the block to `pairs`, with the current estimates of their eigenvalues.
template <class T>
void take_block(const Problem<T>& problem, const State<T>& state, EigenPairs<T>& pairs) {
  pairs.vectors = Matrix<T>(state.W.rows(), problem.k);
  copy<T>(problem.rows(), state.W.view().columns_between(0, problem.k), pairs.vectors);
  pairs.values.assign(state.theta.data(), state.theta.data() + problem.k);
  pairs.values_are_exact = false;
}

void resolve(int64_t n, ClusterOptions& options) {
  require(!options.limits.tolerance || options.ritz.polish,
          "tolerance needs polish: residuals come from its full products");
  const bool by_neighbors = options.start == Start::neighbors;
  require(!by_neighbors || options.degrees == DegreeKind::exact,
          "start = neighbors needs degrees = exact: the degree pass finds the neighbors");
  require(!by_neighbors || neighbors_kept(n) > 0, "start = neighbors needs at most {} points; got {}", int64_t{1} << 20,
          n);
  options.guards = block_columns(n, options) - options.clusters;
  if (options.limits.iterations) options.batch_size = options.batch_size.value_or(automatic_batch_size(n));
}

SolverMemory memory(int64_t n, int64_t input_bytes, const ClusterOptions& options) {
  const int64_t block = block_columns(n, options), rank = model_rank(n, block);
  const Limits& limits = options.limits;
  const auto sampled = limits.passes ? int64_t(std::min(*limits.passes, 1.0) * double(n)) : n;
  const int64_t m = most_landmarks<float>(n, input_bytes, sampled, options);
  const int64_t room = kept_count<float>(n, input_bytes), kept = std::min(m + n / 16, room);
  SolverMemory memory{.block = block};
  // The larger of two peaks: the batches, or keep_more(), during which the landmark columns exist twice.
  memory.columns = std::max(12 * block + 2 * rank + kept, block + rank + std::min(m, kept) + kept);
  if (options.ritz.polish && (limits.tolerance || limits.seconds || limits.passes.value_or(1) >= 1.5)) {
    ClusterOptions krylov = options;
    krylov.block_size = block;
    memory.columns = std::max(memory.columns, krylov_sizes(n, krylov).capacity + 8 * block);
  }
  // The peak of the start, before the batches begin.
  const int64_t start_bytes = 4 * n * (std::min(m, room) + rank + block) + landmark_bytes(n, m) + 32 * m * rank;
  memory.small_bytes = std::max<int64_t>(0, start_bytes - 4 * n * memory.columns);
  // 33 bytes for each collected entry are enough in both phases: for the two lists of the degree pass, and later for
  // the graph with the value of each edge in L and in the model.
  if (options.degrees == DegreeKind::exact && options.start.value_or(Start::neighbors) == Start::neighbors)
    memory.row_bytes = 33 * neighbors_kept(n);
  // The tally and the improved degrees; the degrees exist twice while they are replaced.
  if (options.degrees == DegreeKind::sampled) memory.row_bytes = 120;
  return memory;
}

}  // namespace
}  // namespace minibatch

template <class T>
Solution<T> solve_minibatch(const Normalized<T>& L, const ClusterOptions& given, const Observer<T>& observer) {
  ClusterOptions options = given;
  minibatch::resolve(L.n(), options);
  const minibatch::Problem<T> problem(L, options, observer);
  minibatch::State<T> state = minibatch::start(problem);
  try {
    const bool goes_on = minibatch::run_batches(problem, state);
    state.kept = {};
    state.model.reset();
    state.largest.reset();
    if ((goes_on || state.is_stalled) && problem.plan.products > 0 && !problem.budget.spent(0, 0))
      polish(problem, state);
  } catch (const Stopped&) {
    state.pairs.status = Status::stopped;
  }
  Solution<T>& pairs = state.pairs;
  if (pairs.vectors.empty()) minibatch::take_block(problem, state, pairs);
  if (options.keep_block && pairs.block.empty()) pairs.block = std::move(state.W);
  if (state.better) pairs.degrees = state.better->all_degrees();
  pairs.seconds = problem.budget.seconds();
  return std::move(pairs);
}

const SolverRow& minibatch_solver() {
  const std::vector<std::string> own{"minibatch"};
  static const SolverRow row{
      .name = "minibatch",
      .method = "minibatch",
      .step_rule = StepRule::ritz,
      .options =
          {word_option(
               "columns", words::column_choices, [](auto& o) -> auto& { return o.ritz.columns; })
               .for_methods(own)
               .help("importance: landmarks are drawn by importance, and the most important columns belong to every "
                     "batch; uniform: all columns are drawn with the same probability"),
           flag_option(
               "control_variate", [](auto& o) -> auto& { return o.ritz.control_variate; })
               .for_methods(own)
               .help("use the Nystrom model as a control variate, with the weight that lowers the variance most"),
           flag_option(
               "polish", [](auto& o) -> auto& { return o.ritz.polish; })
               .for_methods(own)
               .help("end with full products. This happens if passes is at least 1.5 (1.05 with a tolerance). Without "
                     "passes, it happens if a tolerance is given, or if seconds is given without iterations")},
      .resolve = minibatch::resolve,
      .memory = minibatch::memory,
      .neighbors = neighbors_needed,
      .solve = solve_minibatch<float>,
      MBSC_FLOAT64(.solve_double = solve_minibatch<double>)};
  return row;
}

template Solution<float> solve_minibatch(const Normalized<float>&, const ClusterOptions&, const Observer<float>&);
MBSC_FLOAT64(template Solution<double> solve_minibatch(const Normalized<double>&, const ClusterOptions&,
                                                       const Observer<double>&);)

}  // namespace mbsc
