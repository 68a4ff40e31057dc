// SPDX-License-Identifier: Apache-2.0
#include "mbsc/affinity/graph/partition.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "mbsc/affinity/graph/near_lists.h"
#include "mbsc/affinity/graph/pair_search.h"
#include "mbsc/base/parallel.h"
#include "mbsc/base/random.h"
#include "mbsc/simd/distance.h"
#include "mbsc/simd/near_pairs.h"

namespace mbsc {
namespace {

constexpr int64_t most_leaders = 1000, many_leaders = 128, rows_together = 192;

/// A set that becomes a leaf or is split further.
struct Node {
  Members members;
  int level = 0;
  int stuck = 0;  ///< the number of successive splits that made no progress
  uint64_t key = 0;
};

/// The rows of points with these (ascending) numbers, on every rank. Collective.
Matrix<float> gather_points(const OwnPoints& points, const Members& numbers) {
  std::vector<float> mine;
  for (const int32_t number : numbers) {
    if (!points.numbers.contains(number)) continue;
    const float* row = points.rows.row(number - points.numbers.begin);
    mine.insert(mine.end(), row, row + points.rows.cols);
  }
  const std::vector<float> all = points.space->comm().gather<float>(mine);
  Matrix<float> out(int64_t(numbers.size()), points.rows.cols);
  std::copy(all.begin(), all.end(), out.data());
  return out;
}

/// The sums over all ranks of each of some counts. Collective.
std::vector<int64_t> add_up(const Comm& comm, const std::vector<int64_t>& counts) {
  std::vector<int64_t> sums(counts.size());
  const std::vector<int64_t> all = comm.gather<int64_t>(counts);
  for (size_t i = 0; i < all.size(); ++i) sums[i % counts.size()] += all[i];
  return sums;
}

/// The number of leaders for a set of `size` points that each join the sets of `fan` leaders.
int64_t leaders_for(int64_t size, int64_t fan, int level, const PartitionRule& rule) {
  const int64_t fill = std::max<int64_t>(1, rule.leaf / 3);
  int64_t count = size * fan / fill;
  if (level > 0 && count > many_leaders) count = int64_t(std::sqrt(double(count)));  // and split once more
  return std::clamp<int64_t>(count, 2, std::min(size, most_leaders));
}

}  // namespace

Members draw(int64_t total, int64_t count, uint64_t seed, uint64_t key) {
  const KeyedPermutation order(total, Random(seed, Stream::neighbors), key);
  Members drawn(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) drawn[size_t(i)] = int32_t(order(i));
  std::sort(drawn.begin(), drawn.end());
  return drawn;
}

Members numbers_below(int64_t count) {
  Members numbers(static_cast<size_t>(count));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

std::vector<int32_t> nearest_leaders(MatrixView<const float> rows, std::span<const int32_t> members,
                                     MatrixView<const float> points, const Members& leaders, int64_t fan, int threads) {
  const std::vector<float> center = center_of(points, leaders);
  simd::PackedSet columns;
  pack_set(rows_of(points, leaders), center.data(), simd::Layout::panels, columns);
  const auto size = int64_t(members.size());
  std::vector<int32_t> nearest(size_t(size * fan));
  constexpr int64_t task = 8 * rows_together;
  parallel_for(threads, (size + task - 1) / task, [&](int64_t t) {
    simd::PackedSet packed;
    AlignedVector<float> scratch;
    for (int64_t first = t * task; first < std::min(size, (t + 1) * task); first += rows_together) {
      const int64_t count = std::min(rows_together, size - first);
      const auto some = members.subspan(size_t(first), size_t(count));
      pack_set(rows_of(rows, some), center.data(), simd::Layout::rows, packed);
      nearest_of(columns, packed, 0, count, fan, nearest.data() + first * fan, scratch);
    }
  });
  return nearest;
}

namespace {

/// For each set, the set that its members move to: a set with fewer than `fewest` points moves to the nearest set that is
/// large enough, and the others stay. The distance of two sets is the distance of their leaders, rows of `points`.
std::vector<size_t> find_targets(MatrixView<const float> points, const Members& leaders,
                                 const std::vector<int64_t>& sizes, int64_t fewest) {
  std::vector<size_t> target(sizes.size()), large;
  std::iota(target.begin(), target.end(), size_t{0});
  Members large_leaders;
  for (size_t s = 0; s < sizes.size(); ++s) {
    if (sizes[s] < fewest) continue;
    large.push_back(s);
    large_leaders.push_back(leaders[s]);
  }
  if (large.empty()) return target;
  std::vector<float> distances(large.size());
  for (size_t s = 0; s < sizes.size(); ++s) {
    if (sizes[s] == 0 || sizes[s] >= fewest) continue;
    simd::squared_distances(points.row(leaders[s]), points.data, points.stride, large_leaders.data(),
                            int64_t(large.size()), points.cols, distances.data());
    target[s] = large[size_t(std::min_element(distances.begin(), distances.end()) - distances.begin())];
  }
  return target;
}

void merge_sets(const std::vector<size_t>& target, std::vector<Members>& sets) {
  std::vector<uint8_t> has_grown(sets.size());
  for (size_t s = 0; s < sets.size(); ++s) {
    if (target[s] == s) continue;
    sets[target[s]].insert(sets[target[s]].end(), sets[s].begin(), sets[s].end());
    has_grown[target[s]] = 1;
    sets[s].clear();
  }
  for (size_t s = 0; s < sets.size(); ++s) {
    if (!has_grown[s]) continue;
    std::sort(sets[s].begin(), sets[s].end());
    sets[s].erase(std::unique(sets[s].begin(), sets[s].end()), sets[s].end());
  }
}

std::vector<int64_t> sizes_of(const std::vector<Members>& sets) {
  std::vector<int64_t> sizes;
  for (const Members& set : sets) sizes.push_back(int64_t(set.size()));
  return sizes;
}

/// Splits a set once and returns the resulting sets. Some of them may be empty.
std::vector<Members> split(MatrixView<const float> points, const PartitionRule& rule, const Node& node) {
  const auto size = int64_t(node.members.size());
  const int64_t wanted = node.level == 1 ? rule.second_fan : 1, count = leaders_for(size, wanted, node.level, rule);
  Members leaders = draw(size, count, rule.seed, node.key);
  for (int32_t& leader : leaders) leader = node.members[size_t(leader)];
  const int64_t fan = std::min(wanted, count);
  const std::vector<int32_t> nearest = nearest_leaders(points, node.members, points, leaders, fan, 1);
  std::vector<Members> sets(leaders.size());
  for (size_t i = 0; i < nearest.size(); ++i) sets[size_t(nearest[i])].push_back(node.members[i / size_t(fan)]);
  merge_sets(find_targets(points, leaders, sizes_of(sets), rule.fewest), sets);
  return sets;
}

/// Splits a set until it consists of leaves, and calls `use` for each leaf.
void visit(MatrixView<const float> points, const PartitionRule& rule, Node node,
           const std::function<void(std::span<const int32_t>)>& use) {
  const auto size = int64_t(node.members.size());
  if (size <= rule.leaf) return use(node.members);
  if (node.stuck == 3) {
    const KeyedPermutation order(size, Random(rule.seed, Stream::neighbors), node.key);
    Members shuffled(node.members.size());
    for (int64_t i = 0; i < size; ++i) shuffled[size_t(i)] = node.members[size_t(order(i))];
    for (int64_t first = 0; first < size; first += rule.leaf)
      use(std::span(shuffled).subspan(size_t(first), size_t(std::min(rule.leaf, size - first))));
    return;
  }
  std::vector<Members> sets = split(points, rule, node);
  node.members = {};
  for (size_t s = 0; s < sets.size(); ++s) {
    if (sets[s].empty()) continue;
    const bool is_stuck = double(sets[s].size()) > 0.7 * double(size);
    visit(points, rule,
          {std::move(sets[s]), node.level + 1, is_stuck ? node.stuck + 1 : 0,
           Random(rule.seed, Stream::neighbors).bits(node.key, s + 1)},
          use);
  }
}

}  // namespace

PartitionRule partition_rule(int64_t features, int64_t each) {
  PartitionRule rule;
  if (features <= 3) {
    rule.leaf = 256;
    rule.first_fan = 3;
  } else if (features <= 8) {
    rule.leaf = 512;
    rule.first_fan = 5;
  }
  rule.leaf = std::max(rule.leaf, 8 * each);
  rule.fewest = 3 * each;
  return rule;
}

namespace {

/// A chain of some rows: after each row comes the nearest one that is not in the chain yet. It begins with the first.
Members chain(MatrixView<const float> rows, Members left) {
  std::vector<float> distances(left.size());
  Members out;
  for (int32_t at = left.front(); !left.empty();) {
    simd::squared_distances(rows.row(at), rows.data, rows.stride, left.data(), int64_t(left.size()), rows.cols,
                            distances.data());
    const auto next = std::min_element(distances.begin(), distances.begin() + int64_t(left.size())) - distances.begin();
    at = left[size_t(next)];
    left.erase(left.begin() + next);
    out.push_back(at);
  }
  return out;
}

/// The numbers i with each value of of[i].
std::vector<Members> group(const std::vector<int32_t>& of, size_t count) {
  std::vector<Members> groups(count);
  for (size_t i = 0; i < of.size(); ++i) groups[size_t(of[i])].push_back(int32_t(i));
  return groups;
}

}  // namespace

std::vector<int32_t> find_places(const OwnPoints& points, uint64_t seed) {
  const int64_t total = points.space->n(), side = std::clamp<int64_t>(std::llround(std::sqrt(total / 256.0)), 1, 64);
  const int64_t count = std::min(total, side * side);
  const int threads = points.space->threads();
  const Comm& comm = points.space->comm();
  const Matrix<float> leaders = gather_points(points, draw(total, count, seed, ~uint64_t{0} - 1));
  const Members all = numbers_below(count), own = numbers_below(points.rows.rows);
  Members heads;
  for (int64_t leader = 0; leader < count; leader += side) heads.push_back(int32_t(leader));
  heads = chain(leaders, heads);
  std::vector<Members> leaders_of = group(nearest_leaders(leaders, all, leaders, heads, 1, threads), heads.size());
  const std::vector<Members> points_of =
      group(nearest_leaders(points.rows, own, leaders, heads, 1, threads), heads.size());
  std::vector<int32_t> position(size_t(count), 0), nearest(own.size());
  int32_t step = 0;
  for (size_t h = 0; h < heads.size(); ++h) {
    if (leaders_of[h].empty()) leaders_of[h].push_back(heads[h]);  // rounding can move a head to an equal one
    leaders_of[h] = chain(leaders, leaders_of[h]);
    for (const int32_t leader : leaders_of[h]) position[size_t(leader)] = std::min(step++, int32_t(count) - 1);
  }
  parallel_for(threads, int64_t(heads.size()), [&](int64_t h) {
    const Members &some = points_of[size_t(h)], &group_leaders = leaders_of[size_t(h)];
    const std::vector<int32_t> found = nearest_leaders(points.rows, some, leaders, group_leaders, 1, 1);
    for (size_t i = 0; i < some.size(); ++i) nearest[size_t(some[i])] = group_leaders[size_t(found[i])];
  });
  // Points with the same leader stay in the order of their numbers, and so of their ranks.
  std::vector<int64_t> counts(size_t(count), 0);
  for (const int32_t leader : nearest) ++counts[size_t(position[size_t(leader)])];
  const std::vector<int64_t> of_ranks = comm.gather<int64_t>(counts);
  std::vector<int64_t> next(counts.size());
  int64_t before = 0;
  for (size_t p = 0; p < counts.size(); ++p)
    for (size_t rank = 0; rank < size_t(comm.size()); ++rank) {
      if (rank == size_t(comm.rank())) next[p] = before;
      before += of_ranks[rank * counts.size() + p];
    }
  std::vector<int32_t> places;
  for (const int32_t leader : nearest) places.push_back(int32_t(next[size_t(position[size_t(leader)])]++));
  return places;
}

FirstSplit first_split(const OwnPoints& points, const PartitionRule& rule) {
  const int64_t total = points.space->n(), count = leaders_for(total, rule.first_fan, 0, rule);
  const int64_t fan = std::min(rule.first_fan, count);
  const Comm& comm = points.space->comm();
  const Matrix<float> leaders = gather_points(points, draw(total, count, rule.seed, rule.round));
  const Members all = numbers_below(count), own = numbers_below(points.rows.rows);
  const std::vector<int32_t> nearest = nearest_leaders(points.rows, own, leaders, all, fan, points.space->threads());
  std::vector<Members> sets(static_cast<size_t>(count));
  for (size_t i = 0; i < nearest.size(); ++i)
    sets[size_t(nearest[i])].push_back(int32_t(points.numbers.begin) + int32_t(i / size_t(fan)));
  merge_sets(find_targets(leaders, all, add_up(comm, sizes_of(sets)), rule.fewest), sets);
  const std::vector<int64_t> sizes = add_up(comm, sizes_of(sets));
  Members by_size = all;
  std::stable_sort(by_size.begin(), by_size.end(),
                   [&](int32_t a, int32_t b) { return sizes[size_t(a)] > sizes[size_t(b)]; });
  FirstSplit out;
  for (const int32_t s : by_size) {
    if (sizes[size_t(s)] == 0) break;
    out.sets.push_back(std::move(sets[size_t(s)]));
    out.sizes.push_back(sizes[size_t(s)]);
  }
  return out;
}

void for_each_leaf(MatrixView<const float> points, const PartitionRule& rule, Members set, int64_t number,
                   int64_t total, const std::function<void(std::span<const int32_t>)>& use) {
  const bool is_stuck = double(set.size()) > 0.7 * double(total);
  visit(points, rule,
        {std::move(set), 1, is_stuck ? 1 : 0,
         Random(rule.seed, Stream::neighbors).bits(rule.round, uint64_t(number) + 1)},
        use);
}

}  // namespace mbsc
