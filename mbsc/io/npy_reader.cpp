// SPDX-License-Identifier: Apache-2.0
// The row of the reader table for NPY arrays (npy_header.h). The values are read in chunks and converted to float32 in
// parallel. If float32 cannot represent a value exactly, the whole table becomes float64.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <utility>
#include <vector>

#include "mbsc/base/parallel.h"
#include "mbsc/base/require.h"
#include "mbsc/io/class_index.h"
#include "mbsc/io/growing_values.h"
#include "mbsc/io/label_column.h"
#include "mbsc/io/npy_header.h"
#include "mbsc/io/npy_values.h"
#include "mbsc/io/reader.h"
#include "mbsc/io/row_range.h"

namespace mbsc {
namespace {

/// Reads the values in the order of the file: row by row in C order, column by column in Fortran order. A table in
/// Fortran order stays column-major.
class NpyFile {
 public:
  NpyFile(InputStream& stream, const ReadOptions& options, size_t chunk_bytes)
      : stream_(stream),
        options_(options),
        chunk_bytes_(static_cast<int64_t>(chunk_bytes)),
        header_(read_npy_header(stream)),
        values_(stream.name()) {
    label_column_ = find_label_column(options.label_column, header_.columns, stream.name());
    rows_ = checked_rows(options, header_.rows, stream.name());
    features_ = header_.columns - (label_column_ >= 0 ? 1 : 0);
    expected_bytes_ = header_.rows * header_.columns * header_.value_bytes;
    if (const auto left = stream.bytes_left()) require_bytes(*left);
  }

  Table read() {
    values_.reserve(rows_.size() * features_);
    header_.fortran_order ? read_columns() : read_rows();
    if (rows_.end == header_.rows) stream_.peek(1);  // makes gzip verify its checksum, which follows the last value
    Table table;
    table.rows = rows_.size();
    table.features = features_;
    table.column_major = header_.fortran_order;
    table.first_row = rows_.begin;
    table.type = values_.type();
    table.buffer = values_.release(table.rows * table.features);
    table.truth = std::move(truth_);
    table.class_names = classes_.release();
    sort_integer_classes(table.truth, table.class_names);
    table.format = "npy";
    return table;
  }

 private:
  void read_rows() {
    const int64_t row_bytes = header_.columns * header_.value_bytes;
    skip(rows_.begin * row_bytes);
    const int64_t step = std::max<int64_t>(1, chunk_bytes_ / row_bytes);
    for (int64_t row = rows_.begin; row < rows_.end; row += step) {
      const int64_t count = std::min(step, rows_.end - row);
      take(count * row_bytes);
      const int64_t to = (row - rows_.begin) * features_;
      if (label_column_ < 0) {
        store_values(0, count * header_.columns, to,
                     [&](int64_t i) { return std::pair(row + i / header_.columns, i % header_.columns); });
        continue;
      }
      for (int64_t i = 0; i < count; ++i) {
        const int64_t begin = i * header_.columns, right = label_column_ + 1;
        store_values(begin, label_column_, to + i * features_, [&](int64_t c) { return std::pair(row + i, c); });
        store_values(begin + right, header_.columns - right, to + i * features_ + label_column_,
                     [&](int64_t c) { return std::pair(row + i, right + c); });
        add_labels(begin + label_column_, 1);
      }
    }
  }

  void read_columns() {
    const int64_t step = std::max<int64_t>(1, chunk_bytes_ / header_.value_bytes);
    int64_t feature = 0;
    for (int64_t column = 0; column < header_.columns; ++column) {
      skip(rows_.begin * header_.value_bytes);
      for (int64_t row = rows_.begin; row < rows_.end; row += step) {
        const int64_t count = std::min(step, rows_.end - row);
        take(count * header_.value_bytes);
        if (column == label_column_) {
          add_labels(0, count);
        } else {
          store_values(0, count, feature * rows_.size() + row - rows_.begin,
                       [&](int64_t i) { return std::pair(row + i, column); });
        }
      }
      skip((header_.rows - rows_.end) * header_.value_bytes);
      if (column != label_column_) ++feature;
    }
  }

  void skip(int64_t bytes) {
    if (options_.stop.stop_requested()) throw Stopped();
    const int64_t skipped = stream_.skip(bytes);
    found_bytes_ += skipped;
    if (skipped < bytes) require_bytes(found_bytes_);
  }

