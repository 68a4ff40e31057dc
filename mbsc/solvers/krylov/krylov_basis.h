// SPDX-License-Identifier: Apache-2.0
// A block Krylov space with thick restart, for any symmetric operator. exact.cpp defines the symbols Q, Y, R and u_Q.
// Reference: Zhou, Saad, "Block Krylov-Schur method for large symmetric eigenvalue problems", 2008; Stewart, 2001.
#pragma once

#include <Eigen/Core>
#include <functional>
#include <optional>

#include "mbsc/solvers/krylov/krylov_sizes.h"
#include "mbsc/solvers/rayleigh_ritz.h"

namespace mbsc {

template <class T>
class KrylovBasis {
 public:
  /// out = L in, for the operator L of the space.
  using Multiply = std::function<void(MatrixView<const T> in, MatrixView<T> out)>;

  /// `start`: the first block, orthonormal. `capacity`: the most columns of the basis. `quick`: faster but less
  /// accurate, for warm starts whose residuals stay far above the rounding errors of T.
  KrylovBasis(const RowSpace& space, Multiply operate, uint64_t seed, Matrix<T> start, int64_t capacity,
              bool quick = false);

  /// Multiplies the next block, Y = LQ, and adds the block to the basis.
  void expand();
  /// Computes the next block: the residuals R, orthonormalized against the basis, with random directions instead of
  /// lost ones. If the basis is full, it restarts with `keep` Ritz vectors. Returns false if the basis spans the whole
  /// space.
  bool advance(int64_t keep, uint64_t step);

  /// The estimated residual of Ritz pair j, and the largest of the first k.
  double residual(int64_t j) const;
  double largest_residual(int64_t k) const;
  /// The k leading Ritz vectors.
  Matrix<T> ritz_vectors(int64_t k) const;
  /// All Ritz values, descending.
  const Eigen::VectorXd& values() const { return ritz().values; }
  int64_t columns() const { return columns_; }

  /// Approximate eigenpairs in the span of LX; see ahead().
  struct Ahead {
    Matrix<T> vectors;          ///< orthonormal, leading first
    Eigen::VectorXd values;     ///< estimates, not Rayleigh quotients
    Eigen::VectorXd residuals;  ///< upper bounds
  };
  /// Call this before advance(). The images Y = LX of the c leading Ritz vectors X need no further product, because
  /// Y = X theta + R u_Q. With S = u_Q'R'R u_Q
  ///     Y'Y = theta^2 + S,    Y'LY ~ theta^3 + theta S + S theta       (R'LR omitted: a lower bound if L >= 0).
  /// The eigenvectors g of this pencil give the vectors y = Yg. Their order is better than that of X: the values of X
  /// may be too close to each other to separate. Bound of the residuals: with y = Lz, z = Xg and |L| <= 1, the residual
  /// of y is at most |Lz - t z| / |y|, for any t.
  Ahead ahead(int64_t c) const;

  /// LX for the c leading Ritz vectors X, orthonormalized. It needs no further product either. The columns are the left
  /// singular vectors of LX by descending singular value, but those of negative eigenvalues come last. Call this before
  /// advance().
  Matrix<T> next_iterate(int64_t c) const;

  /// An upper bound on the eigenvalues that the k leading Ritz pairs miss. It uses the `count` columns of the first
  /// block from column `first` on, which must be random. Let u be an eigenvector of eigenvalue t. After j products each
  /// random column g has |L^j g|^2 >= t^2j (u'g)^2, and the (u'g)^2 of p random columns add up to chi^2_p / n (Dixon,
  /// 1983; here with the Ritz vectors projected out). Empty after a restart, or if there are no random columns.
  std::optional<Probe> probe(int64_t first, int64_t count, int64_t k) const;

 private:
  /// Ritz pairs of the projected operator, computed on first use.
  const SmallEigen& ritz() const;
  MatrixView<const T> basis(int64_t columns) const { return V_.view().columns_between(0, columns); }
  /// LX for the c leading Ritz vectors X.
  Matrix<T> images(int64_t c) const;
  void restart(int64_t keep);
  void refill(int64_t wanted, uint64_t step);

  bool quick_;
  Multiply operate_;
  const RowSpace& space_;
  const uint64_t seed_;
  Matrix<T> V_, next_, image_;
  int64_t next_columns_, columns_ = 0, last_ = 0, expansions_ = 0;
  bool restarted_ = false;
  Eigen::MatrixXd projected_, residual_gram_;
  mutable SmallEigen ritz_;
  mutable bool ritz_is_known_ = true;
};

/// Returns a function that multiplies by L. If `image` is not empty, the first call returns it instead of a product.
/// The arguments must outlive the function.
template <class T>
typename KrylovBasis<T>::Multiply multiply_from(const Normalized<T>& L, const StopToken& stop, Matrix<T>& image) {
  return [&](MatrixView<const T> in, MatrixView<T> out) {
    if (image.empty()) return L.multiply(in, out, stop);
    copy<T>(L.rows(), image, out);
    image = {};
  };
}

}  // namespace mbsc
