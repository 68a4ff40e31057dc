// SPDX-License-Identifier: Apache-2.0
#include "mbsc/solvers/krylov/krylov_basis.h"

#include <algorithm>
#include <cmath>

namespace mbsc {

template <class T>
KrylovBasis<T>::KrylovBasis(const RowSpace& space, Multiply operate, uint64_t seed, Matrix<T> start, int64_t capacity,
                            bool quick)
    : quick_(quick),
      operate_(std::move(operate)),
      space_(space),
      seed_(seed),
      V_(space.local_rows(), std::min(capacity, space.n())),
      next_(std::move(start)),
      next_columns_(next_.cols()) {}

template <class T>
void KrylovBasis<T>::expand() {
  const int64_t b = next_columns_, c = columns_ + b;
  image_ = Matrix<T>(space_.local_rows(), b);
  operate_(next_.view().columns_between(0, b), image_);
  copy<T>(space_, next_.view().columns_between(0, b), V_.view().columns_between(columns_, c));
  const auto V = basis(c);
  const Eigen::MatrixXd H = quick_ ? quick_gram<T>(space_, V, image_) : gram<T>(space_, V, image_);
  projected_.conservativeResize(c, c);
  projected_.rightCols(b) = H;
  projected_.bottomRows(b) = H.transpose();
  columns_ = c;
  last_ = b;
  ++expansions_;
  subtract<T>(space_, V, H, image_);  // image_ is now R = Y - VV'Y
  residual_gram_ = gram<T>(space_, image_, image_);
  ritz_is_known_ = false;
}

template <class T>
double KrylovBasis<T>::residual(int64_t j) const {
  const Eigen::VectorXd u = ritz().vectors.col(j).tail(last_);
  return std::sqrt(std::max(0.0, u.dot(residual_gram_ * u)));
}

template <class T>
double KrylovBasis<T>::largest_residual(int64_t k) const {
  double largest = 0;
  for (int64_t j = 0; j < k; ++j) largest = std::max(largest, residual(j));
  return largest;
}

template <class T>
bool KrylovBasis<T>::advance(int64_t keep, uint64_t step) {
  next_ = std::move(image_);
  // Orthonormalize against the whole old basis. It contains the vectors that a restart keeps.
  const int64_t rank = quick_ ? quick_orthonormalize_against<T>(space_, basis(columns_), next_)
                              : orthonormalize_against<T>(space_, basis(columns_), next_);
  next_columns_ = std::min(rank, space_.n() - columns_);
  if (next_columns_ < next_.cols() && columns_ + next_columns_ < space_.n()) {
    const int64_t wanted = std::min(next_.cols(), space_.n() - columns_);
    refill(wanted, step);
  }
  if (next_columns_ == 0) return false;
  if (columns_ + next_columns_ > V_.cols()) restart(keep);
  return true;
}

template <class T>
Matrix<T> KrylovBasis<T>::ritz_vectors(int64_t k) const {
  Matrix<T> X(space_.local_rows(), k);
  multiply<T>(space_, basis(columns_), ritz().vectors.leftCols(k), X);
  orthonormalize<T>(space_, X);
  return X;
}

template <class T>
typename KrylovBasis<T>::Ahead KrylovBasis<T>::ahead(int64_t c) const {
  const Eigen::MatrixXd u = ritz().vectors.bottomLeftCorner(last_, c);
  const Eigen::MatrixXd S = u.transpose() * residual_gram_ * u;
  const Eigen::VectorXd theta = ritz().values.head(c), squares = theta.cwiseAbs2();
  Eigen::MatrixXd A = theta.asDiagonal() * S, B = S;
  A += Eigen::MatrixXd(A.transpose());
  A.diagonal() += squares.cwiseProduct(theta);
  B.diagonal() += squares;
  // A column that L maps to zero makes B singular: its y becomes a random vector, and the bound becomes 1.
  Eigen::MatrixXd lifted = B;
  lifted.diagonal().array() += 1e-11 * B.trace();
  const SmallEigen best = eigen_descending(A, lifted);
  Ahead out{images(c), best.values, Eigen::VectorXd(c)};
  multiply<T>(space_, out.vectors, best.vectors, out.vectors);
  orthonormalize_in_order<T>(space_, out.vectors, seed_);
  for (int64_t j = 0; j < c; ++j) {
    const auto g = best.vectors.col(j);
    const Eigen::VectorXd off = (theta.array() - best.values[j]).matrix().cwiseProduct(g);
    const double length = g.dot(B * g);
    out.residuals[j] =
        length > 0.5 ? std::min(1.0, std::sqrt((off.squaredNorm() + std::max(0.0, g.dot(S * g))) / length)) : 1;
  }
  return out;
}

template <class T>
Matrix<T> KrylovBasis<T>::next_iterate(int64_t c) const {
  Matrix<T> Y = images(c);
  // The singular value decomposition is Y = P sigma Z'. If X has converged, z'X'LXz is sigma or -sigma, with the sign
  // of the eigenvalue. If X has not converged, it may lie between; then only values below -sigma/2 count as negative.
  const SmallEigen squares = eigen_descending(gram<T>(space_, Y, Y));
  Eigen::MatrixXd Z(c, c);
  int64_t front = 0, back = c;
  for (int64_t j = 0; j < c; ++j) {
    const auto z = squares.vectors.col(j);
    const double sigma = std::sqrt(std::max(0.0, squares.values[j]));
    const bool negative = z.dot(ritz().values.head(c).cwiseProduct(z)) < -sigma / 2;
    Z.col(negative ? --back : front++) = z;
  }
  multiply<T>(space_, Y, Z, Y);
  orthonormalize_or_refill<T>(space_, Y, seed_, 0);
  return Y;
}

template <class T>
std::optional<Probe> KrylovBasis<T>::probe(int64_t first, int64_t count, int64_t k) const {
  if (count == 0 || restarted_ || columns_ <= k) return std::nullopt;
  const Eigen::MatrixXd found = ritz().vectors.leftCols(k);
  const auto deflate = [&](const Eigen::MatrixXd& A) -> Eigen::MatrixXd { return A - found * (found.transpose() * A); };
  Eigen::MatrixXd a = deflate(Eigen::MatrixXd::Identity(columns_, columns_).middleCols(first, count));
  for (int64_t product = 1; product < expansions_; ++product) a = deflate(projected_ * a);
  const Eigen::MatrixXd last = a.bottomRows(last_);
  const double squares = deflate(projected_ * a).squaredNorm() + (last.transpose() * residual_gram_ * last).trace();
  const double p = double(count), z = -2.3263;  // for the 1 % quantile of chi^2_p (Wilson and Hilferty)
  const double quantile = p * std::pow(1 - 2 / (9 * p) + z * std::sqrt(2 / (9 * p)), 3);
  const double bound = std::pow(double(space_.n()) * squares / quantile, 0.5 / double(expansions_));
  return Probe{count, expansions_, std::min(1.0, bound), 0.99};
}

template <class T>
const SmallEigen& KrylovBasis<T>::ritz() const {
  if (!ritz_is_known_) ritz_ = eigen_descending(projected_);
  ritz_is_known_ = true;
  return ritz_;
}

template <class T>
Matrix<T> KrylovBasis<T>::images(int64_t c) const {
  Matrix<T> Y(space_.local_rows(), c);
  const auto u = ritz().vectors.leftCols(c);
  multiply<T>(space_, basis(columns_), u * ritz().values.head(c).asDiagonal(), Y);
  subtract<T>(space_, image_, -u.bottomRows(last_), Y);
  return Y;
}

template <class T>
void KrylovBasis<T>::restart(int64_t keep) {
  restarted_ = true;
  multiply<T>(space_, basis(columns_), ritz().vectors.leftCols(keep), V_);
  columns_ = keep;
  projected_ = ritz_.values.head(keep).asDiagonal();
  // The basis now consists of its own Ritz vectors. If a stop is requested during the next product, they are returned.
  ritz_ = {ritz_.values.head(keep).eval(), Eigen::MatrixXd::Identity(keep, keep)};
}

template <class T>
void KrylovBasis<T>::refill(int64_t wanted, uint64_t step) {
  const int64_t have = next_columns_;
  const auto fresh = next_.view().columns_between(have, wanted);
  fill_normal<T>(space_, fresh, Random(seed_, Stream::refill), step);
  const int64_t found = orthonormalize_against<T>(space_, basis(columns_), fresh);
  const auto kept = next_.view().columns_between(0, have);
  next_columns_ = have + orthonormalize_against<T>(space_, kept, fresh.columns_between(0, found));
}

template class KrylovBasis<float>;
template class KrylovBasis<double>;  // for the landmark block of Nystrom

}  // namespace mbsc
