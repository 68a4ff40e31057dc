// SPDX-License-Identifier: Apache-2.0
// Method: block Krylov with thick restart ("exact"): the leading eigenpairs to a residual that is asked for.
// Reference: Zhou, Saad, "Block Krylov-Schur method for large symmetric eigenvalue problems", 2008; Stewart, 2001.
// Algorithm: an orthonormal basis V grows by blocks Q: Y = LQ, T = V'LV by explicit products (full
//   orthogonalisation), R = Y - VV'Y, next Q = orth(R). Ritz pairs (theta, Vu) of T have residual |R u_Q|, u_Q the
//   part of u on the last block. When V is full it is replaced by its leading Ritz vectors. Where the Krylov space is
//   exhausted (an invariant subspace) random directions go on.
// The residuals that are reported are recomputed by one more product with the final vectors.
// Where it starts (`start`): a random block, or Nystrom vectors with a third of the block left random, as landmarks may
//   miss a direction altogether, and a Krylov space never finds what its start lacks.
// Cost: one full product (any number of right-hand sides) a step; memory basis_size columns of n.
#include <Eigen/Dense>
#include <cmath>

#include "mbsc/solvers/budget.h"
#include "mbsc/solvers/krylov_sizes.h"
#include "mbsc/solvers/nystrom_basis.h"
#include "mbsc/solvers/rayleigh_ritz.h"

namespace mbsc {
namespace {

using Eigen::MatrixXd;

template <class T>
class KrylovBasis {
 public:
  KrylovBasis(const Normalized<T>& L, const SolverOptions& options, Matrix<T> start, int64_t capacity)
      : L_(L),
        space_(L.rows()),
        options_(options),
        V_(space_.local_rows(), capacity),
        next_(std::move(start)),
        next_columns_(next_.cols()) {}

  /// Multiplies the next block and takes it into the basis. Y = LQ.
  void expand() {
    const int64_t b = next_columns_, c = columns_ + b;
    image_ = Matrix<T>(space_.local_rows(), b);
    L_.multiply(next_.view().columns_between(0, b), image_, options_.stop);
    copy<T>(space_, next_.view().columns_between(0, b), V_.view().columns_between(columns_, c));
    const auto V = basis(c);
    const MatrixXd H = gram<T>(space_, V, image_);
    projected_.conservativeResize(c, c);
    projected_.rightCols(b) = H;
    projected_.bottomRows(b) = H.transpose();
    columns_ = c;
    last_ = b;
    subtract<T>(space_, V, H, image_);  // R
    residual_gram_ = gram<T>(space_, image_, image_);
    ritz_ = eigen_descending(projected_);
  }

  /// Estimated residual of Ritz pair j.
  double residual(int64_t j) const {
    const Eigen::VectorXd u = ritz_.vectors.col(j).tail(last_);
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
    next_columns_ = std::min(orthonormalize_against<T>(space_, basis(columns_), next_), L_.n() - columns_);
    if (next_columns_ < next_.cols() && columns_ + next_columns_ < L_.n()) {
      const int64_t wanted = std::min(next_.cols(), L_.n() - columns_);
      refill(wanted, step);
    }
    if (next_columns_ == 0) return false;
    if (columns_ + next_columns_ > V_.cols()) restart(keep);
    return true;
  }

  /// The k leading Ritz vectors.
  Matrix<T> ritz_vectors(int64_t k) const {
    Matrix<T> X(space_.local_rows(), k);
    multiply<T>(space_, basis(columns_), ritz_.vectors.leftCols(k), X);
    orthonormalize<T>(space_, X);
    return X;
  }

