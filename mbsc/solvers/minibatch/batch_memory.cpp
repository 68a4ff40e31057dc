// SPDX-License-Identifier: Apache-2.0
#include "mbsc/solvers/minibatch/batch_memory.h"

#include <algorithm>
#include <cmath>

#include "mbsc/base/float64.h"
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

/// The sum of A_ij B_ij off the diagonal, and the sum on it, as a diagonal 2 x 2 matrix.
MatrixXd split_product(const MatrixXd& A, const MatrixXd& B) {
  const double all = A.cwiseProduct(B).sum(), own = A.diagonal().dot(B.diagonal());
  return Eigen::Vector2d(all - own, own).asDiagonal();
}

}  // namespace

template <class T>
BatchMemory<T>::BatchMemory(const Normalized<T>& L, int64_t columns, std::vector<uint8_t> fixed, DegreeTally* tally,
                            const SparsePart<T>* known)
    : L_(&L),
      tally_(tally),
      known_(known),
      is_fixed_(std::move(fixed)),
      P_(L.rows().local_rows(), columns),
      rest_(L.rows().local_rows(), columns),
      batch_(L.rows().local_rows(), columns),
      batch_rows_(L.rows().local_rows(), columns),
      noise_(MatrixXd::Zero(columns, columns)) {
  fixed_count_ = std::llround(sum_over_blocks(L.rows(), 1, [&](int64_t, Range rows, std::span<double> out) {
    for (int64_t i = rows.begin; i < rows.end; ++i) out[0] += is_fixed_[size_t(i)];
  })[0]);
  if (fixed_count_ > 0) fixed_ = Matrix<T>(L.rows().local_rows(), columns);
}

template <class T>
void BatchMemory<T>::Products::add(const MatrixXd& gg, const MatrixXd& gm, const MatrixXd& mm) {
  if (GG.size() == 0) GG = GM = MM = MatrixXd::Zero(gg.rows(), gg.cols());
  GG += gg;
  GM += gm;
  MM += mm;
}

/// Returns W_J - P_J for the given columns J, and sets P_J = W_J.
template <class T>
Matrix<T> BatchMemory<T>::take_changes(std::span<const int64_t> columns, MatrixView<const T> W) {
  const RowSpace& space = L_->rows();
  Matrix<T> changes = gather_rows<T>(space, W, columns);
  const Matrix<T> before = gather_rows<T>(space, P_, columns);
  for (int64_t i = 0; i < changes.size(); ++i) changes.data()[i] -= before.data()[i];
  const Range own = space.own_rows();
  for (const int64_t j : columns)
    if (own.contains(j)) std::copy_n(W.row(j - own.begin), W.cols, P_.row(j - own.begin));
  return changes;
}

template <class T>
void BatchMemory<T>::add_kept(const KeptColumns<T>& kept, MatrixView<const T> W) {
  const Matrix<T> changes = take_changes(kept.indices, W);
  Eigen::MatrixXd M(changes.rows(), changes.cols());
  for (int64_t i = 0; i < M.rows(); ++i)
    for (int64_t j = 0; j < M.cols(); ++j) M(i, j) = -double(changes(i, j));
  subtract<T>(L_->rows(), kept.values, M, fixed_);
  if (std::vector<double>* sums = tally_ ? tally_->sums_for(kept.indices, true) : nullptr)
    add_row_sums(*L_, kept, *sums);
}

template <class T>
void BatchMemory<T>::add_fixed(std::span<const int64_t> columns, MatrixView<const T> W, const StopToken& stop) {
  Matrix<T> G(W.rows, W.cols);
  L_->multiply_columns(columns, take_changes(columns, W), G, stop, tally_ ? tally_->sums_for(columns, true) : nullptr);
  add_scaled<T>(L_->rows(), 1, G, fixed_);
}

