// SPDX-License-Identifier: Apache-2.0
// Overlapping random partitions of points into small sets, the leaves. Near points share a leaf with high probability.
// The method follows PiPNN (arXiv 2602.21247).
//
//     split(S): draw leaders from S; every point of S joins the sets of its `fan` nearest leaders; split each set
//               until it has at most `leaf` points
//
// The fan is `first_fan` in the first split, `second_fan` in the second, and 1 in later splits, so a point is in about
// first_fan * second_fan leaves. A set of fewer than `fewest` points is merged into the nearest set that is large
// enough. If splits make no progress (for example, because many points are nearly equal), the points of the set are put
// in random order and divided into leaves.
// The leaves depend only on the points and the rule. Over ranks, each rank assigns its own points in the first split, and
// only the leaders are gathered. Each of the resulting sets is then split by one rank, which needs only the points of
// that set.
// Cost: d multiply-adds for each pair of a point and a leader. A set meets at most 1,000 leaders in the first split and
// 128 in a later one. A set that would need more leaders is split with this many, and its parts
// are split again, so the cost hardly grows with n.
// Memory: the sets of the first split, first_fan numbers for each point.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "mbsc/input.h"
#include "mbsc/linalg/row_space.h"

namespace mbsc {

struct PartitionRule {
  int64_t leaf = 1024;
  int64_t first_fan = 8, second_fan = 2;
  int64_t fewest = 48;
  uint64_t seed = 0;
  uint64_t round = 0;  ///< each round gives another partition
};

/// A good rule for this number of features. `each` is the length of the neighbor lists to be found.
PartitionRule partition_rule(int64_t features, int64_t each);

/// A set of points.
using Members = std::vector<int32_t>;

/// 0, 1, ..., count - 1.
Members numbers_below(int64_t count);
/// Draws `count` numbers below `total` at random, ascending. The same seed and key give the same numbers.
Members draw(int64_t total, int64_t count, uint64_t seed, uint64_t key);

/// For each row of `rows` that `members` lists: the positions in `leaders` of its `fan` nearest leaders, the nearest
/// first. `leaders` are row numbers of `points`. The bits of a row's distances do not depend on the other rows.
std::vector<int32_t> nearest_leaders(MatrixView<const float> rows, std::span<const int32_t> members,
                                     MatrixView<const float> points, const Members& leaders, int64_t fan, int threads);

/// The points of this rank: their coordinates, and the range of their numbers among all points. `space` has the number of
/// all points, the threads and the ranks.
struct OwnPoints {
  MatrixView<const float> rows;
  Range numbers;
  const RowSpace* space;
};

/// Finds an order in which near points are close to each other, and returns the place of each own point in it. Up to
/// 64 leaders are chosen as heads, and each leader joins the group of its nearest head. A point belongs to its nearest
/// head, and there to the nearest leader of the head's group. Points are ordered by their leader, then by number. Heads
/// form a chain: after each head comes the nearest head that is not in the chain yet. The leaders of a group form a
/// chain in the same way. If points are searched in this order, their rows and lists stay in cache. Collective.
std::vector<int32_t> find_places(const OwnPoints& points, uint64_t seed);

/// The sets of the first split, the largest first. Of each set, a rank has the numbers of its own points, ascending.
struct FirstSplit {
  std::vector<Members> sets;
  std::vector<int64_t> sizes;  ///< over all ranks
};
/// Collective.
FirstSplit first_split(const OwnPoints& points, const PartitionRule& rule);
/// Splits one of these sets further and calls `use` for each leaf. `number` is the index of the set among them, `total`
/// the number of all points. The members are rows of `points`.
void for_each_leaf(MatrixView<const float> points, const PartitionRule& rule, Members set, int64_t number,
                   int64_t total, const std::function<void(std::span<const int32_t>)>& use);

}  // namespace mbsc
