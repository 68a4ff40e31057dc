// SPDX-License-Identifier: Apache-2.0
#include "mbsc/comm/thread_comm.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace mbsc {
namespace {

constexpr int sizes[] = {1, 2, 3, 7};

TEST(ThreadComm, EveryRankRunsOnceAndKnowsItsPlace) {
  for (const int size : sizes) {
    std::vector<std::atomic<int>> calls(static_cast<size_t>(size));
    run_as_ranks(size, [&](const Comm& comm) {
      EXPECT_EQ(comm.size(), size);
      ++calls[size_t(comm.rank())];
    });
    for (const auto& count : calls) EXPECT_EQ(count, 1);
  }
}

TEST(ThreadComm, AnExceptionOnAnyRankEndsAllAndIsRethrown) {
  for (const int size : sizes)
    for (int failing = 0; failing < size; ++failing) {
      std::atomic<int> after{0};
      try {
        run_as_ranks(size, [&](const Comm& comm) {
          comm.broadcast<int>(1);
          if (comm.rank() == failing) throw std::runtime_error("rank " + std::to_string(failing));
          comm.broadcast<int>(2);
          comm.broadcast<int>(3);
          ++after;
        });
        ADD_FAILURE() << "nothing was thrown";
      } catch (const std::runtime_error& error) {
        EXPECT_EQ(error.what(), "rank " + std::to_string(failing));
      }
      EXPECT_EQ(after, 0);
    }
}

TEST(ThreadComm, OfSeveralExceptionsTheOneOfTheLowestRankIsRethrown) {
  try {
    run_as_ranks(7, [](const Comm& comm) {
      if (comm.rank() >= 3) throw std::runtime_error("rank " + std::to_string(comm.rank()));
      comm.broadcast<int>(1);
    });
    ADD_FAILURE() << "nothing was thrown";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "rank 3");
  }
}

TEST(SerialComm, IsOneRankWhoseCollectivesReturnWhatTheyAreGiven) {
  const Comm& comm = serial_comm();
  EXPECT_EQ(comm.rank(), 0);
  EXPECT_EQ(comm.size(), 1);
  EXPECT_EQ(comm.gather<int>(std::vector<int>{4, 2}), (std::vector<int>{4, 2}));
  EXPECT_EQ(comm.broadcast<int>(5), 5);
  const std::vector<int> send{1, 2, 3};
  std::vector<int> receive(3);
  comm.exchange<int>(send, 0, receive, 0);
  EXPECT_EQ(receive, send);
}

}  // namespace
}  // namespace mbsc
