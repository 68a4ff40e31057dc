// SPDX-License-Identifier: Apache-2.0
#include "mbsc/flow/cut.h"

#include "mbsc/metrics/normalized_cut.h"

namespace mbsc {

void find_cut(const Affinity<float>& affinity, const Normalized<float>& L, bool by_product, const StopToken& stop,
              Clustering& result) {
  const ClusterOptions& options = result.plan.options;
  if (options.degrees == DegreeKind::nystrom || result.status == Status::stopped) return;
  // Volumes from sampled degrees have a larger error than the cut itself. Without degrees, find the volumes from the
  // same columns as the cut.
  const bool exact_degrees = result.degrees.largest_error.value_or(0) == 0;
  const std::span<const double> volumes = exact_degrees ? L.degrees() : std::span<const double>();
  try {
    if (by_product) {
      result.cut.exact = normalized_cut<float>(affinity, volumes, result.labels, options.clusters, stop);
      return;
    }
    const CutEstimate cut =
        estimate_normalized_cut<float>(affinity, volumes, result.labels, options.clusters, options.seed, stop);
    result.cut.estimate = cut.value;
    result.cut.standard_error = cut.standard_error;
  } catch (const Stopped&) {
    result.status = Status::stopped;
  }
}

}  // namespace mbsc