  void take(int64_t bytes) {
    if (options_.stop.stop_requested()) throw Stopped();
    chunk_.resize(static_cast<size_t>(bytes));
    const auto got = static_cast<int64_t>(stream_.read(chunk_.data(), chunk_.size()));
    found_bytes_ += got;
    if (got < bytes) require_bytes(found_bytes_);
  }

  void require_bytes(int64_t found) const {
    require(found >= expected_bytes_, "{}: the file is truncated: {} x {} values need {} bytes, found {}",
            stream_.name(), header_.rows, header_.columns, expected_bytes_, found);
  }

  /// Converts the values [from, from + count) of the chunk and stores them from value `to` of the table on. place(i) is
  /// the row and the column of the i-th of them.
  template <class Place>
  void store_values(int64_t from, int64_t count, int64_t to, Place&& place) {
    const char* bytes = chunk_.data() + from * header_.value_bytes;
    Conversion worst = convert_all(bytes, count, to);
    if (worst == Conversion::inexact) {
      values_.widen(to);
      worst = convert_all(bytes, count, to);
    }
    if (worst == Conversion::not_finite) throw_not_finite(bytes, count, place);
  }

  Conversion convert_all(const char* bytes, int64_t count, int64_t to) {
    return values_.type() == ScalarType::float32 ? convert_blocks(bytes, count, values_.float32() + to)
                                                 : convert_blocks(bytes, count, values_.float64() + to);
  }

  template <class To>
  Conversion convert_blocks(const char* bytes, int64_t count, To* to) const {
    constexpr int64_t block = 16384;
    const auto convert_block = converter<To>(header_.type);
    std::atomic<Conversion> worst{Conversion::exact};
    parallel_for(options_.threads, (count + block - 1) / block, [&](int64_t b) {
      const int64_t begin = b * block, length = std::min(block, count - begin);
      const Conversion found = convert_block(bytes + begin * header_.value_bytes, length, to + begin);
      Conversion before = worst.load();
      while (found > before && !worst.compare_exchange_weak(before, found)) {
      }
    });
    return worst;
  }

  template <class Place>
  [[noreturn]] void throw_not_finite(const char* bytes, int64_t count, Place&& place) const {
    double value = 0;
    int64_t i = 0;
    for (; i < count; ++i) {
      converter<double>(header_.type)(bytes + i * header_.value_bytes, 1, &value);
      if (!std::isfinite(value)) break;
    }
    const auto [row, column] = place(i);
    throw InvalidInput(fmt::format("{}: {} in row {}, column {} (counted from 1) is not allowed: values must be finite",
                                   stream_.name(), value, row + 1, column + 1));
  }

  void add_labels(int64_t from, int64_t count) {
    const char* bytes = chunk_.data() + from * header_.value_bytes;
    for (int64_t i = 0; i < count; ++i) {
      double value = 0;
      converter<double>(header_.type)(bytes + i * header_.value_bytes, 1, &value);
      truth_.push_back(classes_.index_of(class_name(value)));
    }
  }

  InputStream& stream_;
  const ReadOptions& options_;
  int64_t chunk_bytes_;
  NpyHeader header_;
  GrowingValues values_;
  int64_t label_column_ = -1;
  Range rows_;
  int64_t features_ = 0;
  int64_t expected_bytes_ = 0;
  int64_t found_bytes_ = 0;
  std::vector<char> chunk_;
  ClassIndex classes_;
  std::vector<int32_t> truth_;
};

Certainty detect(std::string_view head, std::string_view file_name) {
  if (head.starts_with(npy_magic)) return Certainty::magic;
  return file_name.ends_with(".npy") ? Certainty::name : Certainty::none;
}

}  // namespace

const Reader& npy_reader() {
  static const Reader reader = {
      .name = "npy",
      .is_text = false,
      .detect = detect,
      .read = [](InputStream& stream, const ReadOptions& options,
                 size_t chunk_bytes) { return NpyFile(stream, options, chunk_bytes).read(); },
      .count_rows = [](InputStream& stream, const ReadOptions&) { return read_npy_header(stream).rows; },
      .read_part = nullptr,
  };
  return reader;
}

}  // namespace mbsc
