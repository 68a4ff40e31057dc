// SPDX-License-Identifier: Apache-2.0
// The tile, compiled once for each SIMD level (see tile.h for the formulas and the layout). A tile is processed block
// by block: the values of a few panels against a few groups are computed and then used while they are in cache. Each
// step is a separate loop that keeps the multiply-add units busy (tile_steps-inl.h).
// clang-format off
#if defined(MBSC_SIMD_TILE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MBSC_SIMD_TILE_INL_H_
#undef MBSC_SIMD_TILE_INL_H_
#else
#define MBSC_SIMD_TILE_INL_H_
#endif
// clang-format on

#include <hwy/highway.h>

#include <algorithm>
#include <limits>

#include "mbsc/simd/tile.h"
#include "mbsc/simd/tile_steps-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mbsc::simd {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// The size of a block: 4 panels against 16 groups. Its values (24 KiB in float) stay in cache while they are used.
/// 24 KiB of the coordinates of a group also stay in cache while the panels are processed.
constexpr int64_t kPanels = 4, kGroups = 16, kFeatureBytes = 24576;

/// One block of a tile: some panels against some groups.
struct Block {
  int64_t panel, panels, group, groups;
};

template <Task task, class T>
class TileRun {
 public:
  explicit TileRun(const Tile<T>& tile)
      : tile_(tile),
        rows_(*tile.rows),
        columns_(*tile.columns),
        d_(rows_.features),
        r_(task == Task::multiply ? tile.right_hand_sides : 1),
        outs_(task == Task::degrees ? 2 : r_),
        transposed_((task == Task::multiply || task == Task::degrees) && tile.column_out != nullptr),
        add_features_(choose_add_features<T>(tile.form, tile.direct)) {
    const int64_t values = kPanels * kGroups * kColumns * width_;
    const int64_t sums = transposed_ ? outs_ * kGroups * kColumns * lanes_ : 0;
    tile.scratch->resize(size_t(values + sums));
    values_ = tile.scratch->data();
    sums_ = transposed_ ? values_ + values : nullptr;
    ascending_ = tile.column_index != nullptr && std::is_sorted(tile.column_index, tile.column_index + columns_.count);
  }

  void run() {
    for (int64_t group = 0; group < columns_.pieces(); group += kGroups) {
      const int64_t groups = std::min(kGroups, columns_.pieces() - group);
      if (transposed_) std::fill_n(sums_, outs_ * groups * kColumns * lanes_, T{});
      for (int64_t panel = 0; panel < rows_.pieces(); panel += kPanels) {
        const Block block{panel, std::min(kPanels, rows_.pieces() - panel), group, groups};
        if (!fetch(block)) {
          find_values(block);
          zero_diagonal(block);
          keep(block);
        }
        use_values(block);
      }
      if (transposed_) add_column_sums(group, groups);
    }
  }

 private:
  T* values_of(int64_t p, int64_t g) const { return values_ + (p * kGroups + g) * kColumns * width_; }
  int64_t real_columns(int64_t group) const { return std::min<int64_t>(kColumns, columns_.count - group * kColumns); }
  int64_t real_rows(int64_t panel) const { return std::min(width_, rows_.count - panel * width_); }

  void find_values(const Block& b) {
    const int64_t at_a_time = kFeatureBytes / (kColumns * int64_t(sizeof(T)));
    for (int64_t f = 0; f < d_ || f == 0; f += at_a_time)
      for (int64_t g = 0; g < b.groups; ++g)
        add_features_(rows_.values.data() + b.panel * d_ * width_,
                      columns_.values.data() + (b.group + g) * d_ * kColumns,
                      FeatureRange{f, std::min(at_a_time, d_ - f), d_}, rows_.norms.data() + b.panel * width_,
                      columns_.norms.data() + (b.group + g) * kColumns, tile_.gain, b.panels, values_of(0, g),
                      kGroups * kColumns * width_);
  }

  /// Sets a_ii = 0 if the block has point i both as a row and as a column.
  void zero_diagonal(const Block& b) {
    if (tile_.column_index == nullptr) return;
    const int64_t* all = tile_.column_index;
    const int64_t* end = all + std::min(columns_.count, (b.group + b.groups) * kColumns);
    const int64_t first = tile_.row_index + b.panel * width_, rows = b.panels * width_;
    const int64_t* at = all + b.group * kColumns;
    if (ascending_) at = std::lower_bound(at, end, first);
    for (; at < end; ++at) {
      const int64_t i = *at - first, j = at - all;
      if (ascending_ && i >= rows) break;
      if (uint64_t(i) >= uint64_t(rows)) continue;
      values_of(i / width_, j / kColumns - b.group)[(j % kColumns) * width_ + i % width_] = T{};
    }
  }

