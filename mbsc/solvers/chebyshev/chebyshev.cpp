// SPDX-License-Identifier: Apache-2.0
// Method: subspace iteration with a Chebyshev filter. It is for sparse graphs: their products are cheap.
// Reference: Zhou, Saad, Tiago, Chelikowsky, "Self-consistent-field calculations using Chebyshev-filtered subspace
//   iteration", 2006.
// Algorithm: the block W has k + max(6, k/2) columns, rounded up to a multiple of 16. (16 floats fill a cache line, so
//   the extra columns cost little, and they make the filter steeper.) Each iteration computes Y = L W, the Ritz pairs
//   and their residuals, and then W <- orth(p(L) W). The polynomial p damps everything below the last Ritz value of the
//   block (filter.h). Its degree depends on the distance from the k-th Ritz value to the last one.
// Start: random; for a stored graph on one rank, in float, from coarser graphs (multilevel.h). If a stored graph on one
//   rank has k components with edges, and no regularization, the leading eigenvectors are known: for each of the k
//   largest components, sqrt(d_i) on its points.
// End: with a tolerance, when the residuals are within it. Without one, when
//   - the largest residual is below a twentieth of the gap between the k-th Ritz value and the next: the error of the
//     subspace is then below a twentieth; or
//   - the subspace hardly moves: a filter leaves a share c = p(theta_k+1) / p(theta_k) of its error, so a move of s
//     leaves an error of about s c / (1 - c), which must be below 0.01.
//   In both cases also when the residuals no longer fall (because of rounding), or when the budget is spent.
//   If there is no tolerance and the residual is above the gap at the end, the status is `unresolved`.
// Cost: one product per degree of p, and one for the Ritz pairs. Memory: six blocks.
#include "mbsc/solvers/chebyshev/chebyshev.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mbsc/affinity/graph/components.h"
#include "mbsc/base/float64.h"
#include "mbsc/solvers/budget.h"
#include "mbsc/solvers/chebyshev/filter.h"
#include "mbsc/solvers/chebyshev/multilevel.h"
#include "mbsc/solvers/rayleigh_ritz.h"
#include "mbsc/solvers/registry.h"

namespace mbsc {
namespace {

constexpr double share_of_gap = 0.05, enough = 0.01;
constexpr int64_t most_products = 4000;

int64_t block_of(int64_t n, const ClusterOptions& options) {
  const int64_t k = options.clusters;
  const int64_t automatic = (k + std::max<int64_t>(6, k / 2) + 15) / 16 * 16;
  return std::min(n, std::max(k, options.block_size.value_or(automatic)));
}

void resolve_chebyshev(int64_t n, ClusterOptions& options) { options.block_size = block_of(n, options); }

SolverMemory chebyshev_memory(int64_t, int64_t, const ClusterOptions& options) {
  return {.columns = 6 * *options.block_size, .block = *options.block_size};
}

template <class T>
Matrix<T> start_of(const Normalized<T>& L, int64_t columns, const ClusterOptions& options) {
  if constexpr (std::is_same_v<T, float>)
    if (L.edges() != nullptr && L.comm().size() == 1) return multilevel_start(L, columns, options.seed, options.stop);
  return random_basis(L, columns, options.seed);
}

/// The leading eigenvectors if they are known: one column for each of the k largest components, sqrt(d_i) on its
/// points. Empty if there are fewer than k components with edges, several ranks, or a regularization.
template <class T>
Matrix<T> component_vectors(const Normalized<T>& L, int64_t k) {
  if (L.edges() == nullptr || L.comm().size() > 1 || L.regularization_added() > 0) return {};
  const Components components = find_components(*L.edges());
  if (components.count() < k || components.sizes[size_t(k - 1)] < 2) return {};
  Matrix<T> W(L.n(), k);
  for (int64_t i = 0; i < L.n(); ++i)
    if (const int32_t c = components.of[size_t(i)]; c < k) W(i, c) = T(std::sqrt(L.degrees()[size_t(i)]));
  orthonormalize_in_order<T>(L.rows(), W, 0);
  return W;
}

/// The iteration: a block, its Ritz pairs, and the accuracy so far.
template <class T>
class ChebyshevRun {
 public:
  ChebyshevRun(const Normalized<T>& L, const ClusterOptions& options, const Observer<T>& observer)
      : L_(L),
        options_(options),
        limits_(options.limits),
        observer_(observer),
        k_(options.clusters),
        columns_(*options.block_size),
        budget_(L.n(), limits_, limits_.passes.value_or(double(most_products)), L.comm(), !limits_.passes),
        multiply_([this](MatrixView<const T> V, MatrixView<T> out) { multiply(V, out); }) {}

  Solution<T> run() {
    pairs_.status = limits_.tolerance ? Status::budget : Status::finished;
    try {
      iterate();
    } catch (const Stopped&) {
      pairs_.status = Status::stopped;
    }
    pairs_.seconds = budget_.seconds();
    return std::move(pairs_);
  }

