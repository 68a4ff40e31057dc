// SPDX-License-Identifier: Apache-2.0
// Method: the power method with a random block.
// Reference: Boutsidis, Kambadur, Gittens, "Spectral clustering via the power method - provably", ICML 2015.
// Algorithm: S Gaussian n x k; the left singular vectors of L^T S. The block is orthonormalized after each product,
//   which changes nothing but the rounding. `shifted` multiplies by (I + L)/2: L has negative eigenvalues, and the
//   plain method mixes those of large modulus in.
//   With more than k columns (block_size) the result are the k leading left singular vectors.
// Cost: a full product an iteration; T = 3 by default, the paper's choice on Covtype.
// The product that ends one iteration certifies the basis before it: with a tolerance, that basis is returned.
#include <cmath>

#include "mbsc/solvers/budget.h"
#include "mbsc/solvers/rayleigh_ritz.h"

namespace mbsc {
namespace {

/// Turns W into its left singular vectors times the singular values, which fall.
template <class T>
void sort_by_singular_values(const RowSpace& space, MatrixView<T> W) {
  multiply<T>(space, W, eigen_descending(gram<T>(space, W, W)).vectors, W);
}

}  // namespace

template <class T>
EigenPairs<T> solve_power(const Normalized<T>& L, const SolverOptions& options, const Observer<T>& observer) {
  const RowSpace& space = L.rows();
  const int64_t n = L.n(), k = options.clusters, columns = std::max(k, options.block_size);
  SolverOptions limits = options;
  if (!options.iterations && !options.passes && !options.seconds) limits.iterations = options.tolerance ? 1000 : 3;
  const bool safety_net = options.tolerance && !options.iterations && !options.passes;
  const Budget budget(n, limits, limits.passes, L.comm(), safety_net);
  const double N = double(n), K = double(columns);

  EigenPairs<T> pairs, certified;
  pairs.status = options.tolerance ? Status::budget : Status::finished;
  Matrix<T> W = random_basis(L, columns, options), Y(space.local_rows(), columns);
  try {
    for (bool go_on = true;
         go_on && (pairs.iterations == 0 || !budget.spent(pairs.columns_evaluated, pairs.iterations));) {
      L.multiply(W, Y, options.stop);
      ++pairs.iterations;
      ++pairs.full_products;
      pairs.columns_evaluated += n;
      pairs.flops += 2 * N * N * K - N * K;
      take_ritz_pairs<T>(space, W, Y, k, certified);
      double objective = 0;
      for (const double value : certified.values) objective += value;
      const bool converged = options.tolerance && largest_residual(certified) <= *options.tolerance;
      if (!converged) {
        if (options.power_operator == PowerOperator::shifted)
          space.for_each_block([&](int64_t, Range rows) {
            for (int64_t i = rows.begin; i < rows.end; ++i)
              for (int64_t c = 0; c < columns; ++c) Y(i, c) = (Y(i, c) + W(i, c)) / 2;
          });
        std::swap(W, Y);
        if (columns > k) sort_by_singular_values<T>(space, W);
        orthonormalize_or_refill<T>(space, W, options, pairs.iterations);  // L may have lower rank than k
      }
      go_on = observe(L, options, observer,
                      Progress<T>{pairs.iterations, double(pairs.columns_evaluated) / N,
                                  budget.fraction(pairs.columns_evaluated, pairs.iterations), objective,
                                  largest_residual(certified), W},
                      budget.seconds(), pairs);
      if (!go_on) pairs.status = Status::stopped;
      if (converged) {
        pairs.status = Status::converged;
        break;
      }
    }
  } catch (const Stopped&) {
    pairs.status = Status::stopped;
  }
  pairs.flops += 2 * N * K * K + 2 * K * K * K;
  pairs.values = certified.values.empty() ? std::vector<double>(size_t(k)) : certified.values;
  if (options.tolerance && !certified.residuals.empty()) {
    // Whether or not it is met, a tolerance asks for a certificate: the last product has certified the basis before it.
    pairs.vectors = std::move(certified.vectors);
    pairs.residuals = certified.residuals;
    pairs.values_are_exact = true;
  } else {
    // Values of the basis before the last product: lower bounds of what this one has.
    pairs.vectors = Matrix<T>(W.rows(), k);
    copy<T>(space, W.view().columns_between(0, k), pairs.vectors);
  }
  if (options.keep_block) pairs.block = std::move(W);
  pairs.seconds = budget.seconds();
  return pairs;
}

template EigenPairs<float> solve_power(const Normalized<float>&, const SolverOptions&, const Observer<float>&);
template EigenPairs<double> solve_power(const Normalized<double>&, const SolverOptions&, const Observer<double>&);

}  // namespace mbsc
