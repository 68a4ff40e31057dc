// SPDX-License-Identifier: Apache-2.0
// DelayedComm: a Comm that wraps another one and delays its messages, to simulate a slower network. A message takes one
// latency, and the time that its bytes need at the bandwidth. A gather over P ranks takes 2 ceil(log2 P) latencies,
// half of them for the sizes, and the time of the bytes that it receives. A broadcast goes down a tree and sends all
// bytes on each level. These are the assumptions of the model in docs/ranks.md.
#pragma once

#include <algorithm>
#include <bit>
#include <chrono>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "mbsc/comm.h"

namespace mbsc::bench {

struct Network {
  double latency = 0;  ///< seconds
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

  /// A message and the time of its arrival, which its sender knows and sends on a second channel. (All ranks are on one
  /// machine and share a clock.)
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
  static int time_channel(int channel) { return channel + 64; }

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
    // The link sends one message at a time.
    link_is_free_ = std::max(link_is_free_, Clock::now()) + duration(double(bytes.size()) * network_.seconds_per_byte);
    sent->arrival = (link_is_free_ + duration(network_.latency)).time_since_epoch().count();
    sent->time = inner_.start_send(std::span<const int64_t>(&sent->arrival, 1), to, time_channel(channel));
    sent->message = inner_.start_send(bytes, to, channel);
    return sent;
  }
  std::unique_ptr<Pending> start_receive_bytes(std::span<std::byte> bytes, int from, int channel) const override {
    auto coming = std::make_unique<Timed>();
    coming->is_incoming = true;
    coming->time = inner_.start_receive(std::span<int64_t>(&coming->arrival, 1), from, time_channel(channel));
    coming->message = inner_.start_receive(bytes, from, channel);
    return coming;
  }

 private:
  const Comm& inner_;
  const Network network_;
  mutable Clock::time_point link_is_free_ = Clock::now();
};

}  // namespace mbsc::bench
