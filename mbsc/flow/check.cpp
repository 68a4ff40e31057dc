// SPDX-License-Identifier: Apache-2.0
#include "mbsc/flow/check.h"

#include <algorithm>
#include <array>
#include <string>

#include "mbsc/affinity/scaling.h"
#include "mbsc/base/memory.h"
#include "mbsc/base/require.h"
#include "mbsc/cluster.h"
#include "mbsc/comm/agree.h"
#include "mbsc/linalg/reduce.h"

namespace mbsc {

void check_rows(const Input& input, const RowSpace& rows, int64_t clusters) {
  if (input.is_graph()) return;  // clean_graph() checks it
  agree(rows.comm(), [&] { check_finite(input.rows, rows.threads()); });
  if (input.is_matrix()) return;
  const int64_t distinct = count_distinct(input.rows, std::max<int64_t>(2, clusters), rows);
  require(distinct > 1, "all {} points are equal: 1 distinct point, nothing to cluster", rows.n());
  require(distinct >= clusters, "only {} distinct points; cannot make {} clusters", distinct, clusters);
}

void check_memory(int64_t bytes, const Comm& comm) {
  const auto needed = int64_t(largest_of_all(comm, double(bytes)));
  const auto available = int64_t(-largest_of_all(comm, -double(available_memory_bytes())));
  constexpr double gib = 1 << 30;
  require(needed <= available, "this needs about {:.1f} GiB besides the points, but only {:.1f} GiB are available",
          double(needed) / gib, double(available) / gib);
}

void check_simd_levels(const Comm& comm) {
  using Name = std::array<char, 16>;
  Name mine{};
  const std::string level = simd_level();
  std::copy_n(level.begin(), std::min(level.size(), mine.size() - 1), mine.begin());
  const std::vector<Name> all = comm.gather<Name>(std::span<const Name>(&mine, 1));
  for (const Name& other : all)
    require(other == all.front(),
            "ranks must have the same SIMD level; there are {} and {} (MBSC_SIMD sets a lower one)", all.front().data(),
            other.data());
}

void check_isolated(const IsolatedRows& isolated, const Plan& plan) {
  const int64_t left = plan.n - isolated.count, k = plan.options.clusters;
  const std::optional<double>& gamma = plan.options.gamma;
  require(left >= k, "only {} of {} points have a neighbor{}: too few for {} clusters", left, plan.n,
          gamma ? fmt::format(" at gamma = {}; choose a smaller gamma", *gamma) : "", k);
}

}  // namespace mbsc
