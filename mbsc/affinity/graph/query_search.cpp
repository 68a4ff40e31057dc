// SPDX-License-Identifier: Apache-2.0
#include "mbsc/affinity/graph/query_search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "mbsc/affinity/graph/distinct_rows.h"
#include "mbsc/affinity/graph/pair_search.h"
#include "mbsc/affinity/graph/partition.h"
#include "mbsc/base/parallel.h"

namespace mbsc {
namespace {

constexpr int64_t chunk_size = 1536;  // points that are compared at a time

template <class Number>
Matrix<float> rounded_rows(const Points& points, std::span<const Number> rows, Metric metric, int threads) {
  const auto count = int64_t(rows.size());
  constexpr int64_t chunk = 1024;
  Matrix<float> out(count, points.features);
  parallel_for(threads, (count + chunk - 1) / chunk, [&](int64_t c) {
    for (int64_t i = c * chunk; i < std::min(count, (c + 1) * chunk); ++i)
      round_row(points, rows[size_t(i)], metric, out.row(i));
  });
  return out;
}

/// Queries to compare with some of the fitted points.
struct Comparison {
  std::span<const int32_t> queries, points;
};

/// Makes all comparisons. Those of many queries with many points are divided into parts.
void compare(NearLists& lists, const std::vector<Comparison>& comparisons, int threads, const StopToken& stop) {
  std::vector<Comparison> parts;
  for (const Comparison& all : comparisons)
    for (size_t q = 0; q < all.queries.size(); q += chunk_size)
      for (size_t p = 0; p < all.points.size(); p += chunk_size)
        parts.push_back({all.queries.subspan(q, std::min(size_t(chunk_size), all.queries.size() - q)),
                         all.points.subspan(p, std::min(size_t(chunk_size), all.points.size() - p))});
  constexpr int64_t together = 4;  // parts that share their working memory
  const auto count = int64_t(parts.size());
  parallel_for(threads, (count + together - 1) / together, [&](int64_t c) {
    PairSearch pairs(lists);
    for (int64_t i = c * together; i < std::min(count, (c + 1) * together); ++i) {
      if (stop.stop_requested()) throw Stopped();
      pairs.run(parts[size_t(i)].queries, parts[size_t(i)].points);
    }
  });
}

void compare_all(NearLists& lists, int threads, const StopToken& stop) {
  const Members queries = numbers_below(lists.size()), points = numbers_below(lists.others().rows);
  compare(lists, {{queries, points}}, threads, stop);
}

/// Sets of numbers, grouped by a key: set s is [starts[s], starts[s + 1]) of `members`.
struct Groups {
  std::vector<int64_t> starts;
  Members members;
  std::span<const int32_t> of(int64_t s) const {
    return std::span(members).subspan(size_t(starts[size_t(s)]), size_t(starts[size_t(s) + 1] - starts[size_t(s)]));
  }
};

/// Each number i has `each` keys. Groups the numbers by the keys `some` of them.
Groups group(std::span<const int32_t> keys, Range some, int64_t each, int64_t count) {
  const int64_t numbers = int64_t(keys.size()) / each;
  Groups groups;
  groups.starts.assign(size_t(count) + 1, 0);
  for (int64_t i = 0; i < numbers; ++i)
    for (int64_t e = some.begin; e < some.end; ++e) ++groups.starts[size_t(keys[size_t(i * each + e)]) + 1];
  std::partial_sum(groups.starts.begin(), groups.starts.end(), groups.starts.begin());
  std::vector<int64_t> next(groups.starts.begin(), groups.starts.end() - 1);
  groups.members.resize(size_t(groups.starts.back()));
  for (int64_t i = 0; i < numbers; ++i)
    for (int64_t e = some.begin; e < some.end; ++e)
      groups.members[size_t(next[size_t(keys[size_t(i * each + e)])]++)] = int32_t(i);
  return groups;
}

/// Compares each query with the points of its nearest leaders. The points of the nearest one come first: they fill the
/// lists with near points, so that few of the others are offered.
void compare_near(NearLists& lists, const SearchIndex& index, int threads, const StopToken& stop) {
  const auto leaders = int64_t(index.leaders.size());
  const Members queries = numbers_below(lists.size());
  const std::vector<int32_t> nearest =
      nearest_leaders(lists.points(), queries, lists.others(), index.leaders, index.probes, threads);
  const Groups points = group(index.leader_of, {0, 1}, 1, leaders);
  for (int64_t first = 0, end = 1; first < index.probes; first = end, end = index.probes) {
    const Groups asking = group(nearest, {first, end}, index.probes, leaders);
    std::vector<Comparison> comparisons;
    for (int64_t s = 0; s < leaders; ++s) comparisons.push_back({asking.of(s), points.of(s)});
    compare(lists, comparisons, threads, stop);
  }
}

/// The number of probes that gives the recall. The queries of the sample are fitted points, so each finds itself first.
int64_t find_probes(MatrixView<const float> rows, SearchIndex index, const NeighborSearch& search) {
  const Members drawn = draw(rows.rows, std::min<int64_t>(256, rows.rows), search.seed, ~uint64_t{0} - 2);
  Matrix<float> sample(int64_t(drawn.size()), rows.cols);
  for (size_t i = 0; i < drawn.size(); ++i) std::copy_n(rows.row(drawn[i]), rows.cols, sample.row(int64_t(i)));
  NearLists truth(sample, rows, search.each + 1);
  compare_all(truth, search.threads, search.stop);
  const auto leaders = int64_t(index.leaders.size());
  for (index.probes = std::min<int64_t>(4, leaders); index.probes < leaders; index.probes *= 2) {
    NearLists lists(sample, rows, search.each + 1);
    compare_near(lists, index, search.threads, search.stop);
    int64_t found = 0, wanted = 0;
    for (int64_t i = 0; i < sample.rows(); ++i) {
      const auto known = lists.list(i), all = truth.list(i);
      wanted += int64_t(all.size()) - 1;
      found += std::count_if(all.begin() + 1, all.end(), [&](const NearPoint& near) {
        return std::binary_search(known.begin(), known.end(), near);
      });
    }
    if (double(found) >= search.recall * double(wanted)) return index.probes;
  }
  return leaders;
}

}  // namespace

SearchIndex make_index(const Points& fitted, const NeighborSearch& search) {
  const DistinctRows distinct = find_distinct(fitted, search.threads, search.metric);
  SearchIndex index;
  if (distinct.count() < fitted.rows)
    for (int64_t row = 0; row < distinct.count(); ++row)
      index.firsts.push_back(distinct.copies[size_t(distinct.starts[size_t(row)])]);
  if (compares_all(distinct.count(), fitted.features, search.recall)) return index;
  const auto leaders = int64_t(2 * std::sqrt(double(distinct.count())));
  index.leaders = draw(distinct.count(), leaders, search.seed, ~uint64_t{0} - 3);
  index.leader_of =
      nearest_leaders(distinct.rows, numbers_below(distinct.count()), distinct.rows, index.leaders, 1, search.threads);
  index.probes = find_probes(distinct.rows, index, search);
  return index;
}

NeighborLists find_nearest(const Points& fitted, const SearchIndex& index, const Points& queries,
                           std::span<const int64_t> rows, int64_t each, Metric metric, int threads,
                           const StopToken& stop) {
  const Members all = index.firsts.empty() ? numbers_below(fitted.rows) : Members();
  const std::span<const int32_t> firsts = index.firsts.empty() ? all : index.firsts;
  NeighborLists out;
  out.each = each;
  out.distinct = int64_t(firsts.size());
  out.points.assign(rows.size() * size_t(each), {std::numeric_limits<float>::infinity(), -1});
  if (rows.empty()) return out;
  const Matrix<float> points = rounded_rows(fitted, firsts, metric, threads),
                      asked = rounded_rows(queries, rows, metric, threads);
  NearLists lists(asked, points, std::min(each, points.rows()));
  if (index.leaders.empty())
    compare_all(lists, threads, stop);
  else
    compare_near(lists, index, threads, stop);
  for (int64_t i = 0; i < lists.size(); ++i) {
    NearPoint* to = out.points.data() + i * each;
    for (const NearPoint& near : lists.list(i))
      if (std::isfinite(near.distance)) *to++ = {near.distance, firsts[size_t(near.point)]};
  }
  return out;
}

}  // namespace mbsc
