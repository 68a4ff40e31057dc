// SPDX-License-Identifier: Apache-2.0
// A block Krylov space with thick restart, of any symmetric operator.
// Reference: Zhou, Saad, "Block Krylov-Schur method for large symmetric eigenvalue problems", 2008; Stewart, 2001.
#pragma once

#include <Eigen/Dense>
#include <cmath>
#include <functional>

#include "mbsc/solvers/budget.h"
#include "mbsc/solvers/krylov_sizes.h"
#include "mbsc/solvers/rayleigh_ritz.h"

namespace mbsc {

template <class T>
class KrylovBasis {
 public:
  /// out = L in, for the operator the space belongs to.
  using Multiply = std::function<void(MatrixView<const T> in, MatrixView<T> out)>;

  /// `quick`: for a start, whose residuals end far above the roundings of T.
  KrylovBasis(const RowSpace& space, Multiply operate, const SolverOptions& options, Matrix<T> start, int64_t capacity,
              bool quick = false)
      : quick_(quick),
        operate_(std::move(operate)),
        space_(space),
        options_(options),
        V_(space.local_rows(), std::min(capacity, space.n())),
        next_(std::move(start)),
        next_columns_(next_.cols()) {}

  /// Multiplies the next block and takes it into the basis. Y = LQ.
  void expand() {
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
    subtract<T>(space_, V, H, image_);  // R
    residual_gram_ = gram<T>(space_, image_, image_);
    ritz_is_known_ = false;
  }

  /// Estimated residual of Ritz pair j.
  double residual(int64_t j) const {
    const Eigen::VectorXd u = ritz().vectors.col(j).tail(last_);
    return std::sqrt(std::max(0.0, u.dot(residual_gram_ * u)));
  }
  double largest_residual(int64_t k) const {
    double largest = 0;
    for (int64_t j = 0; j < k; ++j) largest = std::max(largest, residual(j));
    return largest;
  }

