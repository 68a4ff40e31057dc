// SPDX-License-Identifier: Apache-2.0
#include "mbsc/affinity/graph/clean_graph.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "mbsc/base/require.h"

namespace mbsc {
namespace {

constexpr double tolerance = 1e-5;  // of the larger of two weights that should be equal

/// The entry at a place, as messages name it: row and column, counted from 1.
std::string place(int64_t row, int64_t column, bool by_column) {
  if (by_column) std::swap(row, column);
  return fmt::format("({}, {})", row + 1, column + 1);
}

void check_starts(const Graph& graph) {
  const int64_t n = graph.nodes, m = graph.entries();
  require(int64_t(graph.starts.size()) == n + 1, "a graph of {} nodes needs {} starts of rows (indptr); there are {}",
          n, n + 1, graph.starts.size());
  require(graph.starts.front() == 0, "the first start of a row (indptr) must be 0; got {}", graph.starts.front());
  for (size_t i = 0; i < size_t(n); ++i)
    require(graph.starts[i] <= graph.starts[i + 1],
            "the starts of rows (indptr) must not descend; row {} starts at {} and row {} at {}", i + 1,
            graph.starts[i], i + 2, graph.starts[i + 1]);
  require(graph.starts.back() == m, "the last start of a row (indptr) must be the number of entries, {}; got {}", m,
          graph.starts.back());
}

void check_entries(const Graph& graph) {
  for (int64_t i = 0; i < graph.nodes; ++i)
    for (int64_t e = graph.starts[size_t(i)]; e < graph.starts[size_t(i + 1)]; ++e) {
      const int64_t j = graph.columns[size_t(e)];
      require(j >= 0 && j < graph.nodes, "entry {} has the index {}; indices must be in [0, {}]", e + 1, j,
              graph.nodes - 1);
      const double weight = graph.value(e);
      require(std::isfinite(weight) && weight >= 0, "the weight at {} is {}; weights must be finite and not negative",
              place(i, j, graph.by_column), weight);
    }
}

using Entry = std::pair<int32_t, double>;  // column, weight

/// The cleaned entries of row i.
void clean_row(const Graph& graph, int64_t i, std::vector<Entry>& row, int64_t& loops) {
  row.clear();
  for (int64_t e = graph.starts[size_t(i)]; e < graph.starts[size_t(i + 1)]; ++e) {
    const double weight = graph.value(e);
    if (!(weight > 0)) continue;
    if (graph.columns[size_t(e)] == i)
      ++loops;
    else
      row.emplace_back(graph.columns[size_t(e)], weight);
  }
  // Entries of the same place are added in ascending order, so the sum does not depend on their order in the input.
  if (!std::is_sorted(row.begin(), row.end())) std::sort(row.begin(), row.end());
  size_t kept = 0;
  for (size_t e = 0; e < row.size(); ++e) {
    if (kept > 0 && row[kept - 1].first == row[e].first)
      row[kept - 1].second += row[e].second;
    else
      row[kept++] = row[e];
  }
  row.resize(kept);
}

/// The entries of row i begin at from[i]. Moves them, so that there are no gaps between the rows.
void close_gaps(std::span<const int64_t> from, CleanGraph& graph) {
  for (size_t i = 0; i + 1 < graph.starts.size(); ++i) {
    const int64_t to = graph.starts[i], count = graph.starts[i + 1] - to;
    if (to == from[i]) continue;
    std::copy_n(graph.columns.begin() + from[i], count, graph.columns.begin() + to);
    std::copy_n(graph.values.begin() + from[i], count, graph.values.begin() + to);
  }
  graph.columns.resize(size_t(graph.starts.back()));
  graph.values.resize(size_t(graph.starts.back()));
}

float stored(double weight) { return float(std::clamp(weight, 1e-30, 1e30)); }

/// The weight at (i, j); 0 if there is no entry.
double weight_at(const CleanGraph& graph, int64_t i, int64_t j) {
  const auto first = graph.columns.begin() + graph.starts[size_t(i)];
  const auto last = graph.columns.begin() + graph.starts[size_t(i + 1)];
  const auto found = std::lower_bound(first, last, int32_t(j));
  return found != last && *found == j ? graph.values[size_t(found - graph.columns.begin())] : 0;
}

[[noreturn]] void throw_asymmetry(const CleanGraph& graph, int64_t i, int64_t e) {
  const int64_t j = graph.columns[size_t(e)];
  const double back = weight_at(graph, j, i);
  const auto [row, column] = graph.by_column ? std::pair(j, i) : std::pair(i, j);
  throw AsymmetricGraph(
      fmt::format("a graph must be symmetric, but the weight at {} is {} and the one at {} is {}; symmetrize = mean, "
                  "max or mutual makes it symmetric",
                  place(row, column, false), graph.values[size_t(e)], place(column, row, false), back),
      row, column);
}

/// The matrix of the means of a_ij and a_ji, which must be almost equal.
SparseMatrix average(const CleanGraph& graph, const RowSpace& rows) {
  SparseMatrix matrix;
  matrix.starts = graph.starts;
  matrix.columns = graph.columns;
  matrix.values.resize(graph.values.size());
  constexpr int64_t none = std::numeric_limits<int64_t>::max();
  std::vector<int64_t> wrong_row(size_t(rows.blocks().count()), none);
  const auto is_wrong = [](double a, double b) { return std::abs(a - b) > tolerance * std::max(a, b); };
  rows.for_each_block([&](int64_t block, Range range) {
    for (int64_t i = range.begin; i < range.end; ++i)
      for (int64_t e = graph.starts[size_t(i)]; e < graph.starts[size_t(i + 1)]; ++e) {
        const double a = graph.values[size_t(e)], b = weight_at(graph, graph.columns[size_t(e)], i);
        if (is_wrong(a, b)) wrong_row[size_t(block)] = std::min(wrong_row[size_t(block)], i);
        matrix.values[size_t(e)] = stored((a + b) / 2);
      }
  });
  const int64_t i = rows.n() > 0 ? *std::min_element(wrong_row.begin(), wrong_row.end()) : none;
  if (i == none) return matrix;
  int64_t e = graph.starts[size_t(i)];
  while (!is_wrong(graph.values[size_t(e)], weight_at(graph, graph.columns[size_t(e)], i))) ++e;
  throw_asymmetry(graph, i, e);
}

CleanGraph transpose(const CleanGraph& graph) {
  CleanGraph transposed;
  transposed.starts.assign(graph.starts.size(), 0);
  for (const int32_t j : graph.columns) ++transposed.starts[size_t(j) + 1];
  std::partial_sum(transposed.starts.begin(), transposed.starts.end(), transposed.starts.begin());
  transposed.columns.resize(graph.columns.size());
  transposed.values.resize(graph.values.size());
  std::vector<int64_t> next(transposed.starts.begin(), transposed.starts.end() - 1);
  for (int64_t i = 0; i < graph.nodes(); ++i)
    for (int64_t e = graph.starts[size_t(i)]; e < graph.starts[size_t(i + 1)]; ++e) {
      const int64_t to = next[size_t(graph.columns[size_t(e)])]++;
      transposed.columns[size_t(to)] = int32_t(i);
      transposed.values[size_t(to)] = graph.values[size_t(e)];
    }
  return transposed;
}

/// The weight that replaces a = a_ij and b = a_ji; 0: no edge.
double combine(double a, double b, Symmetrize how) {
  if (how == Symmetrize::max) return std::max(a, b);
  if (how == Symmetrize::mutual && !(a > 0 && b > 0)) return 0;
  return (a + b) / 2;
}

/// Calls use(column, weight) for the combined entries of row i, in ascending order of the columns.
template <class Use>
void merge_row(const CleanGraph& graph, const CleanGraph& transposed, int64_t i, Symmetrize how, const Use& use) {
  int64_t e = graph.starts[size_t(i)], t = transposed.starts[size_t(i)];
  const int64_t last_e = graph.starts[size_t(i + 1)], last_t = transposed.starts[size_t(i + 1)];
  constexpr int32_t none = std::numeric_limits<int32_t>::max();
  while (e < last_e || t < last_t) {
    const int32_t here = e < last_e ? graph.columns[size_t(e)] : none;
    const int32_t there = t < last_t ? transposed.columns[size_t(t)] : none;
    const int32_t column = std::min(here, there);
    const double a = here == column ? graph.values[size_t(e++)] : 0;
    const double b = there == column ? transposed.values[size_t(t++)] : 0;
    if (const double weight = combine(a, b, how); weight > 0) use(column, weight);
  }
}

SparseMatrix merge(const CleanGraph& graph, const CleanGraph& transposed, Symmetrize how, const RowSpace& rows) {
  SparseMatrix matrix;
  matrix.starts.assign(graph.starts.size(), 0);
  rows.for_each_block([&](int64_t, Range range) {
    for (int64_t i = range.begin; i < range.end; ++i)
      merge_row(graph, transposed, i, how, [&](int32_t, double) { ++matrix.starts[size_t(i) + 1]; });
  });
  std::partial_sum(matrix.starts.begin(), matrix.starts.end(), matrix.starts.begin());
  matrix.columns.resize(size_t(matrix.starts.back()));
  matrix.values.resize(size_t(matrix.starts.back()));
  rows.for_each_block([&](int64_t, Range range) {
    for (int64_t i = range.begin; i < range.end; ++i) {
      auto at = size_t(matrix.starts[size_t(i)]);
      merge_row(graph, transposed, i, how, [&](int32_t column, double weight) {
        matrix.columns[at] = column;
        matrix.values[at++] = stored(weight);
      });
    }
  });
  return matrix;
}

}  // namespace

CleanGraph clean_graph(const Graph& graph, const RowSpace& rows) {
  check_starts(graph);
  check_entries(graph);
  CleanGraph clean;
  clean.by_column = graph.by_column;
  clean.starts.assign(size_t(graph.nodes) + 1, 0);
  clean.columns.resize(size_t(graph.entries()));
  clean.values.resize(size_t(graph.entries()));
  std::atomic<int64_t> loops{0};
  rows.for_each_block([&](int64_t, Range range) {
    std::vector<Entry> row;
    int64_t of_block = 0;
    for (int64_t i = range.begin; i < range.end; ++i) {
      clean_row(graph, i, row, of_block);
      clean.starts[size_t(i) + 1] = int64_t(row.size());
      int64_t at = graph.starts[size_t(i)];
      for (const auto& [column, weight] : row) {
        clean.columns[size_t(at)] = column;
        clean.values[size_t(at++)] = weight;
      }
    }
    loops += of_block;
  });
  clean.loops = loops;
  std::partial_sum(clean.starts.begin(), clean.starts.end(), clean.starts.begin());
  close_gaps(graph.starts, clean);
  return clean;
}

SparseMatrix make_symmetric(const CleanGraph& graph, std::optional<Symmetrize> how, const RowSpace& rows) {
  return how ? merge(graph, transpose(graph), *how, rows) : average(graph, rows);
}

}  // namespace mbsc
