// SPDX-License-Identifier: Apache-2.0
// Method: the power method with a random block.
// Reference: Boutsidis, Kambadur, Gittens, "Spectral clustering via the power method - provably", ICML 2015.
// Algorithm: S is a Gaussian n x k matrix. After T products the result is the left singular vectors of L^T S (T is an
//   exponent). The block is orthonormalized after each product, which only affects the rounding. `shifted` multiplies
//   by (I + L)/2: L has negative eigenvalues, and the plain method mixes in those of large modulus. If the block has
//   more than k columns (block_size), the result is the k leading left singular vectors.
// Cost: one full product per iteration. By default T = 3, as in the table of Han and Filippone for Covtype-I.
// The product of an iteration certifies the basis that it multiplies. With a tolerance, this basis is returned.
#include "mbsc/solvers/power/power.h"

#include <cmath>

#include "mbsc/base/float64.h"
#include "mbsc/solvers/budget.h"
#include "mbsc/solvers/rayleigh_ritz.h"
#include "mbsc/solvers/registry.h"

namespace mbsc {
namespace {

/// Replaces W by its left singular vectors times the singular values, in descending order.
template <class T>
void sort_by_singular_values(const RowSpace& space, MatrixView<T> W) {
  multiply<T>(space, W, eigen_descending(gram<T>(space, W, W)).vectors, W);
}

void resolve_power(int64_t, ClusterOptions& options) {
  options.block_size = std::max(options.clusters, options.block_size.value_or(0));
}

SolverMemory power_memory(int64_t, int64_t, const ClusterOptions& options) {
  const int64_t block = *options.block_size;
  // W, LW, the Ritz vectors, their image and the result; the margin of two blocks comes from bench/memory.
  return {.columns = 7 * block, .block = block};
}

/// If no limit is given: three products, or as many as the tolerance needs.
Limits power_limits(Limits limits) {
  if (!limits.iterations && !limits.passes && !limits.seconds) limits.iterations = limits.tolerance ? 1000 : 3;
  return limits;
}

}  // namespace

template <class T>
Solution<T> solve_power(const Normalized<T>& L, const ClusterOptions& given, const Observer<T>& observer) {
  ClusterOptions options = given;
  resolve_power(L.n(), options);
  const RowSpace& space = L.rows();
  const int64_t n = L.n(), k = options.clusters, columns = *options.block_size;
  const Limits limits = power_limits(options.limits);
  const bool safety_net = options.limits.tolerance && !options.limits.iterations && !options.limits.passes;
  const Budget budget(n, limits, limits.passes, L.comm(), safety_net);
  const double N = double(n), K = double(columns);

  Solution<T> pairs;
  EigenPairs<T> certified;
  pairs.status = options.limits.tolerance ? Status::budget : Status::finished;
  Matrix<T> W = random_basis(L, columns, options.seed), Y(space.local_rows(), columns);
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
      const bool converged = options.limits.tolerance && largest_residual(certified) <= *options.limits.tolerance;
      if (!converged) {
        if (options.power.power_operator == PowerOperator::shifted)
          space.for_each_block([&](int64_t, Range rows) {
            for (int64_t i = rows.begin; i < rows.end; ++i)
              for (int64_t c = 0; c < columns; ++c) Y(i, c) = (Y(i, c) + W(i, c)) / 2;
          });
        std::swap(W, Y);
        if (columns > k) sort_by_singular_values<T>(space, W);
        orthonormalize_or_refill<T>(space, W, options.seed, pairs.iterations);  // L may have lower rank than k
      }
      go_on = observe(options, observer,
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
  if (options.limits.tolerance && !certified.residuals.empty()) {
    // A tolerance requires a certificate, even if it is not met. The last product has certified the basis that it
    // multiplied.
    pairs.vectors = std::move(certified.vectors);
    pairs.residuals = certified.residuals;
    pairs.values_are_exact = true;
  } else {
    // The values belong to the basis before the last product. They are lower bounds for the values of this basis if
    // the matrix has no negative eigenvalues.
    pairs.vectors = Matrix<T>(W.rows(), k);
    copy<T>(space, W.view().columns_between(0, k), pairs.vectors);
  }
  if (options.keep_block) pairs.block = std::move(W);
  pairs.seconds = budget.seconds();
  return pairs;
}

const SolverRow& power_solver() {
  static const SolverRow row{
      .name = "power",
      .method = "power",
      .options = {word_option(
                      "power_operator", words::power_operators, [](auto& o) -> auto& { return o.power.power_operator; })
                      .for_methods({"power"})
                      .help("matrix to multiply by: L, or (I + L)/2, which has no negative eigenvalues")},
      .resolve = resolve_power,
      .memory = power_memory,
      .solve = solve_power<float>,
      MBSC_FLOAT64(.solve_double = solve_power<double>)};
  return row;
}

template Solution<float> solve_power(const Normalized<float>&, const ClusterOptions&, const Observer<float>&);
MBSC_FLOAT64(template Solution<double> solve_power(const Normalized<double>&, const ClusterOptions&,
                                                   const Observer<double>&);)

}  // namespace mbsc
