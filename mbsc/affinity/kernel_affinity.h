// SPDX-License-Identifier: Apache-2.0
// Affinities evaluated on the fly from points:
//     rbf          exp(-gamma |x - y|^2)
//     exponential  exp(-gamma |x - y|)
//     cosine       max(0, x.y / |x||y|)
// Points are packed into tiles (simd/tile.h) block by block as they are needed; beside them the memory is a few
// blocks per thread. Ranks hold their own rows: points of a batch are gathered, in full passes blocks go around
// (symmetric_pass.h). Coordinates are taken relative to the median of each feature, where the expanded form of the
// distance loses least; where even so gamma max|x|^2 > 118 (kernel error 1e-5 in float), distances are summed up
// directly.
#pragma once

#include "mbsc/affinity/affinity.h"
#include "mbsc/affinity/kernel.h"
#include "mbsc/affinity/packing.h"
#include "mbsc/affinity/tile_cache.h"
#include "mbsc/base/points.h"
#include "mbsc/simd/tile.h"

namespace mbsc {

template <class T>
class KernelAffinity final : public Affinity<T> {
 public:
  /// `points` are this rank's rows; the memory behind them must outlive this.
  KernelAffinity(const Points& points, const Kernel& kernel, const RowSpace& rows);

  void multiply_columns(std::span<const int64_t> columns, MatrixView<const T> C, MatrixView<T> out,
                        const StopToken& stop) const override;
  void multiply(MatrixView<const T> V, MatrixView<T> out, const StopToken& stop) const override;
  void multiply_anew(MatrixView<const T> V, MatrixView<T> out, const StopToken& stop) const override;
  double entry_error() const override { return is_filled_ ? 1.0 / 1024 : 0; }
  std::unique_ptr<const ColumnBlock<T>> take_columns(std::span<const int64_t> columns) const override;
  void evaluate_square(std::span<const int64_t> points, MatrixView<T> out) const override;
  Degrees degrees(const StopToken& stop, const std::function<void(double)>& progress = {},
                  int64_t neighbors = 0) const override;
  ColumnSums sum_columns(std::span<const int64_t> columns, const StopToken& stop,
                         const std::function<void(double)>& progress = {}) const override;
  double cost_of_value() const override { return double(points_.features); }
  double self_similarity() const override { return 1; }

  /// Keeps the values of the next degree pass, as many as these bytes hold over all ranks, for the full products after
  /// it. In 16 bits each, where these are floats; doubles are not kept.
  void keep_values(int64_t bytes);
  /// Over all ranks.
  int64_t kept_bytes() const { return cache_.bytes(); }

  /// Whether distances are summed up directly instead of by the expanded form.
  bool direct_distances() const { return direct_; }

 private:
  class Block;

  simd::Tile<T> tile() const;
  /// Packs points by their global numbers, whoever holds them. Collective.
  void pack_any(std::span<const int64_t> points, int64_t width, simd::Packed<T>& out) const;
  void multiply_pairs(MatrixView<const T> V, MatrixView<T> out, bool from_cache, const StopToken& stop) const;

  Points points_;
  simd::Form form_;
  PackingRule rule_;
  bool direct_ = false;
  T gain_ = 1;
  mutable TileCache cache_;
  mutable bool is_filled_ = false;  ///< by a degree pass that came to its end
};

}  // namespace mbsc
