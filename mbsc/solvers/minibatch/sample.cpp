// SPDX-License-Identifier: Apache-2.0
// Which columns are evaluated, and when. Every batch includes the important ("certain") columns. They are stored if they
// fit beside the stored landmarks (kept_count()); otherwise they are evaluated again for each step. The other columns are
// drawn uniformly without replacement.
#include <algorithm>
#include <limits>

#include "mbsc/solvers/minibatch/importance.h"
#include "mbsc/solvers/minibatch/state.h"

namespace mbsc::minibatch {
namespace {

constexpr int64_t most_together = 4000;  ///< columns of one product

/// Keeps the certain columns in memory if there is room, and marks all columns in memory as certain. Returns the number
/// of columns evaluated for this.
template <class T>
int64_t keep_certain(const Run<T>& run, State<T>& state, std::vector<uint8_t>& certain) {
  const Normalized<T>& L = state.L(run);
  KeptColumns<T>& kept = state.kept;
  const Range own = run.rows().own_rows();
  for (const int64_t j : kept.indices)
    if (own.contains(j)) certain[size_t(j - own.begin)] = 0;
  std::vector<uint8_t>& all_certain = state.order.certain;
  all_certain = L.comm().template gather<uint8_t>(certain);
  std::vector<int64_t> columns;
  for (int64_t j = 0; j < run.n; ++j)
    if (all_certain[size_t(j)]) columns.push_back(j);
  const auto count = int64_t(columns.size());
  const bool fits = count > 0 && count + int64_t(kept.indices.size()) <= kept_count<T>(run.n, L.input_bytes());
  if (fits) {
    keep_more(L, columns, kept, run.options.stop);
    count_columns(run, state, count);
  }
  for (const int64_t j : kept.indices) {
    all_certain[size_t(j)] = 1;
    if (own.contains(j)) certain[size_t(j - own.begin)] = 1;
  }
  return fits ? count : 0;
}

/// Evaluates the certain columns that are not in memory; returns false if the run should end.
template <class T>
bool add_certain(const Run<T>& run, State<T>& state, BatchMemory<T>& memory) {
  const std::vector<int64_t>& kept = state.kept.indices;
  std::vector<int64_t> columns;
  for (int64_t j = 0; j < run.n; ++j)
    if (state.order.certain[size_t(j)] && !std::binary_search(kept.begin(), kept.end(), j)) columns.push_back(j);
  for (size_t at = 0; at < columns.size(); at += size_t(most_together)) {
    const size_t count = std::min(size_t(most_together), columns.size() - at);
    memory.add_certain({columns.data() + at, count}, state.W, run.options.stop);
    count_columns(run, state, int64_t(count));
    if (!report(run, state)) return false;
  }
  return true;
}

/// Evaluates new columns in at least eight products. Their differences yield the noise of the batch; if there is no
/// noise, fewer products suffice. Returns false if the run should end.
template <class T>
bool add_batch(const Run<T>& run, State<T>& state, BatchMemory<T>& memory, int64_t count) {
  const bool completes =
      !run.options.limits.seconds && memory.is_complete(count);  // the time limit was reached may end it earlier
  const bool at_once = completes && memory.takes_all_at_once() && count == memory.others();
  const int64_t least = completes ? 1 : 8;
  const int64_t parts =
      at_once ? 1 : std::min(count, std::max<int64_t>(least, (count + most_together - 1) / most_together));
  for (int64_t part = 0; part < parts; ++part) {
    const std::vector<int64_t> columns = state.order.next(count * (part + 1) / parts - count * part / parts);
    if (columns.empty()) continue;
    memory.add(columns, state.W, state.model_or_null(), run.options.stop, completes);
    count_columns(run, state, int64_t(columns.size()));
    if (!report(run, state)) return false;
    if (run.budget.spent(0, 0)) break;  // the time limit was reached
  }
  return true;
}

}  // namespace

template <class T>
Batches plan_batches(const Run<T>& run, State<T>& state) {
  // If only iterations are limited, they count batches; the start and the certain columns do not count.
  const Limits& limits = run.options.limits;
  const bool by_iterations = limits.iterations && !limits.passes;
  const int64_t sampled = by_iterations ? run.plan.sampled : run.plan.sampled - state.pairs.columns_evaluated;
  Batches batches;
  batches.left = by_iterations ? std::numeric_limits<int64_t>::max() / 4 : sampled;
  const auto all_are_kept = [&] { return int64_t(state.kept.indices.size()) == run.n; };
  // A sample smaller than half the landmarks contains less information than the landmarks.
  if (all_are_kept() || batches.left < std::max<int64_t>(4, state.pairs.landmarks / 2)) return batches;
  std::vector<uint8_t> certain(size_t(run.rows().local_rows()));
  if (run.options.ritz.columns == ColumnChoice::importance && run.options.start != Start::random)
    certain = certain_columns<T>(state.L(run), state.W, std::min(sampled, run.n) / 4, std::min(sampled, run.n) / 16);
  batches.are_worthwhile = true;
  batches.left -= keep_certain(run, state, certain);
  batches.doublings = state.batches;
  return batches;
}

template <class T>
BatchMemory<T> open_memory(const Run<T>& run, State<T>& state, Batches& batches) {
  const Normalized<T>& L = state.L(run);
  const Range own = run.rows().own_rows();
  if (int64_t(state.kept.indices.size()) == run.n) {
    state.order.certain.assign(size_t(run.n), 1);
    return BatchMemory<T>(L, run.columns, std::vector<uint8_t>(size_t(own.size()), 1), state.tally_or_null());
  }
  const NeighborGraph* graph = L.all_degrees().graph.get();
  if (state.model && graph && state.batches > 1) {
    state.largest.emplace(run.rows(), *graph, L.inverse_root_degrees());
    state.model->leave_out(*graph);
  }
  const auto* flags = state.order.certain.data();
  BatchMemory<T> memory(L, run.columns, std::vector<uint8_t>(flags + own.begin, flags + own.end), state.tally_or_null(),
                        state.largest ? &*state.largest : nullptr);
  batches.certain_cost = memory.certain_count() - int64_t(state.kept.indices.size());
  batches.first_pass = std::min(batches.left - batches.doublings * batches.certain_cost, memory.others());
  // A first batch that is small compared with the landmarks would contain only noise.
  while (batches.doublings > 1 && (batches.first_pass >> (batches.doublings - 1)) < state.pairs.landmarks / 4)
    --batches.doublings;
  return memory;
}

template <class T>
Sampled sample(const Run<T>& run, State<T>& state, Batches& batches, BatchMemory<T>& memory) {
  // As many columns as all batches before; after the first pass a quarter of a pass at a time.
  const int64_t target = batches.first_pass >> std::max<int64_t>(0, batches.doublings - 1 - batches.steps++);
  const int64_t doubled =
      std::max<int64_t>(1, batches.seen < batches.first_pass ? target - batches.seen : memory.others() / 4);
  const int64_t before = state.pairs.columns_evaluated;
  ++state.pairs.iterations;
  if (batches.certain_cost > 0 && batches.left > batches.certain_cost && !add_certain(run, state, memory))
    return Sampled::stopped;
  const int64_t count =
      std::min(run.options.batch_size.value_or(doubled), batches.left - (state.pairs.columns_evaluated - before));
  if (count <= 0) return Sampled::nothing;
  if (!state.kept.indices.empty()) memory.add_kept(state.kept, state.W);
  if (!add_batch(run, state, memory, count)) return Sampled::stopped;
  batches.seen += count;
  batches.left -= state.pairs.columns_evaluated - before;
  return Sampled::batch;
}

#define MBSC_INSTANTIATE(T)                                                \
  template Batches plan_batches(const Run<T>&, State<T>&);                 \
  template BatchMemory<T> open_memory(const Run<T>&, State<T>&, Batches&); \
  template Sampled sample(const Run<T>&, State<T>&, Batches&, BatchMemory<T>&);
MBSC_INSTANTIATE(float)
MBSC_INSTANTIATE(double)
#undef MBSC_INSTANTIATE

}  // namespace mbsc::minibatch
