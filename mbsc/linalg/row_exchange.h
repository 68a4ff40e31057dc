// SPDX-License-Identifier: Apache-2.0
// Access to rows of a tall matrix that other ranks own. The constructor tells each rank which of its rows the others
// need. After that, each fetch() gets the current values of the rows.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "mbsc/input.h"
#include "mbsc/linalg/row_space.h"

namespace mbsc {

/// All-to-all exchange: `parts` has one part for each rank. Returns the received parts, by rank. Collective.
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
  /// `wanted`: the global numbers, ascending, of rows that this rank does not own. Collective.
  RowExchange(const RowSpace& space, std::vector<int64_t> wanted);

  const std::vector<int64_t>& rows() const { return wanted_; }
  int64_t size() const { return int64_t(wanted_.size()); }

  /// Returns the wanted rows of V. Every rank passes its own rows of V. Collective.
  template <class T>
  Matrix<T> fetch(const Comm& comm, MatrixView<const T> V) const {
    Matrix<T> out(size(), V.cols);
    if (comm.size() == 1) return out;
    std::vector<std::vector<T>> parts(asked_.size());
    for (size_t rank = 0; rank < asked_.size(); ++rank)
      for (const int64_t row : asked_[rank]) parts[rank].insert(parts[rank].end(), V.row(row), V.row(row) + V.cols);
    T* at = out.data();
    // The parts are ordered by rank, and so by row.
    for (const std::vector<T>& part : exchange_parts<T>(comm, parts)) at = std::copy(part.begin(), part.end(), at);
    return out;
  }

 private:
  std::vector<int64_t> wanted_;
  std::vector<std::vector<int64_t>> asked_;  ///< for each rank: the own rows (local numbers) that it wants
};

}  // namespace mbsc
