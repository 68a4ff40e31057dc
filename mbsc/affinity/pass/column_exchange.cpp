// SPDX-License-Identifier: Apache-2.0
#include "mbsc/affinity/pass/column_exchange.h"

#include <algorithm>

#include "mbsc/base/float64.h"

namespace mbsc {

template <class T, class Sum>
ColumnExchange<T, Sum>::ColumnExchange(const PassInput<T, Sum>& input, const ExchangeSchedule& schedule)
    : input_(input),
      schedule_(schedule),
      comm_(input.space.comm()),
      messages_(input),
      finished_turns_(input.own.begin) {}

template <class T, class Sum>
PassColumns<T, Sum> ColumnExchange<T, Sum>::columns_of(int64_t turn) const {
  const auto received = received_.find(turn);
  return received != received_.end() ? received->second->columns : input_.own_columns(input_.ring.column_of(turn));
}

template <class T, class Sum>
void ColumnExchange<T, Sum>::begin_strip(int64_t s) {
  strips_.emplace_back();
  receive_columns(s + 1);
  receive_returned_sums(s);
  send_operands(s + 1);
  send_sums(s + 1);
}

template <class T, class Sum>
void ColumnExchange<T, Sum>::receive_columns(int64_t strip) {
  const Range turns = schedule_.turns_of_strip(input_.own, strip);
  for (int64_t turn = turns.begin; turn < turns.end; ++turn) {
    if (!schedule_.is_foreign(input_.own, turn)) continue;
    const int64_t block = input_.ring.column_of(turn);
    auto received = messages_.make_received(block);
    if (!received->operands.empty())
      received->operand_message = receive(received->operands, schedule_.owner_of(block), Channel::operands);
    received->sum_message = receive(received->sums, schedule_.next(), Channel::sums);
    received_[turn] = std::move(received);
  }
}

template <class T, class Sum>
void ColumnExchange<T, Sum>::receive_returned_sums(int64_t strip) {
  for (const auto& transfer : schedule_.returning(strip)) {
    const int64_t rows = input_.space.blocks().block(transfer.block).size();
    Message message{MessageBytes(size_t(messages_.sum_bytes(rows))), nullptr};
    message.pending = receive(message.bytes, transfer.rank, Channel::returned_sums);
    strips_.back().returned.emplace_back(transfer.block, std::move(message));
  }
}

template <class T, class Sum>
void ColumnExchange<T, Sum>::send_operands(int64_t strip) {
  if (strip >= schedule_.strips() || messages_.operand_bytes(1) == 0) return;
  for (const auto& transfer : schedule_.outgoing(strip))
    send(messages_.write_operands(input_.own_columns(transfer.block)), transfer.rank, Channel::operands);
}

/// Sends the sums that the previous rank needs in strip `strip`, in the order of its turns. Stops at the first sum that
/// this rank has not finished.
template <class T, class Sum>
void ColumnExchange<T, Sum>::send_sums(int64_t strip) {
  const int previous = schedule_.previous();
  const Range theirs = schedule_.blocks_of(previous), turns = schedule_.turns_of_strip(theirs, strip);
  for (int64_t turn = std::max(turns.begin, next_to_send_); turn < turns.end; ++turn) {
    if (!schedule_.is_foreign(theirs, turn)) continue;
    const int64_t block = input_.ring.column_of(turn), own_turn = schedule_.turn_of(input_.own, block);
    if (own_turn >= finished_turns_) return;
    next_to_send_ = turn + 1;
    if (const auto stored = stored_sums_.find(own_turn); stored != stored_sums_.end()) {
      send(std::move(stored->second), previous, Channel::sums);
      stored_sums_.erase(stored);
    } else {
      send(messages_.write_sums(input_.own_columns(block)), previous, Channel::sums);
    }
  }
}

template <class T, class Sum>
void ColumnExchange<T, Sum>::wait_for_columns(const Strip& strip) {
  for (int64_t turn = strip.turns.begin; turn < strip.turns.end; ++turn) {
    const auto at = received_.find(turn);
    if (at == received_.end()) continue;
    ReceivedColumns<T, Sum>& received = *at->second;
    if (received.operand_message) received.operand_message->wait();
    received.sum_message->wait();
    messages_.read_largest(received);
  }
}

template <class T, class Sum>
void ColumnExchange<T, Sum>::pass_on_sums(int64_t s, const Strip& strip) {
  for (int64_t turn = strip.turns.begin; turn < strip.turns.end; ++turn) {
    const auto at = received_.find(turn);
    if (at == received_.end()) continue;
    ReceivedColumns<T, Sum>& received = *at->second;
    messages_.write_largest(received);
    const int64_t block = input_.ring.column_of(turn);
    const bool is_complete = turn - input_.ring.reach_of_column(block) >= input_.own.begin;
    if (is_complete)
      send(std::move(received.sums), schedule_.owner_of(block), Channel::returned_sums);
    else
      stored_sums_[turn] = std::move(received.sums);
    received_.erase(at);
  }
  finished_turns_ = strip.turns.end;
  send_sums(s + 1);
}

template <class T, class Sum>
void ColumnExchange<T, Sum>::end_strip() {
  if (strips_.size() > 2) finish_oldest();
}

template <class T, class Sum>
void ColumnExchange<T, Sum>::finish() {
  while (!strips_.empty()) finish_oldest();
}

template <class T, class Sum>
void ColumnExchange<T, Sum>::finish_oldest() {
  for (Message& message : strips_.front().sent) message.pending->wait();
  for (auto& [block, message] : strips_.front().returned) {
    message.pending->wait();
    messages_.read_sums(message.bytes, input_.own_columns(block));
  }
  strips_.pop_front();
}

template <class T, class Sum>
void ColumnExchange<T, Sum>::send(MessageBytes bytes, int to, Channel channel) {
  std::vector<Message>& sent = strips_.back().sent;
  sent.push_back({std::move(bytes), nullptr});
  sent.back().pending = comm_.start_send(std::span<const std::byte>(sent.back().bytes), to, int(channel));
}

template <class T, class Sum>
std::unique_ptr<Comm::Pending> ColumnExchange<T, Sum>::receive(MessageBytes& bytes, int from, Channel channel) const {
  return comm_.start_receive(std::span<std::byte>(bytes), from, int(channel));
}

template class ColumnExchange<float, float>;
template class ColumnExchange<float, double>;
MBSC_FLOAT64(template class ColumnExchange<double, double>;)

}  // namespace mbsc
