// SPDX-License-Identifier: Apache-2.0
#include "mbsc/linalg/row_exchange.h"

namespace mbsc {

RowExchange::RowExchange(const RowSpace& space, std::vector<int64_t> wanted) : wanted_(std::move(wanted)) {
  const Comm& comm = space.comm();
  std::vector<std::vector<int64_t>> from(static_cast<size_t>(comm.size()));
  for (const int64_t row : wanted_) from[size_t(space.rank_of_row(row))].push_back(row);
  starts_.push_back(0);
  for (const auto& rows : from) starts_.push_back(starts_.back() + int64_t(rows.size()));
  asked_ = exchange_parts<int64_t>(comm, std::move(from));
  for (auto& rows : asked_)
    for (int64_t& row : rows) row -= space.own_rows().begin;
}

}  // namespace mbsc
