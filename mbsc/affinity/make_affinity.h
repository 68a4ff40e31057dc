// SPDX-License-Identifier: Apache-2.0
// make_affinity(): the affinity of an input, by the kind of the input and the option `affinity`. Graphs of neighbors
// and of landmarks are made elsewhere (graph/neighbor_graph.h, landmarks/landmark_graph.h).
#pragma once

#include <memory>

#include "mbsc/affinity/affinity.h"
#include "mbsc/affinity/kernel/kernel.h"
#include "mbsc/input.h"
#include "mbsc/options.h"

namespace mbsc {

/// Whether this affinity is a kernel: the affinity of two points then depends on these two points alone.
bool has_kernel(AffinityKind kind);
/// The kernel of an affinity. Throws InvalidInput unless has_kernel(kind).
Kernel kernel_of(AffinityKind kind, double gamma);

/// The affinity of an input. For points, `kind` must be a kernel, and `gamma` must be set unless the kernel is cosine.
/// For a matrix or a graph, which must be symmetric, `kind` and `gamma` are ignored. `cache_bytes` limits the cache of kernel values, which the degree pass
/// fills.
std::unique_ptr<Affinity<float>> make_affinity(const Input& input, const RowSpace& rows, AffinityKind kind,
                                               double gamma, int64_t cache_bytes = 0);

}  // namespace mbsc
