// SPDX-License-Identifier: Apache-2.0
#include "mbsc/linalg/reduce.h"

#include <bit>

namespace mbsc {
namespace {

int64_t middle(Range r) { return r.begin + int64_t(std::bit_floor(uint64_t(r.size() - 1))); }

/// The nodes of the tree over `tree` that lie wholly inside `own`, from left to right.
void collect_nodes(Range tree, Range own, std::vector<Range>& nodes) {
  if (tree.size() == 0 || tree.end <= own.begin || own.end <= tree.begin) return;
  if (own.begin <= tree.begin && tree.end <= own.end) {
    nodes.push_back(tree);
    return;
  }
  const int64_t mid = middle(tree);
  collect_nodes({tree.begin, mid}, own, nodes);
  collect_nodes({mid, tree.end}, own, nodes);
}

void add(std::span<double> to, std::span<const double> from) {
  for (size_t i = 0; i < to.size(); ++i) to[i] += from[i];
}

/// Reduces the partials of `node` in place; the sum ends in the partial of its first block.
template <class Partial>
void reduce_node(Range node, Partial&& partial) {
  if (node.size() <= 1) return;
  const int64_t mid = middle(node);
  reduce_node({node.begin, mid}, partial);
  reduce_node({mid, node.end}, partial);
  add(partial(node.begin), partial(mid));
}

/// Walks the tree and consumes the gathered nodes, which are leaves of this walk.
std::vector<double> combine(Range tree, std::span<const Range> nodes, size_t& next, std::span<const double> sums,
                            size_t width) {
  if (nodes[next].begin == tree.begin && nodes[next].end == tree.end) {
    const auto leaf = sums.subspan(width * next++, width);
    return {leaf.begin(), leaf.end()};
  }
  const int64_t mid = middle(tree);
  std::vector<double> left = combine({tree.begin, mid}, nodes, next, sums, width);
  const std::vector<double> right = combine({mid, tree.end}, nodes, next, sums, width);
  add(left, right);
  return left;
}

}  // namespace

std::vector<double> sum_over_blocks(
    const RowSpace& space, int64_t width,
    const std::function<void(int64_t block, Range rows, std::span<double> out)>& partial, double operations_per_row) {
  const Range own = space.own_blocks();
  const Range tree{0, space.blocks().count()};
  std::vector<double> partials(static_cast<size_t>(own.size() * width));
  const auto partial_of = [&](int64_t block) {
    return std::span(partials).subspan((block - own.begin) * width, width);
  };
  space.for_each_block([&](int64_t block, Range rows) { partial(block, rows, partial_of(block)); }, operations_per_row);
  if (tree.size() == 0 || width == 0) return std::vector<double>(width);

  std::vector<double> sums;
  std::vector<Range> nodes;
  collect_nodes(tree, own, nodes);
  for (const Range node : nodes) {
    reduce_node(node, partial_of);
    const auto sum = partial_of(node.begin);
    sums.insert(sums.end(), sum.begin(), sum.end());
  }
  if (space.comm().size() > 1) {
    sums = space.comm().gather<double>(sums);
    nodes.clear();
    for (int rank = 0; rank < space.comm().size(); ++rank)
      collect_nodes(tree, space.blocks().blocks_of_rank(rank, space.comm().size()), nodes);
  }
  size_t next = 0;
  return combine(tree, nodes, next, sums, static_cast<size_t>(width));
}

}  // namespace mbsc
