// SPDX-License-Identifier: Apache-2.0
#include "mbsc/affinity/make_affinity.h"

#include "mbsc/affinity/graph/clean_graph.h"
#include "mbsc/affinity/graph/sparse_affinity.h"
#include "mbsc/affinity/kernel/kernel_affinity.h"
#include "mbsc/affinity/matrix/matrix_affinity.h"
#include "mbsc/base/require.h"

namespace mbsc {

Kernel kernel_of(AffinityKind kind, double gamma) {
  switch (kind) {
    case AffinityKind::rbf:
      return {KernelKind::rbf, gamma};
    case AffinityKind::exponential:
      return {KernelKind::exponential, gamma};
    case AffinityKind::cosine:
      return {KernelKind::cosine, 1};
    case AffinityKind::neighbors:
    case AffinityKind::landmarks:
    case AffinityKind::precomputed:
      break;
  }
  throw InvalidInput("affinity must be a kernel: rbf, exponential or cosine");
}

bool has_kernel(AffinityKind kind) {
  return kind == AffinityKind::rbf || kind == AffinityKind::exponential || kind == AffinityKind::cosine;
}

std::unique_ptr<Affinity<float>> make_affinity(const Input& input, const RowSpace& rows, AffinityKind kind,
                                               double gamma, int64_t cache_bytes) {
  if (input.is_matrix()) return std::make_unique<MatrixAffinity<float>>(input.rows, rows);
  if (input.is_graph())
    return std::make_unique<SparseAffinity>(make_symmetric(clean_graph(input.graph, rows), std::nullopt, rows), rows);
  auto affinity = std::make_unique<KernelAffinity<float>>(input.rows, kernel_of(kind, gamma), rows);
  if (cache_bytes > 0) affinity->keep_values(cache_bytes);
  return affinity;
}

}  // namespace mbsc
