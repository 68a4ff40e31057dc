// SPDX-License-Identifier: Apache-2.0
// ColumnMessages: the bytes of a column block in messages between ranks. There are two kinds of messages:
//     operands   the coordinates, unless all tiles come from the cache;
//                and the right-hand sides, except for degrees, where they are all ones
//     sums       the sums of the columns so far and, if they are requested, their largest entries so far
// Each part begins on a boundary of 64 bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "mbsc/affinity/pass/pass_input.h"
#include "mbsc/comm.h"

namespace mbsc {

using MessageBytes = AlignedVector<std::byte>;

/// A column block of another rank. `columns` refers to the memory of its messages, `operands` and `sums`.
template <class T, class Sum>
struct ReceivedColumns {
  PassColumns<T, Sum> columns;
  MessageBytes operands, sums;
  LargestEntries<T> largest;
  std::unique_ptr<Comm::Pending> operand_message, sum_message;  ///< the first is null if `operands` is empty
};

template <class T, class Sum>
class ColumnMessages {
 public:
  /// The input must outlive this object.
  explicit ColumnMessages(const PassInput<T, Sum>& input);

  /// The size in bytes of the operands, or of the sums, of a block of `rows` rows.
  int64_t operand_bytes(int64_t rows) const { return coordinate_bytes(rows) + rhs_bytes(rows); }
  int64_t sum_bytes(int64_t rows) const { return largest_offset(rows) + largest_bytes(rows); }

  /// The message with the operands, or with the sums, of these columns.
  MessageBytes write_operands(const PassColumns<T, Sum>& columns) const;
  MessageBytes write_sums(const PassColumns<T, Sum>& columns) const;
  /// Copies the sums of a message to own columns, after another rank has returned them.
  void read_sums(const MessageBytes& bytes, const PassColumns<T, Sum>& columns) const;

  /// Allocates the memory for a block of another rank; its columns refer to this memory.
  std::unique_ptr<ReceivedColumns<T, Sum>> make_received(int64_t block) const;
  /// Reads the largest entries from the received sums before a strip, and writes them back after it.
  void read_largest(ReceivedColumns<T, Sum>& received) const;
  void write_largest(ReceivedColumns<T, Sum>& received) const;

 private:
  bool has_rhs() const { return input_.operands.task == simd::Task::multiply; }
  int64_t coordinate_bytes(int64_t rows) const;
  int64_t rhs_bytes(int64_t rows) const;
  int64_t largest_offset(int64_t rows) const;
  int64_t largest_bytes(int64_t rows) const;

  const PassInput<T, Sum>& input_;
  std::vector<T> ones_;  ///< the right-hand side of degrees
};

}  // namespace mbsc
