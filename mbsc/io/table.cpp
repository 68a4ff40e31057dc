// SPDX-License-Identifier: Apache-2.0
#include "mbsc/io/table.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "mbsc/base/parallel.h"
#include "mbsc/base/require.h"

namespace mbsc {
namespace {

/// Values in the order of memory, in blocks that threads take.
constexpr int64_t block_values = 1 << 16;

/// (x - shift) * scale of values [begin, end), packed as float32 to the place where values[begin]
/// was.
template <class T>
void round_block(T* values, int64_t begin, int64_t end, const Table& table,
                 const std::vector<double>& shift, const std::vector<double>& scale) {
  const int64_t line = table.column_major ? table.rows : table.features;
  int64_t outer = begin / line, inner = begin % line;
  char* to = reinterpret_cast<char*>(values + begin);
  for (int64_t i = begin; i < end; ++i, to += sizeof(float)) {
    const auto feature = static_cast<size_t>(table.column_major ? outer : inner);
    double x = static_cast<double>(values[i]);
    if (!shift.empty()) x -= shift[feature];
    if (!scale.empty()) x *= scale[feature];
    const float rounded = static_cast<float>(x);
    require(std::isfinite(rounded), "row {}, feature {}: {} is too large for float32 after scaling",
            table.first_row + (table.column_major ? inner : outer) + 1, feature + 1, x);
    std::memcpy(to, &rounded, sizeof rounded);
    if (++inner == line) inner = 0, ++outer;
  }
}

}  // namespace

Points Table::points() const {
  Points view(buffer.get(), type, rows, features, column_major ? 1 : features,
              column_major ? rows : 1);
  view.first_row = first_row;
  return view;
}

void Table::round_to_float32(const std::vector<double>& shift, const std::vector<double>& scale,
                             int threads) {
  require(shift.empty() || std::ssize(shift) == features, "shift must have {} values; got {}",
          features, shift.size());
  require(scale.empty() || std::ssize(scale) == features, "scale must have {} values; got {}",
          features, scale.size());
  const int64_t count = rows * features, blocks = (count + block_values - 1) / block_values;
  const auto end_of = [&](int64_t b) { return std::min(count, (b + 1) * block_values); };
  if (type == ScalarType::float32) {
    auto* values = static_cast<float*>(buffer.get());
    parallel_for(threads, blocks, [&](int64_t b) {
      round_block(values, b * block_values, end_of(b), *this, shift, scale);
    });
    return;
  }
  auto* values = static_cast<double*>(buffer.get());
  parallel_for(threads, blocks, [&](int64_t b) {
    round_block(values, b * block_values, end_of(b), *this, shift, scale);
  });
  // Each block is packed where it was; now close the gaps.
  auto* bytes = static_cast<char*>(buffer.get());
  for (int64_t b = 1; b < blocks; ++b) {
    const int64_t begin = b * block_values;
    std::memmove(bytes + begin * 4, bytes + begin * 8, static_cast<size_t>(end_of(b) - begin) * 4);
  }
  type = ScalarType::float32;
  void* shrunk = std::realloc(buffer.get(), static_cast<size_t>(std::max<int64_t>(count, 1)) * 4);
  if (shrunk == nullptr) return;  // the old block stays valid
  (void)buffer.release();
  buffer.reset(shrunk);
}

}  // namespace mbsc
