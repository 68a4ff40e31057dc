// SPDX-License-Identifier: Apache-2.0
// Updates data about L when more accurate degrees are available. L has the old degrees and L' the new ones. With
// s_i = (d_i + tau)^-1/2 of each row (affinity/normalized.h) and r = new s / old s, L' = diag(r) L diag(r), except for
// the regularization, which is never sampled. So Y = L P becomes r Y = L' (P / r), exactly. If a point turns out to
// have no neighbor, its r is 0.
#pragma once

#include <vector>

#include "mbsc/affinity/normalized.h"

namespace mbsc {

template <class T>
class Rescaling {
 public:
  Rescaling(const Normalized<T>& from, const Normalized<T>& to) : from_(from), to_(to) {}

  const Normalized<T>& from() const { return from_; }
  const Normalized<T>& to() const { return to_; }
  /// r of any row.
  T ratio(int64_t global_row) const {
    const T s = from_.inverse_root_degree(global_row);
    return s > 0 ? to_.inverse_root_degree(global_row) / s : T{};
  }
  /// Y <- r Y.
  void multiply_rows(MatrixView<T> Y) const {
    scale(Y, [](T r) { return r; });
  }
  /// P <- P / r.
  void divide_rows(MatrixView<T> P) const {
    scale(P, [](T r) { return r > 0 ? 1 / r : T{}; });
  }

 private:
  template <class Function>
  void scale(MatrixView<T> X, Function by) const {
    const int64_t first = from_.rows().own_rows().begin;
    from_.rows().for_each_block([&](int64_t, Range rows) {
      for (int64_t i = rows.begin; i < rows.end; ++i) {
        const T factor = by(ratio(first + i));
        for (int64_t c = 0; c < X.cols; ++c) X(i, c) *= factor;
      }
    });
  }

  const Normalized<T>&from_, &to_;
};

}  // namespace mbsc
