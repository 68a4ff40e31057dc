// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

namespace mbsc {

/// The default number of columns in a batch: n/100, limited to the range 10 to 2,000, and at most n.
inline int64_t automatic_batch_size(int64_t n) { return std::min(n, std::clamp<int64_t>(n / 100, 10, 2000)); }

}  // namespace mbsc
