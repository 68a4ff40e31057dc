// SPDX-License-Identifier: Apache-2.0
#include "mbsc/linalg/row_permutation.h"

namespace mbsc {

RowPermutation::RowPermutation(const RowSpace& space, std::vector<int32_t> rows) : rows_(std::move(rows)) {
  const auto ranks = static_cast<size_t>(space.comm().size());
  Numbers asked(ranks);
  places_.resize(ranks);
  for (size_t place = 0; place < rows_.size(); ++place) {
    const auto rank = size_t(space.rank_of_row(rows_[place]));
    asked[rank].push_back(rows_[place]);
    places_[rank].push_back(int32_t(place));
  }
  row_numbers_ = exchange_parts<int32_t>(space.comm(), std::move(asked));
  for (auto& numbers : row_numbers_)
    for (int32_t& row : numbers) row -= int32_t(space.own_rows().begin);
}

}  // namespace mbsc
