// SPDX-License-Identifier: Apache-2.0
#include "mbsc/affinity/graph/pair_search.h"

#include <algorithm>
#include <limits>

namespace mbsc {

std::vector<float> center_of(MatrixView<const float> points, std::span<const int32_t> members) {
  const size_t count = std::min<size_t>(9, members.size());
  std::vector<float> center(size_t(points.cols));
  std::vector<float> values(count);
  for (int64_t f = 0; f < points.cols; ++f) {
    for (size_t c = 0; c < count; ++c) values[c] = points(members[c * members.size() / count], f);
    std::nth_element(values.begin(), values.begin() + int64_t(count / 2), values.end());
    center[size_t(f)] = values[count / 2];
  }
  return center;
}

void pack_members(MatrixView<const float> points, const PackingRule& rule, std::span<const int32_t> members,
                  int64_t width, simd::Packed<float>& out) {
  const std::vector<int64_t> rows(members.begin(), members.end());
  pack_points<float>(Points(points), rule, rows, width, out);
}

simd::RowsOf rows_of(MatrixView<const float> points, std::span<const int32_t> members) {
  return {points.data, points.stride, members.data(), int64_t(members.size()), points.cols};
}

void PairSearch::open(int64_t with_list) {
  const size_t size = members_.size();
  limits_.assign(size + 64, -std::numeric_limits<float>::infinity());
  for (int64_t i = 0; i < with_list; ++i) limits_[size_t(i)] = lists_.limit(members_[size_t(i)]);
  buffers_.resize(std::max(buffers_.size(), (size + 1) * size_t(room_)));
  counts_.assign(size, 0);
}

simd::PairTile PairSearch::tile() {
  simd::PairTile tile;
  tile.rows = &rows_;
  tile.columns = &columns_;
  tile.limits = limits_.data();
  tile.counts = counts_.data();
  tile.buffers = buffers_.data();
  tile.room = room_;
  tile.full = [](void* context, int64_t place) { static_cast<PairSearch*>(context)->flush(place); };
  tile.context = this;
  return tile;
}

void PairSearch::flush(int64_t place) {
  const std::span candidates(buffers_.data() + place * room_, size_t(counts_[size_t(place)]));
  for (simd::Candidate& candidate : candidates) candidate.point = members_[size_t(candidate.point)];
  counts_[size_t(place)] = 0;
  lists_.merge(members_[size_t(place)], candidates, scratch_);
  limits_[size_t(place)] = lists_.limit(members_[size_t(place)]);
}

void PairSearch::flush_all() {
  constexpr size_t ahead = 6;  // lists are scattered in memory
  for (size_t place = 0; place < members_.size(); ++place) {
    if (place + ahead < members_.size() && counts_[place + ahead] > 0) lists_.prefetch(members_[place + ahead]);
    if (counts_[place] > 0) flush(int64_t(place));
  }
}

void PairSearch::run(std::span<const int32_t> members) {
  if (members.size() < 2) return;
  members_.assign(members.begin(), members.end());
  pack_set(rows_of(lists_.points(), members), center_of(lists_.points(), members).data(), simd::Layout::both, rows_);
  open(int64_t(members.size()));
  simd::PairTile pairs = tile();
  pairs.columns = &rows_;
  pairs.is_same = true;
  compare_pairs(pairs);
  flush_all();
}

void PairSearch::run(std::span<const int32_t> first, std::span<const int32_t> second) {
  if (first.empty() || second.empty()) return;
  members_.assign(first.begin(), first.end());
  members_.insert(members_.end(), second.begin(), second.end());
  const std::vector<float> center = center_of(lists_.others(), second);
  pack_set(rows_of(lists_.points(), first), center.data(), simd::Layout::panels, rows_);
  pack_set(rows_of(lists_.others(), second), center.data(), simd::Layout::rows, columns_);
  open(int64_t(lists_.is_between() ? first.size() : members_.size()));
  simd::PairTile pairs = tile();
  pairs.column_place = int64_t(first.size());
  compare_pairs(pairs);
  flush_all();
}

}  // namespace mbsc
