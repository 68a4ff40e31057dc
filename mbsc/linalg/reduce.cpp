// SPDX-License-Identifier: Apache-2.0
#include "mbsc/linalg/reduce.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace mbsc {
namespace {

using Sum = std::vector<double>;

int64_t middle(Range r) { return r.begin + int64_t(std::bit_floor(uint64_t(r.size() - 1))); }

void add(std::span<double> to, std::span<const double> from) {
  for (size_t i = 0; i < to.size(); ++i) to[i] += from[i];
}

/// Walks down the tree as far as this rank has blocks. own_sum(node) returns the sum of a subtree whose blocks all
/// belong to this rank.
template <class OwnSum>
class TreeWalk {
 public:
  TreeWalk(const RowSpace& space, int64_t width, const OwnSum& own_sum)
      : space_(space), comm_(space.comm()), width_(width), own_sum_(own_sum) {}

  /// The sum of a subtree, on the rank of its first block; empty on other ranks.
  Sum sum(Range node) const {
    const Range own = space_.own_blocks();
    if (own.size() == 0 || node.end <= own.begin || own.end <= node.begin) return {};
    if (own.begin <= node.begin && node.end <= own.end) return own_sum_(node);
    const int64_t mid = middle(node);
    Sum left = sum({node.begin, mid}), right = sum({mid, node.end});
    const int to = rank_of(node.begin), from = rank_of(mid);
    if (from != to && comm_.rank() == from) comm_.template send<double>(right, to);
    if (comm_.rank() != to) return {};
    if (from != to) {
      right.resize(size_t(width_));
      comm_.template receive<double>(right, from);
    }
    add(left, right);
    return left;
  }

  /// The sum of all blocks, on every rank.
  Sum total() const {
    const Range tree{0, space_.blocks().count()};
    if (tree.size() == 0 || width_ == 0) return Sum(size_t(width_));
    Sum sum = this->sum(tree);
    sum.resize(size_t(width_));
    comm_.broadcast(std::span<double>(sum), rank_of(0));
    return sum;
  }

 private:
  int rank_of(int64_t block) const { return space_.blocks().rank_of_block(block, comm_.size()); }

  const RowSpace& space_;
  const Comm& comm_;
  const int64_t width_;
  const OwnSum& own_sum_;
};

/// Reduces the partials of `node` in place; the sum is stored in the partial of its first block.
template <class Partial>
void reduce_node(Range node, Partial&& partial) {
  if (node.size() <= 1) return;
  const int64_t mid = middle(node);
  reduce_node({node.begin, mid}, partial);
  reduce_node({mid, node.end}, partial);
  add(partial(node.begin), partial(mid));
}

}  // namespace

std::vector<double> sum_over_blocks(
    const RowSpace& space, int64_t width,
    const std::function<void(int64_t block, Range rows, std::span<double> out)>& partial, double operations_per_row) {
  const Range own = space.own_blocks();
  std::vector<double> partials(static_cast<size_t>(own.size() * width));
  const auto partial_of = [&](int64_t block) {
    return std::span(partials).subspan((block - own.begin) * width, width);
  };
  space.for_each_block([&](int64_t block, Range rows) { partial(block, rows, partial_of(block)); }, operations_per_row);
  const auto own_sum = [&](Range node) {
    reduce_node(node, partial_of);
    const auto sum = partial_of(node.begin);
    return Sum(sum.begin(), sum.end());
  };
  return TreeWalk(space, width, own_sum).total();
}

std::vector<double> sum_block_by_block(
    const RowSpace& space, int64_t width,
    const std::function<void(int64_t block, Range rows, std::span<double> out)>& partial, int64_t together) {
  const int64_t first = space.own_rows().begin;
  const std::function<Sum(Range)> own_sum = [&](Range node) {
    if (node.size() <= together) {
      Sum partials(static_cast<size_t>(node.size() * width));
      const auto partial_of = [&](int64_t block) {
        return std::span(partials).subspan(size_t((block - node.begin) * width), size_t(width));
      };
      parallel_for(space.threads(), node.size(), [&](int64_t b) {
        const Range rows = space.blocks().block(node.begin + b);
        partial(node.begin + b, {rows.begin - first, rows.end - first}, partial_of(node.begin + b));
      });
      reduce_node(node, partial_of);
      partials.resize(static_cast<size_t>(width));
      return partials;
    }
    const int64_t mid = middle(node);
    Sum left = own_sum({node.begin, mid});
    add(left, own_sum({mid, node.end}));
    return left;
  };
  return TreeWalk(space, width, own_sum).total();
}

double largest_of_all(const Comm& comm, double mine) {
  double largest = -std::numeric_limits<double>::infinity();
  for (const double value : comm.gather<double>(std::span<const double>(&mine, 1))) largest = std::fmax(largest, value);
  return largest;
}

}  // namespace mbsc
