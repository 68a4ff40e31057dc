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
/// The share of the neighbors of n points that the first round misses with the fan of partition_rule(), about. It was
/// measured on sets of 10^5 to 10^7 points. It only decides how large the first round is.
double usual_miss(int64_t n) { return std::clamp(0.014 * std::pow(double(n) / 2e5, 0.4), 0.002, 0.1); }

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

/// The true neighbors of a sample of points.
struct Sample {
  Members drawn;
  std::vector<std::vector<NearPoint>> neighbors;
};

/// Finds them by brute force.
Sample find_sample(MatrixView<const float> points, int64_t each, const NeighborSearch& search) {
  const int64_t n = points.rows, size = std::min<int64_t>(512, n);
  const KeyedPermutation order(n, Random(search.seed, Stream::neighbors), ~uint64_t{0});
  Sample sample;
  Matrix<float> rows(size, points.cols);
  for (int64_t i = 0; i < size; ++i) {
    sample.drawn.push_back(int32_t(order(i)));
    std::copy_n(points.row(sample.drawn.back()), points.cols, rows.row(i));
  }
  NearLists lists(rows, points, each + 1);  // a point finds itself, too
  Members own(static_cast<size_t>(size)), all(static_cast<size_t>(n));
  std::iota(own.begin(), own.end(), 0);
  std::iota(all.begin(), all.end(), 0);
  constexpr int64_t chunk = 2048, together = 8;
  parallel_for(search.threads, (n + chunk * together - 1) / (chunk * together), [&](int64_t task) {
    PairSearch pairs(lists);
    for (int64_t first = task * chunk * together; first < std::min(n, (task + 1) * chunk * together); first += chunk) {
      stop_if_asked(search);
      pairs.run(own, std::span(all).subspan(size_t(first), size_t(std::min(chunk, n - first))));
    }
  });
  for (int64_t i = 0; i < size; ++i) {
    std::vector<NearPoint> found;
    for (const NearPoint& near : lists.list(i))
      if (near.point != sample.drawn[size_t(i)] && int64_t(found.size()) < each) found.push_back(near);
    sample.neighbors.push_back(std::move(found));
  }
  return sample;
}

struct Recall {
  double mean = 1, error = 0;
};

/// Counts how many of the true neighbors of the sample are in the lists.
Recall measure_recall(const NearLists& lists, const Sample& sample) {
  double sum = 0, squares = 0;
  for (size_t i = 0; i < sample.drawn.size(); ++i) {
    double found = 0;
    const auto known = lists.list(sample.drawn[i]);
    for (const NearPoint& near : sample.neighbors[i]) found += std::binary_search(known.begin(), known.end(), near);
    const double share = found / double(sample.neighbors[i].size());
    sum += share;
    squares += share * share;
  }
  const auto size = double(sample.drawn.size());
  const double mean = sum / size;
  return {mean, std::sqrt(std::max(0.0, squares / size - mean * mean) / size)};
}

/// The fan of the first split of a round that is to leave a share `wanted` of a share `missed` of missed neighbors. The
/// logarithm of this share falls in proportion to the fan. With the fan `known`, it fell from 1 to `known_missed`.
int64_t fan_for(double wanted, double missed, int64_t known, double known_missed) {
  const double fan = double(known) * std::log(std::min(1.0, wanted / missed)) / std::log(known_missed);
  return std::clamp<int64_t>(int64_t(std::ceil(fan - 0.25)), 2, 2 * known);
}

/// Compares points in rounds until the lists reach the recall. Each round has a partition of its own, whose fan depends
/// on the recall so far.
Recall search_rounds(NearLists& lists, const NeighborSearch& search) {
  const Sample sample = find_sample(lists.points(), lists.each(), search);
  PartitionRule rule = partition_rule(lists.points().cols, search.each);
  rule.seed = search.seed;
  const double wanted = 1 - search.recall;
  rule.first_fan = fan_for(wanted, 1, rule.first_fan, usual_miss(lists.size()));
  Recall recall;
  double missed = 1;
  for (; rule.round < most_rounds; ++rule.round) {
    compare_leaves(lists, rule, search);
    recall = measure_recall(lists, sample);
    if (recall.mean - recall.error >= search.recall) break;
    const double now = std::min(0.9, 1 - recall.mean);
    rule.first_fan = fan_for(wanted, now, rule.first_fan, std::min(0.9, now / missed));
    missed = now;
  }
  return recall;
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
    const Recall recall = search_rounds(lists, search);
    out.recall = recall.mean;
    out.recall_error = recall.error;
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
