// SPDX-License-Identifier: Apache-2.0
// Comm: how ranks talk. Three operations, each collective; bytes only, so that a transport is a small file.
// A sum is deliberately absent: transports add in an order of their own. Sums over rows are made from
// gathered block partials in an order that depends on n alone (linalg/reduce.h).
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace mbsc {

class Comm {
 public:
  Comm() = default;
  Comm(const Comm&) = delete;
  Comm& operator=(const Comm&) = delete;
  virtual ~Comm() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;
  /// Everybody's bytes, concatenated by rank; contributions may differ in size, or be empty.
  virtual std::vector<std::byte> gather_bytes(std::span<const std::byte> mine) const = 0;
  /// Overwrites `bytes` with the root's; all ranks pass the same size.
  virtual void broadcast_bytes(std::span<std::byte> bytes, int root) const = 0;
  /// Sends to one rank while receiving from another (either may be this one); sizes are known to both ends.
  virtual void exchange_bytes(std::span<const std::byte> send, int to, std::span<std::byte> receive,
                              int from) const = 0;

  template <class T>
  std::vector<T> gather(std::span<const T> mine) const {
    if (size() == 1) return {mine.begin(), mine.end()};
    const std::vector<std::byte> all = gather_bytes(std::as_bytes(mine));
    const T* first = reinterpret_cast<const T*>(all.data());
    return {first, first + all.size() / sizeof(T)};
  }
  template <class T>
  void broadcast(std::span<T> values, int root = 0) const {
    if (size() > 1) broadcast_bytes(std::as_writable_bytes(values), root);
  }
  template <class T>
  T broadcast(T value, int root = 0) const {
    broadcast(std::span<T>(&value, 1), root);
    return value;
  }
};

/// The communicator of a process that is alone.
const Comm& serial_comm();

}  // namespace mbsc
