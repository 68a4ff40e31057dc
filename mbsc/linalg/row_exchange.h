// SPDX-License-Identifier: Apache-2.0
// Rows of a tall matrix that other ranks hold: who needs which is agreed once, and then fetched as often as they change.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "mbsc/base/matrix.h"
#include "mbsc/linalg/row_space.h"

namespace mbsc {

/// Everybody sends something to everybody: `parts` has one part for each rank; returns those that came, by rank.
template <class T>
std::vector<std::vector<T>> exchange_parts(const Comm& comm, const std::vector<std::vector<T>>& parts) {
  const int ranks = comm.size(), me = comm.rank();
  std::vector<int64_t> sizes;
  for (const auto& part : parts) sizes.push_back(int64_t(part.size()));
  const std::vector<int64_t> all = comm.gather<int64_t>(sizes);
  std::vector<std::vector<T>> received(static_cast<size_t>(ranks));
  received[size_t(me)] = parts[size_t(me)];
  for (int distance = 1; distance < ranks; ++distance) {
    const int to = (me + distance) % ranks, from = (me + ranks - distance) % ranks;
    std::vector<T>& part = received[size_t(from)];
    part.resize(size_t(all[size_t(from) * size_t(ranks) + size_t(me)]));
    comm.exchange<T>(parts[size_t(to)], to, part, from);
  }
  return received;
}

class RowExchange {
 public:
  RowExchange() = default;
  /// `wanted`: global numbers, ascending, of rows that this rank does not hold. Collective.
  RowExchange(const RowSpace& space, std::vector<int64_t> wanted);

  const std::vector<int64_t>& rows() const { return wanted_; }
  int64_t size() const { return int64_t(wanted_.size()); }

  /// These rows of V, of which everybody passes its own. Collective.
  template <class T>
  Matrix<T> fetch(const Comm& comm, MatrixView<const T> V) const {
    Matrix<T> out(size(), V.cols);
    if (comm.size() == 1) return out;
    std::vector<std::vector<T>> parts(asked_.size());
    for (size_t rank = 0; rank < asked_.size(); ++rank)
      for (const int64_t row : asked_[rank]) parts[rank].insert(parts[rank].end(), V.row(row), V.row(row) + V.cols);
    T* at = out.data();
    // By rank, and so by row.
    for (const std::vector<T>& part : exchange_parts<T>(comm, parts)) at = std::copy(part.begin(), part.end(), at);
    return out;
  }

 private:
  std::vector<int64_t> wanted_;
  std::vector<std::vector<int64_t>> asked_;  ///< by rank: the own rows (local numbers) that it wants
};

}  // namespace mbsc
