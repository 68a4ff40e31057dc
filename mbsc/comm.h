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
#include <string>
#include <vector>

namespace mbsc {

/// Messages and bytes that this rank has asked to receive from others so far.
struct Traffic {
  int64_t messages = 0;  ///< a collective counts one for each other rank
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

  /// The values of all ranks, concatenated by rank; contributions may differ in number, or be empty.
  template <class T>
  std::vector<T> gather(std::span<const T> mine) const {
    if (size() == 1) return {mine.begin(), mine.end()};
    const std::vector<std::byte> all = gather_bytes(std::as_bytes(mine));
    count(size() - 1, int64_t(all.size() - mine.size_bytes()));
    const T* first = reinterpret_cast<const T*>(all.data());
    return {first, first + all.size() / sizeof(T)};
  }
  /// Overwrites the values with the root's; all ranks pass the same number.
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
  /// True if `mine` is true on any rank.
  bool any(bool mine) const {
    const auto flag = char(mine);
    for (const char other : gather<char>({&flag, 1}))
      if (other != 0) return true;
    return false;
  }

  /// Messages of one channel between two ranks (which may be the same one) are received in the order in which they were
  /// sent; sizes are known to both ends. It is possible that a send does not complete until the receiver has started
  /// its receive.
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

/// All ranks that were started together. Closing it (the destructor) is collective.
class World : public Comm {
 public:
  /// Ends every rank at once, with this exit code. A rank that cannot continue calls this. Does not return.
  virtual void end_all(int exit_code) const = 0;
  /// Waits until all ranks have called this, at most so many seconds; returns whether they have. Use it only at the end
  /// of a program: after false, a missing rank may be blocked in another call.
  virtual bool meet(double seconds) const = 0;
  /// The number of ranks, including this one, that are on this machine and have the same CPU affinity mask.
  virtual int sharing_processors() const = 0;
  /// "Open MPI v4.1.4" or the like.
  virtual std::string library() const = 0;
};

/// Whether mpirun, mpiexec or srun has started this process as one of several ranks, by the variables that they set.
bool started_by_mpi();

/// Loads libmbsc_mpi (the file that MBSC_MPI_LIBRARY names, else the one beside this program or in its ../lib) and
/// initializes MPI. Call it once per process. Throws std::runtime_error where there is none or it is of another version.
std::unique_ptr<World> open_world();

/// The ranks of a communicator that the caller owns (mpi4py): the address of an MPI_Comm of the same MPI.
std::unique_ptr<World> join_world(void* communicator);

}  // namespace mbsc
