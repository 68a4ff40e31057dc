// SPDX-License-Identifier: Apache-2.0
#include "mbsc/affinity/kernel_affinity.h"

#include <algorithm>
#include <numeric>

#include "mbsc/affinity/gathered_points.h"
#include "mbsc/affinity/kernel_form.h"
#include "mbsc/affinity/symmetric_pass.h"
#include "mbsc/base/require.h"
#include "mbsc/linalg/reduce.h"

namespace mbsc {
namespace {

using simd::group_columns;
using simd::Packed;
using simd::Task;
using simd::Tile;

/// What one thread needs for one tile.
template <class T>
struct Workspace {
  Packed<T> rows;
  AlignedVector<T> row_rhs, row_out, column_out, scratch;
};

template <class T>
Workspace<T>& thread_workspace() {
  thread_local Workspace<T> workspace;
  return workspace;
}

/// Multiply-adds of a kernel value and its use by r right-hand sides, the exponential counted as twelve.
double operations_per_value(int64_t features, int64_t r) { return double(features + r + 12); }

/// Threads worth waking for a symmetric pass.
int pass_threads(const RowSpace& space, double per_value) {
  return worthwhile_threads(space.threads(), double(space.local_rows()) * double(space.n()) / 2 * per_value / 8);
}

/// Columns whose packed copy is held at a time by a product with a batch of columns.
constexpr int64_t columns_per_chunk = 4096;
/// The same where columns are summed: each takes two numbers per block of rows.
constexpr int64_t summed_per_chunk = 512;

}  // namespace

template <class T>
KernelAffinity<T>::KernelAffinity(const Points& points, const Kernel& kernel, const RowSpace& rows)
    : Affinity<T>(rows), points_(points), form_(simd::Form::cosine) {
  require(points.rows == rows.local_rows(), "the points have {} rows, the row space {}", points.rows,
          rows.local_rows());
  KernelForm<T> form = choose_form<T>(kernel, points_, rows);
  form_ = form.form;
  direct_ = form.direct;
  gain_ = form.gain;
  rule_ = std::move(form.rules.front());
}

template <class T>
Tile<T> KernelAffinity<T>::tile() const {
  Tile<T> tile;
  tile.form = form_;
  tile.direct = direct_;
  tile.gain = gain_;
  return tile;
}

template <class T>
void KernelAffinity<T>::pack_any(std::span<const int64_t> points, int64_t width, Packed<T>& out) const {
  const RowSpace& space = this->rows();
  if (space.comm().size() == 1) {
    pack_points(
        points_, rule_, int64_t(points.size()), [&](int64_t i) { return points[size_t(i)]; }, width, out);
    return;
  }
  const GatheredPoints gathered(space, points_, points);
  pack_points(
      gathered.points(), rule_, int64_t(points.size()), [](int64_t i) { return i; }, width, out);
}

template <class T>
void KernelAffinity<T>::multiply_columns(std::span<const int64_t> columns, MatrixView<const T> C, MatrixView<T> out,
                                         const StopToken& stop) const {
  const RowSpace& space = this->rows();
  const int64_t width = simd::panel_rows<T>();
  const int64_t rows_at_a_time = rows_in_cache<T>(points_.features);
  Packed<T> packed;
  AlignedVector<T> rhs;
  for (int64_t first = 0; first < int64_t(columns.size()) || first == 0; first += columns_per_chunk) {
    const auto chunk = columns.subspan(first, std::min(columns_per_chunk, int64_t(columns.size()) - first));
    pack_any(chunk, group_columns, packed);
    pack_right_hand_sides(C.rows_between(first, first + chunk.size()), group_columns, rhs);
    space.for_each_block(
        [&](int64_t, Range block) {
          for (Range range{block.begin, 0}; range.begin < block.end; range.begin = range.end) {
            if (stop.stop_requested()) return;
            range.end = std::min(block.end, range.begin + rows_at_a_time);
            Workspace<T>& work = thread_workspace<T>();
            pack_points(
                points_, rule_, range.size(), [&](int64_t i) { return range.begin + i; }, width, work.rows);
            work.row_out.assign(size_t(work.rows.pieces() * width * C.cols), T{});
            Tile<T> t = tile();
            t.rows = &work.rows;
            t.columns = &packed;
            t.column_index = chunk.data();
            t.row_index = space.own_rows().begin + range.begin;
            t.right_hand_sides = C.cols;
            t.column_rhs = rhs.data();
            t.row_out = work.row_out.data();
            t.scratch = &work.scratch;
            simd::run(Task::multiply, t);
            const MatrixView<T> target = out.rows_between(range.begin, range.end);
            if (first == 0)
              for (int64_t i = 0; i < target.rows; ++i) std::fill_n(target.row(i), target.cols, T{});
            add_panels(work.row_out, width, target);
          }
        },
        double(chunk.size()) * operations_per_value(points_.features, C.cols));
    this->throw_if_stopped(stop);
  }
  this->count_kernel_values(space.local_rows() * int64_t(columns.size()));
}

template <class T>
void KernelAffinity<T>::keep_values(int64_t bytes) {
  is_filled_ = false;
  cache_ = {};
  if (sizeof(T) != sizeof(float)) return;
  const RowBlocks& blocks = this->rows().blocks();
  cache_ = TileCache::within<T>(bytes, blocks.block_rows(), PairRing(blocks.count()), this->rows().own_blocks());
}

template <class T>
void KernelAffinity<T>::multiply(MatrixView<const T> V, MatrixView<T> out, const StopToken& stop) const {
  multiply_pairs(V, out, is_filled_, stop);
}

template <class T>
void KernelAffinity<T>::multiply_anew(MatrixView<const T> V, MatrixView<T> out, const StopToken& stop) const {
  multiply_pairs(V, out, false, stop);
}

template <class T>
void KernelAffinity<T>::multiply_pairs(MatrixView<const T> V, MatrixView<T> out, bool from_cache,
                                       const StopToken& stop) const {
  const RowSpace& space = this->rows();
  Matrix<T> as_columns(space.local_rows(), out.cols);
  space.for_each_block([&](int64_t, Range range) {
    for (int64_t i = range.begin; i < range.end; ++i) std::fill_n(out.row(i), out.cols, T{});
  });
  PassOperands<T, T> operands;
  operands.V = V;
  operands.row_sums = out;
  operands.column_sums = as_columns;
  operands.kept = from_cache ? &cache_ : nullptr;
  const Tile<T> form = tile();
  SymmetricPass<T, T> pass(space, points_, rule_, form, operands);
  this->count_kernel_values(
      pass.run(pass_threads(space, operations_per_value(points_.features, 2 * V.cols)), stop, {}));
  this->throw_if_stopped(stop);
  space.for_each_block([&](int64_t, Range range) {
    for (int64_t i = range.begin; i < range.end; ++i)
      for (int64_t c = 0; c < out.cols; ++c) out(i, c) += as_columns(i, c);
  });
}

template <class T>
Degrees KernelAffinity<T>::degrees(const StopToken& stop, const std::function<void(double)>& progress,
                                   int64_t neighbors) const {
  const RowSpace& space = this->rows();
  const int64_t own = space.local_rows();
  Matrix<T> ones(own, 1);
  std::fill_n(ones.data(), ones.size(), T{1});
  Matrix<double> as_rows(own, 2), as_columns(own, 2);
  LargestEntries<T> row_largest, column_largest;
  PassOperands<T, double> operands;
  operands.task = Task::degrees;
  operands.V = ones;
  operands.row_sums = as_rows;
  operands.column_sums = as_columns;
  operands.keep = cache_.tiles() > 0 ? &cache_ : nullptr;
  if (neighbors > 0) {
    row_largest = column_largest = LargestEntries<T>(own, neighbors);
    operands.row_largest = &row_largest;
    operands.column_largest = &column_largest;
  }
  const Tile<T> form = tile();
  SymmetricPass<T, double> pass(space, points_, rule_, form, operands);
  this->count_kernel_values(
      pass.run(pass_threads(space, operations_per_value(points_.features, 4)), stop, progress));
  this->throw_if_stopped(stop);
  Degrees degrees(own);
  for (int64_t i = 0; i < own; ++i) {
    degrees.sum[size_t(i)] = as_rows(i, 0) + as_columns(i, 0);
    degrees.squares[size_t(i)] = as_rows(i, 1) + as_columns(i, 1);
  }
  is_filled_ = cache_.tiles() > 0;
  if (neighbors > 0) {
    row_largest.merge(column_largest, 0);
    column_largest = {};
    degrees.graph = std::make_shared<const NeighborGraph>(row_largest.graph(space));
  }
  return degrees;
}

template <class T>
ColumnSums KernelAffinity<T>::sum_columns(std::span<const int64_t> columns, const StopToken& stop,
                                          const std::function<void(double)>& progress) const {
  const RowSpace& space = this->rows();
  const int64_t width = simd::panel_rows<T>(), m = int64_t(columns.size());
  ColumnSums sums{Degrees(space.local_rows()), Degrees(m)};
  Matrix<T> ones(std::max(summed_per_chunk, space.blocks().block_rows()), 1);
  std::fill_n(ones.data(), ones.size(), T{1});
  Packed<T> packed;
  AlignedVector<T> rhs;
  for (int64_t first = 0; first < m; first += summed_per_chunk) {
    const auto chunk = columns.subspan(first, std::min(summed_per_chunk, m - first));
    pack_any(chunk, group_columns, packed);
    pack_right_hand_sides<T>(ones.view().rows_between(0, chunk.size()), group_columns, rhs);
    const std::vector<double> totals = sum_over_blocks(
        space, 2 * int64_t(chunk.size()),
        [&](int64_t, Range range, std::span<double> out) {
          if (stop.stop_requested()) return;
          Workspace<T>& work = thread_workspace<T>();
          pack_points(
              points_, rule_, range.size(), [&](int64_t i) { return range.begin + i; }, width, work.rows);
          pack_right_hand_sides<T>(ones.view().rows_between(0, range.size()), width, work.row_rhs);
          work.row_out.assign(size_t(work.rows.pieces() * width * 2), T{});
          work.column_out.assign(size_t(packed.pieces() * group_columns * 2), T{});
          Tile<T> t = tile();
          t.rows = &work.rows;
          t.columns = &packed;
          t.column_index = chunk.data();
          t.row_index = space.own_rows().begin + range.begin;
          t.right_hand_sides = 1;
          t.column_rhs = rhs.data();
          t.row_rhs = work.row_rhs.data();
          t.row_out = work.row_out.data();
          t.column_out = work.column_out.data();
          t.scratch = &work.scratch;
          simd::run(Task::degrees, t);
          for (int64_t i = 0; i < range.size(); ++i) {
            const T* panel = &work.row_out[size_t((i / width) * 2 * width + i % width)];
            sums.rows.sum[size_t(range.begin + i)] += double(panel[0]);
            sums.rows.squares[size_t(range.begin + i)] += double(panel[width]);
          }
          for (size_t j = 0; j < out.size(); ++j) out[j] += double(work.column_out[j]);
        },
        double(chunk.size()) * operations_per_value(points_.features, 4));
    this->throw_if_stopped(stop);
    for (size_t j = 0; j < chunk.size(); ++j) {
      sums.columns.sum[size_t(first) + j] = totals[2 * j];
      sums.columns.squares[size_t(first) + j] = totals[2 * j + 1];
    }
    if (progress) progress(double(first + int64_t(chunk.size())) / double(m));
  }
  this->count_kernel_values(space.local_rows() * m);
  return sums;
}

template <class T>
class KernelAffinity<T>::Block final : public ColumnBlock<T> {
 public:
  Block(const KernelAffinity& affinity, std::span<const int64_t> columns)
      : ColumnBlock<T>(columns), affinity_(affinity) {
    affinity.pack_any(columns, group_columns, packed_);
  }
  void evaluate(Range rows, MatrixView<T> out) const override {
    Workspace<T>& work = thread_workspace<T>();
    pack_points(
        affinity_.points_, affinity_.rule_, rows.size(), [&](int64_t i) { return rows.begin + i; },
        simd::panel_rows<T>(), work.rows);
    Tile<T> t = affinity_.tile();
    t.rows = &work.rows;
    t.columns = &packed_;
    t.column_index = this->indices().data();
    t.row_index = affinity_.rows().own_rows().begin + rows.begin;
    t.values = out.data;
    t.values_stride = out.stride;
    t.scratch = &work.scratch;
    simd::run(Task::evaluate, t);
    affinity_.count_kernel_values(rows.size() * int64_t(this->indices().size()));
  }

 private:
  const KernelAffinity& affinity_;
  Packed<T> packed_;
};

template <class T>
std::unique_ptr<const ColumnBlock<T>> KernelAffinity<T>::take_columns(std::span<const int64_t> columns) const {
  return std::make_unique<Block>(*this, columns);
}

template <class T>
void KernelAffinity<T>::evaluate_square(std::span<const int64_t> points, MatrixView<T> out) const {
  const int64_t m = int64_t(points.size());
  Packed<T> rows, columns;
  pack_any(points, simd::panel_rows<T>(), rows);
  pack_any(points, group_columns, columns);
  std::vector<int64_t> index(static_cast<size_t>(m));
  std::iota(index.begin(), index.end(), int64_t{0});
  AlignedVector<T> scratch;
  Tile<T> t = tile();
  t.rows = &rows;
  t.columns = &columns;
  t.column_index = index.data();
  t.values = out.data;
  t.values_stride = out.stride;
  t.scratch = &scratch;
  simd::run(Task::evaluate, t);
  this->count_kernel_values(m * m);
}

template class KernelAffinity<float>;
template class KernelAffinity<double>;

}  // namespace mbsc
