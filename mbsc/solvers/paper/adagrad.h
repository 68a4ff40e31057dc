// SPDX-License-Identifier: Apache-2.0
// The AdaGrad step (Duchi et al., 2011), entry by entry, as in Algorithm 2 of the paper, but ascending. H is the
// projected gradient (paper.cpp):
//     M += H o H,    W += lambda H / (epsilon + sqrt(M)).
// Memory: one n x k array, M. By default lambda = 1/sqrt(n), because the entries of an orthonormal W have size
// 1/sqrt(n) and the first step moves every entry by lambda.
#pragma once

#include <cmath>

#include "mbsc/input.h"
#include "mbsc/linalg/row_space.h"

namespace mbsc {

template <class T>
class AdaGrad {
 public:
  AdaGrad(const RowSpace& space, int64_t columns, double step, double epsilon)
      : space_(space), squares_(space.local_rows(), columns), step_(T(step)), epsilon_(T(epsilon)) {}

  /// Moves W along H.
  void ascend(MatrixView<const T> H, MatrixView<T> W) {
    space_.for_each_block([&](int64_t, Range rows) {
      for (int64_t i = rows.begin; i < rows.end; ++i) {
        T* m = squares_.row(i);
        const T* h = H.row(i);
        T* w = W.row(i);
        for (int64_t c = 0; c < H.cols; ++c) {
          m[c] += h[c] * h[c];
          w[c] += step_ * h[c] / (epsilon_ + std::sqrt(m[c]));
        }
      }
    });
  }

 private:
  RowSpace space_;
  Matrix<T> squares_;
  T step_;
  T epsilon_;
};

}  // namespace mbsc
