// SPDX-License-Identifier: Apache-2.0
// Which columns are evaluated, and when. Every batch includes the "fixed" columns: the most important columns, and the
// landmark columns that are stored. The most important columns are stored too if all of them fit beside the landmarks
// (kept_count()). Otherwise they are evaluated again for each step. The columns that are not fixed are drawn uniformly
// without replacement.
#include <algorithm>
#include <limits>

#include "mbsc/base/float64.h"
#include "mbsc/solvers/minibatch/importance.h"
#include "mbsc/solvers/minibatch/state.h"

namespace mbsc::minibatch {
namespace {

constexpr int64_t most_together = 4000;  ///< the most columns in one product, except for a batch that takes all at once

/// On entry, fixed[i] is 1 if the column with the number of own row i is one of the most important columns. Stores
/// these columns if there is room. On return, all stored columns are marked too, in `fixed` and in `state.order.fixed`.
/// Returns the number of columns that it has evaluated.
template <class T>
int64_t keep_fixed(const Problem<T>& problem, State<T>& state, std::vector<uint8_t>& fixed) {
  const Normalized<T>& L = state.L(problem);
  KeptColumns<T>& kept = state.kept;
  const Range own = problem.rows().own_rows();
  for (const int64_t j : kept.indices)
    if (own.contains(j)) fixed[size_t(j - own.begin)] = 0;
  std::vector<uint8_t>& all_fixed = state.order.fixed;
  all_fixed = L.comm().template gather<uint8_t>(fixed);
  std::vector<int64_t> columns;
  for (int64_t j = 0; j < problem.n; ++j)
    if (all_fixed[size_t(j)]) columns.push_back(j);
  const auto count = int64_t(columns.size());
  const bool fits = count > 0 && count + int64_t(kept.indices.size()) <= kept_count<T>(problem.n, L.input_bytes());
  if (fits) {
    keep_more(L, columns, kept, problem.options.stop);
    count_columns(problem, state, count);
  }
  for (const int64_t j : kept.indices) {
    all_fixed[size_t(j)] = 1;
    if (own.contains(j)) fixed[size_t(j - own.begin)] = 1;
  }
  return fits ? count : 0;
}

/// Evaluates the fixed columns that are not stored; returns false if the run should end.
template <class T>
bool add_fixed(const Problem<T>& problem, State<T>& state, BatchMemory<T>& memory) {
  const std::vector<int64_t>& kept = state.kept.indices;
  std::vector<int64_t> columns;
  for (int64_t j = 0; j < problem.n; ++j)
    if (state.order.fixed[size_t(j)] && !std::binary_search(kept.begin(), kept.end(), j)) columns.push_back(j);
  for (size_t at = 0; at < columns.size(); at += size_t(most_together)) {
    const size_t count = std::min(size_t(most_together), columns.size() - at);
    memory.add_fixed({columns.data() + at, count}, state.W, problem.options.stop);
    count_columns(problem, state, int64_t(count));
    if (!report(problem, state)) return false;
  }
  return true;
}

/// Evaluates `count` new columns in at least eight products (one for each column if there are fewer than eight). The
/// differences between the products yield the noise of the batch. A batch after which all columns are seen has no
/// noise, so it may be a single product. Returns false if the run should end.
template <class T>
bool add_batch(const Problem<T>& problem, State<T>& state, BatchMemory<T>& memory, int64_t count) {
  const bool completes = !problem.options.limits.seconds &&
                         memory.is_complete(count);  // a time limit may end the batch before it is complete
  const bool at_once = completes && memory.takes_all_at_once() && count == memory.others();
  const int64_t least = completes ? 1 : 8;
  const int64_t parts =
      at_once ? 1 : std::min(count, std::max<int64_t>(least, (count + most_together - 1) / most_together));
  for (int64_t part = 0; part < parts; ++part) {
    const std::vector<int64_t> columns = state.order.next(count * (part + 1) / parts - count * part / parts);
    if (columns.empty()) continue;
    memory.add(columns, state.W, state.model_or_null(), problem.options.stop, completes);
    count_columns(problem, state, int64_t(columns.size()));
    if (!report(problem, state)) return false;
    if (problem.budget.spent(0, 0)) break;  // the time limit was reached
  }
  return true;
}

}  // namespace

template <class T>
Batches plan_batches(const Problem<T>& problem, State<T>& state) {
  // If iterations are limited and passes are not, an iteration is a batch. The columns of the start are then not
  // subtracted from the budget, and `left` is practically unlimited.
  const Limits& limits = problem.options.limits;
  const bool by_iterations = limits.iterations && !limits.passes;
  const int64_t sampled = by_iterations ? problem.plan.sampled : problem.plan.sampled - state.pairs.columns_evaluated;
  Batches batches;
  batches.left = by_iterations ? std::numeric_limits<int64_t>::max() / 4 : sampled;
  const auto all_are_kept = [&] { return int64_t(state.kept.indices.size()) == problem.n; };
  // A sample smaller than half the landmarks contains less information than the landmarks.
  if (all_are_kept() || batches.left < std::max<int64_t>(4, state.pairs.landmarks / 2)) return batches;
  std::vector<uint8_t> fixed(size_t(problem.rows().local_rows()));
  if (problem.options.ritz.columns == ColumnChoice::importance && problem.options.start != Start::random)
    fixed = fixed_columns<T>(state.L(problem), state.W, std::min(sampled, problem.n) / 4,
                             std::min(sampled, problem.n) / 16);
  batches.are_worthwhile = true;
  batches.left -= keep_fixed(problem, state, fixed);
  batches.in_first_pass = state.batches;
  return batches;
}

template <class T>
BatchMemory<T> open_memory(const Problem<T>& problem, State<T>& state, Batches& batches) {
  const Normalized<T>& L = state.L(problem);
  const Range own = problem.rows().own_rows();
  if (int64_t(state.kept.indices.size()) == problem.n) {
    state.order.fixed.assign(size_t(problem.n), 1);
    return BatchMemory<T>(L, problem.columns, std::vector<uint8_t>(size_t(own.size()), 1), state.tally_or_null());
  }
  const NeighborGraph* graph = L.all_degrees().graph.get();
  if (state.model && graph && state.batches > 1) {
    state.largest.emplace(problem.rows(), *graph, L.inverse_root_degrees());
    state.model->leave_out(*graph);
  }
  const auto* flags = state.order.fixed.data();
  BatchMemory<T> memory(L, problem.columns, std::vector<uint8_t>(flags + own.begin, flags + own.end),
                        state.tally_or_null(), state.largest ? &*state.largest : nullptr);
  batches.fixed_cost = memory.fixed_count() - int64_t(state.kept.indices.size());
  batches.first_pass = std::min(batches.left - batches.in_first_pass * batches.fixed_cost, memory.others());
  // A first batch that is small compared with the landmarks would contain only noise.
  while (batches.in_first_pass > 1 && (batches.first_pass >> (batches.in_first_pass - 1)) < state.pairs.landmarks / 4)
    --batches.in_first_pass;
  return memory;
}

template <class T>
Sampled sample(const Problem<T>& problem, State<T>& state, Batches& batches, BatchMemory<T>& memory) {
  // In the first pass, a batch has as many columns as all earlier batches together. After the first pass, it has a
  // quarter of the columns that are not fixed.
  const int64_t target = batches.first_pass >> std::max<int64_t>(0, batches.in_first_pass - 1 - batches.sampled++);
  const int64_t doubled =
      std::max<int64_t>(1, batches.seen < batches.first_pass ? target - batches.seen : memory.others() / 4);
  const int64_t before = state.pairs.columns_evaluated;
  ++state.pairs.iterations;
  if (batches.fixed_cost > 0 && batches.left > batches.fixed_cost && !add_fixed(problem, state, memory))
    return Sampled::stopped;
  const int64_t count =
      std::min(problem.options.batch_size.value_or(doubled), batches.left - (state.pairs.columns_evaluated - before));
  if (count <= 0) return Sampled::nothing;
  if (!state.kept.indices.empty()) memory.add_kept(state.kept, state.W);
  if (!add_batch(problem, state, memory, count)) return Sampled::stopped;
  batches.seen += count;
  batches.left -= state.pairs.columns_evaluated - before;
  return Sampled::batch;
}

#define MBSC_INSTANTIATE(T)                                                    \
  template Batches plan_batches(const Problem<T>&, State<T>&);                 \
  template BatchMemory<T> open_memory(const Problem<T>&, State<T>&, Batches&); \
  template Sampled sample(const Problem<T>&, State<T>&, Batches&, BatchMemory<T>&);
MBSC_INSTANTIATE(float)
MBSC_FLOAT64(MBSC_INSTANTIATE(double))
#undef MBSC_INSTANTIATE

}  // namespace mbsc::minibatch
