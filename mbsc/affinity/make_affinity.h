// SPDX-License-Identifier: Apache-2.0
// make_affinity(): the affinity of an input. This is the only place that looks at the kind of the input and at the
// option `affinity`.
#pragma once

#include <memory>

#include "mbsc/affinity/affinity.h"
#include "mbsc/affinity/kernel/kernel.h"
#include "mbsc/input.h"
#include "mbsc/options.h"

namespace mbsc {

/// Whether the affinity of two points is a kernel of them alone.
bool has_kernel(AffinityKind kind);
/// The kernel of an affinity. Throws InvalidInput if it has none.
Kernel kernel_of(AffinityKind kind, double gamma);

/// The affinity of an input. For points, `gamma` must be set unless the kernel is cosine. For a matrix, `kind` and
/// `gamma` are ignored. `cache_bytes` is the size of the cache of kernel values, which the first degree pass fills.
std::unique_ptr<Affinity<float>> make_affinity(const Input& input, const RowSpace& rows, AffinityKind kind,
                                               double gamma, int64_t cache_bytes = 0);

}  // namespace mbsc
