// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace mbsc {

/// The most memory this process has held, in bytes; 0 where the system does not tell.
int64_t peak_memory_bytes();
/// What this process may still take: the free memory of the machine or of its control group, whichever is less;
/// the largest integer where the system does not tell.
int64_t available_memory_bytes();

}  // namespace mbsc
