// SPDX-License-Identifier: Apache-2.0
#include "mbsc/affinity/pass/symmetric_pass.h"

#include <vector>

#include "mbsc/affinity/pass/column_exchange.h"
#include "mbsc/affinity/pass/tile_pass.h"
#include "mbsc/base/float64.h"

namespace mbsc {
namespace {

/// The number of tiles of this rank.
int64_t count_tiles(const PairRing& ring, Range own) {
  int64_t tiles = 0;
  for (int64_t row = own.begin; row < own.end; ++row) tiles += ring.reach_of_row(row) + 1;
  return tiles;
}

}  // namespace

int64_t turns_together(const RowBlocks& blocks, int64_t features, int64_t bytes_of_value) {
  const int64_t bytes = blocks.block_rows() * features * bytes_of_value;
  return bytes <= int64_t{2} << 20 ? 4 : bytes <= int64_t{16} << 20 ? 2 : 1;
}

template <class T, class Sum>
int64_t run_symmetric_pass(const PassInput<T, Sum>& input, int threads, const StopToken& stop,
                           const std::function<void(double)>& progress) {
  if (input.own.size() == 0) return 0;
  const RowBlocks& blocks = input.space.blocks();
  const Comm& comm = input.space.comm();
  const ExchangeSchedule schedule(input.ring, blocks, comm.rank(), comm.size(),
                                  turns_together(blocks, input.points.features, int64_t(sizeof(T))));
  const std::vector<Strip> strips = cut_into_strips(input.ring, input.own, schedule.together());
  PassProgress reported(count_tiles(input.ring, input.own), progress, stop);
  ColumnExchange<T, Sum> exchange(input, schedule);
  const typename TilePass<T, Sum>::ColumnsOfTurn columns_of_turn = [&](int64_t turn) {
    return exchange.columns_of(turn);
  };
  TilePass<T, Sum> tiles(input, schedule.together(), columns_of_turn, stop, reported);
  if (schedule.is_alone()) {
    tiles.run(strips, threads);
  } else {
    for (int64_t s = 0; s < schedule.strips(); ++s) {
      exchange.begin_strip(s);
      if (s < std::ssize(strips)) {
        const Strip& strip = strips[size_t(s)];
        exchange.wait_for_columns(strip);
        tiles.run({&strip, 1}, threads);
        exchange.pass_on_sums(s, strip);
      }
      exchange.end_strip();
    }
    exchange.finish();
  }
  reported.finish();
  return tiles.kernel_values();
}

template int64_t run_symmetric_pass(const PassInput<float, float>&, int, const StopToken&,
                                    const std::function<void(double)>&);
template int64_t run_symmetric_pass(const PassInput<float, double>&, int, const StopToken&,
                                    const std::function<void(double)>&);
MBSC_FLOAT64(template int64_t run_symmetric_pass(const PassInput<double, double>&, int, const StopToken&,
                                                 const std::function<void(double)>&);)

}  // namespace mbsc