  /// LX for the c leading Ritz vectors X, orthonormalised: the last product gives it for nothing, LX = X theta + R u_Q.
  /// These are its left singular vectors by falling singular value, but those that belong to negative eigenvalues last.
  /// To be asked for before advance().
  Matrix<T> next_iterate(int64_t c) const {
    Matrix<T> Y(space_.local_rows(), c);
    const auto u = ritz_.vectors.leftCols(c);
    multiply<T>(space_, basis(columns_), u * ritz_.values.head(c).asDiagonal(), Y);
    subtract<T>(space_, image_, -u.bottomRows(last_), Y);
    // Y = P sigma Z'. Where X has converged, z'X'LXz is sigma or -sigma; where it has not, it says nothing yet.
    const SmallEigen squares = eigen_descending(gram<T>(space_, Y, Y));
    MatrixXd Z(c, c);
    int64_t front = 0, back = c;
    for (int64_t j = 0; j < c; ++j) {
      const auto z = squares.vectors.col(j);
      const double sigma = std::sqrt(std::max(0.0, squares.values[j]));
      const bool negative = z.dot(ritz_.values.head(c).cwiseProduct(z)) < -sigma / 2;
      Z.col(negative ? --back : front++) = z;
    }
    multiply<T>(space_, Y, Z, Y);
    orthonormalize_or_refill<T>(space_, Y, options_, 0);
    return Y;
  }
  const Eigen::VectorXd& values() const { return ritz_.values; }
  int64_t columns() const { return columns_; }

 private:
  MatrixView<const T> basis(int64_t columns) const { return V_.view().columns_between(0, columns); }

  void restart(int64_t keep) {
    multiply<T>(space_, basis(columns_), ritz_.vectors.leftCols(keep), V_);
    columns_ = keep;
    projected_ = ritz_.values.head(keep).asDiagonal();
    // The basis is its own Ritz vectors now: what a request to stop in the next product would return.
    ritz_ = {ritz_.values.head(keep).eval(), MatrixXd::Identity(keep, keep)};
  }

  void refill(int64_t wanted, uint64_t step) {
    const int64_t have = next_columns_;
    const auto fresh = next_.view().columns_between(have, wanted);
    fill_normal<T>(space_, fresh, Random(options_.seed, Stream::refill), step);
    const int64_t found = orthonormalize_against<T>(space_, basis(columns_), fresh);
    const auto kept = next_.view().columns_between(0, have);
    next_columns_ = have + orthonormalize_against<T>(space_, kept, fresh.columns_between(0, found));
  }

