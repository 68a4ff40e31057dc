// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "mbsc/base/random.h"

namespace mbsc::minibatch {

/// The order in which columns are sampled: all except the fixed ones, reshuffled for each pass.
class ColumnOrder {
 public:
  ColumnOrder() = default;
  ColumnOrder(int64_t n, uint64_t seed) : n_(n), seed_(seed) {}

  /// One flag for each of the n columns: 1 = fixed, never sampled.
  std::vector<uint8_t> fixed;

  /// The next `count` columns, ascending; fewer at the end of a pass.
  std::vector<int64_t> next(int64_t count);

 private:
  int64_t n_ = 0;
  uint64_t seed_ = 0;
  int64_t pass_ = 0, position_ = 0;
  std::optional<KeyedPermutation> permutation_;
};

}  // namespace mbsc::minibatch
