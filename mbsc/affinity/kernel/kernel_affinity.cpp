// SPDX-License-Identifier: Apache-2.0
#include "mbsc/affinity/kernel/kernel_affinity.h"

#include <algorithm>
#include <numeric>

#include "mbsc/affinity/kernel/gathered_points.h"
#include "mbsc/affinity/kernel/kernel_form.h"
#include "mbsc/affinity/pass/symmetric_pass.h"
#include "mbsc/base/float64.h"
#include "mbsc/base/require.h"
#include "mbsc/linalg/reduce.h"

namespace mbsc {
namespace {

using simd::group_columns;
using simd::Packed;
using simd::Task;

/// The working memory of one thread for one tile.
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

/// The number of multiply-adds to compute one kernel value and multiply it by r right-hand sides. The exponential
/// counts as twelve.
double operations_per_value(int64_t features, int64_t r) { return double(features + r + 12); }

/// The number of threads that are worth waking for a symmetric pass.
int pass_threads(const RowSpace& space, double per_value) {
  return worthwhile_threads(space.threads(), double(space.local_rows()) * double(space.n()) / 2 * per_value / 8);
}

/// The number of columns that multiply_columns() packs at a time.
constexpr int64_t columns_per_chunk = 4096;
/// The same for sum_columns(), which stores two numbers for each column and block of rows.
constexpr int64_t summed_per_chunk = 512;

}  // namespace

template <class T>
KernelAffinity<T>::KernelAffinity(const Points& points, const Kernel& kernel, const RowSpace& rows)
    : Affinity<T>(rows), points_(points) {
  require(points.rows == rows.local_rows(), "the points have {} rows, the row space {}", points.rows,
          rows.local_rows());
  KernelForm<T> form = choose_form<T>(kernel, points_, rows);
  form_ = form.tile;
  rule_ = std::move(form.rules.front());
}

template <class T>
void KernelAffinity<T>::pack_any(std::span<const int64_t> points, int64_t width, Packed<T>& out) const {
  const RowSpace& space = this->rows();
  if (space.comm().size() == 1) {
    pack_points(points_, rule_, points, width, out);
    return;
  }
  const GatheredPoints gathered(space, points_, points);
  pack_points(gathered.points(), rule_, Range{0, std::ssize(points)}, width, out);
}

template <class T>
void KernelAffinity<T>::multiply_columns(std::span<const int64_t> columns, MatrixView<const T> C, MatrixView<T> out,
                                         const StopToken& stop) const {
  const RowSpace& space = this->rows();
  const int64_t width = simd::panel_rows<T>(), first_row = space.own_rows().begin;
  Packed<T> packed;
  AlignedVector<T> rhs;
  for (int64_t first = 0; first < int64_t(columns.size()) || first == 0; first += columns_per_chunk) {
    const auto chunk = columns.subspan(first, std::min(columns_per_chunk, int64_t(columns.size()) - first));
    pack_any(chunk, group_columns, packed);
    pack_right_hand_sides(C.rows_between(first, first + chunk.size()), group_columns, rhs);
    const auto multiply_rows = [&](Range range) {
      Workspace<T>& work = thread_workspace<T>();
      pack_points(points_, rule_, range, width, work.rows);
      work.row_out.assign(size_t(work.rows.pieces() * width * C.cols), T{});
      simd::run(
          Task::multiply,
          make_tile(form_, {.points = &work.rows, .first_index = first_row + range.begin, .out = work.row_out.data()},
                    {.points = &packed, .indices = chunk.data(), .rhs = rhs.data()}, C.cols, work.scratch));
      const MatrixView<T> target = out.rows_between(range.begin, range.end);
      if (first == 0)
        for (int64_t i = 0; i < target.rows; ++i) std::fill_n(target.row(i), target.cols, T{});
      add_panels(work.row_out, width, target);
    };
    for_rows_in_cache<T>(space, points_.features, double(chunk.size()) * operations_per_value(points_.features, C.cols),
                         stop, multiply_rows);
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
  operands.cache_to_read = from_cache ? &cache_ : nullptr;
  const int threads = pass_threads(space, operations_per_value(points_.features, 2 * V.cols));
  this->count_kernel_values(run_symmetric_pass(PassInput<T, T>(space, points_, rule_, form_, operands), threads, stop));
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
  operands.cache_to_fill = cache_.tiles() > 0 ? &cache_ : nullptr;
  if (neighbors > 0) {
    row_largest = column_largest = LargestEntries<T>(own, neighbors);
    operands.row_largest = &row_largest;
    operands.column_largest = &column_largest;
  }
  const int threads = pass_threads(space, operations_per_value(points_.features, 4));
  this->count_kernel_values(
      run_symmetric_pass(PassInput<T, double>(space, points_, rule_, form_, operands), threads, stop, progress));
  this->throw_if_stopped(stop);
  is_filled_ = cache_.tiles() > 0;
  Degrees degrees(own);
  for (int64_t i = 0; i < own; ++i) {
    degrees.sum[size_t(i)] = as_rows(i, 0) + as_columns(i, 0);
    degrees.squares[size_t(i)] = as_rows(i, 1) + as_columns(i, 1);
  }
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
  const int64_t own = this->rows().local_rows(), m = std::ssize(columns);
  ColumnSums sums{Degrees(own), Degrees(m)};
  for (int64_t first = 0; first < m; first += summed_per_chunk) {
    const auto chunk = columns.subspan(first, std::min(summed_per_chunk, m - first));
    sum_chunk(chunk, first, stop, sums);
    if (progress) progress(double(first + std::ssize(chunk)) / double(m));
  }
  this->count_kernel_values(own * m);
  return sums;
}

template <class T>
void KernelAffinity<T>::sum_chunk(std::span<const int64_t> chunk, int64_t first, const StopToken& stop,
                                  ColumnSums& sums) const {
  const RowSpace& space = this->rows();
  const int64_t width = simd::panel_rows<T>(), m = std::ssize(chunk), first_row = space.own_rows().begin;
  Matrix<T> ones(std::max(m, space.blocks().block_rows()), 1);
  std::fill_n(ones.data(), ones.size(), T{1});
  Packed<T> packed;
  AlignedVector<T> rhs;
  pack_any(chunk, group_columns, packed);
  pack_right_hand_sides<T>(ones.view().rows_between(0, m), group_columns, rhs);
  const auto sum_block = [&](int64_t, Range range, std::span<double> out) {
    if (stop.stop_requested()) return;
    Workspace<T>& work = thread_workspace<T>();
    pack_points(points_, rule_, range, width, work.rows);
    pack_right_hand_sides<T>(ones.view().rows_between(0, range.size()), width, work.row_rhs);
    work.row_out.assign(size_t(work.rows.pieces() * width * 2), T{});
    work.column_out.assign(size_t(packed.pieces() * group_columns * 2), T{});
    const TileRows<T> rows{&work.rows, first_row + range.begin, work.row_rhs.data(), work.row_out.data()};
    const TileColumns<T> columns{&packed, chunk.data(), rhs.data(), work.column_out.data()};
    simd::run(Task::degrees, make_tile(form_, rows, columns, 1, work.scratch));
    for (int64_t i = 0; i < range.size(); ++i) {
      const T* panel = &work.row_out[size_t((i / width) * 2 * width + i % width)];
      sums.rows.sum[size_t(range.begin + i)] += double(panel[0]);
      sums.rows.squares[size_t(range.begin + i)] += double(panel[width]);
    }
    for (size_t j = 0; j < out.size(); ++j) out[j] += double(work.column_out[j]);
  };
  const std::vector<double> totals =
      sum_over_blocks(space, 2 * m, sum_block, double(m) * operations_per_value(points_.features, 4));
  this->throw_if_stopped(stop);
  for (int64_t j = 0; j < m; ++j) {
    sums.columns.sum[size_t(first + j)] = totals[size_t(2 * j)];
    sums.columns.squares[size_t(first + j)] = totals[size_t(2 * j + 1)];
  }
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
    pack_points(affinity_.points_, affinity_.rule_, rows, simd::panel_rows<T>(), work.rows);
    const int64_t first_row = affinity_.rows().own_rows().begin + rows.begin;
    simd::run(Task::evaluate, make_tile(affinity_.form_, {.points = &work.rows, .first_index = first_row},
                                        {.points = &packed_, .indices = this->indices().data()}, out, work.scratch));
    affinity_.count_kernel_values(rows.size() * std::ssize(this->indices()));
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
  const int64_t m = std::ssize(points);
  Packed<T> rows, columns;
  pack_any(points, simd::panel_rows<T>(), rows);
  pack_any(points, group_columns, columns);
  std::vector<int64_t> index(static_cast<size_t>(m));
  std::iota(index.begin(), index.end(), int64_t{0});
  AlignedVector<T> scratch;
  simd::run(Task::evaluate,
            make_tile(form_, {.points = &rows}, {.points = &columns, .indices = index.data()}, out, scratch));
  this->count_kernel_values(m * m);
}

template class KernelAffinity<float>;
MBSC_FLOAT64(template class KernelAffinity<double>;)

}  // namespace mbsc
