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

/// Draws `count` members at random. The same rule and key give the same members.
Members draw(const Members& members, int64_t count, const PartitionRule& rule, uint64_t key) {
  const KeyedPermutation order(int64_t(members.size()), Random(rule.seed, Stream::neighbors), key);
  Members drawn(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) drawn[size_t(i)] = members[size_t(order(i))];
  std::sort(drawn.begin(), drawn.end());
  return drawn;
}

}  // namespace

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

/// Moves the members of each set with fewer than `fewest` points to the nearest set that is large enough. The distance
/// of two sets is the distance of their leaders.
void merge_small(MatrixView<const float> points, const Members& leaders, int64_t fewest, std::vector<Members>& sets) {
  Members large;
  for (size_t s = 0; s < sets.size(); ++s)
    if (int64_t(sets[s].size()) >= fewest) large.push_back(leaders[s]);
  if (large.empty() || large.size() == sets.size()) return;
  std::vector<size_t> target_of;
  for (size_t s = 0; s < sets.size(); ++s)
    if (int64_t(sets[s].size()) >= fewest) target_of.push_back(s);
  std::vector<float> distances(large.size());
  std::vector<uint8_t> has_grown(sets.size());
  for (size_t s = 0; s < sets.size(); ++s) {
    if (sets[s].empty() || std::find(target_of.begin(), target_of.end(), s) != target_of.end()) continue;
    simd::squared_distances(points.row(leaders[s]), points.data, points.stride, large.data(), int64_t(large.size()),
                            points.cols, distances.data());
    const auto nearest = size_t(std::min_element(distances.begin(), distances.end()) - distances.begin());
    Members& target = sets[target_of[nearest]];
    target.insert(target.end(), sets[s].begin(), sets[s].end());
    has_grown[target_of[nearest]] = 1;
    sets[s].clear();
  }
  for (size_t s = 0; s < sets.size(); ++s) {
    if (!has_grown[s]) continue;
    std::sort(sets[s].begin(), sets[s].end());
    sets[s].erase(std::unique(sets[s].begin(), sets[s].end()), sets[s].end());
  }
}

/// Splits a set once and returns the resulting sets. Some of them may be empty.
std::vector<Members> split(MatrixView<const float> points, const PartitionRule& rule, const Node& node, int threads) {
  const auto size = int64_t(node.members.size());
  const int64_t wanted = node.level == 0 ? rule.first_fan : node.level == 1 ? rule.second_fan : 1;
  const int64_t fill = std::max<int64_t>(1, rule.leaf / 3);
  int64_t count = size * wanted / fill;
  if (node.level > 0 && count > many_leaders) count = int64_t(std::sqrt(double(count)));  // and split once more
  count = std::clamp<int64_t>(count, 2, std::min(size, most_leaders));
  const Members leaders = draw(node.members, count, rule, node.key);
  const int64_t fan = std::min(wanted, count);
  const std::vector<int32_t> nearest = nearest_leaders(points, node.members, points, leaders, fan, threads);
  std::vector<Members> sets(leaders.size());
  for (size_t i = 0; i < nearest.size(); ++i) sets[size_t(nearest[i])].push_back(node.members[i / size_t(fan)]);
  merge_small(points, leaders, rule.fewest, sets);
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
  std::vector<Members> sets = split(points, rule, node, 1);
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

/// A chain of leaders: after each leader comes the nearest one that is not in the chain yet. It begins with the leader
/// that is nearest to the row `start`. Returns the place of each leader in the chain.
std::vector<int32_t> chain(MatrixView<const float> points, const Members& leaders, int32_t start) {
  Members left = leaders;
  std::vector<float> distances(left.size());
  std::vector<int32_t> place_of(leaders.size());
  int32_t at = start;
  for (int32_t place = 0; !left.empty(); ++place) {
    simd::squared_distances(points.row(at), points.data, points.stride, left.data(), int64_t(left.size()), points.cols,
                            distances.data());
    const auto next = std::min_element(distances.begin(), distances.begin() + int64_t(left.size())) - distances.begin();
    at = left[size_t(next)];
    left.erase(left.begin() + next);
    place_of[size_t(std::lower_bound(leaders.begin(), leaders.end(), at) - leaders.begin())] = place;
  }
  return place_of;
}

/// Draws leaders from `members` and groups the members by their nearest leader, in the order of a chain of leaders.
std::vector<Members> group_along_chain(MatrixView<const float> points, const Members& members, int64_t count,
                                       uint64_t seed, uint64_t key, int32_t start, int threads) {
  PartitionRule rule;
  rule.seed = seed;
  const Members leaders = draw(members, std::min(count, int64_t(members.size())), rule, key);
  const std::vector<int32_t> nearest = nearest_leaders(points, members, points, leaders, 1, threads);
  const std::vector<int32_t> place_of = chain(points, leaders, start);
  std::vector<Members> groups(leaders.size());
  for (size_t i = 0; i < members.size(); ++i) groups[size_t(place_of[size_t(nearest[i])])].push_back(members[i]);
  return groups;
}

}  // namespace

Members order_by_place(MatrixView<const float> points, uint64_t seed, int threads) {
  Members all(size_t(points.rows));
  std::iota(all.begin(), all.end(), 0);
  const auto count = int64_t(std::clamp(std::sqrt(double(points.rows) / 256), 1.0, 64.0));
  const uint64_t key = ~uint64_t{0} - 1;
  std::vector<Members> groups = group_along_chain(points, all, count, seed, key, 0, threads);
  parallel_for(threads, int64_t(groups.size()), [&](int64_t g) {
    Members& group = groups[size_t(g)];
    if (group.empty()) return;
    const int32_t start = group.front();
    const std::vector<Members> parts = group_along_chain(points, group, count, seed, key - 1 - uint64_t(g), start, 1);
    group.clear();
    for (const Members& part : parts) group.insert(group.end(), part.begin(), part.end());
  });
  all.clear();
  for (const Members& group : groups) all.insert(all.end(), group.begin(), group.end());
  return all;
}

std::vector<Members> first_split(MatrixView<const float> points, const PartitionRule& rule, int threads) {
  Node root;
  root.members.resize(size_t(points.rows));
  std::iota(root.members.begin(), root.members.end(), 0);
  root.key = rule.round;
  std::vector<Members> sets = split(points, rule, root, threads);
  std::sort(sets.begin(), sets.end(),
            [](const Members& a, const Members& b) { return a.size() != b.size() ? a.size() > b.size() : a < b; });
  while (!sets.empty() && sets.back().empty()) sets.pop_back();
  return sets;
}

void for_each_leaf(MatrixView<const float> points, const PartitionRule& rule, Members set, int64_t number,
                   const std::function<void(std::span<const int32_t>)>& use) {
  const bool is_stuck = double(set.size()) > 0.7 * double(points.rows);
  visit(points, rule,
        {std::move(set), 1, is_stuck ? 1 : 0,
         Random(rule.seed, Stream::neighbors).bits(rule.round, uint64_t(number) + 1)},
        use);
}

}  // namespace mbsc
