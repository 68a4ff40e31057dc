// SPDX-License-Identifier: Apache-2.0
// The kernels:
//     rbf          exp(-gamma |x - y|^2)
//     exponential  exp(-gamma |x - y|)
//     cosine       max(0, x.y / |x||y|)
#pragma once

namespace mbsc {

enum class KernelKind { rbf, exponential, cosine };

struct Kernel {
  KernelKind kind = KernelKind::rbf;
  double gamma = 1;  ///< not used by cosine
};

}  // namespace mbsc
