// SPDX-License-Identifier: Apache-2.0
#include "mbsc/affinity/graph/pair_search.h"

#include <algorithm>
#include <limits>

namespace mbsc {
namespace {

/// The number of rows and of columns of a tile: a multiple of the rows of a panel and of the columns of a group.
constexpr int64_t block_size = 192;

/// The threshold of the tile for a farthest distance. It is slightly below -farthest, so that equal distances are
/// offered, too.
float threshold(float farthest) { return -farthest * 1.000001F - std::numeric_limits<float>::min(); }

}  // namespace

float rounding_margin(int64_t features) { return (1.5F * float(features) + 40) / float(1 << 24); }

std::vector<double> center_of(MatrixView<const float> points, std::span<const int32_t> members) {
  const size_t count = std::min<size_t>(9, members.size());
  std::vector<double> center(size_t(points.cols));
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

/// Members before `border` are rows of lists_.points(), the others of lists_.others(). A block has rows of one matrix.
void PairSearch::open(std::span<const int32_t> members, int64_t border) {
  const int64_t features = lists_.points().cols;
  const auto size = int64_t(members.size()), with_list = lists_.is_between() ? border : size;
  members_.assign(members.begin(), members.end());
  rule_.offset = center_of(lists_.others(), lists_.is_between() ? members.subspan(size_t(border)) : members);
  rule_.factor.assign(size_t(features), 1.0);
  rule_.expanded = true;
  blocks_.count = (size + block_size - 1) / block_size;
  if (int64_t(blocks_.rows.size()) < blocks_.count) {
    blocks_.rows.resize(size_t(blocks_.count));
    blocks_.columns.resize(size_t(blocks_.count));
  }
  const float keep = 1 - rounding_margin(features);
  for (int64_t b = 0; b < blocks_.count; ++b) {
    const MatrixView<const float> points = b * block_size < border ? lists_.points() : lists_.others();
    const auto part = members.subspan(size_t(b * block_size), size_t(std::min(block_size, size - b * block_size)));
    pack_members(points, rule_, part, simd::panel_rows<float>(), blocks_.rows[size_t(b)]);
    pack_members(points, rule_, part, simd::group_columns, blocks_.columns[size_t(b)]);
    for (float& norm : blocks_.rows[size_t(b)].norms) norm *= keep;
    for (float& norm : blocks_.columns[size_t(b)].norms) norm *= keep;
  }
  least_.assign(size_t(size + 64), std::numeric_limits<float>::infinity());
  for (int64_t i = 0; i < with_list; ++i) least_[size_t(i)] = threshold(lists_.farthest(members_[size_t(i)]));
  waiting_.resize(size_t(with_list * room_));
  counts_.assign(size_t(size), 0);
}

void PairSearch::flush(int64_t place) {
  const int32_t* first = waiting_.data() + place * room_;
  candidates_.clear();
  for (int32_t c = 0; c < counts_[size_t(place)]; ++c) candidates_.push_back(members_[size_t(first[c])]);
  counts_[size_t(place)] = 0;
  lists_.merge(members_[size_t(place)], candidates_, scratch_);
  least_[size_t(place)] = threshold(lists_.farthest(members_[size_t(place)]));
}

void PairSearch::push(int64_t place, int64_t other) {
  int32_t& count = counts_[size_t(place)];
  waiting_[size_t(place * room_ + count++)] = int32_t(other);
  if (count == room_) flush(place);
}

void PairSearch::offer(void* context, int64_t row, int64_t column, float value) {
  const Pair& pair = *static_cast<const Pair*>(context);
  if (pair.is_diagonal && column <= row) return;
  PairSearch& search = *pair.search;
  const int64_t i = pair.row + row, j = pair.column + column;
  if (value > search.least_[size_t(i)]) search.push(i, j);
  if (value > search.least_[size_t(j)]) search.push(j, i);
}

void PairSearch::search(int64_t row_block, int64_t column_block) {
  Pair pair{this, row_block * block_size, column_block * block_size, row_block == column_block};
  simd::Tile<float> tile;
  tile.form = simd::Form::distance;
  tile.rows = &blocks_.rows[size_t(row_block)];
  tile.columns = &blocks_.columns[size_t(column_block)];
  tile.offer = offer;
  tile.offer_context = &pair;
  tile.row_least = least_.data() + pair.row;
  tile.column_least = least_.data() + pair.column;
  tile.scratch = &tile_scratch_;
  simd::run(simd::Task::search, tile);
}

void PairSearch::flush_all() {
  for (size_t place = 0; place < members_.size(); ++place)
    if (counts_[place] > 0) flush(int64_t(place));
}

void PairSearch::run(std::span<const int32_t> members) {
  if (members.size() < 2) return;
  open(members, int64_t(members.size()));
  for (int64_t i = 0; i < blocks_.count; ++i)
    for (int64_t j = i; j < blocks_.count; ++j) search(i, j);
  flush_all();
}

void PairSearch::run(std::span<const int32_t> first, std::span<const int32_t> second) {
  // The first set is padded to whole blocks with repetitions of its last point. Their lists get no offers.
  std::vector<int32_t> both(first.begin(), first.end());
  const auto real = int64_t(both.size());
  both.resize(size_t((real + block_size - 1) / block_size * block_size), first.back());
  const auto padded = int64_t(both.size());
  both.insert(both.end(), second.begin(), second.end());
  open(both, padded);
  std::fill(least_.begin() + real, least_.begin() + padded, std::numeric_limits<float>::infinity());
  for (int64_t i = 0; i < padded / block_size; ++i)
    for (int64_t j = padded / block_size; j < blocks_.count; ++j) search(i, j);
  flush_all();
}

}  // namespace mbsc
