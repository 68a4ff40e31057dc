// SPDX-License-Identifier: Apache-2.0
#include "mbsc/solvers/chebyshev/coarsen.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "mbsc/base/parallel.h"
#include "mbsc/base/random.h"
#include "mbsc/linalg/row_balance.h"

namespace mbsc {
namespace {

constexpr int64_t aggregate_size = 8;

/// Forms aggregates of the nodes in `range` (local numbers); neighbors outside of it do not count. Visits the nodes in
/// random order. A node forms an aggregate with its strongest free neighbors. A node without a free neighbor later joins
/// the aggregate of its strongest neighbor. A node that has only neighbors outside of the range is an aggregate of its
/// own. Writes the aggregate of each node (-1: a node without edges) to `of`. Returns the number of aggregates.
int32_t aggregate(const SparseMatrix& graph, Range range, const Random& random, uint64_t key,
                  std::vector<int32_t>& of) {
  const KeyedPermutation order(range.size(), random, key);
  const auto edges_of = [&](int64_t i) { return Range{graph.starts[size_t(i)], graph.starts[size_t(i + 1)]}; };
  std::vector<std::pair<float, int32_t>> free;
  std::vector<int32_t> late;
  int32_t count = 0;
  for (int64_t step = 0; step < range.size(); ++step) {
    const int64_t i = range.begin + order(step);
    if (of[size_t(i)] >= 0) continue;
    free.clear();
    bool has_neighbor = false;
    for (int64_t e = edges_of(i).begin; e < edges_of(i).end; ++e) {
      const int32_t j = graph.columns[size_t(e)];
      if (j == i || !range.contains(j)) continue;
      has_neighbor = true;
      if (of[size_t(j)] < 0) free.emplace_back(-graph.values[size_t(e)], j);
    }
    if (free.empty()) {
      if (has_neighbor)
        late.push_back(int32_t(i));
      else if (edges_of(i).size() > 0)
        of[size_t(i)] = count++;
      continue;
    }
    std::sort(free.begin(), free.end());
    of[size_t(i)] = count;
    for (size_t f = 0; f < std::min(free.size(), size_t(aggregate_size - 1)); ++f) of[size_t(free[f].second)] = count;
    ++count;
  }
  for (const int32_t i : late) {
    float best = -1;
    for (int64_t e = edges_of(i).begin; e < edges_of(i).end; ++e) {
      const int32_t j = graph.columns[size_t(e)];
      if (j == i || !range.contains(j) || of[size_t(j)] < 0 || graph.values[size_t(e)] <= best) continue;
      best = graph.values[size_t(e)];
      of[size_t(i)] = of[size_t(j)];
    }
  }
  return count;
}

/// Forms the aggregates of all own nodes. Returns their number.
int32_t aggregate_own(const SparseMatrix& graph, const RowSpace& space, bool in_blocks, uint64_t seed, uint64_t level,
                      std::vector<int32_t>& of) {
  const Random random(seed, Stream::start);
  of.assign(size_t(graph.rows()), -1);
  if (!in_blocks) return aggregate(graph, {0, graph.rows()}, random, level, of);
  std::vector<int32_t> counts(size_t(space.own_blocks().size()) + 1);
  space.for_each_block(
      [&](int64_t block, Range range) {
        const uint64_t key = random.bits(level, uint64_t(block));
        counts[size_t(block - space.own_blocks().begin) + 1] = aggregate(graph, range, random, key, of);
      },
      400);
  std::partial_sum(counts.begin(), counts.end(), counts.begin());
  space.for_each_block([&](int64_t block, Range range) {
    for (int64_t i = range.begin; i < range.end; ++i)
      if (of[size_t(i)] >= 0) of[size_t(i)] += counts[size_t(block - space.own_blocks().begin)];
  });
  return counts.back();
}

/// An entry of a row of the coarse graph.
struct Entry {
  int32_t column;
  float value;
};

/// The sum of the rows of some nodes. `number_of` has the aggregate of each column. Entries are added in the order of the
/// nodes.
std::vector<Entry> add_rows(const SparseMatrix& graph, std::span<const int32_t> nodes,
                            const std::vector<int32_t>& number_of, std::vector<Entry>& scratch) {
  scratch.clear();
  for (const int32_t i : nodes)
    for (int64_t e = graph.starts[size_t(i)]; e < graph.starts[size_t(i) + 1]; ++e)
      scratch.push_back({number_of[size_t(graph.columns[size_t(e)])], graph.values[size_t(e)]});
  std::stable_sort(scratch.begin(), scratch.end(), [](const Entry& a, const Entry& b) { return a.column < b.column; });
  std::vector<Entry> row;
  for (size_t begin = 0, end = 0; begin < scratch.size(); begin = end) {
    double sum = 0;
    for (end = begin; end < scratch.size() && scratch[end].column == scratch[begin].column; ++end)
      sum += double(scratch[end].value);
    row.push_back({scratch[begin].column, float(sum)});
  }
  return row;
}

}  // namespace

CoarseGraph coarsen(const SparseMatrix& graph, const RowSpace& space, bool in_blocks, uint64_t seed, uint64_t level) {
  CoarseGraph coarse;
  const int64_t count = aggregate_own(graph, space, in_blocks, seed, level, coarse.aggregate_of);
  const std::vector<int64_t> counts = space.comm().gather<int64_t>(std::span<const int64_t>(&count, 1));
  coarse.own.begin = std::accumulate(counts.begin(), counts.begin() + space.comm().rank(), int64_t{0});
  coarse.own.end = coarse.own.begin + count;
  coarse.total = std::accumulate(counts.begin(), counts.end(), int64_t{0});
  // The aggregate of each column of the graph, among all aggregates.
  const int64_t own = graph.rows();
  std::vector<int32_t> number_of(size_t(own + graph.others.size()), -1);
  for (int64_t i = 0; i < own; ++i)
    if (const int32_t a = coarse.aggregate_of[size_t(i)]; a >= 0) number_of[size_t(i)] = int32_t(coarse.own.begin) + a;
  graph.others.fetch<int32_t>(space.comm(), MatrixView<const int32_t>(number_of.data(), own, 1),
                              number_of.data() + own);
  std::vector<int64_t> starts(size_t(count) + 1);
  for (const int32_t a : coarse.aggregate_of)
    if (a >= 0) ++starts[size_t(a) + 1];
  std::partial_sum(starts.begin(), starts.end(), starts.begin());
  std::vector<int32_t> nodes(size_t(starts.back()));
  std::vector<int64_t> next(starts.begin(), starts.end() - 1);
  for (int64_t i = 0; i < own; ++i)
    if (const int32_t a = coarse.aggregate_of[size_t(i)]; a >= 0) nodes[size_t(next[size_t(a)]++)] = int32_t(i);
  std::vector<std::vector<Entry>> rows(static_cast<size_t>(count));
  constexpr int64_t together = 256;
  parallel_for(space.threads(), (count + together - 1) / together, [&](int64_t group) {
    std::vector<Entry> scratch;
    for (int64_t a = group * together; a < std::min(count, (group + 1) * together); ++a) {
      const auto begin = size_t(starts[size_t(a)]), end = size_t(starts[size_t(a) + 1]);
      rows[size_t(a)] = add_rows(graph, std::span(nodes).subspan(begin, end - begin), number_of, scratch);
    }
  });
  coarse.graph.starts.assign(1, 0);
  for (std::vector<Entry>& row : rows) {
    for (const Entry& entry : row) {
      coarse.graph.columns.push_back(entry.column);
      coarse.graph.values.push_back(entry.value);
    }
    coarse.graph.starts.push_back(int64_t(coarse.graph.columns.size()));
    row = {};
  }
  return coarse;
}

SparseMatrix redistribute(const Comm& comm, const SparseMatrix& graph, const RowSpace& target) {
  const int64_t rows = graph.rows();
  std::vector<int64_t> lengths(static_cast<size_t>(rows));
  for (int64_t i = 0; i < rows; ++i) lengths[size_t(i)] = graph.starts[size_t(i) + 1] - graph.starts[size_t(i)];
  SparseMatrix out;
  if (target.comm().size() == 1) {
    lengths = comm.gather<int64_t>(lengths);
    out.columns = comm.gather<int32_t>(graph.columns);
    out.values = comm.gather<float>(graph.values);
  } else {
    const RowBalance balance(comm, rows);
    std::vector<std::vector<int32_t>> columns(static_cast<size_t>(comm.size()));
    std::vector<std::vector<float>> values(columns.size());
    for (int64_t i = 0; i < rows; ++i) {
      const auto rank = size_t(target.rank_of_row(balance.given().begin + i));
      const auto begin = graph.starts[size_t(i)], end = graph.starts[size_t(i) + 1];
      columns[rank].insert(columns[rank].end(), graph.columns.begin() + begin, graph.columns.begin() + end);
      values[rank].insert(values[rank].end(), graph.values.begin() + begin, graph.values.begin() + end);
    }
    lengths = balance.to_shares<int64_t>(lengths, 1);
    for (const auto& part : exchange_parts<int32_t>(comm, std::move(columns)))
      out.columns.insert(out.columns.end(), part.begin(), part.end());
    for (const auto& part : exchange_parts<float>(comm, std::move(values)))
      out.values.insert(out.values.end(), part.begin(), part.end());
  }
  out.starts.assign(1, 0);
  for (const int64_t length : lengths) out.starts.push_back(out.starts.back() + length);
  make_columns_local(target, out);
  return out;
}

SparseMatrix with_global_columns(const SparseMatrix& graph, const RowSpace& space) {
  SparseMatrix out{graph.starts, graph.columns, graph.values, {}};
  const int64_t own = graph.rows();
  for (int32_t& column : out.columns)
    column = int32_t(column < own ? space.own_rows().begin + column : graph.others.rows()[size_t(column - own)]);
  return out;
}

}  // namespace mbsc
