// SPDX-License-Identifier: Apache-2.0
// Every setting and figure of a clustering as JSON: what the command line writes and Python shows as summary_.
// The keys are in docs/summary.md.
#pragma once

#include <cstdint>
#include <string>

#include "mbsc/cluster.h"

namespace mbsc {

std::string summary_json(int64_t n, int64_t features, const ClusterOptions& options, const Clustering& result);

}  // namespace mbsc
