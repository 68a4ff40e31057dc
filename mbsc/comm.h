// SPDX-License-Identifier: Apache-2.0
// Comm: the communication between ranks. It has two collective operations (gather and broadcast), and messages from one
// rank to another. A transport implements them for bytes only, so it is a small file. Comm has no sum, because every
// transport adds in its own order. linalg/reduce.h sums over rows in an order that depends only on n.
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
  int64_t messages = 0;  ///< gather counts one for each other rank; broadcast counts one if this rank is not the root
  int64_t bytes = 0;
};

class Comm {
 public:
  /// A message in progress. Its buffer must not be freed or changed until wait() has returned.
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

  /// Returns the values of all ranks, in the order of the ranks. The ranks may pass different numbers of values, or
  /// none. Collective, like broadcast() and any().
  template <class T>
  std::vector<T> gather(std::span<const T> mine) const {
    if (size() == 1) return {mine.begin(), mine.end()};
    const std::vector<std::byte> all = gather_bytes(std::as_bytes(mine));
    count(size() - 1, int64_t(all.size() - mine.size_bytes()));
    const T* first = reinterpret_cast<const T*>(all.data());
    return {first, first + all.size() / sizeof(T)};
  }
  /// Overwrites the values with those of rank `root`. All ranks must pass the same number of values.
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

  /// Starts to send the values to rank `to`, which may be this rank. The receiver must know how many there are.
  /// Messages from one rank to another on the same channel are received in the order in which they were sent. wait()
  /// on a send can block until the receiver has started its receive.
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

/// The ranks of an MPI communicator. The destructor is collective.
class World : public Comm {
 public:
  /// Ends every rank at once, with this exit code. For a rank that cannot continue. Does not return.
  virtual void end_all(int exit_code) const = 0;
  /// Waits until all ranks have called meet(), but not longer than `seconds`. Returns whether all have called it. Use
  /// it only at the end of a program: if it returns false, a missing rank may be blocked in another call.
  virtual bool meet(double seconds) const = 0;
  /// The number of ranks, including this one, that are on this machine and have the same CPU affinity mask.
  virtual int sharing_processors() const = 0;
  /// The name and version of the MPI library, such as "Open MPI v4.1.4".
  virtual std::string library() const = 0;
};

/// Whether mpirun, mpiexec or srun has started this process as one of several ranks, according to the environment
/// variables that they set.
bool started_by_mpi();

/// Loads libmbsc_mpi and initializes MPI. Call it once per process. If the variable MBSC_MPI_LIBRARY is set, it names
/// the file. Otherwise the file is searched for beside this program (or shared library), in ../lib, and on the search
/// path of the system. Throws std::runtime_error if the file cannot be loaded or has another version, or if MPI cannot
/// start.
std::unique_ptr<World> open_world();

/// Returns the ranks of a communicator that the caller owns, for example one of mpi4py. `communicator` is the address
/// of an MPI_Comm. It must belong to the MPI library that libmbsc_mpi was built with. Throws like open_world().
std::unique_ptr<World> join_world(void* communicator);

}  // namespace mbsc
