// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace mbsc {

/// The peak memory of this process in bytes; 0 if the system does not report it.
int64_t peak_memory_bytes();
/// The memory in bytes that this process may still allocate: the free memory of the machine or of its control group,
/// whichever is less. The largest int64_t if the system reports neither.
int64_t available_memory_bytes();

}  // namespace mbsc
