// SPDX-License-Identifier: Apache-2.0
// libmbsc_mpi: Comm over MPI, the only file that includes <mpi.h>. Nothing of the library is linked into it.
#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <exception>

#include "mbsc/comm/mpi_world.h"
#include "mbsc/version.h"

namespace mbsc {
namespace {

/// MPI counts in int: larger messages go in pieces of this many bytes.
constexpr int64_t most_bytes = int64_t{1} << 30;

class MpiWorld final : public World {
 public:
  MpiWorld() {
    // An error in MPI ends all ranks: that is its default, and there is nothing better to do.
    MPI_Comm_dup(MPI_COMM_WORLD, &comm_);
    MPI_Comm_rank(comm_, &rank_);
    MPI_Comm_size(comm_, &size_);
  }
  ~MpiWorld() override {
    // Closing is collective. Where an exception is on its way the others may be waiting in something else, for ever.
    if (std::uncaught_exceptions() > exceptions_) end_all(1);
    MPI_Comm_free(&comm_);
    MPI_Finalize();
  }

  int rank() const override { return rank_; }
  int size() const override { return size_; }

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
    for_each_piece(int64_t(bytes.size()), [&](int64_t at, int count) {
      MPI_Bcast(bytes.data() + at, count, MPI_BYTE, root, comm_);
    });
  }

  void exchange_bytes(std::span<const std::byte> send, int to, std::span<std::byte> receive, int from) const override {
    // Either side may have more pieces than the other; each knows how many it awaits.
    const auto longer = int64_t(std::max(send.size(), receive.size()));
    for (int64_t at = 0; at == 0 || at < longer; at += most_bytes) {
      const auto piece = [&](size_t size) { return int(std::clamp<int64_t>(int64_t(size) - at, 0, most_bytes)); };
      const auto has = [&](size_t size) { return at == 0 || at < int64_t(size); };
      MPI_Sendrecv(send.data() + at, piece(send.size()), MPI_BYTE, has(send.size()) ? to : MPI_PROC_NULL, tag,
                   receive.data() + at, piece(receive.size()), MPI_BYTE, has(receive.size()) ? from : MPI_PROC_NULL, tag,
                   comm_, MPI_STATUS_IGNORE);
    }
  }

  void end_all(int exit_code) const override { MPI_Abort(MPI_COMM_WORLD, exit_code); }

  std::string library() const override {
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;
    MPI_Get_library_version(text, &length);
    const std::string whole(text, size_t(length));
    return whole.substr(0, whole.find_first_of(",\n"));
  }

 private:
  static constexpr int tag = 1;

  template <class Function>
  static void for_each_piece(int64_t size, const Function& function) {
    for (int64_t at = 0; at < size; at += most_bytes) function(at, int(std::min(most_bytes, size - at)));
  }

  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0, size_ = 1;
  const int exceptions_ = std::uncaught_exceptions();
};

}  // namespace
}  // namespace mbsc

extern "C" {

__attribute__((visibility("default"))) const char* mbsc_mpi_version() { return mbsc::version; }

__attribute__((visibility("default"))) mbsc::World* mbsc_mpi_open() {
  int begun = 0, provided = 0;
  if (MPI_Initialized(&begun) != MPI_SUCCESS || begun != 0) return nullptr;
  // Collectives are called by one thread at a time, which need not be the first.
  if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided) != MPI_SUCCESS) return nullptr;
  if (provided < MPI_THREAD_SERIALIZED) {
    MPI_Finalize();
    return nullptr;
  }
  return new mbsc::MpiWorld();
}
}
