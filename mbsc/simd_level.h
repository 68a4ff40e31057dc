// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace mbsc {

/// The SIMD level the kernels run at on this machine: "AVX2", "SSE4", "NEON", ...
std::string simd_level();

}  // namespace mbsc
