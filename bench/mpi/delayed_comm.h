// SPDX-License-Identifier: Apache-2.0
// Ranks on a slower network than they have: every message takes at least a latency, and its bytes over a bandwidth.
// A gathering takes ceil(log2 P) latencies for the sizes and as many for what it brings, and that over the bandwidth; a
// broadcast goes down a tree, whole each time. What the model of docs/ranks.md assumes of a transport is here as code, around any other Comm.
#pragma once

#include <algorithm>
#include <bit>
#include <chrono>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "mbsc/comm/comm.h"

namespace mbsc::bench {

struct Network {
  double latency = 0;                ///< seconds
  double seconds_per_byte = 0;
};

class DelayedComm final : public Comm {
 public:
  DelayedComm(const Comm& inner, Network network) : inner_(inner), network_(network) {}
  int rank() const override { return inner_.rank(); }
  int size() const override { return inner_.size(); }

 protected:
  using Clock = std::chrono::steady_clock;

  static Clock::duration duration(double seconds) {
    return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  }
  void sleep_for(double latencies, double bytes) const {
    std::this_thread::sleep_for(duration(latencies * network_.latency + bytes * network_.seconds_per_byte));
  }
  int levels() const { return int(std::bit_width(unsigned(size() - 1))); }

  /// A message, and when it has come: its sender knows, and says so on a channel beside. (Ranks of one machine have one
  /// clock.)
  class Timed final : public Pending {
   public:
    int64_t arrival = 0;
    std::unique_ptr<Pending> message, time;
    bool is_incoming = false;
    void wait() override {
      message->wait();
      time->wait();
      if (is_incoming) std::this_thread::sleep_until(Clock::time_point(Clock::duration(arrival)));
    }
  };
  static int beside(int channel) { return channel + 64; }

  std::vector<std::byte> gather_bytes(std::span<const std::byte> mine) const override {
    std::vector<std::byte> all = inner_.gather<std::byte>(mine);
    sleep_for(2 * levels(), double(all.size() - mine.size()));
    return all;
  }
  void broadcast_bytes(std::span<std::byte> bytes, int root) const override {
    inner_.broadcast(bytes, root);
    sleep_for(levels(), double(bytes.size()) * levels());
  }
  std::unique_ptr<Pending> start_send_bytes(std::span<const std::byte> bytes, int to, int channel) const override {
    auto sent = std::make_unique<Timed>();
    // One message after the other leaves this rank.
    link_is_free_ = std::max(link_is_free_, Clock::now()) + duration(double(bytes.size()) * network_.seconds_per_byte);
    sent->arrival = (link_is_free_ + duration(network_.latency)).time_since_epoch().count();
    sent->time = inner_.start_send(std::span<const int64_t>(&sent->arrival, 1), to, beside(channel));
    sent->message = inner_.start_send(bytes, to, channel);
    return sent;
  }
  std::unique_ptr<Pending> start_receive_bytes(std::span<std::byte> bytes, int from, int channel) const override {
    auto coming = std::make_unique<Timed>();
    coming->is_incoming = true;
    coming->time = inner_.start_receive(std::span<int64_t>(&coming->arrival, 1), from, beside(channel));
    coming->message = inner_.start_receive(bytes, from, channel);
    return coming;
  }

 private:
  const Comm& inner_;
  const Network network_;
  mutable Clock::time_point link_is_free_ = Clock::now();
};

}  // namespace mbsc::bench
