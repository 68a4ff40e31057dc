// SPDX-License-Identifier: Apache-2.0
#include "mbsc/simd_level.h"

#include "mbsc/simd/tile.h"

namespace mbsc {

std::string simd_level() { return simd::level_name(); }

}  // namespace mbsc
