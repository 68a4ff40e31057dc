// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "mbsc/base/require.h"
#include "mbsc/options.h"

namespace mbsc {

/// The numbers of columns in the exact solver.
struct KrylovSizes {
  int64_t block = 0;     ///< columns per product
  int64_t capacity = 0;  ///< largest size of the basis
  int64_t keep = 0;      ///< Ritz vectors that are kept in a restart
};

/// The block has k + max(4, k/2) columns. A larger basis saves products, so it has as many columns as 64 MiB hold,
/// but at most 300. In any case it has at least 5 blocks.
inline KrylovSizes krylov_sizes(int64_t n, const ClusterOptions& options) {
  const int64_t k = options.clusters;
  KrylovSizes s;
  s.block = std::min(n, options.block_size.value_or(k + std::max<int64_t>(4, k / 2)));
  const int64_t least = k + 2 * s.block, given = options.exact.basis_size.value_or(least);
  require(given >= std::min(n, least), "basis_size must be at least {}; got {}", least, given);
  const int64_t affordable = std::min<int64_t>(300, (int64_t{64} << 20) / (4 * std::max<int64_t>(1, n)));
  s.capacity = std::min(n, options.exact.basis_size.value_or(std::max({least, 5 * s.block, affordable})));
  s.keep = std::max(k, std::min(std::max(k + s.block, s.capacity / 3), s.capacity - s.block));
  return s;
}

}  // namespace mbsc
