// SPDX-License-Identifier: Apache-2.0
#include "mbsc/solvers/nystrom_model.h"

#include "mbsc/solvers/krylov_basis.h"

namespace mbsc {

using Eigen::MatrixXd;
using Eigen::VectorXd;

template <class T>
NystromModel<T>::NystromModel(const Normalized<T>& L, const std::vector<int64_t>& landmarks, int64_t rank,
                              const StopToken& stop)
    : L_(&L), basis_(nystrom_basis(L, landmarks, rank, stop, kept_count<T>(L.n()), std::min<int64_t>(rank, 100))) {
  take_diagonals();
}

template <class T>
void NystromModel<T>::take_diagonals() {
  hidden_ = L_->hidden_diagonal();
  definite_ = L_->definite_diagonal();
  own_.resize(hidden_.size());
  const int64_t first = L_->rows().own_rows().begin;
  L_->rows().for_each_block([&](int64_t, Range rows) {
    for (int64_t i = rows.begin; i < rows.end; ++i) {
      double sum = -double(L_->flat(first + i, first + i));
      for (int64_t r = 0; r < rank(); ++r) {
        const double q = basis_.vectors(i, r);
        sum += basis_.values[size_t(r)] * q * q;
      }
      own_[size_t(i)] = sum;
    }
  });
}

template <class T>
void NystromModel<T>::rescale(const Rescaling<T>& by) {
  by.multiply_rows(basis_.vectors);
  L_ = &by.to();
  take_diagonals();
}

template <class T>
void NystromModel<T>::multiply_low_rank(const MatrixXd& projected, MatrixView<T> out) const {
  const Eigen::Map<const VectorXd> theta(basis_.values.data(), rank());
  mbsc::multiply<T>(L_->rows(), basis_.vectors, theta.asDiagonal() * projected, out);
}

template <class T>
void NystromModel<T>::multiply(MatrixView<const T> V, MatrixView<T> out) const {
  multiply_low_rank(gram<T>(L_->rows(), basis_.vectors, V), out);
  L_->rows().for_each_block([&](int64_t, Range rows) {
    for (int64_t i = rows.begin; i < rows.end; ++i)
      for (int64_t c = 0; c < V.cols; ++c) out(i, c) -= T(definite_[size_t(i)]) * V(i, c);
  });
}

template <class T>
void NystromModel<T>::multiply_sampled(MatrixView<const T> V, MatrixView<T> out) const {
  const RowSpace& space = L_->rows();
  Matrix<T> trusted(V.rows, V.cols), flat(V.rows, V.cols);
  space.for_each_block([&](int64_t, Range rows) {
    for (int64_t i = rows.begin; i < rows.end; ++i)
      if (is_trusted(i)) std::copy_n(V.row(i), V.cols, trusted.row(i));
  });
  multiply_low_rank(gram_of_few_rows<T>(space, basis_.vectors, trusted), out);
  L_->add_exact(trusted, flat);
  space.for_each_block([&](int64_t, Range rows) {
    for (int64_t i = rows.begin; i < rows.end; ++i)
      for (int64_t c = 0; c < V.cols; ++c)
        out(i, c) = is_trusted(i) ? out(i, c) - flat(i, c) - T(own_[size_t(i)]) * V(i, c) : T{};
  });
}

template <class T>
Matrix<T> NystromModel<T>::leading(int64_t c, const SolverOptions& options) const {
  const RowSpace& space = L_->rows();
  Matrix<T> start = random_basis(*L_, c, options);
  if (rank() == 0) return start;
  // The best the model has within the first of Q itself is a good first block.
  const auto first = basis_.vectors.view().columns_between(0, std::min(rank(), 100 + c));
  Matrix<T> image(space.local_rows(), first.cols);
  multiply(first, image);
  const SmallEigen eigen = eigen_descending(gram<T>(space, first, image));
  const int64_t known = std::min(c, rank());
  mbsc::multiply<T>(space, first, eigen.vectors.leftCols(known), start.view().columns_between(0, known));
  orthonormalize_or_refill<T>(space, start, options, -1);
  constexpr int steps = 6;
  KrylovBasis<T> krylov(
      space, [&](MatrixView<const T> in, MatrixView<T> out) { multiply(in, out); }, options, std::move(start),
      steps * c);
  for (int step = 0; step < steps; ++step) {
    krylov.expand();
    if (krylov.largest_residual(std::min(c, krylov.columns())) < 1e-5) break;
    if (step + 1 < steps && !krylov.advance(2 * c, uint64_t(step))) break;
  }
  Matrix<T> W(space.local_rows(), c);
  copy<T>(space, krylov.ritz_vectors(std::min(c, krylov.columns())), W);
  orthonormalize_in_order<T>(space, W, options);
  return W;
}

template class NystromModel<float>;
template class NystromModel<double>;

}  // namespace mbsc
