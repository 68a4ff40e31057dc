// SPDX-License-Identifier: Apache-2.0
#include "mbsc/solvers/minibatch/column_order.h"

#include <algorithm>

namespace mbsc::minibatch {

std::vector<int64_t> ColumnOrder::next(int64_t count) {
  std::vector<int64_t> columns;
  while (int64_t(columns.size()) < count && position_ < n_) {
    if (!permutation_) permutation_.emplace(n_, Random(seed_, Stream::batch), uint64_t(pass_));
    const int64_t j = (*permutation_)(position_++);
    if (!fixed[size_t(j)]) columns.push_back(j);
  }
  if (position_ >= n_) {
    ++pass_;
    position_ = 0;
    permutation_.reset();
  }
  std::sort(columns.begin(), columns.end());
  return columns;
}

}  // namespace mbsc::minibatch