  /// The next block: the residuals, orthonormal to the basis, filled up with random directions; after a restart with
  /// `keep` Ritz vectors where the basis is full. False when the basis spans the whole space.
  bool advance(int64_t keep, uint64_t step) {
    next_ = std::move(image_);
    // Against the whole old basis, of which the kept vectors are a part.
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

  /// The k leading Ritz vectors.
  Matrix<T> ritz_vectors(int64_t k) const {
    Matrix<T> X(space_.local_rows(), k);
    multiply<T>(space_, basis(columns_), ritz().vectors.leftCols(k), X);
    orthonormalize<T>(space_, X);
    return X;
  }

  /// What the last product tells of the next one. To be asked for before advance().
  struct Ahead {
    Matrix<T> vectors;          ///< orthonormal, leading first
    Eigen::VectorXd values;     ///< estimates, not Rayleigh quotients
    Eigen::VectorXd residuals;  ///< upper bounds
  };
  /// The images Y = LX of the c leading Ritz vectors X come for nothing, Y = X theta + R u_Q, and so do their Rayleigh
  /// quotients but for what L does to R: with S = u_Q'R'R u_Q
  ///     Y'Y = theta^2 + S,    Y'LY ~ theta^3 + theta S + S theta       (R'LR left out: a lower bound where L >= 0).
  /// Vectors y = Yg from these are in a better order than X, whose values may be too near each other to tell. With
  /// y = Lz, z = Xg, and |L| <= 1 the residual of y is at most |Lz - t z| / |y|, for any t.
  Ahead ahead(int64_t c) const {
    const Eigen::MatrixXd u = ritz().vectors.bottomLeftCorner(last_, c);
    const Eigen::MatrixXd S = u.transpose() * residual_gram_ * u;
    const Eigen::VectorXd theta = ritz().values.head(c), squares = theta.cwiseAbs2();
    Eigen::MatrixXd A = theta.asDiagonal() * S, B = S;
    A += Eigen::MatrixXd(A.transpose());
    A.diagonal() += squares.cwiseProduct(theta);
    B.diagonal() += squares;
    // A column that L maps to zero leaves B singular: its y becomes a random vector, and the bound 1.
    Eigen::MatrixXd lifted = B;
    lifted.diagonal().array() += 1e-11 * B.trace();
    const SmallEigen best = eigen_descending(A, lifted);
    Ahead out{images(c), best.values, Eigen::VectorXd(c)};
    multiply<T>(space_, out.vectors, best.vectors, out.vectors);
    orthonormalize_in_order<T>(space_, out.vectors, options_);
    for (int64_t j = 0; j < c; ++j) {
      const auto g = best.vectors.col(j);
      const Eigen::VectorXd off = (theta.array() - best.values[j]).matrix().cwiseProduct(g);
      const double length = g.dot(B * g);
      out.residuals[j] =
          length > 0.5 ? std::min(1.0, std::sqrt((off.squaredNorm() + std::max(0.0, g.dot(S * g))) / length)) : 1;
    }
    return out;
  }

  /// LX for the c leading Ritz vectors X, orthonormalized: the last product gives it for nothing, LX = X theta + R u_Q.
  /// These are its left singular vectors by falling singular value, but those that belong to negative eigenvalues last.
  /// To be asked for before advance().
  Matrix<T> next_iterate(int64_t c) const {
    Matrix<T> Y = images(c);
    // Y = P sigma Z'. Where X has converged, z'X'LXz is sigma or -sigma; where it has not, it says nothing yet.
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
    orthonormalize_or_refill<T>(space_, Y, options_, 0);
    return Y;
  }

  /// What `count` random columns of the first block, from column `first` on, tell of eigenvalues whose vectors the
  /// other columns of that block miss: after j products a vector u of eigenvalue t holds |L^j g|^2 >= t^2j (u'g)^2, and
  /// the (u'g)^2 of p random columns add up to chi^2_p / n (Dixon, 1983; here with the Ritz vectors projected out).
  /// Empty after a restart.
  std::optional<Probe> probe(int64_t first, int64_t count, int64_t k) const {
    if (count == 0 || restarted_ || columns_ <= k) return std::nullopt;
    const Eigen::MatrixXd found = ritz().vectors.leftCols(k);
    const auto deflate = [&](const Eigen::MatrixXd& A) -> Eigen::MatrixXd {
      return A - found * (found.transpose() * A);
    };
    Eigen::MatrixXd a = deflate(Eigen::MatrixXd::Identity(columns_, columns_).middleCols(first, count));
    for (int64_t product = 1; product < expansions_; ++product) a = deflate(projected_ * a);
    const Eigen::MatrixXd last = a.bottomRows(last_);
    const double squares = deflate(projected_ * a).squaredNorm() + (last.transpose() * residual_gram_ * last).trace();
    const double p = double(count), z = -2.3263;  // the 1 % quantile of chi^2_p, by Wilson and Hilferty
    const double quantile = p * std::pow(1 - 2 / (9 * p) + z * std::sqrt(2 / (9 * p)), 3);
    const double bound = std::pow(double(space_.n()) * squares / quantile, 0.5 / double(expansions_));
    return Probe{count, expansions_, std::min(1.0, bound), 0.99};
  }

  const Eigen::VectorXd& values() const { return ritz().values; }
  int64_t columns() const { return columns_; }

 private:
  /// Of the projected operator; found when it is first asked for.
  const SmallEigen& ritz() const {
    if (!ritz_is_known_) ritz_ = eigen_descending(projected_);
    ritz_is_known_ = true;
    return ritz_;
  }
  MatrixView<const T> basis(int64_t columns) const { return V_.view().columns_between(0, columns); }

  /// LX of the c leading Ritz vectors.
  Matrix<T> images(int64_t c) const {
    Matrix<T> Y(space_.local_rows(), c);
    const auto u = ritz().vectors.leftCols(c);
    multiply<T>(space_, basis(columns_), u * ritz().values.head(c).asDiagonal(), Y);
    subtract<T>(space_, image_, -u.bottomRows(last_), Y);
    return Y;
  }

  void restart(int64_t keep) {
    restarted_ = true;
    multiply<T>(space_, basis(columns_), ritz().vectors.leftCols(keep), V_);
    columns_ = keep;
    projected_ = ritz_.values.head(keep).asDiagonal();
    // The basis is its own Ritz vectors now: what a request to stop in the next product would return.
    ritz_ = {ritz_.values.head(keep).eval(), Eigen::MatrixXd::Identity(keep, keep)};
  }

  void refill(int64_t wanted, uint64_t step) {
    const int64_t have = next_columns_;
    const auto fresh = next_.view().columns_between(have, wanted);
    fill_normal<T>(space_, fresh, Random(options_.seed, Stream::refill), step);
    const int64_t found = orthonormalize_against<T>(space_, basis(columns_), fresh);
    const auto kept = next_.view().columns_between(0, have);
    next_columns_ = have + orthonormalize_against<T>(space_, kept, fresh.columns_between(0, found));
  }

  bool quick_;
  Multiply operate_;
  const RowSpace& space_;
  const SolverOptions& options_;
  Matrix<T> V_, next_, image_;
  int64_t next_columns_, columns_ = 0, last_ = 0, expansions_ = 0;
  bool restarted_ = false;
  Eigen::MatrixXd projected_, residual_gram_;
  mutable SmallEigen ritz_;
  mutable bool ritz_is_known_ = true;
};

/// Goes on from a first block until the recomputed residuals of k pairs are within the tolerance, or the budget is
/// spent: the exact solver, and what follows mini-batches where a tolerance is asked for. Adds to what `pairs` counts.
/// `image`: L start, where it is known (its product is counted here). `probes`: the last columns of the start that are
/// random and tell what the others miss.
template <class T>
void krylov_until(const Normalized<T>& L, const SolverOptions& options, const Budget& budget, Matrix<T> start,
                  const Observer<T>& observer, EigenPairs<T>& pairs, Matrix<T> image = {}, int64_t probes = 0);

/// L.multiply, but for the first block, whose image is known.
template <class T>
typename KrylovBasis<T>::Multiply multiply_from(const Normalized<T>& L, const StopToken& stop, Matrix<T>& image) {
  return [&](MatrixView<const T> in, MatrixView<T> out) {
    if (image.empty()) return L.multiply(in, out, stop);
    copy<T>(L.rows(), image, out);
    image = {};
  };
}

}  // namespace mbsc