 private:
  void iterate() {
    W_ = component_vectors(L_, k_);
    const bool is_known = !W_.empty();
    if (!is_known) W_ = start_of(L_, columns_, options_);
    while (true) {
      values_ = rotate_to_ritz(L_.rows(), multiply_, W_, image_);
      ++pairs_.iterations;
      take_pairs();
      if (!report()) {
        pairs_.status = Status::stopped;
        return;
      }
      if (is_known || is_done()) return;
      const double cut = std::clamp(values_[columns_ - 1], -0.9, 1 - 1e-7);
      const int64_t degree = filter_degree(values_[k_ - 1], cut, 30, 8, 120);
      left_ = columns_ > k_ ? filter_ratio(values_[k_], values_[k_ - 1], cut, degree) : 0;
      filter_block(L_.rows(), multiply_, cut, degree, W_);
      orthonormalize_or_refill<T>(L_.rows(), W_, options_.seed, pairs_.iterations);
    }
  }

  void multiply(MatrixView<const T> V, MatrixView<T> out) {
    L_.multiply(V, out, options_.stop);
    ++pairs_.full_products;
    pairs_.columns_evaluated += L_.n();
    pairs_.flops += 2.0 * double(L_.n()) * double(V.cols);
  }

  /// Copies the k leading columns to the result, with their values and residuals, and estimates the subspace error.
  void take_pairs() {
    const Matrix<T> before = std::move(pairs_.vectors);
    pairs_.vectors = Matrix<T>(W_.rows(), k_);
    copy<T>(L_.rows(), W_.view().columns_between(0, k_), pairs_.vectors);
    moved_ = before.empty() ? 1 : subspace_error<T>(L_.rows(), pairs_.vectors, before);
    pairs_.values.assign(values_.data(), values_.data() + k_);
    pairs_.residuals =
        residual_norms<T>(L_.rows(), image_.view().columns_between(0, k_), pairs_.vectors, values_.head(k_));
    pairs_.values_are_exact = true;
    residual_ = largest_residual(pairs_);
    if (values_.size() == k_) return;
    gap_ = values_[k_ - 1] - values_[k_];
    pairs_.subspace_error = gap_ > 0 ? std::min(1.0, residual_ / gap_) : 1;
    pairs_.subspace_error_source = ErrorSource::residuals;
  }

  bool report() {
    const Progress<T> progress{pairs_.iterations,
                               double(pairs_.columns_evaluated) / double(L_.n()),
                               budget_.fraction(pairs_.columns_evaluated, pairs_.iterations),
                               values_.head(k_).sum(),
                               residual_,
                               W_};
    return observe(options_, observer_, progress, budget_.seconds(), pairs_);
  }

  /// Whether the run ends here. Sets the status.
  bool is_done() {
    if (limits_.tolerance && residual_ <= *limits_.tolerance) {
      pairs_.status = Status::converged;
      return true;
    }
    const bool is_still = pairs_.iterations > 1 && left_ < 1 && moved_ * left_ / (1 - left_) <= enough;
    if (!limits_.tolerance && (residual_ <= share_of_gap * gap_ || is_still)) {
      pairs_.status = residual_ < gap_ ? Status::finished : Status::unresolved;
      return true;
    }
    waiting_ = residual_ < 0.9 * best_ ? 0 : waiting_ + 1;
    best_ = std::min(best_, residual_);
    const bool is_rounding = residual_ < 20 * double(std::numeric_limits<T>::epsilon());
    if (waiting_ >= (is_rounding ? 2 : 12)) {
      pairs_.status = limits_.tolerance ? Status::stalled : residual_ < gap_ ? Status::finished : Status::unresolved;
      return true;
    }
    if (!budget_.spent(pairs_.columns_evaluated, pairs_.iterations)) return false;
    pairs_.status = residual_ < gap_ || limits_.tolerance ? Status::budget : Status::unresolved;
    return true;
  }

  const Normalized<T>& L_;
  const ClusterOptions& options_;
  const Limits& limits_;
  const Observer<T>& observer_;
  const int64_t k_, columns_;
  const Budget budget_;
  const Multiply<T> multiply_;
  Solution<T> pairs_;
  Matrix<T> W_, image_;          ///< the block and its product with L
  Eigen::VectorXd values_;       ///< Ritz values of the block
  double moved_ = 1, left_ = 1;  ///< how far the last filter moved the subspace; the share of its error that it left
  double residual_ = 0;
  double gap_ = 2;  ///< between the k-th value and the next
  double best_ = std::numeric_limits<double>::infinity();
  int waiting_ = 0;  ///< iterations since the residual last fell
};

}  // namespace

template <class T>
Solution<T> solve_chebyshev(const Normalized<T>& L, const ClusterOptions& given, const Observer<T>& observer) {
  ClusterOptions options = given;
  resolve_chebyshev(L.n(), options);
  return ChebyshevRun<T>(L, options, observer).run();
}

const SolverRow& chebyshev_solver() {
  static const SolverRow row{.name = "chebyshev",
                             .method = "chebyshev",
                             .resolve = resolve_chebyshev,
                             .memory = chebyshev_memory,
                             .solve = solve_chebyshev<float>,
                             MBSC_FLOAT64(.solve_double = solve_chebyshev<double>)};
  return row;
}

template Solution<float> solve_chebyshev(const Normalized<float>&, const ClusterOptions&, const Observer<float>&);
MBSC_FLOAT64(template Solution<double> solve_chebyshev(const Normalized<double>&, const ClusterOptions&,
                                                       const Observer<double>&);)

}  // namespace mbsc
