// SPDX-License-Identifier: Apache-2.0
#include "mbsc/solvers/batch_memory.h"

#include <algorithm>
#include <cmath>

#include "mbsc/linalg/reduce.h"
#include "mbsc/solvers/rayleigh_ritz.h"

namespace mbsc {

using Eigen::MatrixXd;

namespace {

/// out += factor * X.
template <class T>
void add_scaled(const RowSpace& space, double factor, MatrixView<const T> X, MatrixView<T> out) {
  space.for_each_block([&](int64_t, Range rows) {
    for (int64_t i = rows.begin; i < rows.end; ++i)
      for (int64_t c = 0; c < X.cols; ++c) out(i, c) += T(factor) * X(i, c);
  });
}

}  // namespace

template <class T>
BatchMemory<T>::BatchMemory(const Normalized<T>& L, int64_t columns, std::vector<uint8_t> certain)
    : L_(L),
      certain_(std::move(certain)),
      P_(L.rows().local_rows(), columns),
      rest_(L.rows().local_rows(), columns),
      batch_(L.rows().local_rows(), columns),
      batch_rows_(L.rows().local_rows(), columns),
      noise_(MatrixXd::Zero(columns, columns)) {
  certain_count_ = std::llround(sum_over_blocks(L.rows(), 1, [&](int64_t, Range rows, std::span<double> out) {
    for (int64_t i = rows.begin; i < rows.end; ++i) out[0] += certain_[size_t(i)];
  })[0]);
  if (certain_count_ > 0) sure_ = Matrix<T>(L.rows().local_rows(), columns);
}

template <class T>
void BatchMemory<T>::Products::add(const MatrixXd& gg, const MatrixXd& gm, const MatrixXd& mm) {
  if (GG.size() == 0) GG = GM = MM = MatrixXd::Zero(gg.rows(), gg.cols());
  GG += gg;
  GM += gm;
  MM += mm;
}

/// L_:S (W_S - P_S), after which P_S = W_S.
template <class T>
Matrix<T> BatchMemory<T>::multiply_changes(std::span<const int64_t> columns, MatrixView<const T> W,
                                           const StopToken& stop) {
  const RowSpace& space = L_.rows();
  Matrix<T> coefficients = gather_rows<T>(space, W, columns);
  const Matrix<T> before = gather_rows<T>(space, P_, columns);
  for (int64_t i = 0; i < coefficients.size(); ++i) coefficients.data()[i] -= before.data()[i];
  Matrix<T> G(space.local_rows(), W.cols);
  L_.multiply_columns(columns, coefficients, G, stop);
  const Range own = space.own_rows();
  for (const int64_t j : columns)
    if (own.contains(j)) std::copy_n(W.row(j - own.begin), W.cols, P_.row(j - own.begin));
  return G;
}

template <class T>
void BatchMemory<T>::add_certain(std::span<const int64_t> columns, MatrixView<const T> W, const StopToken& stop) {
  add_scaled<T>(L_.rows(), 1, multiply_changes(columns, W, stop), sure_);
}

template <class T>
void BatchMemory<T>::add_products(MatrixView<const T> W, MatrixView<const T> G, MatrixView<const T> M,
                                  Products& outside, Products& inside) const {
  const RowSpace& space = L_.rows();
  const MatrixXd zero = MatrixXd::Zero(W.cols, W.cols), g = gram<T>(space, W, G);
  const MatrixXd m = M.cols > 0 ? gram<T>(space, W, M) : zero;
  inside.add(g.transpose() * g, g.transpose() * m, m.transpose() * m);
  outside.add(gram<T>(space, G, G) - g.transpose() * g,
              M.cols > 0 ? MatrixXd(gram<T>(space, G, M) - g.transpose() * m) : zero,
              M.cols > 0 ? MatrixXd(gram<T>(space, M, M) - m.transpose() * m) : zero);
}

template <class T>
void BatchMemory<T>::add(std::span<const int64_t> columns, MatrixView<const T> W, const NystromModel<T>* model,
                         const StopToken& stop) {
  const RowSpace& space = L_.rows();
  if (parts_ == 0) {
    std::fill_n(batch_.data(), batch_.size(), T{});
    std::fill_n(batch_rows_.data(), batch_rows_.size(), T{});
    outside_ = inside_ = {};
  }
  const Matrix<T> G = multiply_changes(columns, W, stop);
  Matrix<T> rows(model ? W.rows : 0, W.cols), M(rows.rows(), model ? W.cols : 0);
  const Range own = space.own_rows();
  for (const int64_t j : columns)
    if (own.contains(j)) {
      std::copy_n(W.row(j - own.begin), W.cols, batch_rows_.row(j - own.begin));
      if (model) std::copy_n(W.row(j - own.begin), W.cols, rows.row(j - own.begin));
    }
  if (model) model->multiply_sampled(rows, M);
  add_products(W, G, M, outside_, inside_);
  add_scaled<T>(space, 1, G, batch_);
  seen_ = std::min(others(), seen_ + int64_t(columns.size()));
  ++parts_;
}

template <class T>
void BatchMemory<T>::turn(const MatrixXd& M) {
  multiply<T>(L_.rows(), P_, M, P_);
  multiply<T>(L_.rows(), rest_, M, rest_);
  if (!sure_.empty()) multiply<T>(L_.rows(), sure_, M, sure_);
  noise_ = M.transpose() * noise_ * M;
}

/// Adds this batch to the noise of all, and finds the weight of the control variate.
template <class T>
void BatchMemory<T>::measure_noise(MatrixView<const T> W, const NystromModel<T>* model, double& c, double& c_inside) {
  Matrix<T> M(model ? W.rows : 0, model ? W.cols : 0);
  if (model) model->multiply_sampled(batch_rows_, M);
  Products outside, inside;
  add_products(W, batch_, M, outside, inside);
  const double parts = double(parts_), scale = parts / (parts - 1);
  const auto centred = [&](const MatrixXd& sum, const MatrixXd& whole) { return MatrixXd(sum - whole / parts); };
  const auto weight = [&](const Products& sum, const Products& whole) {
    const double cross = centred(sum.GM, whole.GM).trace(), square = centred(sum.MM, whole.MM).trace();
    return model && square > 0 ? std::clamp(cross / square, 0.0, 1.0) : 0;
  };
  c = weight(outside_, outside);
  c_inside = weight(inside_, inside);
  noise_ += scale * centred(outside_.with(c), outside.with(c));
  projected_noise_ += scale * centred(inside_.with(c_inside), inside.with(c_inside)).trace();
}

template <class T>
typename BatchMemory<T>::Estimate BatchMemory<T>::estimate(MatrixView<const T> W, const NystromModel<T>* model) {
  const RowSpace& space = L_.rows();
  Estimate e;
  double c_inside = 0;
  if (parts_ > 1) measure_noise(W, model, e.control_variate, c_inside);
  if (parts_ > 0) add_scaled<T>(space, 1, batch_, rest_);
  parts_ = 0;
  const double f = seen_ > 0 ? double(others()) / double(seen_) : 1;
  const double noise = f * f * (1 - double(seen_) / double(std::max<int64_t>(1, others())));
  e.noise = noise * noise_;
  e.projected_noise = noise * projected_noise_;

  e.H = Matrix<T>(W.rows, W.cols);
  Matrix<T>& G = e.H;
  MatrixXd predicted = MatrixXd::Zero(W.cols, W.cols);
  if (model && e.control_variate + c_inside > 0) {
    Matrix<T> ahead(W.rows, W.cols);  // W - P_f
    space.for_each_block([&](int64_t, Range rows) {
      for (int64_t i = rows.begin; i < rows.end; ++i) {
        if (certain_[size_t(i)]) continue;
        for (int64_t c = 0; c < W.cols; ++c) ahead(i, c) = W(i, c) - T(f) * P_(i, c);
      }
    });
    Matrix<T> M(W.rows, W.cols);
    model->multiply_sampled(ahead, M);
    predicted = gram<T>(space, W, M);
    add_scaled<T>(space, e.control_variate, M, G);
  }
  add_scaled<T>(space, f, rest_, G);
  if (!sure_.empty()) add_scaled<T>(space, 1, sure_, G);
  L_.add_exact(W, G);
  e.projected = gram<T>(space, W, G);
  subtract<T>(space, W, e.projected, G);
  e.projected += (c_inside - e.control_variate) * predicted;
  return e;
}

template class BatchMemory<float>;
template class BatchMemory<double>;

}  // namespace mbsc
