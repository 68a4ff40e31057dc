// SPDX-License-Identifier: Apache-2.0
// KernelAffinity: a_ij = kernel(x_i, x_j) (kernel.h), evaluated from the points whenever it is needed. The matrix is
// not stored, but values may be cached (keep_values).
// Products with a batch of columns gather the points of the batch on every rank (gathered_points.h). Full products and
// degrees are symmetric passes (pass/symmetric_pass.h).
// Cost: one kernel value per entry; n^2/2 per symmetric pass.
// Memory: a few blocks per thread in addition to the points, and the cache, if there is one.
#pragma once

#include "mbsc/affinity/affinity.h"
#include "mbsc/affinity/kernel/kernel.h"
#include "mbsc/affinity/pass/make_tile.h"
#include "mbsc/affinity/pass/packing.h"
#include "mbsc/affinity/pass/tile_cache.h"
#include "mbsc/input.h"

namespace mbsc {

template <class T>
class KernelAffinity final : public Affinity<T> {
 public:
  /// `points` are the rows of this rank. Their memory must outlive this object.
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
  int64_t input_bytes() const override { return 4 * this->n() * points_.features; }

  /// The next degree pass will cache its values for later full products, as many as fit into `bytes` over all ranks.
  /// Each value takes 16 bits. Does nothing unless T is float.
  void keep_values(int64_t bytes);
  int64_t cached_bytes() const override { return cache_.bytes(); }

  /// Whether distances are sums of squared differences instead of the expanded form.
  bool direct_distances() const { return form_.direct; }

 private:
  class Block;

  /// Packs points of any rank, given by global number. Collective.
  void pack_any(std::span<const int64_t> points, int64_t width, simd::Packed<T>& out) const;
  /// out = A V by a symmetric pass. `from_cache`: use cached values.
  void multiply_pairs(MatrixView<const T> V, MatrixView<T> out, bool from_cache, const StopToken& stop) const;
  /// Adds the sums over the columns `chunk` to `sums`. The first of them is column `first` of `sums.columns`.
  void sum_chunk(std::span<const int64_t> chunk, int64_t first, const StopToken& stop, ColumnSums& sums) const;

  Points points_;
  TileForm<T> form_;
  PackingRule rule_;
  mutable TileCache cache_;
  mutable bool is_filled_ = false;  ///< whether a complete degree pass has filled the cache
};

}  // namespace mbsc
