// SPDX-License-Identifier: Apache-2.0
#include "mbsc/affinity/graph/neighbor_search.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <numeric>

#include "mbsc/affinity/graph/pair_search.h"
#include "mbsc/affinity/graph/partition.h"
#include "mbsc/affinity/graph/placed_rows.h"
#include "mbsc/affinity/graph/set_search.h"
#include "mbsc/base/parallel.h"
#include "mbsc/base/random.h"
#include "mbsc/base/require.h"
#include "mbsc/linalg/row_balance.h"
#include "mbsc/linalg/row_exchange.h"
#include "mbsc/linalg/tall.h"

namespace mbsc {
namespace {

constexpr int most_rounds = 6;
/// The share of the neighbors of n points that the first round misses with the fan of partition_rule(), about. It was
/// measured on sets of 10^5 to 10^7 points. It only decides how large the first round is.
double usual_miss(int64_t n, int64_t features) {
  return std::clamp(0.014 * std::pow(double(n) / 2e5, 0.4), 0.002, features <= 8 ? 0.03 : 0.1);
}

void stop_if_asked(const NeighborSearch& search) {
  if (search.stop.stop_requested()) throw Stopped();
}

/// Compares all pairs of points of two sets, or of one set if the second is empty.
void compare_pairs(NearLists& lists, std::span<const int32_t> first, std::span<const int32_t> second,
                   const NeighborSearch& search) {
  constexpr int64_t chunk = 1536;
  const auto chunks_of = [](auto set) { return (int64_t(set.size()) + chunk - 1) / chunk; };
  const auto part = [](auto set, int64_t c) {
    return set.subspan(size_t(c * chunk), std::min(size_t(chunk), set.size() - size_t(c * chunk)));
  };
  const int64_t rows = chunks_of(first), columns = chunks_of(second);
  const int64_t tasks = second.empty() ? rows * (rows + 1) / 2 : rows * columns;
  parallel_for(search.threads, tasks, [&](int64_t task) {
    stop_if_asked(search);
    PairSearch pairs(lists);
    if (!second.empty()) return pairs.run(part(first, task % rows), part(second, task / rows));
    int64_t distance = 0;  // first all pairs of chunks (c, c), then all pairs (c, c + 1), ...
    while (task >= rows - distance) task -= rows - distance++;
    if (distance == 0)
      pairs.run(part(first, task));
    else
      pairs.run(part(first, task), part(first, task + distance));
  });
}

/// Compares all pairs of points. A set has the points of two ranks, r and r + step, and rank r searches it.
void compare_all(const OwnPoints& points, const NeighborSearch& search, const StopToken& stop, NearLists& lists) {
  const RowSpace& space = *points.space;
  const int ranks = space.comm().size(), me = space.comm().rank();
  const auto range_of = [&](int rank) { return space.blocks().rows_of(space.blocks().blocks_of_rank(rank, ranks)); };
  Members own(size_t(points.numbers.size()));
  std::iota(own.begin(), own.end(), int32_t(points.numbers.begin));
  std::vector<SearchSet> sets;
  for (int step = 0; 2 * step <= ranks; ++step)
    for (int rank = 0; rank < (2 * step == ranks ? step : ranks); ++rank) {
      const int other = (rank + step) % ranks;
      const int64_t size = range_of(rank).size() + (step > 0 ? range_of(other).size() : 0);
      sets.push_back({rank == me || other == me ? own : Members(), size, rank});
    }
  const auto search_batch = [&](SetBatch& batch) {
    for (size_t s = 0; s < batch.numbers.size(); ++s) {
      const std::span<const int32_t> members = batch.members[s];
      if (batch.numbers[s] < ranks) {
        compare_pairs(batch.lists, members, {}, search);
        continue;
      }
      const auto rank = int(batch.numbers[s] % ranks), other = int((rank + batch.numbers[s] / ranks) % ranks);
      const int64_t border = range_of(std::max(rank, other)).begin;  // the points of the lower rank come first
      const auto split = std::partition_point(members.begin(), members.end(),
                                              [&](int32_t row) { return batch.point_of[size_t(row)] < border; });
      if (split == members.begin() || split == members.end()) continue;
      compare_pairs(batch.lists, {members.begin(), split}, {split, members.end()}, search);
    }
  };
  search_sets(points, std::move(sets), stop, search_batch, lists);
}

/// Compares the points of each leaf. The sets of the first split go to the rank that has the fewest points so far.
void compare_leaves(const OwnPoints& points, const PartitionRule& rule, const NeighborSearch& search,
                    const StopToken& stop, NearLists& lists) {
  FirstSplit split = first_split(points, rule);
  std::vector<int64_t> load(static_cast<size_t>(points.space->comm().size()));
  std::vector<SearchSet> sets;
  for (size_t s = 0; s < split.sets.size(); ++s) {
    const auto worker = std::min_element(load.begin(), load.end()) - load.begin();
    load[size_t(worker)] += split.sizes[s];
    sets.push_back({std::move(split.sets[s]), split.sizes[s], int(worker)});
  }
  const auto search_batch = [&](SetBatch& batch) {
    parallel_for(search.threads, int64_t(batch.numbers.size()), [&](int64_t s) {
      PairSearch pairs(batch.lists);
      for_each_leaf(batch.lists.points(), rule, std::move(batch.members[size_t(s)]), batch.numbers[size_t(s)],
                    points.space->n(), [&](std::span<const int32_t> leaf) {
                      stop_if_asked(search);
                      pairs.run(leaf);
                    });
    });
  };
  search_sets(points, std::move(sets), stop, search_batch, lists);
}

struct Recall {
  double mean = 1, error = 0;
};

/// Finds the true neighbors of some points (`sample` has their rows, and is the same on all ranks) among the points of
/// all ranks: one more than the lists have, because each of these points finds itself. Collective.
std::vector<NearPoint> find_truth(const OwnPoints& points, const Matrix<float>& sample, const NeighborSearch& search,
                                  int64_t each) {
  constexpr int64_t chunk = 2048;
  const int64_t own = points.rows.rows;
  NearLists mine(sample, points.rows, each);
  Members asking(size_t(sample.rows())), all(static_cast<size_t>(own));
  std::iota(asking.begin(), asking.end(), 0);
  std::iota(all.begin(), all.end(), 0);
  parallel_for(search.threads, (own + chunk - 1) / chunk, [&](int64_t c) {
    stop_if_asked(search);
    PairSearch(mine).run(asking, std::span(all).subspan(size_t(c * chunk), size_t(std::min(chunk, own - c * chunk))));
  });
  std::vector<NearPoint> found(size_t(sample.rows() * each), {std::numeric_limits<float>::infinity(), -1});
  for (int64_t i = 0; i < sample.rows(); ++i) {
    NearPoint* to = found.data() + i * each;
    for (const NearPoint& near : mine.list(i)) *to++ = {near.distance, int32_t(points.numbers.begin) + near.point};
  }
  const std::vector<NearPoint> of_ranks = points.space->comm().gather<NearPoint>(found);
  NearLists truth(sample, sample, each);
  const auto ranks = int64_t(of_ranks.size() / found.size());
  for (int64_t i = 0; i < sample.rows(); ++i) {
    for (int64_t rank = 0; rank < ranks; ++rank)
      for (const NearPoint& near : std::span(of_ranks).subspan(size_t((rank * sample.rows() + i) * each), size_t(each)))
        if (near.point >= 0) truth.merge(i, std::span(&near, 1));
    const auto list = truth.list(i);
    std::copy(list.begin(), list.end(), found.begin() + i * each);
  }
  return found;
}

/// The true neighbors of a sample of points.
struct Sample {
  std::vector<int64_t> drawn;
  std::vector<NearPoint> truth;  ///< of find_truth()
};

/// Finds them by brute force. Collective.
Sample find_sample(const OwnPoints& points, int64_t each, const NeighborSearch& search) {
  const int64_t n = points.space->n();
  const KeyedPermutation order(n, Random(search.seed, Stream::neighbors), ~uint64_t{0});
  Sample sample;
  for (int64_t i = 0; i < std::min<int64_t>(512, n); ++i) sample.drawn.push_back(order(i));
  std::sort(sample.drawn.begin(), sample.drawn.end());
  sample.truth = find_truth(points, gather_rows<float>(*points.space, points.rows, sample.drawn), search, each + 1);
  return sample;
}

/// Counts how many of the true neighbors of the sample are in the lists. Collective.
Recall measure_recall(const OwnPoints& points, const NearLists& lists, const Sample& sample) {
  const int64_t each = lists.each() + 1;
  const auto size = int64_t(sample.drawn.size());
  std::vector<double> shares;  // of own points
  for (int64_t i = 0; i < size; ++i) {
    const int64_t point = sample.drawn[size_t(i)];
    if (!points.numbers.contains(point)) continue;
    double found = 0, wanted = 0;
    const auto known = lists.list(point - points.numbers.begin);
    for (int64_t e = i * each; e < (i + 1) * each && wanted < double(lists.each()); ++e) {
      if (sample.truth[size_t(e)].point == point) continue;
      found += std::binary_search(known.begin(), known.end(), sample.truth[size_t(e)]);
      ++wanted;
    }
    shares.push_back(found / wanted);
  }
  double sum = 0, squares = 0;
  for (const double share : points.space->comm().gather<double>(shares)) {
    sum += share;
    squares += share * share;
  }
  const double mean = sum / double(size);
  return {mean, std::sqrt(std::max(0.0, squares / double(size) - mean * mean) / double(size))};
}

/// The fan of the first split of a round that is to leave a share `wanted` of a share `missed` of missed neighbors. The
/// logarithm of this share falls in proportion to the fan. With the fan `known`, it fell from 1 to `known_missed`.
int64_t fan_for(double wanted, double missed, int64_t known, double known_missed) {
  const double fan = double(known) * std::log(std::min(1.0, wanted / missed)) / std::log(known_missed);
  return std::clamp<int64_t>(int64_t(std::ceil(fan - 0.25)), 2, 2 * known);
}

/// Compares points in rounds until the lists reach the recall. Each round has a partition of its own, whose fan depends
/// on the recall so far. Collective.
Recall search_rounds(const OwnPoints& points, const NeighborSearch& search, const StopToken& stop, NearLists& lists) {
  const Sample sample = find_sample(points, lists.each(), search);
  PartitionRule rule = partition_rule(points.rows.cols, search.each);
  rule.seed = search.seed;
  const double wanted = 1 - search.recall;
  rule.first_fan = fan_for(wanted, 1, rule.first_fan, usual_miss(points.space->n(), points.rows.cols));
  Recall recall;
  double missed = 1;
  for (; rule.round < most_rounds; ++rule.round) {
    compare_leaves(points, rule, search, stop, lists);
    recall = measure_recall(points, lists, sample);
    if (recall.mean - recall.error >= search.recall) break;
    const double now = std::min(0.9, 1 - recall.mean);
    rule.first_fan = fan_for(wanted, now, rule.first_fan, std::min(0.9, now / missed));
    missed = now;
  }
  return recall;
}

/// The copies of the neighbors of own distinct rows (PlacedRows::copies_of), which other ranks may own.
class Copies {
 public:
  /// Collective.
  Copies(const NearLists& lists, const PlacedRows& placed) : placed_(placed), own_(placed.space.own_rows()) {
    std::vector<int64_t> wanted;
    for (int64_t row = 0; row < lists.size(); ++row)
      for (const NearPoint& near : lists.list(row))
        if (!own_.contains(near.point)) wanted.push_back(near.point);
    std::sort(wanted.begin(), wanted.end());
    wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
    Matrix<int64_t> mine(own_.size(), 2);
    for (int64_t row = 0; row < own_.size(); ++row) {
      mine(row, 0) = placed.copies_of(row).begin;
      mine(row, 1) = placed.copies_of(row).end;
    }
    others_ = RowExchange(placed.space, std::move(wanted));
    theirs_ = others_.fetch<int64_t>(placed.space.comm(), mine);
  }
  Range of(int64_t place) const {
    if (own_.contains(place)) return placed_.copies_of(place - own_.begin);
    const auto& rows = others_.rows();
    const int64_t at = std::lower_bound(rows.begin(), rows.end(), place) - rows.begin();
    return {theirs_(at, 0), theirs_(at, 1)};
  }

