// SPDX-License-Identifier: Apache-2.0
// TilePass: what one rank computes in a symmetric pass. In each turn, one column block meets the own row
// blocks; a strip is a few consecutive turns (pair_ring.h). For each strip, the pass packs the columns, runs the tiles
// of every row block with these columns, and adds up the sums of the rows and of the columns. Threads share the strips
// (strip_queue.h).
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "mbsc/affinity/pass/pass_input.h"
#include "mbsc/affinity/pass/pass_progress.h"
#include "mbsc/options.h"

namespace mbsc {

template <class T, class Sum>
class TilePass {
 public:
  /// Returns the columns of a turn. Threads may call it at the same time.
  using ColumnsOfTurn = std::function<PassColumns<T, Sum>(int64_t turn)>;

  /// A strip has at most `turns_together` turns. All arguments must outlive this object.
  TilePass(const PassInput<T, Sum>& input, int64_t turns_together, const ColumnsOfTurn& columns_of_turn,
           const StopToken& stop, PassProgress& progress);
  ~TilePass();
  TilePass(const TilePass&) = delete;
  TilePass& operator=(const TilePass&) = delete;

  /// Processes some strips. After a stop request it skips the remaining tiles.
  void run(std::span<const Strip> strips, int threads);
  /// The number of kernel values evaluated so far.
  int64_t kernel_values() const { return kernel_values_; }

 private:
  struct PackedColumns;
  struct Slot;
  struct ColumnResult;
  struct Workspace;
  struct TilePosition;

  static Workspace& thread_workspace();
  void pack_columns(Slot& slot, const Strip& strip, int64_t turn);
  void compute_row(Slot& slot, const Strip& strip, int64_t row);
  void compute_tile(const TilePosition& at, Slot& slot, const PackedColumns& columns, Workspace& work,
                    ColumnResult& result);
  simd::Tile<T> make_pass_tile(const TilePosition& at, const PackedColumns& columns, Workspace& work,
                               ColumnResult& result) const;
  void run_with_neighbors(const TilePosition& at, Slot& slot, const PackedColumns& columns, ColumnResult& result,
                          simd::Tile<T>& tile);
  void add_column_sums(Slot& slot, const Strip& strip, int64_t row);

  const PassInput<T, Sum>& input_;
  const ColumnsOfTurn& columns_of_turn_;
  const StopToken& stop_;
  PassProgress& progress_;
  std::array<std::unique_ptr<Slot>, 2> slots_;
  std::atomic<int64_t> kernel_values_{0};
};

}  // namespace mbsc
