// SPDX-License-Identifier: Apache-2.0
#include "mbsc/affinity/graph/neighbor_search.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>

#include "mbsc/affinity/graph/distinct_rows.h"
#include "mbsc/affinity/graph/pair_search.h"
#include "mbsc/affinity/graph/partition.h"
#include "mbsc/base/parallel.h"
#include "mbsc/base/random.h"

namespace mbsc {
namespace {

constexpr int most_rounds = 6;

void stop_if_asked(const NeighborSearch& search) {
  if (search.stop.stop_requested()) throw Stopped();
}

void compare_all(NearLists& lists, const NeighborSearch& search) {
  constexpr int64_t chunk = 1536;
  std::vector<int32_t> all(static_cast<size_t>(lists.size()));
  std::iota(all.begin(), all.end(), 0);
  const int64_t chunks = (lists.size() + chunk - 1) / chunk;
  const auto part = [&](int64_t c) {
    return std::span(all).subspan(size_t(c * chunk), size_t(std::min(chunk, lists.size() - c * chunk)));
  };
  parallel_for(search.threads, chunks * (chunks + 1) / 2, [&](int64_t task) {
    stop_if_asked(search);
    int64_t distance = 0;  // first all pairs of chunks (c, c), then all pairs (c, c + 1), ...
    while (task >= chunks - distance) task -= chunks - distance++;
    PairSearch pairs(lists);
    if (distance == 0)
      pairs.run(part(task));
    else
      pairs.run(part(task), part(task + distance));
  });
}

void compare_leaves(NearLists& lists, const PartitionRule& rule, const NeighborSearch& search) {
  std::vector<Members> sets = first_split(lists.points(), rule, search.threads);
  parallel_for(search.threads, int64_t(sets.size()), [&](int64_t s) {
    PairSearch pairs(lists);
    for_each_leaf(lists.points(), rule, std::move(sets[size_t(s)]), s, [&](std::span<const int32_t> leaf) {
      stop_if_asked(search);
      pairs.run(leaf);
    });
  });
}

struct Recall {
  double mean = 1, error = 0;
};

/// Finds the true neighbors of a sample of points by brute force, and counts how many of them are in the lists.
Recall measure_recall(const NearLists& lists, const NeighborSearch& search) {
  const int64_t n = lists.size(), sample = std::min<int64_t>(256, n);
  const KeyedPermutation order(n, Random(search.seed, Stream::neighbors), ~uint64_t{0});
  std::vector<int32_t> drawn(static_cast<size_t>(sample));
  for (int64_t i = 0; i < sample; ++i) drawn[size_t(i)] = int32_t(order(i));
  std::sort(drawn.begin(), drawn.end());
  NearLists truth(lists.points(), lists.each());
  std::vector<int32_t> others;
  for (int64_t i = 0; i < n; ++i)
    if (!std::binary_search(drawn.begin(), drawn.end(), int32_t(i))) others.push_back(int32_t(i));
  {
    PairSearch pairs(truth);
    pairs.run(drawn);
  }
  constexpr int64_t chunk = 2048;
  parallel_for(search.threads, (int64_t(others.size()) + chunk - 1) / chunk, [&](int64_t c) {
    stop_if_asked(search);
    const auto first = size_t(c * chunk);
    PairSearch pairs(truth);
    pairs.run(drawn, std::span(others).subspan(first, std::min(size_t(chunk), others.size() - first)));
  });
  double sum = 0, squares = 0;
  for (const int32_t i : drawn) {
    double found = 0;
    const auto known = lists.list(i);
    for (const NearPoint& near : truth.list(i)) found += std::binary_search(known.begin(), known.end(), near);
    const double share = found / double(truth.list(i).size());
    sum += share;
    squares += share * share;
  }
  const double mean = sum / double(sample);
  return {mean, std::sqrt(std::max(0.0, squares / double(sample) - mean * mean) / double(sample))};
}

/// Converts lists of distinct rows to lists of points. The place of a point is its place in distinct.copies.
void expand(const NearLists& lists, DistinctRows& distinct, int threads, NeighborLists& out) {
  const int64_t m = out.each;
  const auto copies_of = [&](int64_t row) {
    return Range{distinct.starts[size_t(row)], distinct.starts[size_t(row) + 1]};
  };
  out.points.resize(distinct.copies.size() * size_t(m));
  constexpr int64_t chunk = 1024;
  parallel_for(threads, (distinct.count() + chunk - 1) / chunk, [&](int64_t c) {
    for (int64_t row = c * chunk; row < std::min(distinct.count(), (c + 1) * chunk); ++row) {
      const Range own = copies_of(row);
      const auto list = lists.list(row);
      for (int64_t copy = 0; copy < own.size(); ++copy) {
        NearPoint* to = out.points.data() + (own.begin + copy) * m;
        int64_t filled = 0;
        // Take the copies that follow this one; the first copy follows the last. So the lists of copies differ.
        const int64_t most = std::max<int64_t>(m / 2, m - int64_t(list.size()));
        for (int64_t step = 1; step < own.size() && filled < most; ++step)
          to[filled++] = {0, int32_t(own.begin + (copy + step) % own.size())};
        for (int64_t round = 0; filled < m; ++round) {
          const int64_t before = filled;
          for (const NearPoint& near : list) {
            const Range others = copies_of(near.point);
            if (filled == m) break;
            if (round < others.size())
              to[filled++] = {near.distance, int32_t(others.begin + (copy + round) % others.size())};
          }
          if (filled == before) break;
        }
        std::sort(to, to + filled);
      }
    }
  });
  if (!std::is_sorted(distinct.copies.begin(), distinct.copies.end())) out.order = std::move(distinct.copies);
}

}  // namespace

bool compares_all(int64_t n, int64_t features, double recall) {
  return recall >= 1 || n <= 8192 || double(n) * double(n) * double(features + 12) < 4e9;
}

NeighborLists find_neighbors(const Points& points, const NeighborSearch& search) {
  DistinctRows distinct = find_distinct(points, search.threads);
  const bool all_pairs = compares_all(distinct.count(), points.features, search.recall);
  if (!all_pairs) reorder(order_by_place(distinct.rows, search.seed, search.threads), distinct);
  NeighborLists out;
  out.each = search.each;
  out.distinct = distinct.count();
  NearLists lists(distinct.rows, std::min(search.each, distinct.count() - 1));
  if (all_pairs) {
    compare_all(lists, search);
  } else {
    PartitionRule rule = partition_rule(points.features, search.each);
    rule.seed = search.seed;
    for (; rule.round < most_rounds; ++rule.round) {
      compare_leaves(lists, rule, search);
      const Recall recall = measure_recall(lists, search);
      out.recall = recall.mean;
      out.recall_error = recall.error;
      if (recall.mean >= search.recall) break;
    }
  }
  expand(lists, distinct, search.threads, out);
  return out;
}

NeighborLists by_point(const NeighborLists& lists) {
  NeighborLists out = lists;
  for (size_t place = 0; place < lists.order.size(); ++place) {
    NearPoint* to = out.points.data() + lists.order[place] * lists.each;
    for (const NearPoint& near : lists.of(int64_t(place))) *to++ = {near.distance, lists.order[size_t(near.point)]};
    std::sort(to - lists.each, to);
  }
  out.order.clear();
  return out;
}

}  // namespace mbsc
