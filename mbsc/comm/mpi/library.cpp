// SPDX-License-Identifier: Apache-2.0
// libmbsc_mpi: Comm over MPI. This is the only file that includes <mpi.h>. It does not link to the rest of the library.
#include <mpi.h>
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <deque>
#include <exception>
#include <thread>

#include "mbsc/base/version.h"
#include "mbsc/comm/mpi_library.h"

namespace mbsc {
namespace {

/// MPI counts bytes with int, so larger messages are sent in pieces of this many bytes.
constexpr int64_t most_bytes = int64_t{1} << 30;

class MpiWorld final : public World {
 public:
  /// `is_ours`: mbsc_mpi_open() has initialized MPI, so this object finalizes it.
  MpiWorld(MPI_Comm comm, bool is_ours) : is_ours_(is_ours) {
    // An error in MPI aborts all ranks. That is the default of MPI, and there is no better choice.
    MPI_Comm_dup(comm, &comm_);
    MPI_Comm_rank(comm_, &rank_);
    MPI_Comm_size(comm_, &size_);
  }
  ~MpiWorld() override {
    // Closing is collective. During an exception the other ranks may wait forever in another collective, so abort them.
    // If the caller owns the communicator, leave the decision to the caller.
    if (std::uncaught_exceptions() > exceptions_) {
      if (!is_ours_) return;
      end_all(1);
    }
    MPI_Comm_free(&comm_);
    if (is_ours_) MPI_Finalize();
  }

  int rank() const override { return rank_; }
  int size() const override { return size_; }

 protected:
  std::vector<std::byte> gather_bytes(std::span<const std::byte> mine) const override {
    const auto own = int64_t(mine.size());
    std::vector<int64_t> sizes(static_cast<size_t>(size_));
    MPI_Allgather(&own, 1, MPI_INT64_T, sizes.data(), 1, MPI_INT64_T, comm_);
    int64_t total = 0;
    for (const int64_t size : sizes) total += size;
    std::vector<std::byte> all(static_cast<size_t>(total));
    if (total <= most_bytes) {
      std::vector<int> counts(sizes.begin(), sizes.end()), offsets(sizes.size());
      for (size_t i = 1; i < offsets.size(); ++i) offsets[i] = offsets[i - 1] + counts[i - 1];
      MPI_Allgatherv(mine.data(), counts[size_t(rank_)], MPI_BYTE, all.data(), counts.data(), offsets.data(), MPI_BYTE,
                     comm_);
      return all;
    }
    std::byte* place = all.data();
    for (int root = 0; root < size_; ++root) {
      const std::span<std::byte> part(place, size_t(sizes[size_t(root)]));
      if (root == rank_) std::copy(mine.begin(), mine.end(), part.begin());
      broadcast_bytes(part, root);
      place += part.size();
    }
    return all;
  }

  void broadcast_bytes(std::span<std::byte> bytes, int root) const override {
    for_each_piece(int64_t(bytes.size()),
                   [&](int64_t at, int count) { MPI_Bcast(bytes.data() + at, count, MPI_BYTE, root, comm_); });
  }

  std::unique_ptr<Pending> start_send_bytes(std::span<const std::byte> bytes, int to, int channel) const override {
    auto requests = std::make_unique<Requests>();
    for_each_piece(int64_t(bytes.size()), [&](int64_t at, int count) {
      MPI_Isend(bytes.data() + at, count, MPI_BYTE, to, channel, comm_, requests->add());
    });
    return requests;
  }

  std::unique_ptr<Pending> start_receive_bytes(std::span<std::byte> bytes, int from, int channel) const override {
    auto requests = std::make_unique<Requests>(true);
    for_each_piece(int64_t(bytes.size()), [&](int64_t at, int count) {
      MPI_Irecv(bytes.data() + at, count, MPI_BYTE, from, channel, comm_, requests->add());
    });
    return requests;
  }

 public:
  void end_all(int exit_code) const override { MPI_Abort(comm_, exit_code); }

  bool meet(double seconds) const override {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ibarrier(comm_, &request);
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    for (int done = 0; MPI_Test(&request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && done == 0;) {
      if (std::chrono::steady_clock::now() > end) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return true;
  }

  int sharing_processors() const override {
    // The ranks on this machine that have the same affinity mask.
    MPI_Comm here = MPI_COMM_NULL;
    MPI_Comm_split_type(comm_, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &here);
    cpu_set_t mine;
    CPU_ZERO(&mine);
    sched_getaffinity(0, sizeof mine, &mine);
    int count = 0, sharing = 0;
    MPI_Comm_size(here, &count);
    std::vector<cpu_set_t> all(static_cast<size_t>(count));
    MPI_Allgather(&mine, sizeof mine, MPI_BYTE, all.data(), sizeof mine, MPI_BYTE, here);
    for (const cpu_set_t& other : all) sharing += CPU_EQUAL(&mine, &other) ? 1 : 0;
    MPI_Comm_free(&here);
    return sharing;
  }

  std::string library() const override {
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;
    MPI_Get_library_version(text, &length);
    const std::string whole(text, size_t(length));
    return whole.substr(0, whole.find_first_of(",\n"));
  }

 private:
  /// The requests for the pieces of one message.
  class Requests final : public Pending {
   public:
    explicit Requests(bool receives = false) : receives_(receives) {}
    /// Requests are still open only after an error. The buffer is about to be freed: cancel the receive.
    ~Requests() override {
      for (MPI_Request& request : requests_) {
        if (request == MPI_REQUEST_NULL) continue;
        if (receives_) MPI_Cancel(&request);
        MPI_Request_free(&request);
      }
    }
    MPI_Request* add() { return &requests_.emplace_back(MPI_REQUEST_NULL); }
    void wait() override {
      for (MPI_Request& request : requests_) MPI_Wait(&request, MPI_STATUS_IGNORE);
    }

   private:
    const bool receives_;
    std::deque<MPI_Request> requests_;  // a deque: adding a request does not move the others
  };

  template <class Function>
  static void for_each_piece(int64_t size, const Function& function) {
    for (int64_t at = 0; at < size; at += most_bytes) function(at, int(std::min(most_bytes, size - at)));
  }

  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0, size_ = 1;
  const bool is_ours_;
  const int exceptions_ = std::uncaught_exceptions();
};

}  // namespace
}  // namespace mbsc

extern "C" {

__attribute__((visibility("default"))) const char* mbsc_mpi_version() { return mbsc::version_text; }

__attribute__((visibility("default"))) mbsc::World* mbsc_mpi_open() {
  int begun = 0, provided = 0;
  if (MPI_Initialized(&begun) != MPI_SUCCESS || begun != 0) return nullptr;
  // One thread at a time calls MPI. It need not be the thread that initialized MPI.
  if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided) != MPI_SUCCESS) return nullptr;
  if (provided < MPI_THREAD_SERIALIZED) {
    MPI_Finalize();
    return nullptr;
  }
  return new mbsc::MpiWorld(MPI_COMM_WORLD, true);
}

__attribute__((visibility("default"))) mbsc::World* mbsc_mpi_join(void* communicator) {
  int begun = 0, ended = 0, provided = 0;
  if (MPI_Initialized(&begun) != MPI_SUCCESS || begun == 0) return nullptr;
  if (MPI_Finalized(&ended) != MPI_SUCCESS || ended != 0) return nullptr;
  if (MPI_Query_thread(&provided) != MPI_SUCCESS || provided < MPI_THREAD_SERIALIZED) return nullptr;
  return new mbsc::MpiWorld(*static_cast<MPI_Comm*>(communicator), false);
}
}