  const Normalized<T>& L_;
  const RowSpace& space_;
  const SolverOptions& options_;
  Matrix<T> V_, next_, image_;
  int64_t next_columns_, columns_ = 0, last_ = 0;
  MatrixXd projected_, residual_gram_;
  SmallEigen ritz_;
};

/// The first block.
template <class T>
Matrix<T> start_block(const Normalized<T>& L, int64_t columns, const SolverOptions& options, EigenPairs<T>& pairs) {
  Matrix<T> W = random_basis(L, columns, options);
  if (options.start == Start::random) return W;
  const std::vector<int64_t> landmarks = choose_landmarks(L, landmark_count(L.n(), options, true), options.seed);
  const NystromBasis<T> nystrom = nystrom_basis(L, landmarks, columns - columns / 3, options.stop);
  pairs.landmarks = int64_t(landmarks.size());
  pairs.columns_evaluated += 2 * pairs.landmarks;
  copy<T>(L.rows(), nystrom.vectors, W);
  orthonormalize_or_refill<T>(L.rows(), W, options, -1);
  return W;
}

}  // namespace

template <class T>
EigenPairs<T> solve_exact(const Normalized<T>& L, const SolverOptions& options, const Observer<T>& observer) {
  const int64_t n = L.n(), k = options.clusters;
  const double N = double(n), tolerance = options.tolerance.value_or(sizeof(T) == 4 ? 1e-5 : 1e-10);
  const KrylovSizes sizes = krylov_sizes(n, options);
  // Nothing but the tolerance ends it by default, and no run should go on for ever.
  const Budget budget(n, options, options.passes.value_or(1000), L.comm(), !options.passes);
  EigenPairs<T> pairs;
  KrylovBasis<T> krylov(L, options, start_block(L, sizes.block, options, pairs), sizes.capacity);
  pairs.status = Status::budget;
  double target = tolerance, best = std::numeric_limits<double>::infinity();
  // Below this an estimate is rounding: there is nothing to wait for, a certificate will tell.
  const double floor = 2 * double(std::numeric_limits<T>::epsilon());
  bool whole = false;  // the basis spans everything: nothing is left to find

  const auto certify_ritz = [&] {
    EigenPairs<T> candidate;
    candidate.vectors = krylov.ritz_vectors(k);
    certify(L, options.stop, candidate);
    pairs.columns_evaluated += n;
    ++pairs.full_products;
    pairs.flops += 2 * N * N * double(k);
    const double residual = largest_residual(candidate);
    const bool better = residual < best;
    if (better || pairs.vectors.empty()) {
      pairs.vectors = std::move(candidate.vectors);
      pairs.values = std::move(candidate.values);
      pairs.residuals = std::move(candidate.residuals);
    }
    const bool progress = residual < 0.7 * best;
    best = std::min(best, residual);
    return progress;
  };

  try {
    for (bool go_on = true; go_on;) {
      krylov.expand();
      ++pairs.iterations;
      ++pairs.full_products;
      pairs.columns_evaluated += n;
      pairs.flops += 2 * N * N * double(sizes.block) + 4 * N * double(sizes.block * krylov.columns());
      const bool enough = krylov.columns() >= k;
      const double residual = enough ? krylov.largest_residual(k) : std::numeric_limits<double>::infinity();
      if (options.keep_block) pairs.block = krylov.next_iterate(std::min(std::max(k, sizes.block), krylov.columns()));
      go_on = observe(L, options, observer,
                      Progress<T>{pairs.iterations, double(pairs.columns_evaluated) / N,
                                  budget.fraction(pairs.columns_evaluated, pairs.iterations),
                                  krylov.values().head(std::min(k, krylov.columns())).sum(), residual, pairs.block},
                      budget.seconds(), pairs);
      if (!go_on) {
        pairs.status = Status::stopped;
        break;
      }
      const bool last = budget.spent(pairs.columns_evaluated + n, pairs.iterations);
      if (enough && (residual <= std::max(target, floor) || last || whole)) {
        const bool progress = certify_ritz();
        if (best <= tolerance)
          pairs.status = Status::converged;
        else if (last)
          pairs.status = Status::budget;
        else if (whole || !progress)
          pairs.status = Status::stalled;
        else {
          target = residual * 0.5 * tolerance / best;  // the estimate was too hopeful
          whole = !krylov.advance(sizes.keep, uint64_t(pairs.iterations));
          if (!whole) continue;
          pairs.status = Status::stalled;
        }
        break;
      }
      whole = !krylov.advance(sizes.keep, uint64_t(pairs.iterations));
      if (whole) {
        certify_ritz();
        pairs.status = best <= tolerance ? Status::converged : Status::stalled;
        break;
      }
    }
  } catch (const Stopped&) {
    pairs.status = Status::stopped;
  }
  if (pairs.vectors.empty() || pairs.status == Status::stopped) {
    if (krylov.columns() >= k) {
      pairs.vectors = krylov.ritz_vectors(k);
      pairs.values.assign(krylov.values().data(), krylov.values().data() + k);
    } else {
      pairs.vectors = random_basis(L, k, options);
      pairs.values.assign(size_t(k), 0.0);
    }
    pairs.residuals.clear();
  }
  pairs.values_are_exact = !pairs.residuals.empty();
  pairs.seconds = budget.seconds();
  return pairs;
}

template EigenPairs<float> solve_exact(const Normalized<float>&, const SolverOptions&, const Observer<float>&);
template EigenPairs<double> solve_exact(const Normalized<double>&, const SolverOptions&, const Observer<double>&);

}  // namespace mbsc
