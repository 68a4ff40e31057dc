// SPDX-License-Identifier: Apache-2.0
// A rank may start with any number of rows, including none. The row blocks require a certain distribution. This class
// moves rows to that distribution and back.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "mbsc/base/row_blocks.h"
#include "mbsc/comm.h"

namespace mbsc {

/// The stored (unscaled) values of the points, row by row. If the points have fewer than `features` features, the
/// missing ones are zero.
template <class Value>
std::vector<Value> stored_rows(const Points& points, int64_t features) {
  std::vector<Value> rows(size_t(points.rows * features));
  for (int64_t i = 0; i < points.rows; ++i)
    for (int64_t f = 0; f < points.features; ++f) rows[size_t(i * features + f)] = Value(points.raw(i, f));
  return rows;
}

class RowBalance {
 public:
  /// `given`: the number of rows of this rank. The rows of rank 0 come first. Collective.
  RowBalance(const Comm& comm, int64_t given);

  int64_t n() const { return n_; }
  /// Whether every rank already has its share.
  bool is_balanced() const { return balanced_; }
  /// The (global) rows that this rank was given, and those that it should own.
  Range given() const { return given_[size_t(comm_->rank())]; }
  Range share() const { return shares_[size_t(comm_->rank())]; }

  /// Moves rows of `width` values from the given distribution to the shares, and back. Collective.
  template <class T>
  std::vector<T> to_shares(std::span<const T> rows, int64_t width) const {
    return move<T>(rows, width, given_, shares_);
  }
  template <class T>
  std::vector<T> to_given(std::span<const T> rows, int64_t width) const {
    return move<T>(rows, width, shares_, given_);
  }

 private:
  template <class T>
  std::vector<T> move(std::span<const T> rows, int64_t width, const std::vector<Range>& from,
                      const std::vector<Range>& to) const {
    const int ranks = comm_->size(), me = comm_->rank();
    const Range have = from[size_t(me)], want = to[size_t(me)];
    std::vector<T> out(static_cast<size_t>(want.size() * width));
    const auto common = [](Range a, Range b) {
      const int64_t begin = std::max(a.begin, b.begin);
      return Range{begin, std::max(begin, std::min(a.end, b.end))};
    };
    const auto part = [&](auto values, Range whole, Range some) {
      return values.subspan(size_t((some.begin - whole.begin) * width) * (some.size() > 0 ? 1 : 0),
                            size_t(some.size() * width));
    };
    for (int distance = 0; distance < ranks; ++distance) {
      const int target = (me + distance) % ranks, source = (me + ranks - distance) % ranks;
      const Range leaving = common(have, to[size_t(target)]), coming = common(from[size_t(source)], want);
      const std::span<const T> send = part(rows, have, leaving);
      const std::span<T> receive = part(std::span<T>(out), want, coming);
      if (distance == 0) {
        std::copy(send.begin(), send.end(), receive.begin());
        continue;
      }
      const auto receiving = receive.empty() ? nullptr : comm_->start_receive(receive, source);
      const auto sending = send.empty() ? nullptr : comm_->start_send(send, target);
      if (receiving) receiving->wait();
      if (sending) sending->wait();
    }
    return out;
  }

  const Comm* comm_;
  int64_t n_ = 0;
  bool balanced_ = true;
  std::vector<Range> given_, shares_;
};

}  // namespace mbsc
