// SPDX-License-Identifier: Apache-2.0
// The warm start of the default solver. The block comes from the Nystrom model, unless a random start is requested. If
// the kernel is too narrow for landmarks, this block is compared with that of the graph of neighbors, and the block
// with the lower energy is used (graph_start.h). `start = neighbors` always uses the graph.
#include <algorithm>

#include "mbsc/affinity/degrees/sampled_degrees.h"
#include "mbsc/base/float64.h"
#include "mbsc/base/require.h"
#include "mbsc/solvers/minibatch/graph_start.h"
#include "mbsc/solvers/minibatch/importance.h"
#include "mbsc/solvers/minibatch/state.h"
#include "mbsc/solvers/rayleigh_ritz.h"

namespace mbsc::minibatch {
namespace {

/// The number of landmarks, and whether to compare their block with that of the graph of neighbors.
struct LandmarkPlan {
  int64_t landmarks = 0;
  const NeighborGraph* graph = nullptr;  ///< null: landmarks only
  bool compares = false;                 ///< compare both blocks; if false and there is a graph, the graph is used
  int64_t columns_to_compare = 0;
};

template <class T>
LandmarkPlan plan_landmarks(const Problem<T>& problem) {
  const Normalized<T>& L = problem.given;
  const ClusterOptions& options = problem.options;
  LandmarkPlan plan;
  const KernelFacts facts = facts_of(L);
  plan.landmarks = worthwhile_landmarks<T>(facts, problem.plan.sampled, options);
  plan.compares = graph_may_start(facts, plan.landmarks, options);
  const bool is_asked = options.start == Start::neighbors;
  if (plan.compares || is_asked) plan.graph = L.all_degrees().graph.get();
  require(plan.graph || !is_asked, "start = neighbors needs exact degrees and at most {} points", int64_t{1} << 20);
  if (!plan.graph || !plan.compares) return plan;
  const int64_t sampled = problem.plan.sampled;
  plan.columns_to_compare = std::clamp<int64_t>(sampled / 20, 2, std::max<int64_t>(200, problem.n / 100));
  const int64_t left = std::max<int64_t>(1, sampled - plan.columns_to_compare);
  plan.landmarks = std::min(plan.landmarks, most_landmarks<T>(problem.n, L.input_bytes(), left, options));
  return plan;
}

/// Builds the model from landmarks and uses its leading vectors as the block.
template <class T>
void start_from_landmarks(const Problem<T>& problem, int64_t count, State<T>& state) {
  const Normalized<T>& L = problem.given;
  const ClusterOptions& options = problem.options;
  const bool by_importance = options.ritz.columns == ColumnChoice::importance;
  const std::vector<int64_t> landmarks = important_columns(L, count, by_importance, options.seed);
  state.pairs.landmarks = int64_t(landmarks.size());
  state.batches = worthwhile_batches(facts_of(L), state.pairs.landmarks, options);
  // A single batch uses no control variate, so the model is only a start. There is a single batch only if there are at
  // least five times as many landmarks as the kernel needs. That batch contains all columns, as far as the budget allows.
  // Its product gives nearly the same result from a rough block as from an accurate one, so a small rank is enough.
  const bool is_single = state.batches == 1;
  const int64_t most_rank = is_single ? 4 * problem.columns : problem.n;
  state.model.emplace(L, landmarks, std::min(model_rank(problem.n, problem.columns), most_rank), options.stop);
  state.pairs.columns_evaluated = state.model->columns_evaluated();
  state.kept = state.model->take_kept();
  state.W = state.model->leading(problem.columns, options.seed, is_single ? 1 : 1e-5);
  Matrix<T> image(state.W.rows(), problem.columns);
  state.model->multiply(state.W, image);
  state.theta = gram<T>(problem.rows(), state.W, image).diagonal();
  // A time limit may end a batch before it is complete. Then the model is needed.
  if (!options.ritz.control_variate || (is_single && !options.limits.seconds)) state.model.reset();
}

}  // namespace

template <class T>
State<T> start(const Problem<T>& problem) {
  const Normalized<T>& L = problem.given;
  const ClusterOptions& options = problem.options;
  State<T> state;
  state.order = ColumnOrder(problem.n, options.seed);
  state.pairs.guards = problem.columns - problem.k;
  state.pairs.batch_size = options.batch_size.value_or(0);
  state.pairs.status = options.limits.tolerance ? Status::budget : Status::finished;
  state.pairs.iterations = 1;
  state.theta = Eigen::VectorXd::Zero(problem.columns);
  // Without regularization, a row whose sampled degree is zero counts as isolated. The tally then treats that zero as
  // final.
  if (degree_error(problem.rows(), L.all_degrees()).largest > 0)
    state.tally.emplace(problem.rows(), L.all_degrees(), L.regularization_added() == 0);
  if (options.start == Start::random) {
    state.W = random_basis(L, problem.columns, options.seed);
    return state;
  }
  const LandmarkPlan plan = plan_landmarks(problem);
  start_from_landmarks(problem, plan.landmarks, state);
  if (!plan.graph) return state;
  Matrix<T> other = graph_block(L, *plan.graph, problem.columns, options);
  state.pairs.start_is_graph = !plan.compares;
  if (plan.compares) {
    const EnergyEstimate energy = compare_energy<T>(L, state.W, other, plan.columns_to_compare, options);
    count_columns(problem, state, energy.columns);
    state.pairs.start_is_graph = energy.difference < 0;
  }
  if (state.pairs.start_is_graph) state.W = std::move(other);
  return state;
}

template State<float> start(const Problem<float>&);
MBSC_FLOAT64(template State<double> start(const Problem<double>&);)

}  // namespace mbsc::minibatch
