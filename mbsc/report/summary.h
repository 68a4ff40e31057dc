// SPDX-License-Identifier: Apache-2.0
// Every setting and result of a clustering as JSON. The command line writes it to a file, Python shows it as summary_.
// docs/summary.md explains the keys.
#pragma once

#include <string>

#include "mbsc/result.h"

namespace mbsc {

std::string summary_json(const Clustering& result);

}  // namespace mbsc
