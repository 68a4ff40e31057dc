// SPDX-License-Identifier: Apache-2.0
#include "mbsc/affinity/kernel/gathered_points.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace mbsc {
namespace {

/// The stored coordinates of some local rows, row by row.
template <class Value>
std::vector<Value> rows_of(const Points& points, std::span<const int64_t> rows) {
  std::vector<Value> values;
  values.reserve(rows.size() * size_t(points.features));
  for (const int64_t i : rows) {
    const Value* x = static_cast<const Value*>(points.data) + i * points.row_stride;
    for (int64_t f = 0; f < points.features; ++f) values.push_back(x[f * points.feature_stride]);
  }
  return values;
}

/// Gathers the local rows `mine` of every rank, in ascending order of their global numbers. The i-th of them is copied
/// to row place[i] of `bytes`.
template <class Value>
void gather(const Comm& comm, const Points& own, std::span<const int64_t> mine, std::span<const int64_t> place,
            AlignedVector<std::byte>& bytes) {
  const std::vector<Value> all = comm.gather<Value>(rows_of<Value>(own, mine));
  const size_t row_bytes = size_t(own.features) * sizeof(Value);
  bytes.resize(place.size() * row_bytes);
  for (size_t i = 0; i < place.size(); ++i)
    std::memcpy(bytes.data() + size_t(place[i]) * row_bytes, all.data() + i * size_t(own.features), row_bytes);
}

}  // namespace

GatheredPoints::GatheredPoints(const RowSpace& space, const Points& own, std::span<const int64_t> rows) {
  // gather() joins the contributions in the order of the ranks, so rows arrive in ascending order. Then each row is
  // copied to its place.
  std::vector<int64_t> place(rows.size()), mine;
  std::iota(place.begin(), place.end(), int64_t{0});
  std::stable_sort(place.begin(), place.end(), [&](int64_t a, int64_t b) { return rows[size_t(a)] < rows[size_t(b)]; });
  const Range held = space.own_rows();
  for (const int64_t i : place)
    if (held.contains(rows[size_t(i)])) mine.push_back(rows[size_t(i)] - held.begin);
  own.type == ScalarType::float32 ? gather<float>(space.comm(), own, mine, place, bytes_)
                                  : gather<double>(space.comm(), own, mine, place, bytes_);
  points_ = own;
  points_.data = bytes_.data();
  points_.rows = int64_t(rows.size());
  points_.row_stride = own.features;
  points_.feature_stride = 1;
  points_.first_row = 0;
}

}  // namespace mbsc
