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
std::vector<std::vector<T>> exchange_parts(const Comm& comm, std::vector<std::vector<T>> parts) {
  const int ranks = comm.size(), me = comm.rank();
  if (ranks == 1) return parts;
  std::vector<int64_t> sizes;
  for (const auto& part : parts) sizes.push_back(int64_t(part.size()));
  const std::vector<int64_t> all = comm.gather<int64_t>(sizes);
  std::vector<std::vector<T>> received(static_cast<size_t>(ranks));
  received[size_t(me)] = std::move(parts[size_t(me)]);
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
    fetch<T>(comm, V, out.data());
    return out;
  }
  /// The same, one row after the other from `at` on.
  template <class T>
  void fetch(const Comm& comm, MatrixView<const T> V, T* at) const {
    if (comm.size() == 1) return;
    const int ranks = comm.size(), me = comm.rank();
    std::vector<T> leaving;
    for (int distance = 1; distance < ranks; ++distance) {
      const auto to = size_t((me + distance) % ranks), from = size_t((me + ranks - distance) % ranks);
      leaving.clear();
      for (const int64_t row : asked_[to]) leaving.insert(leaving.end(), V.row(row), V.row(row) + V.cols);
      const std::span<T> coming(at + starts_[from] * V.cols, size_t((starts_[from + 1] - starts_[from]) * V.cols));
      const auto receiving = coming.empty() ? nullptr : comm.start_receive(coming, int(from));
      const auto sending = leaving.empty() ? nullptr : comm.start_send<T>(leaving, int(to));
      if (receiving) receiving->wait();
      if (sending) sending->wait();
    }
  }

 private:
  std::vector<int64_t> wanted_;
  std::vector<int64_t> starts_;              ///< for each rank: where its rows begin in `wanted_`; and the end
  std::vector<std::vector<int64_t>> asked_;  ///< for each rank: the own rows (local numbers) that it wants
};

}  // namespace mbsc