template <class T>
void BatchMemory<T>::add_products(MatrixView<const T> W, MatrixView<const T> G, MatrixView<const T> M,
                                  Products& outside, Products& inside) const {
  const RowSpace& space = L_->rows();
  const MatrixXd zero = MatrixXd::Zero(W.cols, W.cols), g = quick_gram<T>(space, W, G);
  const MatrixXd m = M.cols > 0 ? quick_gram<T>(space, W, M) : zero;
  inside.add(split_product(g, g), split_product(g, m), split_product(m, m));
  outside.add(quick_gram<T>(space, G, G) - g.transpose() * g,
              M.cols > 0 ? MatrixXd(quick_gram<T>(space, G, M) - g.transpose() * m) : zero,
              M.cols > 0 ? MatrixXd(quick_gram<T>(space, M, M) - m.transpose() * m) : zero);
}

template <class T>
void BatchMemory<T>::add(std::span<const int64_t> columns, MatrixView<const T> W, const NystromModel<T>* model,
                         const StopToken& stop, bool completes) {
  const RowSpace& space = L_->rows();
  if (completes) model = nullptr;
  if (parts_ == 0) {
    std::fill_n(batch_.data(), batch_.size(), T{});
    if (!completes) std::fill_n(batch_rows_.data(), batch_rows_.size(), T{});
    outside_ = inside_ = {};
  }
  const Matrix<T> changes = take_changes(columns, W);
  Matrix<T> G(W.rows, W.cols);
  const bool at_once = completes && takes_all_at_once() && int64_t(columns.size()) == others();
  if (!at_once) L_->multiply_columns(columns, changes, G, stop, tally_ ? tally_->sums_for(columns, false) : nullptr);
  const bool needs_rows = model || known_ || at_once;
  Matrix<T> rows(needs_rows ? W.rows : 0, needs_rows ? W.cols : 0), M(model ? W.rows : 0, model ? W.cols : 0);
  const Range own = space.own_rows();
  for (size_t at = 0; at < columns.size(); ++at) {
    if (!own.contains(columns[at])) continue;
    const int64_t i = columns[at] - own.begin;
    if (!completes) std::copy_n(changes.row(int64_t(at)), W.cols, batch_rows_.row(i));
    if (needs_rows) std::copy_n(changes.row(int64_t(at)), W.cols, rows.row(i));
  }
  if (at_once) L_->multiply_all_columns(rows, G, stop);
  if (known_) known_->add(-1, rows, G);
  if (model) model->multiply_sampled(rows, M);
  if (!completes) add_products(W, G, M, outside_, inside_);
  add_scaled<T>(space, 1, G, batch_);
  seen_ = std::min(others(), seen_ + int64_t(columns.size()));
  ++parts_;
}

template <class T>
void BatchMemory<T>::turn(const MatrixXd& M) {
  multiply<T>(L_->rows(), P_, M, P_);
  multiply<T>(L_->rows(), rest_, M, rest_);
  if (!fixed_.empty()) multiply<T>(L_->rows(), fixed_, M, fixed_);
  noise_ = M.transpose() * noise_ * M;
}

template <class T>
void BatchMemory<T>::rescale(const Rescaling<T>& by) {
  by.divide_rows(P_);
  by.multiply_rows(rest_);
  if (!fixed_.empty()) by.multiply_rows(fixed_);
  L_ = &by.to();
  if (!L_->all_degrees().sampled()) tally_ = nullptr;  // exact: nothing is left to estimate
}

template <class T>
void BatchMemory<T>::end_batch(MatrixView<const T> W, const NystromModel<T>* model) {
  if (parts_ > 1 && outside_.GG.size() > 0) {
    Matrix<T> M(model ? W.rows : 0, model ? W.cols : 0);
    if (model) model->multiply_sampled(batch_rows_, M);
    Products outside, inside;
    add_products(W, batch_, M, outside, inside);
    const double parts = double(parts_), scale = parts / (parts - 1);
    const auto centered = [&](const MatrixXd& sum, const MatrixXd& whole) { return MatrixXd(sum - whole / parts); };
    const auto weight = [&](const Products& sum, const Products& whole) {
      const double cross = centered(sum.GM, whole.GM).trace(), square = centered(sum.MM, whole.MM).trace();
      return model && square > 0 ? std::clamp(cross / square, 0.0, 1.0) : 0;
    };
    c_ = weight(outside_, outside);
    c_inside_ = weight(inside_, inside);
    noise_ += scale * centered(outside_.with(c_), outside.with(c_));
    projected_noise_ += scale * centered(inside_.with(c_inside_), inside.with(c_inside_)).diagonal();
  }
  if (parts_ > 0) add_scaled<T>(L_->rows(), 1, batch_, rest_);
  parts_ = 0;
}

