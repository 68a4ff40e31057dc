// SPDX-License-Identifier: Apache-2.0
#include "mbsc/affinity/kernel_affinity.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <numeric>
#include <optional>
#include <thread>

#include "mbsc/affinity/kernel_form.h"
#include "mbsc/affinity/pair_queue.h"
#include "mbsc/base/require.h"
#include "mbsc/linalg/reduce.h"

namespace mbsc {
namespace {

using simd::group_columns;
using simd::Packed;
using simd::Task;
using simd::Tile;

/// A block that is packed, for as long as the tiles of one unit take.
template <class T>
struct PackedBlock {
  int64_t block = -1;
  Packed<T> points;
};

/// What one thread needs for one tile.
template <class T>
struct Workspace {
  Packed<T> rows, columns;
  std::array<PackedBlock<T>, size_t(most_blocks_in_group)> row_blocks, column_blocks;
  int64_t slots = 1;  ///< of the blocks that are in use
  AlignedVector<T> row_rhs, column_rhs, row_out, column_out, scratch;
  std::vector<int64_t> index;
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
  return worthwhile_threads(space.threads(), double(space.n()) * double(space.n()) / 2 * per_value / 8);
}

/// Columns whose packed copy is held at a time by a product with a batch of columns.
constexpr int64_t columns_per_chunk = 4096;
/// The same where columns are summed: each takes two numbers per block of rows.
constexpr int64_t summed_per_chunk = 512;

}  // namespace

template <class T>
KernelAffinity<T>::KernelAffinity(const Points& points, const Kernel& kernel, const RowSpace& rows)
    : Affinity<T>(rows), points_(points), form_(simd::Form::cosine) {
  require(rows.comm().size() == 1, "points held by {} ranks are not supported yet", rows.comm().size());
  require(points.rows == rows.local_rows(), "the points have {} rows, the row space {}", points.rows,
          rows.local_rows());
  KernelForm<T> form = choose_form<T>(kernel, {&points_, 1}, rows.threads());
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
void KernelAffinity<T>::multiply_columns(std::span<const int64_t> columns, MatrixView<const T> C, MatrixView<T> out,
                                         const StopToken& stop) const {
  const RowSpace& space = this->rows();
  const int64_t width = simd::panel_rows<T>();
  const int64_t rows_at_a_time = rows_in_cache<T>(points_.features);
  Packed<T> packed;
  AlignedVector<T> rhs;
  for (int64_t first = 0; first < int64_t(columns.size()) || first == 0; first += columns_per_chunk) {
    const auto chunk = columns.subspan(first, std::min(columns_per_chunk, int64_t(columns.size()) - first));
    pack_points(
        points_, rule_, chunk.size(), [&](int64_t j) { return chunk[j]; }, group_columns, packed);
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

namespace {

/// The order of a symmetric pass.
template <class T>
PairSchedule symmetric_schedule(const RowBlocks& blocks, int64_t features) {
  return {blocks.count(), blocks_in_group(blocks, features, int64_t(sizeof(T)))};
}

/// One tile (I, J) of a symmetric pass, evaluated or kept from before; finish(work) then adds both sides up.
template <class T, class Finish>
void run_pair(const Points& points, const PackingRule& rule, Tile<T> t, Task task, const RowBlocks& blocks,
              PairSchedule::Pair pair, MatrixView<const T> V, const Finish& finish) {
  const int64_t width = simd::panel_rows<T>();
  const Range I = blocks.block(pair.first), J = blocks.block(pair.second);
  Workspace<T>& work = thread_workspace<T>();
  const int64_t r = V.cols, outs = task == Task::degrees ? 2 : r;
  const auto packed = [&](PackedBlock<T>& target, int64_t block, Range range, int64_t piece) -> const Packed<T>& {
    if (t.kept != nullptr) {
      target.points.resize(range.size(), 0, piece);
      target.block = -1;
    } else if (target.block != block) {
      pack_points(
          points, rule, range.size(), [&](int64_t i) { return range.begin + i; }, piece, target.points);
      target.block = block;
    }
    return target.points;
  };
  const auto slot = [&](int64_t block) { return size_t(block % work.slots); };
  const Packed<T>& rows = packed(work.row_blocks[slot(pair.first)], pair.first, I, width);
  const Packed<T>& columns = packed(work.column_blocks[slot(pair.second)], pair.second, J, group_columns);
  pack_right_hand_sides(V.rows_between(J.begin, J.end), group_columns, work.column_rhs);
  work.row_out.assign(size_t(rows.pieces() * width * outs), T{});
  t.rows = &rows;
  t.columns = &columns;
  t.row_index = I.begin;
  t.right_hand_sides = r;
  t.column_rhs = work.column_rhs.data();
  t.row_out = work.row_out.data();
  t.scratch = &work.scratch;
  if (pair.first == pair.second) {
    work.index.resize(size_t(J.size()));
    std::iota(work.index.begin(), work.index.end(), J.begin);
    t.column_index = work.index.data();
  } else {
    pack_right_hand_sides(V.rows_between(I.begin, I.end), width, work.row_rhs);
    work.column_out.assign(size_t(columns.pieces() * group_columns * outs), T{});
    t.row_rhs = work.row_rhs.data();
    t.column_out = work.column_out.data();
  }
  simd::run(task, t);
  finish(work, I, J);
}

/// Calls body(pair, index) for every tile. What a thread packs for a unit is good for no other: blocks of the same
/// number may be those of other points by then. `progress` hears the share that is done, from the calling thread.
template <class T, class Body>
void for_each_tile(const PairSchedule& schedule, int threads, const StopToken& stop,
                   const std::function<void(double)>& progress, const Body& body) {
  const auto run = [&](const PairUnits::Unit& unit) {
    Workspace<T>& work = thread_workspace<T>();
    work.slots = unit.tiles.size() > 1 ? schedule.group() : 1;
    for (auto* blocks : {&work.row_blocks, &work.column_blocks})
      for (PackedBlock<T>& packed : *blocks) packed.block = -1;
    for (size_t tile = 0; tile < unit.tiles.size(); ++tile) {
      if (stop.stop_requested()) return;
      body(unit.tiles[tile], unit.index + int64_t(tile));
    }
  };
  std::atomic<int64_t> done{0};
  double told = 0;
  const auto caller = std::this_thread::get_id();
  for_each_unit(schedule, threads, run, [&](const PairUnits::Unit& unit) {
    const double share = double(done += int64_t(unit.tiles.size())) / double(schedule.tiles());
    if (!progress || std::this_thread::get_id() != caller || share < told + 0.005 || stop.stop_requested()) return;
    told = share;
    progress(share);
  });
  if (progress && told < 1 && !stop.stop_requested()) progress(1);
}

/// Takes the values of one tile (I, J) to both of their rows.
template <class T>
struct PairOffers {
  PairOffers(LargestEntries<T>* largest_, const RowBlocks& blocks, PairSchedule::Pair pair)
      : largest(largest_), first_row(blocks.block(pair.first).begin), first_column(blocks.block(pair.second).begin) {}
  void attach(Tile<T>& t) {
    t.offer = [](void* context, int64_t row, int64_t column, T value) {
      const PairOffers& o = *static_cast<PairOffers*>(context);
      o.largest->offer(o.first_row + row, o.first_column + column, value);
      // On the diagonal of the blocks the tile has every pair twice itself.
      if (o.first_row != o.first_column) o.largest->offer(o.first_column + column, o.first_row + row, value);
    };
    t.offer_context = this;
    t.row_least = largest->least() + first_row;
    t.column_least = largest->least() + first_column;
  }
  LargestEntries<T>* largest;
  int64_t first_row, first_column;
};

}  // namespace

template <class T>
void KernelAffinity<T>::keep_values(int64_t bytes) {
  is_filled_ = false;
  cache_ = {};
  if (sizeof(T) != sizeof(float)) return;
  const RowBlocks& blocks = this->rows().blocks();
  cache_ = TileCache::within<T>(bytes, blocks.block_rows(), symmetric_schedule<T>(blocks, points_.features).tiles());
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
  const RowBlocks& blocks = space.blocks();
  const PairSchedule schedule = symmetric_schedule<T>(blocks, points_.features);
  const int64_t width = simd::panel_rows<T>();
  std::atomic<int64_t> values{0};
  space.for_each_block([&](int64_t, Range range) {
    for (int64_t i = range.begin; i < range.end; ++i) std::fill_n(out.row(i), out.cols, T{});
  });
  for_each_tile<T>(schedule, pass_threads(space, operations_per_value(points_.features, 2 * V.cols)), stop, {},
                   [&](PairSchedule::Pair pair, int64_t index) {
                     Tile<T> t = tile();
                     if (from_cache) t.kept = cache_.tile(index);
                     run_pair(points_, rule_, t, Task::multiply, blocks, pair, V,
                              [&](const Workspace<T>& work, Range I, Range J) {
                                add_panels(work.row_out, width, out.rows_between(I.begin, I.end));
                                if (I.begin != J.begin)
                                  for (int64_t j = 0; j < J.size(); ++j)
                                    for (int64_t c = 0; c < out.cols; ++c)
                                      out(J.begin + j, c) += work.column_out[size_t(j * out.cols + c)];
                                if (t.kept == nullptr) values += I.size() * J.size();
                              });
                   });
  this->throw_if_stopped(stop);
  this->count_kernel_values(values);
}

template <class T>
Degrees KernelAffinity<T>::degrees(const StopToken& stop, const std::function<void(double)>& progress,
                                   int64_t neighbours) const {
  const RowSpace& space = this->rows();
  const RowBlocks& blocks = space.blocks();
  const PairSchedule schedule = symmetric_schedule<T>(blocks, points_.features);
  const int64_t width = simd::panel_rows<T>();
  std::atomic<int64_t> values{0};
  Matrix<T> ones(space.local_rows(), 1);
  std::fill_n(ones.data(), ones.size(), T{1});
  Matrix<double> sums(space.local_rows(), 2);
  std::optional<LargestEntries<T>> largest;
  if (neighbours > 0) largest.emplace(space.local_rows(), neighbours);
  for_each_tile<T>(schedule, pass_threads(space, operations_per_value(points_.features, 4)), stop, progress,
                   [&](PairSchedule::Pair pair, int64_t index) {
                     Tile<T> t = tile();
                     t.keep = cache_.tile(index);
                     // Tiles that run at the same time share no block: its rows are this thread's own.
                     PairOffers<T> offers{largest ? &*largest : nullptr, blocks, pair};
                     if (largest) offers.attach(t);
                     run_pair<T>(points_, rule_, t, Task::degrees, blocks, pair, ones,
                                 [&](const Workspace<T>& work, Range I, Range J) {
                                   add_panels(work.row_out, width, sums.view().rows_between(I.begin, I.end));
                                   if (I.begin != J.begin)
                                     for (int64_t j = 0; j < J.size(); ++j)
                                       for (int64_t c = 0; c < 2; ++c)
                                         sums(J.begin + j, c) += double(work.column_out[size_t(j * 2 + c)]);
                                   values += I.size() * J.size();
                                 });
                   });
  this->throw_if_stopped(stop);
  this->count_kernel_values(values);
  Degrees degrees(sums.rows());
  for (int64_t i = 0; i < sums.rows(); ++i) {
    degrees.sum[i] = sums(i, 0);
    degrees.squares[i] = sums(i, 1);
  }
  is_filled_ = cache_.tiles() > 0;
  if (largest) degrees.graph = std::make_shared<const NeighbourGraph>(largest->graph());
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
    pack_points(
        points_, rule_, chunk.size(), [&](int64_t j) { return chunk[j]; }, group_columns, packed);
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
void KernelAffinity<T>::evaluate(Range rows, std::span<const int64_t> columns, MatrixView<T> out) const {
  Workspace<T>& work = thread_workspace<T>();
  const int64_t width = simd::panel_rows<T>();
  pack_points(
      points_, rule_, rows.size(), [&](int64_t i) { return rows.begin + i; }, width, work.rows);
  pack_points(
      points_, rule_, columns.size(), [&](int64_t j) { return columns[j]; }, group_columns, work.columns);
  Tile<T> t = tile();
  t.rows = &work.rows;
  t.columns = &work.columns;
  t.column_index = columns.data();
  t.row_index = this->rows().own_rows().begin + rows.begin;
  t.values = out.data;
  t.values_stride = out.stride;
  t.scratch = &work.scratch;
  simd::run(Task::evaluate, t);
  this->count_kernel_values(rows.size() * int64_t(columns.size()));
}

template <class T>
void KernelAffinity<T>::evaluate_square(std::span<const int64_t> points, MatrixView<T> out) const {
  Workspace<T>& work = thread_workspace<T>();
  const int64_t m = int64_t(points.size());
  pack_points(
      points_, rule_, m, [&](int64_t i) { return points[i]; }, simd::panel_rows<T>(), work.rows);
  pack_points(
      points_, rule_, m, [&](int64_t i) { return points[i]; }, group_columns, work.columns);
  work.index.resize(size_t(m));
  std::iota(work.index.begin(), work.index.end(), int64_t{0});
  Tile<T> t = tile();
  t.rows = &work.rows;
  t.columns = &work.columns;
  t.column_index = work.index.data();
  t.values = out.data;
  t.values_stride = out.stride;
  t.scratch = &work.scratch;
  simd::run(Task::evaluate, t);
  this->count_kernel_values(m * m);
}

template class KernelAffinity<float>;
template class KernelAffinity<double>;

}  // namespace mbsc
