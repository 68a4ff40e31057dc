// SPDX-License-Identifier: Apache-2.0
#include "mbsc/affinity/pass/column_messages.h"

#include <algorithm>
#include <cstring>

#include "mbsc/base/float64.h"

namespace mbsc {
namespace {

int64_t round_up(int64_t bytes) { return (bytes + 63) / 64 * 64; }

template <class Value>
void copy_rows(MatrixView<const Value> from, std::byte* to) {
  for (int64_t i = 0; i < from.rows; ++i)
    std::memcpy(to + size_t(i * from.cols) * sizeof(Value), from.row(i), size_t(from.cols) * sizeof(Value));
}

void copy_coordinates(const Points& points, std::byte* to) {
  const auto copy = [&]<class Value>(const Value* from) {
    auto* out = reinterpret_cast<Value*>(to);
    for (int64_t i = 0; i < points.rows; ++i)
      for (int64_t f = 0; f < points.features; ++f) *out++ = from[i * points.row_stride + f * points.feature_stride];
  };
  points.type == ScalarType::float32 ? copy(static_cast<const float*>(points.data))
                                     : copy(static_cast<const double*>(points.data));
}

}  // namespace

template <class T, class Sum>
ColumnMessages<T, Sum>::ColumnMessages(const PassInput<T, Sum>& input) : input_(input) {
  if (!has_rhs()) ones_.assign(size_t(input.space.blocks().block_rows()), T{1});
}

template <class T, class Sum>
int64_t ColumnMessages<T, Sum>::coordinate_bytes(int64_t rows) const {
  const int64_t value = input_.points.type == ScalarType::float32 ? 4 : 8;
  return input_.needs_points() ? round_up(rows * input_.points.features * value) : 0;
}

template <class T, class Sum>
int64_t ColumnMessages<T, Sum>::rhs_bytes(int64_t rows) const {
  return has_rhs() ? round_up(rows * input_.operands.V.cols * int64_t(sizeof(T))) : 0;
}

template <class T, class Sum>
int64_t ColumnMessages<T, Sum>::largest_offset(int64_t rows) const {
  return round_up(rows * input_.sums_per_row() * int64_t(sizeof(Sum)));
}

template <class T, class Sum>
int64_t ColumnMessages<T, Sum>::largest_bytes(int64_t rows) const {
  const LargestEntries<T>* largest = input_.operands.row_largest;
  return largest != nullptr ? round_up(largest->state_bytes(rows)) : 0;
}

template <class T, class Sum>
MessageBytes ColumnMessages<T, Sum>::write_operands(const PassColumns<T, Sum>& columns) const {
  const int64_t rows = columns.rows.size();
  MessageBytes bytes(static_cast<size_t>(operand_bytes(rows)));
  if (input_.needs_points()) copy_coordinates(columns.points, bytes.data());
  if (has_rhs()) copy_rows<T>(columns.V, bytes.data() + coordinate_bytes(rows));
  return bytes;
}

template <class T, class Sum>
MessageBytes ColumnMessages<T, Sum>::write_sums(const PassColumns<T, Sum>& columns) const {
  const int64_t rows = columns.rows.size();
  MessageBytes bytes(static_cast<size_t>(sum_bytes(rows)));
  copy_rows<Sum>(columns.sums, bytes.data());
  if (columns.largest) columns.largest->write_state(columns.first_largest, rows, bytes.data() + largest_offset(rows));
  return bytes;
}

template <class T, class Sum>
void ColumnMessages<T, Sum>::read_sums(const MessageBytes& bytes, const PassColumns<T, Sum>& columns) const {
  const int64_t rows = columns.rows.size(), width = input_.sums_per_row();
  const auto* sums = reinterpret_cast<const Sum*>(bytes.data());
  for (int64_t i = 0; i < rows; ++i) std::copy_n(sums + i * width, width, columns.sums.row(i));
  if (columns.largest) columns.largest->read_state(columns.first_largest, rows, bytes.data() + largest_offset(rows));
}

template <class T, class Sum>
std::unique_ptr<ReceivedColumns<T, Sum>> ColumnMessages<T, Sum>::make_received(int64_t block) const {
  auto received = std::make_unique<ReceivedColumns<T, Sum>>();
  PassColumns<T, Sum>& columns = received->columns;
  columns.rows = input_.space.blocks().block(block);
  const int64_t rows = columns.rows.size();
  received->operands.resize(size_t(operand_bytes(rows)));
  received->sums.resize(size_t(sum_bytes(rows)));
  columns.points = input_.points;
  columns.points.data = received->operands.data();
  columns.points.rows = rows;
  columns.points.row_stride = input_.points.features;
  columns.points.feature_stride = 1;
  const auto* rhs = reinterpret_cast<const T*>(received->operands.data() + coordinate_bytes(rows));
  columns.V = {has_rhs() ? rhs : ones_.data(), rows, input_.operands.V.cols};
  columns.sums = {reinterpret_cast<Sum*>(received->sums.data()), rows, input_.sums_per_row()};
  if (const LargestEntries<T>* largest = input_.operands.row_largest) {
    received->largest = LargestEntries<T>(rows, largest->each());
    columns.largest = &received->largest;
  }
  return received;
}

template <class T, class Sum>
void ColumnMessages<T, Sum>::read_largest(ReceivedColumns<T, Sum>& received) const {
  const int64_t rows = received.columns.rows.size();
  if (received.columns.largest) received.largest.read_state(0, rows, received.sums.data() + largest_offset(rows));
}

template <class T, class Sum>
void ColumnMessages<T, Sum>::write_largest(ReceivedColumns<T, Sum>& received) const {
  const int64_t rows = received.columns.rows.size();
  if (received.columns.largest) received.largest.write_state(0, rows, received.sums.data() + largest_offset(rows));
}

template class ColumnMessages<float, float>;
template class ColumnMessages<float, double>;
MBSC_FLOAT64(template class ColumnMessages<double, double>;)

}  // namespace mbsc