template <class T>
typename BatchMemory<T>::Estimate BatchMemory<T>::estimate(MatrixView<const T> W, const NystromModel<T>* model) {
  const RowSpace& space = L_->rows();
  Estimate e;
  e.control_variate = c_;
  const double f = seen_ > 0 ? double(others()) / double(seen_) : 1;
  const double noise = f * f * (1 - double(seen_) / double(std::max<int64_t>(1, others())));
  e.noise = noise * noise_;
  e.projected_noise = noise * projected_noise_;

  e.projected = project(W, model, c_inside_, e.noise.trace(), e.projected_noise);
  e.H = Matrix<T>(W.rows, W.cols);
  Matrix<T>& G = e.H;
  if (model && e.control_variate > 0) {
    Matrix<T> ahead = others_of(W), M(W.rows, W.cols);  // W - P_f
    add_scaled<T>(space, -f, others_of(P_), ahead);
    model->multiply_sampled(ahead, M);
    add_scaled<T>(space, e.control_variate, M, G);
  }
  add_scaled<T>(space, f, rest_, G);
  if (known_) known_->add(1, others_of(W), G);
  if (!fixed_.empty()) add_scaled<T>(space, 1, fixed_, G);
  L_->add_exact(W, G);
  subtract<T>(space, W, gram<T>(space, W, G), G);
  return e;
}

/// V with zeros in the fixed rows.
template <class T>
Matrix<T> BatchMemory<T>::others_of(MatrixView<const T> V) const {
  Matrix<T> out(V.rows, V.cols);
  L_->rows().for_each_block([&](int64_t, Range rows) {
    for (int64_t i = rows.begin; i < rows.end; ++i)
      if (!is_fixed_[size_t(i)]) std::copy_n(V.row(i), V.cols, out.row(i));
  });
  return out;
}

template <class T>
MatrixXd BatchMemory<T>::project(MatrixView<const T> W, const NystromModel<T>* model, double c, double outside,
                                 Eigen::Vector2d& noise) const {
  const RowSpace& space = L_->rows();
  Matrix<T> flat(W.rows, W.cols);
  L_->add_exact(W, flat);
  MatrixXd B = gram<T>(space, W, flat);
  const Matrix<T> Wo = others_of(W), Po = others_of(P_);
  if (known_) {
    Matrix<T> image(W.rows, W.cols);
    known_->add(1, Wo, image);
    B += gram<T>(space, Wo, image);
  }
  if (!fixed_.empty()) {
    const MatrixXd cross = gram<T>(space, W, fixed_);
    B += cross + cross.transpose() - (gram<T>(space, P_, fixed_) - gram<T>(space, Po, fixed_));
  }
  if (seen_ == 0) return B;
  const double N = double(others()), unseen = N - double(seen_), p = double(seen_) / N;
  const double pairs = N > 1 ? 1 - unseen * (unseen - 1) / (N * (N - 1)) : 1;
  Matrix<T> R(W.rows, W.cols);
  add_scaled<T>(space, 1, rest_, R);
  if (model && c > 0) {
    Matrix<T> M(W.rows, W.cols);
    model->multiply_sampled(Wo, M);
    B += c * gram<T>(space, Wo, M);
    model->multiply_sampled(Po, M);
    add_scaled<T>(space, -c, M, R);
  }
  const MatrixXd cross = gram<T>(space, Wo, R);
  B += (cross + cross.transpose() - gram<T>(space, Po, R)) / pairs;
  // The second-order term is k' x k', so its share of the n x k' noise outside of W is k'/n; 1/k' of its entries are on
  // the diagonal.
  const double c2 = double(W.cols), entries = outside * c2 / double(L_->n());
  const Eigen::Vector2d second(std::max(noise[0], entries * (1 - 1 / c2)), std::max(noise[1], entries / c2));
  noise = (1 - p) / ((2 - p) * (2 - p)) * (4 * (1 - p) * noise + 2 * p * second);
  return B;
}

template class BatchMemory<float>;
MBSC_FLOAT64(template class BatchMemory<double>;)

}  // namespace mbsc