  /// Reads the values of a block from tile_.kept, where they are in the order of the blocks. Returns false if there are
  /// none.
  bool fetch(const Block& b) {
    if constexpr (task == Task::multiply && sizeof(T) == sizeof(float)) {
      if (tile_.kept == nullptr) return false;
      for (int64_t p = 0; p < b.panels; ++p, kept_ += b.groups * kColumns * width_)
        fetch_values(tile_.kept + kept_, b.groups * kVectors, values_of(p, 0));
      return true;
    }
    return false;
  }

  /// Stores the values of a block in tile_.keep if it is set.
  void keep(const Block& b) {
    if constexpr (task == Task::degrees && sizeof(T) == sizeof(float)) {
      if (tile_.keep == nullptr) return;
      for (int64_t p = 0; p < b.panels; ++p, kept_ += b.groups * kColumns * width_)
        keep_values(values_of(p, 0), b.groups * kVectors, tile_.keep + kept_);
    }
  }

  void use_values(const Block& b) {
    for (int64_t p = 0; p < b.panels; ++p) {
      const int64_t panel = b.panel + p;
      if constexpr (task == Task::multiply) {
        multiply_rows(values_of(p, 0), b.groups, tile_.column_rhs + b.group * r_ * kColumns, r_,
                      tile_.row_out + panel * r_ * width_);
      } else if constexpr (task == Task::degrees) {
        sum_values(values_of(p, 0), b.groups, tile_.column_rhs + b.group * kColumns, tile_.row_out + panel * 2 * width_,
                   transposed_ ? tile_.row_rhs + panel * width_ : nullptr, sums_);
        if (tile_.offer != nullptr)
          for (int64_t g = 0; g < b.groups; ++g) offer(panel, b.group + g, values_of(p, g));
      } else {
        for (int64_t g = 0; g < b.groups; ++g)
          for_each_value(panel, b.group + g, values_of(p, g),
                         [&](int64_t i, int64_t j, T value) { tile_.values[i * tile_.values_stride + j] = value; });
      }
    }
    if (task != Task::multiply || !transposed_) return;
    const int64_t stride = kGroups * kColumns * width_;
    for (int64_t g = 0; g < b.groups; ++g)
      for (int64_t c = 0; c < r_; c += 2) {
        const T* rhs = tile_.row_rhs + (b.panel * r_ + c) * width_;
        T* sums = sums_ + (g * r_ + c) * kColumns * lanes_;
        if (c + 1 < r_)
          multiply_columns<2>(values_of(0, g), stride, b.panels, rhs, r_, sums);
        else
          multiply_columns<1>(values_of(0, g), stride, b.panels, rhs, r_, sums);
      }
  }

  void add_column_sums(int64_t group, int64_t groups) {
    const Tag<T> tag;
    for (int64_t j = 0; j < groups * kColumns; ++j)
      for (int64_t c = 0; c < outs_; ++c) {
        const int64_t at = task == Task::degrees ? j * 2 + c : (j / kColumns * r_ + c) * kColumns + j % kColumns;
        tile_.column_out[(group * kColumns + j) * outs_ + c] +=
            hn::GetLane(hn::SumOfLanes(tag, hn::Load(tag, sums_ + at * lanes_)));
      }
  }

  /// Calls f(i, j, value) for the values of a panel and a group, except padding. i and j are numbers in the tile.
  template <class Function>
  void for_each_value(int64_t panel, int64_t group, const T* values, const Function& f) const {
    for (int64_t j = 0; j < real_columns(group); ++j)
      for (int64_t i = 0; i < real_rows(panel); ++i)
        f(panel * width_ + i, group * kColumns + j, values[j * width_ + i]);
  }

