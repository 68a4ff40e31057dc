// SPDX-License-Identifier: Apache-2.0
#include "mbsc/affinity/pass/tile_pass.h"

#include <algorithm>
#include <mutex>
#include <numeric>
#include <vector>

#include "mbsc/affinity/pass/strip_queue.h"
#include "mbsc/base/float64.h"

namespace mbsc {
namespace {

/// Offers each large value of a tile to the lists of both of its points.
template <class T>
struct NeighborOffers {
  LargestEntries<T>* rows;
  LargestEntries<T>* columns;  ///< null in a tile on the diagonal, which contains every pair twice
  int64_t first_local_row, first_row, first_column;

  static void offer(void* context, int64_t i, int64_t j, T value) {
    const NeighborOffers& to = *static_cast<NeighborOffers*>(context);
    to.rows->offer(to.first_local_row + i, to.first_column + j, value);
    if (to.columns) to.columns->offer(j, to.first_row + i, value);
  }
};

}  // namespace

/// The columns of one turn, packed for all threads.
template <class T, class Sum>
struct TilePass<T, Sum>::PackedColumns {
  PassColumns<T, Sum> columns;
  simd::Packed<T> points;
  AlignedVector<T> rhs;
};

/// The columns of one strip.
template <class T, class Sum>
struct TilePass<T, Sum>::Slot {
  explicit Slot(int64_t turns) : packed(size_t(turns)) {}
  std::vector<PackedColumns> packed;
  std::mutex mutex;  ///< guards the largest entries of the columns
};

/// The contribution of one row block to one column block.
template <class T, class Sum>
struct TilePass<T, Sum>::ColumnResult {
  bool is_computed = false;
  AlignedVector<T> sums;
  LargestEntries<T> largest;
};

/// The working memory of one thread for one row block and the columns of a strip.
template <class T, class Sum>
struct TilePass<T, Sum>::Workspace {
  simd::Packed<T> rows;
  AlignedVector<T> row_rhs, row_out, scratch;
  std::vector<ColumnResult> results;  ///< by turn of the strip
  std::vector<int64_t> index;
};

template <class T, class Sum>
struct TilePass<T, Sum>::TilePosition {
  int64_t row, distance;
  Range rows;              ///< local rows of the row block
  const uint16_t* cached;  ///< the values of the tile in the cache; null: not cached
  bool is_diagonal() const { return distance == 0; }
};

template <class T, class Sum>
TilePass<T, Sum>::TilePass(const PassInput<T, Sum>& input, int64_t turns_together, const ColumnsOfTurn& columns_of_turn,
                           const StopToken& stop, PassProgress& progress)
    : input_(input), columns_of_turn_(columns_of_turn), stop_(stop), progress_(progress) {
  for (auto& slot : slots_) slot = std::make_unique<Slot>(turns_together);
}

template <class T, class Sum>
TilePass<T, Sum>::~TilePass() = default;

template <class T, class Sum>
typename TilePass<T, Sum>::Workspace& TilePass<T, Sum>::thread_workspace() {
  thread_local Workspace workspace;
  return workspace;
}

template <class T, class Sum>
void TilePass<T, Sum>::run(std::span<const Strip> strips, int threads) {
  const auto slot = [&](int64_t number) -> Slot& { return *slots_[size_t(number)]; };
  StripSteps steps;
  steps.prepare = [&](int64_t s, const Strip& strip, int64_t turn) { pack_columns(slot(s), strip, turn); };
  steps.compute = [&](int64_t s, const Strip& strip, int64_t row) { compute_row(slot(s), strip, row); };
  steps.apply = [&](int64_t s, const Strip& strip, int64_t row) { add_column_sums(slot(s), strip, row); };
  StripQueue(strips, input_.own, steps).run(threads);
}

template <class T, class Sum>
void TilePass<T, Sum>::pack_columns(Slot& slot, const Strip& strip, int64_t turn) {
  PackedColumns& packed = slot.packed[size_t(turn - strip.turns.begin)];
  packed.columns = columns_of_turn_(turn);
  const int64_t count = packed.columns.rows.size();
  if (input_.needs_points())
    pack_points(packed.columns.points, input_.rule, Range{0, count}, simd::group_columns, packed.points);
  else
    packed.points.resize(count, 0, simd::group_columns);
  pack_right_hand_sides(packed.columns.V, simd::group_columns, packed.rhs);
}

template <class T, class Sum>
void TilePass<T, Sum>::compute_row(Slot& slot, const Strip& strip, int64_t row) {
  const PassOperands<T, Sum>& operands = input_.operands;
  const int64_t width = simd::panel_rows<T>(), own_row = row - input_.own.begin;
  const Range rows = input_.local_rows(row);
  Workspace& work = thread_workspace();
  work.results.resize(std::max(work.results.size(), size_t(strip.turns.size())));
  pack_right_hand_sides(operands.V.rows_between(rows.begin, rows.end), width, work.row_rhs);
  bool is_packed = false;
  for (int64_t turn = strip.turns.begin; turn < strip.turns.end; ++turn) {
    const auto place = size_t(turn - strip.turns.begin);
    const int64_t distance = turn - row;
    ColumnResult& result = work.results[place];
    result.is_computed = distance >= 0 && distance <= input_.ring.reach_of_row(row) && !stop_.stop_requested();
    if (!result.is_computed) continue;
    const uint16_t* cached = operands.cache_to_read ? operands.cache_to_read->tile(own_row, distance) : nullptr;
    if (!is_packed && cached != nullptr) {
      work.rows.resize(rows.size(), 0, width);
    } else if (!is_packed) {
      pack_points(input_.points, input_.rule, rows, width, work.rows);
      is_packed = true;
    }
    const PackedColumns& columns = slot.packed[place];
    compute_tile({row, distance, rows, cached}, slot, columns, work, result);
    if (cached == nullptr) kernel_values_ += rows.size() * columns.columns.rows.size();
  }
}

template <class T, class Sum>
void TilePass<T, Sum>::compute_tile(const TilePosition& at, Slot& slot, const PackedColumns& columns, Workspace& work,
                                    ColumnResult& result) {
  simd::Tile<T> tile = make_pass_tile(at, columns, work, result);
  if (input_.operands.row_largest != nullptr)
    run_with_neighbors(at, slot, columns, result, tile);
  else
    simd::run(input_.operands.task, tile);
  // No other thread adds to these row sums until this thread has finished the row in this strip.
  add_panels(work.row_out, simd::panel_rows<T>(), input_.operands.row_sums.rows_between(at.rows.begin, at.rows.end));
}

template <class T, class Sum>
simd::Tile<T> TilePass<T, Sum>::make_pass_tile(const TilePosition& at, const PackedColumns& columns, Workspace& work,
                                               ColumnResult& result) const {
  const PassOperands<T, Sum>& operands = input_.operands;
  const int64_t sums = input_.sums_per_row(), first_row = input_.first_row + at.rows.begin;
  work.row_out.assign(size_t(work.rows.pieces() * simd::panel_rows<T>() * sums), T{});
  TileRows<T> row_side{.points = &work.rows, .first_index = first_row, .out = work.row_out.data()};
  TileColumns<T> column_side{.points = &columns.points, .rhs = columns.rhs.data()};
  if (at.is_diagonal()) {
    work.index.resize(size_t(columns.columns.rows.size()));
    std::iota(work.index.begin(), work.index.end(), columns.columns.rows.begin);
    column_side.indices = work.index.data();
  } else {
    result.sums.assign(size_t(columns.points.pieces() * simd::group_columns * sums), T{});
    row_side.rhs = work.row_rhs.data();
    column_side.out = result.sums.data();
  }
  simd::Tile<T> tile = make_tile(input_.form, row_side, column_side, operands.V.cols, work.scratch);
  if (operands.cache_to_fill) tile.keep = operands.cache_to_fill->tile(at.row - input_.own.begin, at.distance);
  tile.kept = at.cached;
  return tile;
}

template <class T, class Sum>
void TilePass<T, Sum>::run_with_neighbors(const TilePosition& at, Slot& slot, const PackedColumns& columns,
                                          ColumnResult& result, simd::Tile<T>& tile) {
  const PassOperands<T, Sum>& operands = input_.operands;
  const Range J = columns.columns.rows;
  NeighborOffers<T> offers{operands.row_largest, nullptr, at.rows.begin, input_.first_row + at.rows.begin, J.begin};
  tile.row_least = tile.column_least = offers.rows->least() + at.rows.begin;
  if (!at.is_diagonal()) {
    offers.columns = &result.largest;
    const std::lock_guard lock(slot.mutex);
    result.largest.begin(*columns.columns.largest, columns.columns.first_largest, J.size());
    tile.column_least = result.largest.least();
  }
  tile.offer = NeighborOffers<T>::offer;
  tile.offer_context = &offers;
  simd::run(operands.task, tile);
  if (at.is_diagonal()) {
    // The block has two lists of largest entries, as a row and as a column, which are merged after the pass. The list
    // as a column is still empty, so it can begin with the thresholds of the list as a row.
    const std::lock_guard lock(slot.mutex);
    operands.column_largest->raise(*offers.rows, at.rows.begin, at.rows.size());
  }
}

/// The queue calls this for one row at a time, from the last row of the strip to the first.
template <class T, class Sum>
void TilePass<T, Sum>::add_column_sums(Slot& slot, const Strip& strip, int64_t row) {
  Workspace& work = thread_workspace();
  int64_t tiles = 0;
  for (int64_t turn = strip.turns.begin; turn < strip.turns.end; ++turn) {
    const auto place = size_t(turn - strip.turns.begin);
    ColumnResult& result = work.results[place];
    if (!result.is_computed) continue;
    ++tiles;
    if (turn == row) continue;
    const PassColumns<T, Sum>& columns = slot.packed[place].columns;
    const T* from = result.sums.data();
    for (int64_t j = 0; j < columns.rows.size(); ++j)
      for (int64_t s = 0; s < input_.sums_per_row(); ++s) columns.sums(j, s) += Sum(*from++);
    if (columns.largest == nullptr) continue;
    const std::lock_guard lock(slot.mutex);
    columns.largest->merge(result.largest, columns.first_largest);
  }
  progress_.add(tiles);
}

template class TilePass<float, float>;
template class TilePass<float, double>;
MBSC_FLOAT64(template class TilePass<double, double>;)

}  // namespace mbsc
