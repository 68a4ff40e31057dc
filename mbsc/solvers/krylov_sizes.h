// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "mbsc/base/require.h"
#include "mbsc/solvers/solver.h"

namespace mbsc {

/// How many columns the exact solver works with.
struct KrylovSizes {
  int64_t block = 0;     ///< multiplied at a time
  int64_t capacity = 0;  ///< of the basis
  int64_t keep = 0;      ///< Ritz vectors that survive a restart
};

/// A block of k + max(4, k/2). A larger basis saves products: what 64 MiB hold, within 5 blocks and 300 columns.
inline KrylovSizes krylov_sizes(int64_t n, const SolverOptions& options) {
  const int64_t k = options.clusters;
  require(options.block_size >= 0 && options.block_size <= n, "block_size must be in [1, {}]; got {}", n,
          options.block_size);
  KrylovSizes s;
  s.block = std::min(n, options.block_size > 0 ? options.block_size : k + std::max<int64_t>(4, k / 2));
  const int64_t least = k + 2 * s.block;
  require(options.basis_size == 0 || options.basis_size >= least, "basis_size must be at least {}; got {}", least,
          options.basis_size);
  const int64_t affordable = std::min<int64_t>(300, (int64_t{64} << 20) / (4 * std::max<int64_t>(1, n)));
  s.capacity = options.basis_size > 0 ? options.basis_size : std::max({least, 5 * s.block, affordable});
  s.capacity = std::min(n, s.capacity);
  s.keep = std::max(k, std::min(std::max(k + s.block, s.capacity / 3), s.capacity - s.block));
  return s;
}

}  // namespace mbsc
