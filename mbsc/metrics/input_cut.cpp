// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "mbsc/affinity/make_affinity.h"
#include "mbsc/affinity/scaling.h"
#include "mbsc/base/require.h"
#include "mbsc/base/thread_pool.h"
#include "mbsc/metrics.h"
#include "mbsc/metrics/normalized_cut.h"

namespace mbsc {

double normalized_cut(const Input& input, std::span<const int32_t> labels, const ClusterOptions& options) {
  const int64_t n = input.row_count();
  require(std::ssize(labels) == n, "there must be one label for each of the {} points; got {}", n, labels.size());
  const RowSpace rows(n, options.threads.value_or(default_threads()));
  if (!input.is_graph()) check_finite(input.rows, rows.threads());
  const int64_t clusters = labels.empty() ? 0 : *std::max_element(labels.begin(), labels.end()) + 1;
  const AffinityKind kind = options.affinity.value_or(AffinityKind::rbf);
  require(!input.is_points() || has_kernel(kind),
          "the normalized cut of points needs a kernel: affinity must be rbf, exponential or cosine");
  require(!input.is_points() || kind == AffinityKind::cosine || options.gamma,
          "the normalized cut needs gamma if the affinity is rbf or exponential");
  const auto affinity = make_affinity(input, rows, kind, options.gamma.value_or(1));
  return normalized_cut<float>(*affinity, {}, labels, clusters, options.stop);
}

}  // namespace mbsc
