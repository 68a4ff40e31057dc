// SPDX-License-Identifier: Apache-2.0
// Overlapping random partitions: near points share a small set, a leaf, with high probability. After PiPNN
// (arXiv 2602.21247).
//
//     split(S): draw leaders from S; every point of S joins the sets of its `fan` nearest leaders; split each set
//               until it has at most `leaf` points
//
// The first split has a fan of `first_fan`, the second of `second_fan`, and later ones of 1, so a point is in about
// first_fan * second_fan leaves. A set of fewer than `fewest` points joins the nearest larger one. If splits make no
// progress (a lump of nearly equal points), the set is cut into leaves in a random order.
// The sets depend on the points and the seed alone.
// Cost: d multiply-adds for each pair of a point and a leader; memory: the sets of the first split, first_fan numbers
// for each point.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "mbsc/input.h"

namespace mbsc {

struct PartitionRule {
  int64_t leaf = 1024;
  int64_t first_fan = 8, second_fan = 2;
  int64_t fewest = 48;
  uint64_t seed = 0;
  uint64_t round = 0;  ///< another round gives another partition
};

/// The rule that suits this many features. `each` is the length of the lists that are searched.
PartitionRule partition_rule(int64_t features, int64_t each);

using Members = std::vector<int32_t>;

/// An order in which near points lie close together: by the nearest of up to 1,000 leaders, and these along a chain of
/// near leaders. Searching points in this order keeps their rows and lists in cache. Returns the point at each place.
Members order_by_place(MatrixView<const float> points, uint64_t seed, int threads);

/// The sets of the first split, with the largest first.
std::vector<Members> first_split(MatrixView<const float> points, const PartitionRule& rule, int threads);
/// Splits one of these sets further and calls `use` for each leaf. `number` is the number of the set.
void for_each_leaf(MatrixView<const float> points, const PartitionRule& rule, Members set, int64_t number,
                   const std::function<void(std::span<const int32_t>)>& use);

}  // namespace mbsc
