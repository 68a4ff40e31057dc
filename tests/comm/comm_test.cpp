// SPDX-License-Identifier: Apache-2.0
// The behavior of every Comm. The tests run on ranks as threads, and over MPI (tests/mpi).
#include "mbsc/comm.h"

#include <gtest/gtest.h>

#include <cstdint>

#include "tests/comm/ranks.h"

namespace mbsc {
namespace {

using testing::on_ranks;

constexpr int sizes[] = {1, 2, 3, 4, 7};

TEST(Comm, EveryRankKnowsItsPlace) {
  for (const int size : sizes)
    on_ranks(size, [&](const Comm& comm) {
      EXPECT_EQ(comm.size(), size);
      EXPECT_EQ(comm.gather<int>(std::vector<int>{comm.rank()})[size_t(comm.rank())], comm.rank());
    });
}

TEST(Comm, GatherConcatenatesUnequalAndEmptyPartsInRankOrder) {
  for (const int size : sizes) {
    // Rank r contributes r % 3 numbers: ranks 0, 3, 6 contribute none.
    std::vector<int64_t> expected;
    for (int r = 0; r < size; ++r)
      for (int i = 0; i < r % 3; ++i) expected.push_back(100 * r + i);
    on_ranks(size, [&](const Comm& comm) {
      std::vector<int64_t> mine;
      for (int i = 0; i < comm.rank() % 3; ++i) mine.push_back(100 * comm.rank() + i);
      EXPECT_EQ(comm.gather<int64_t>(mine), expected);
    });
  }
}

TEST(Comm, GatherOfNothingFromAnybodyIsEmpty) {
  for (const int size : sizes) on_ranks(size, [](const Comm& comm) { EXPECT_TRUE(comm.gather<double>({}).empty()); });
}

TEST(Comm, BroadcastOverwritesEverybodyWithAnyRoot) {
  for (const int size : sizes)
    on_ranks(size, [&](const Comm& comm) {
      for (int root = 0; root < size; ++root) {
        std::vector<double> values{comm.rank() + 0.5, comm.rank() - 0.5};
        comm.broadcast(std::span<double>(values), root);
        EXPECT_EQ(values, (std::vector<double>{root + 0.5, root - 0.5}));
        EXPECT_EQ(comm.broadcast<int>(10 * comm.rank(), root), 10 * root);
      }
    });
}

TEST(Comm, ExchangeMovesBytesAroundARingAtEveryDistance) {
  for (const int size : sizes)
    on_ranks(size, [&](const Comm& comm) {
      for (int distance = 0; distance < size; ++distance) {
        const int to = (comm.rank() + distance) % size;
        const int from = (comm.rank() + size - distance) % size;
        // The length depends on the sender, so both ends can compute it.
        std::vector<int> send(static_cast<size_t>(comm.rank() + 1), comm.rank());
        std::vector<int> receive(static_cast<size_t>(from + 1), -1);
        comm.exchange<int>(send, to, receive, from);
        EXPECT_EQ(receive, std::vector<int>(static_cast<size_t>(from + 1), from));
      }
    });
}

TEST(Comm, MessagesOfAChannelKeepTheirOrderWhateverIsWaitedForFirst) {
  for (const int size : sizes)
    on_ranks(size, [&](const Comm& comm) {
      const int to = (comm.rank() + 1) % size, from = (comm.rank() + size - 1) % size;
      constexpr int count = 5;
      std::vector<int> out, in(2 * count, -1);
      for (int i = 0; i < 2 * count; ++i) out.push_back(100 * comm.rank() + i);
      std::vector<std::unique_ptr<Comm::Pending>> receiving, sending;
      for (int i = 0; i < 2 * count; ++i)
        receiving.push_back(comm.start_receive<int>({&in[size_t(i)], 1}, from, i % 2));
      // The sends start channel by channel. The receives were started on alternating channels, and the test waits for
      // the last one first.
      for (int channel = 0; channel < 2; ++channel)
        for (int i = channel; i < 2 * count; i += 2)
          sending.push_back(comm.start_send<int>({&out[size_t(i)], 1}, to, channel));
      for (auto at = receiving.rbegin(); at != receiving.rend(); ++at) (*at)->wait();
      for (const auto& message : sending) message->wait();
      for (int i = 0; i < 2 * count; ++i) EXPECT_EQ(in[size_t(i)], 100 * from + i);
    });
}

TEST(Comm, AnyIsTrueWhereOneRankSaysSo) {
  for (const int size : sizes)
    on_ranks(size, [&](const Comm& comm) {
      for (int one = 0; one < size; ++one) EXPECT_TRUE(comm.any(comm.rank() == one));
      EXPECT_FALSE(comm.any(false));
    });
}

TEST(Comm, TrafficCountsWhatComesFromOthers) {
  for (const int size : sizes)
    on_ranks(size, [&](const Comm& comm) {
      const Traffic before = comm.traffic();
      std::vector<double> values(10);
      comm.gather<double>(values);
      comm.broadcast(std::span<double>(values), size - 1);
      std::vector<double> other(10);
      comm.exchange<double>(values, (comm.rank() + 1) % size, other, (comm.rank() + size - 1) % size);
      const Traffic after = comm.traffic();
      const int64_t others = size - 1, root = comm.rank() == size - 1 ? 0 : 1, neighbors = size > 1 ? 1 : 0;
      EXPECT_EQ(after.bytes - before.bytes, 80 * (others + (size > 1 ? root : 0) + neighbors));
      EXPECT_EQ(after.messages - before.messages, others + (size > 1 ? root : 0) + neighbors);
    });
}

TEST(Comm, ManyCollectivesInARowDoNotMixUp) {
  for (const int size : sizes)
    on_ranks(size, [&](const Comm& comm) {
      for (int round = 0; round < 200; ++round) {
        const std::vector<int> mine{round * 10 + comm.rank()};
        const std::vector<int> all = comm.gather<int>(mine);
        for (int r = 0; r < size; ++r) EXPECT_EQ(all[size_t(r)], round * 10 + r);
        EXPECT_EQ(comm.broadcast<int>(round + comm.rank(), round % size), round + round % size);
      }
    });
}

TEST(Comm, LargeMessagesArriveWhole) {
  for (const int size : sizes)
    on_ranks(size, [&](const Comm& comm) {
      // Larger than a message that a transport sends before the receiver is ready.
      std::vector<int64_t> mine(size_t(300'000 + comm.rank()), comm.rank());
      const std::vector<int64_t> all = comm.gather<int64_t>(mine);
      size_t at = 0;
      for (int r = 0; r < size; ++r)
        for (int i = 0; i < 300'000 + r; ++i, ++at)
          if (all[at] != r) FAIL() << "rank " << r << ", entry " << i;
      EXPECT_EQ(at, all.size());
      std::vector<int64_t> received(size_t(300'000 + (comm.rank() + 1) % size));
      comm.exchange<int64_t>(mine, (comm.rank() + size - 1) % size, received, (comm.rank() + 1) % size);
      EXPECT_EQ(received.front(), (comm.rank() + 1) % size);
      EXPECT_EQ(received.back(), (comm.rank() + 1) % size);
    });
}

}  // namespace
}  // namespace mbsc