 private:
  const PlacedRows& placed_;
  Range own_;
  RowExchange others_;
  Matrix<int64_t> theirs_;
};

/// Converts lists of distinct rows to lists of points. Points are ordered by the place of their row, then by number.
/// Collective.
void expand(const NearLists& lists, PlacedRows& placed, const RowSpace& rows, NeighborLists& out) {
  const int64_t m = out.each, first = placed.starts.front();
  const Copies copies(lists, placed);
  std::vector<NearPoint> points(placed.copies.size() * size_t(m));
  placed.space.for_each_block([&](int64_t, Range range) {
    for (int64_t row = range.begin; row < range.end; ++row) {
      const Range own = placed.copies_of(row);
      const auto list = lists.list(row);
      for (int64_t copy = 0; copy < own.size(); ++copy) {
        NearPoint* to = points.data() + (own.begin - first + copy) * m;
        int64_t filled = 0;
        // Take the copies that follow this one; the first copy follows the last. So the lists of copies differ.
        const int64_t most = std::max<int64_t>(m / 2, m - int64_t(list.size()));
        for (int64_t step = 1; step < own.size() && filled < most; ++step)
          to[filled++] = {0, int32_t(own.begin + (copy + step) % own.size())};
        for (int64_t round = 0; filled < m; ++round) {
          const int64_t before = filled;
          for (const NearPoint& near : list) {
            if (filled == m) break;
            const Range others = copies.of(near.point);
            if (round < others.size())
              to[filled++] = {near.distance, int32_t(others.begin + (copy + round) % others.size())};
          }
          if (filled == before) break;
        }
        std::sort(to, to + filled);
      }
    }
  });
  // With equal points, a rank has more or fewer points than places.
  const RowBalance balance(rows.comm(), int64_t(placed.copies.size()));
  out.points = balance.is_balanced() ? std::move(points) : balance.to_shares<NearPoint>(points, m);
  out.order = balance.is_balanced() ? std::move(placed.copies) : balance.to_shares<int32_t>(placed.copies, 1);
  bool is_moved = false;
  for (size_t i = 0; i < out.order.size(); ++i) is_moved |= out.order[i] != rows.own_rows().begin + int64_t(i);
  if (!rows.comm().any(is_moved)) out.order.clear();
}

}  // namespace

bool compares_all(int64_t n, int64_t features, double recall) {
  return recall >= 1 || n <= 8192 || double(n) * double(n) * double(features + 12) < 4e9;
}

NeighborLists find_neighbors(const Points& points, const RowSpace& rows, const NeighborSearch& given) {
  NeighborSearch search = given;
  if (rows.comm().size() > 1) search.stop = {};  // ranks stop together, between two batches
  PlacedRows placed = place_rows(points, rows, search.metric, search.seed);
  require(placed.count() > 1, "all points have the same direction, so metric = cosine cannot tell them apart");
  NeighborLists out;
  out.each = search.each;
  out.distinct = placed.count();
  NearLists lists(placed.rows, std::min(search.each, placed.count() - 1));
  const OwnPoints own{placed.rows, placed.space.own_rows(), &placed.space};
  if (compares_all(placed.count(), points.features, search.recall)) {
    compare_all(own, search, given.stop, lists);
  } else {
    const Recall recall = search_rounds(own, search, given.stop, lists);
    out.recall = recall.mean;
    out.recall_error = recall.error;
  }
  expand(lists, placed, rows, out);
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
