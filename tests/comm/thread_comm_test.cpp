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

TEST(ThreadComm, GatherConcatenatesUnequalAndEmptyPartsInRankOrder) {
  for (const int size : sizes) {
    // Rank r gives r % 3 numbers: ranks 0, 3, 6 give none.
    std::vector<int64_t> expected;
    for (int r = 0; r < size; ++r)
      for (int i = 0; i < r % 3; ++i) expected.push_back(100 * r + i);
    run_as_ranks(size, [&](const Comm& comm) {
      std::vector<int64_t> mine;
      for (int i = 0; i < comm.rank() % 3; ++i) mine.push_back(100 * comm.rank() + i);
      EXPECT_EQ(comm.gather<int64_t>(mine), expected);
    });
  }
}

TEST(ThreadComm, GatherOfNothingFromAnybodyIsEmpty) {
  for (const int size : sizes)
    run_as_ranks(size, [](const Comm& comm) { EXPECT_TRUE(comm.gather<double>({}).empty()); });
}

TEST(ThreadComm, BroadcastOverwritesEverybodyWithAnyRoot) {
  for (const int size : sizes)
    run_as_ranks(size, [&](const Comm& comm) {
      for (int root = 0; root < size; ++root) {
        std::vector<double> values{comm.rank() + 0.5, comm.rank() - 0.5};
        comm.broadcast(std::span<double>(values), root);
        EXPECT_EQ(values, (std::vector<double>{root + 0.5, root - 0.5}));
        EXPECT_EQ(comm.broadcast<int>(10 * comm.rank(), root), 10 * root);
      }
    });
}

TEST(ThreadComm, ExchangeMovesBytesAroundARingAtEveryDistance) {
  for (const int size : sizes)
    run_as_ranks(size, [&](const Comm& comm) {
      for (int distance = 0; distance < size; ++distance) {
        const int to = (comm.rank() + distance) % size;
        const int from = (comm.rank() + size - distance) % size;
        // The length depends on the sender: both ends know it.
        std::vector<int> send(static_cast<size_t>(comm.rank() + 1), comm.rank());
        std::vector<int> receive(static_cast<size_t>(from + 1), -1);
        comm.exchange_bytes(std::as_bytes(std::span(send)), to, std::as_writable_bytes(std::span(receive)), from);
        EXPECT_EQ(receive, std::vector<int>(static_cast<size_t>(from + 1), from));
      }
    });
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

TEST(ThreadComm, ManyCollectivesInARowDoNotMixUp) {
  run_as_ranks(7, [](const Comm& comm) {
    for (int round = 0; round < 200; ++round) {
      const std::vector<int> mine{round * 10 + comm.rank()};
      const std::vector<int> all = comm.gather<int>(mine);
      for (int r = 0; r < 7; ++r) EXPECT_EQ(all[size_t(r)], round * 10 + r);
      EXPECT_EQ(comm.broadcast<int>(round + comm.rank(), round % 7), round + round % 7);
    }
  });
}

TEST(SerialComm, IsOneRankWhoseCollectivesReturnWhatTheyAreGiven) {
  const Comm& comm = serial_comm();
  EXPECT_EQ(comm.rank(), 0);
  EXPECT_EQ(comm.size(), 1);
  EXPECT_EQ(comm.gather<int>(std::vector<int>{4, 2}), (std::vector<int>{4, 2}));
  EXPECT_EQ(comm.broadcast<int>(5), 5);
  const std::vector<int> send{1, 2, 3};
  std::vector<int> receive(3);
  comm.exchange_bytes(std::as_bytes(std::span(send)), 0, std::as_writable_bytes(std::span(receive)), 0);
  EXPECT_EQ(receive, send);
}

}  // namespace
}  // namespace mbsc
