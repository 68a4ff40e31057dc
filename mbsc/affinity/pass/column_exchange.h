// SPDX-License-Identifier: Apache-2.0
// ColumnExchange: the messages of a symmetric pass on several ranks. Turns and strips are defined in pair_ring.h.
//
// A column block of another rank arrives in two messages (column_messages.h). The owner of the block sends the
// operands. The next rank on the ring, which met the column block before this rank, sends the sums. The rank on which
// the column block meets its last row block returns the sums to the owner.
//
// All ranks process their strips in the same order and at the same time (exchange_schedule.h). Before strip s is
// computed, a rank posts the receives of strip s + 1 and sends the operands that other ranks need in strip s + 1. After
// strip s, it sends the finished sums that the previous rank needs in strip s + 1, and stores the other finished sums
// until the previous rank needs them. So a rank holds the operands of other ranks for at most two strips, and stores at
// most about as many sums as its own rows have.
//
// There is no deadlock, whether or not the transport buffers messages. A rank waits only for columns that were sent
// during an earlier strip. It waits for the messages that it has sent two strips after it has started them. Their
// receivers post the receives without waiting for this rank.
//
// A rank receives the coordinates, right-hand sides and sums of about n/2 rows.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "mbsc/affinity/pass/column_messages.h"
#include "mbsc/affinity/pass/exchange_schedule.h"

namespace mbsc {

template <class T, class Sum>
class ColumnExchange {
 public:
  /// Both arguments must outlive this object.
  ColumnExchange(const PassInput<T, Sum>& input, const ExchangeSchedule& schedule);

  /// The columns of a turn: own columns, or columns that were received.
  PassColumns<T, Sum> columns_of(int64_t turn) const;

  // For each strip s of the schedule, a pass calls the next four functions in this order. If a rank has fewer strips,
  // it does not call the two functions that take a Strip for the missing ones. After the last strip it calls finish().

  /// Posts the receives of the columns of strip s + 1, and of own sums that are returned after strip s. Sends what is
  /// ready for strip s + 1.
  void begin_strip(int64_t s);
  /// Waits until the columns of this strip have arrived.
  void wait_for_columns(const Strip& strip);
  /// Sends or stores the sums of the received columns of this strip.
  void pass_on_sums(int64_t s, const Strip& strip);
  /// Waits for the messages that were started two strips before.
  void end_strip();
  /// Waits for all messages.
  void finish();

 private:
  enum class Channel { operands, sums, returned_sums };
  struct Message {
    MessageBytes bytes;
    std::unique_ptr<Comm::Pending> pending;
  };
  /// The messages that were started in one strip, except the receives of columns.
  struct StripMessages {
    std::vector<Message> sent;
    std::vector<std::pair<int64_t, Message>> returned;  ///< an own block, and the receive of its sums
  };

  void receive_columns(int64_t strip);
  void receive_returned_sums(int64_t strip);
  void send_operands(int64_t strip);
  void send_sums(int64_t strip);
  void send(MessageBytes bytes, int to, Channel channel);
  std::unique_ptr<Comm::Pending> receive(MessageBytes& bytes, int from, Channel channel) const;
  void finish_oldest();

  const PassInput<T, Sum>& input_;
  const ExchangeSchedule& schedule_;
  const Comm& comm_;
  const ColumnMessages<T, Sum> messages_;
  std::map<int64_t, std::unique_ptr<ReceivedColumns<T, Sum>>> received_;  ///< by turn
  std::map<int64_t, MessageBytes> stored_sums_;  ///< by turn: sums that the previous rank will need
  int64_t next_to_send_ = 0;                     ///< the turn of the previous rank for which sums are sent next
  int64_t finished_turns_;                       ///< all turns of this rank below this number are finished
  std::deque<StripMessages> strips_;             ///< messages in progress, from the oldest strip to the newest
};

}  // namespace mbsc