  /// Calls tile_.offer for the values of a panel and a group that are above a threshold.
  void offer(int64_t panel, int64_t group, const T* values) {
    const T* least = tile_.column_least + group * kColumns;
    T padded[kColumns];
    if (const int64_t real = real_columns(group); real < kColumns) {
      std::fill(std::copy_n(least, real, padded), padded + kColumns, std::numeric_limits<T>::infinity());
      least = padded;
    }
    if (!any_above(values, tile_.row_least + panel * width_, least)) return;
    const T* row_least = tile_.row_least + panel * width_;
    for (int64_t j = 0; j < real_columns(group); ++j)
      for_each_above(values + j * width_, row_least, least[j], [&](int64_t i) {
        const T value = values[j * width_ + i];
        const int64_t row = panel * width_ + i, column = group * kColumns + j;
        if (row < rows_.count && value > std::min(tile_.row_least[row], tile_.column_least[column]))
          tile_.offer(tile_.offer_context, row, column, value);
      });
  }

  const Tile<T>& tile_;
  const Packed<T>& rows_;
  const Packed<T>& columns_;
  const int64_t lanes_ = int64_t(hn::Lanes(Tag<T>())), width_ = 2 * lanes_;
  const int64_t d_, r_, outs_;
  const bool transposed_;
  const AddFeatures<T> add_features_;
  bool ascending_;
  int64_t kept_ = 0;
  T* values_;  ///< values of a block: [panel][group][column][panel_rows]
  T* sums_;    ///< column sums of the groups of a block: [group][r][column][lanes], for degrees [column][2][lanes]
};

template <class T>
void run_task(Task task, const Tile<T>& tile) {
  switch (task) {
    case Task::multiply:
      return TileRun<Task::multiply, T>(tile).run();
    case Task::degrees:
      return TileRun<Task::degrees, T>(tile).run();
    case Task::evaluate:
      return TileRun<Task::evaluate, T>(tile).run();
  }
}

/// Computes the squared norms of `count` pieces together; those of piece p start at norms + p * width. The chain of
/// multiply-adds is the same as for an inner product of the tile, so the distance of a point to itself is 0.
template <int count, class T>
void norms_side_by_side(const T* HWY_RESTRICT x, int64_t d, int64_t width, T* HWY_RESTRICT norms) {
  const hn::CappedTag<T, packed_room> some;
  const size_t lanes = hn::Lanes(some);
  for (int64_t i = 0; i < width; i += int64_t(lanes)) {  // lanes beyond the group are ignored
    hn::Vec<decltype(some)> sums[count];
    for (int p = 0; p < count; ++p) sums[p] = hn::Zero(some);
    for (int64_t f = 0; f < d; ++f)
#pragma GCC unroll 4
      for (int p = 0; p < count; ++p) {
        const auto v = hn::LoadU(some, x + (p * d + f) * width + i);
        sums[p] = hn::MulAdd(v, v, sums[p]);
      }
    for (int p = 0; p < count; ++p) {
      T out[packed_room];
      hn::StoreU(sums[p], some, out);
      std::copy_n(out, std::min(int64_t(lanes), width - i), norms + p * width + i);
    }
  }
}

/// Computes the squared norms of `some` pieces. If `points.doubled`, it then multiplies their coordinates by -2, which
/// is exact.
template <class T>
void norms_of(Packed<T>& points, int64_t first_piece, int64_t some) {
  const int64_t d = points.features, width = points.width;
  for (int64_t piece = first_piece; piece < first_piece + some;) {
    const bool all = first_piece + some - piece >= norms_together;
    const int64_t count = all ? norms_together : 1;
    T* x = points.values.data() + piece * d * width;
    T* norms = points.norms.data() + piece * width;
    if (all)
      norms_side_by_side<norms_together>(x, d, width, norms);
    else
      norms_side_by_side<1>(x, d, width, norms);
    if (points.doubled)
      for (int64_t i = 0; i < count * d * width; ++i) x[i] *= -2;
    piece += count;
  }
}

void run_float(Task task, const Tile<float>& tile) { run_task(task, tile); }
void run_double(Task task, const Tile<double>& tile) { run_task(task, tile); }
void norms_float(Packed<float>& points, int64_t first, int64_t some) { norms_of(points, first, some); }
void norms_double(Packed<double>& points, int64_t first, int64_t some) { norms_of(points, first, some); }
int panel_rows_float() { return 2 * int(hn::Lanes(Tag<float>())); }
int panel_rows_double() { return 2 * int(hn::Lanes(Tag<double>())); }
int64_t current_level() { return HWY_TARGET; }

}  // namespace HWY_NAMESPACE
}  // namespace mbsc::simd
HWY_AFTER_NAMESPACE();

#endif  // include guard
