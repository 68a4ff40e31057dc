// SPDX-License-Identifier: Apache-2.0
#include "mbsc/solvers/nystrom/inverse_root.h"

#include <algorithm>
#include <limits>

#include "mbsc/base/float64.h"
#include "mbsc/linalg/dense.h"
#include "mbsc/solvers/rayleigh_ritz.h"

namespace mbsc {

using Eigen::MatrixXd;
using Eigen::VectorXd;

template <class T>
MatrixXd inverse_root(const MatrixXd& block) {
  const SmallEigen eigen = eigen_descending(block);
  const double least = eigen.values[0] * std::max(1e-6, 10.0 * double(std::numeric_limits<T>::epsilon()));
  int64_t rank = 0;
  while (rank < eigen.values.size() && eigen.values[rank] > least) ++rank;
  return eigen.vectors.leftCols(rank) * eigen.values.head(rank).cwiseSqrt().cwiseInverse().asDiagonal();
}

template <class T>
InverseRoot::InverseRoot(const Matrix<T>& square, int threads) : threads_(threads) {
  MatrixXd block = widen(square);
  // For a smaller block the eigenvectors take only a millisecond or two, and the noise can be left out.
  if (block.rows() > 128 && (block.diagonal().array() > 0).all()) {
    const VectorXd scale = block.diagonal().cwiseSqrt().cwiseInverse();
    block = scale.asDiagonal() * block * scale.asDiagonal();
    const VectorXd sums = block.cwiseAbs().rowwise().sum();
    for (const double share : {1e-6, 1e-5}) {
      upper_ = block;
      upper_.diagonal() += share * sums;
      if (!cholesky(upper_, threads)) continue;
      upper_ = upper_ * scale.cwiseInverse().asDiagonal();
      return;
    }
    upper_.resize(0, 0);
    block = widen(square);
  }
  general_ = inverse_root<T>(block);
}

MatrixXd InverseRoot::apply(const MatrixXd& X) const {
  if (upper_.size() == 0) return general_ * X;
  MatrixXd out = X;
  solve_upper(upper_, false, out, threads_);
  return out;
}

MatrixXd InverseRoot::apply_transposed(const MatrixXd& X) const {
  if (upper_.size() == 0) return general_.transpose() * X;
  MatrixXd out = X;
  solve_upper(upper_, true, out, threads_);
  return out;
}

template MatrixXd inverse_root<float>(const MatrixXd&);
MBSC_FLOAT64(template MatrixXd inverse_root<double>(const MatrixXd&);)
template InverseRoot::InverseRoot(const Matrix<float>&, int);
MBSC_FLOAT64(template InverseRoot::InverseRoot(const Matrix<double>&, int);)

}  // namespace mbsc
