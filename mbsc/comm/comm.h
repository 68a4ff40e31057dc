// SPDX-License-Identifier: Apache-2.0
// Comm: how ranks talk. Two collective operations, and messages from one rank to another; bytes only, so that a transport
// is a small file. A sum is deliberately absent: transports add in an order of their own. Sums over rows are made from
// block partials in an order that depends on n alone (linalg/reduce.h).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace mbsc {

/// What has come to this rank from others, so far. (Over all ranks as much is sent as is received.)
struct Traffic {
  int64_t messages = 0;  ///< collectives count one for each other rank that has sent something
  int64_t bytes = 0;
};

class Comm {
 public:
  /// A message under way. The bytes must stay where they are until it is done.
  class Pending {
   public:
    Pending() = default;
    Pending(const Pending&) = delete;
    Pending& operator=(const Pending&) = delete;
    virtual ~Pending() = default;
    virtual void wait() = 0;
  };

  Comm() = default;
  Comm(const Comm&) = delete;
  Comm& operator=(const Comm&) = delete;
  virtual ~Comm() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;

  /// Everybody's values, concatenated by rank; contributions may differ in number, or be empty.
  template <class T>
  std::vector<T> gather(std::span<const T> mine) const {
    if (size() == 1) return {mine.begin(), mine.end()};
    const std::vector<std::byte> all = gather_bytes(std::as_bytes(mine));
    count(size() - 1, int64_t(all.size() - mine.size_bytes()));
    const T* first = reinterpret_cast<const T*>(all.data());
    return {first, first + all.size() / sizeof(T)};
  }
  /// Overwrites the values with the root's; all ranks pass as many.
  template <class T>
  void broadcast(std::span<T> values, int root = 0) const {
    if (size() == 1) return;
    broadcast_bytes(std::as_writable_bytes(values), root);
    if (rank() != root) count(1, int64_t(values.size_bytes()));
  }
  template <class T>
  T broadcast(T value, int root = 0) const {
    broadcast(std::span<T>(&value, 1), root);
    return value;
  }
  /// Whether it is so on any rank.
  bool any(bool mine) const {
    const auto flag = char(mine);
    for (const char other : gather<char>({&flag, 1}))
      if (other != 0) return true;
    return false;
  }

  /// Messages of one channel between two ranks (which may be the same one) are received in the order in which they were
  /// sent; sizes are known to both ends. Sending may be done only when the other one has asked for it.
  template <class T>
  std::unique_ptr<Pending> start_send(std::span<const T> values, int to, int channel = 0) const {
    return start_send_bytes(std::as_bytes(values), to, channel);
  }
  template <class T>
  std::unique_ptr<Pending> start_receive(std::span<T> values, int from, int channel = 0) const {
    if (from != rank()) count(1, int64_t(values.size_bytes()));
    return start_receive_bytes(std::as_writable_bytes(values), from, channel);
  }
  template <class T>
  void send(std::span<const T> values, int to, int channel = 0) const {
    start_send(values, to, channel)->wait();
  }
  template <class T>
  void receive(std::span<T> values, int from, int channel = 0) const {
    start_receive(values, from, channel)->wait();
  }
  /// Sends to one rank while receiving from another.
  template <class T>
  void exchange(std::span<const T> out, int to, std::span<T> in, int from) const {
    const auto receiving = start_receive(in, from);
    const auto sending = start_send(out, to);
    receiving->wait();
    sending->wait();
  }

  Traffic traffic() const { return {messages_, bytes_}; }

 protected:
  virtual std::vector<std::byte> gather_bytes(std::span<const std::byte> mine) const = 0;
  virtual void broadcast_bytes(std::span<std::byte> bytes, int root) const = 0;
  virtual std::unique_ptr<Pending> start_send_bytes(std::span<const std::byte> bytes, int to, int channel) const = 0;
  virtual std::unique_ptr<Pending> start_receive_bytes(std::span<std::byte> bytes, int from, int channel) const = 0;

 private:
  void count(int64_t messages, int64_t bytes) const {
    messages_ += messages;
    bytes_ += bytes;
  }
  mutable std::atomic<int64_t> messages_{0}, bytes_{0};
};

/// The communicator of a process that is alone.
const Comm& serial_comm();

}  // namespace mbsc
