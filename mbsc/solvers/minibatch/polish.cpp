// SPDX-License-Identifier: Apache-2.0
// The end of a run: full products. Without a tolerance, block Krylov starts from W, and the result consists of the
// vectors L x, where x are the Ritz vectors. They are more accurate than x, and follow from the products already made.
// With a tolerance, block Krylov continues until the recomputed residuals are within the tolerance. If there are two
// products or more, and at least four guards, the last four columns of the block are replaced by random ones, to detect
// leading pairs that the batches missed.
#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "mbsc/base/float64.h"
#include "mbsc/solvers/krylov/krylov_basis.h"
#include "mbsc/solvers/krylov/krylov_until.h"
#include "mbsc/solvers/minibatch/state.h"

namespace mbsc::minibatch {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr int64_t probe_vectors = 4;

template <class T>
void forget_error(EigenPairs<T>& pairs) {
  pairs.subspace_error = std::nan("");
  pairs.subspace_error_source = ErrorSource::none;
}

/// If the degrees are not exact after the batches, the first full product also sums all rows. Returns L W with the
/// exact degrees; empty if the degrees were exact already, or if the product cannot be used.
template <class T>
Matrix<T> first_product(const Problem<T>& problem, State<T>& state) {
  if (!state.tally) return {};
  const Normalized<T>& L = state.L(problem);
  Matrix<T> image(state.W.rows(), problem.columns);
  Degrees degrees = L.all_degrees();
  std::vector<double> sums(degrees.sum.size());
  L.multiply(state.W, image, problem.options.stop, &sums);
  for (size_t i = 0; i < sums.size(); ++i)
    if (degrees.variance[i] > 0 || (L.regularization_added() > 0 && degrees.sum[i] == 0)) degrees.sum[i] = sums[i];
  degrees.make_exact();
  Matrix<T> flat(state.W.rows(), problem.columns);
  L.add_exact(state.W, flat);
  const MatrixXd M = take_degrees<T>(problem, state, std::move(degrees), [&](const Rescaling<T>& by) {
    subtract<T>(problem.rows(), flat, MatrixXd::Identity(problem.columns, problem.columns), image);
    by.multiply_rows(image);
  });
  // If a column of W was concentrated on points that the exact degrees show to be isolated, orthonormalization has
  // replaced it by a random one. M is then useless, and so is the product.
  const VectorXd norms = M.colwise().norm();
  if (norms.minCoeff() < 1e-3 || norms.maxCoeff() > 1e3) {
    state.pairs.columns_evaluated += problem.n;
    ++state.pairs.full_products;
    ++state.wasted_products;
    return {};
  }
  multiply<T>(problem.rows(), image, M, image);
  state.L(problem).add_exact(state.W, image);
  return image;
}

template <class T>
void certify_block(const Problem<T>& problem, State<T>& state, Matrix<T> image) {
  Solution<T> certified = state.pairs;
  forget_error(certified);
  certified.vectors = state.W;
  certify(state.L(problem), problem.options.stop, problem.k, certified, std::move(image));
  state.pairs = std::move(certified);
  const Status otherwise = state.is_stalled ? Status::stalled : Status::budget;
  state.pairs.status =
      largest_residual(state.pairs) <= *problem.options.limits.tolerance ? Status::converged : otherwise;
}

/// Uses the images L x of the Ritz vectors x as the result, with bounds of their residuals. The subspace error is
/// estimated from these bounds and the gap to the next eigenvalue.
template <class T>
void take_ahead(const Problem<T>& problem, const State<T>& state, typename KrylovBasis<T>::Ahead ahead,
                EigenPairs<T>& pairs) {
  const int64_t k = problem.k;
  pairs.vectors = Matrix<T>(state.W.rows(), k);
  copy<T>(problem.rows(), ahead.vectors.view().columns_between(0, k), pairs.vectors);
  pairs.values.assign(ahead.values.data(), ahead.values.data() + k);
  pairs.values_are_exact = false;
  // Cached kernel values have an error of at most entry_error(). It is added, so that the residuals remain bounds.
  ahead.residuals.array() += state.L(problem).entry_error();
  pairs.residuals.assign(ahead.residuals.data(), ahead.residuals.data() + k);
  pairs.residuals_are_bounds = true;
  const double gap = problem.columns > k ? ahead.values[k - 1] - ahead.values[k] : 0;
  const double residual = ahead.residuals.head(k).norm() / std::sqrt(double(k));
  pairs.subspace_error = gap > 0 ? std::min(1.0, residual / gap) : std::nan("");
  pairs.subspace_error_source = gap > 0 ? ErrorSource::residuals : ErrorSource::none;
  if (problem.options.keep_block) pairs.block = std::move(ahead.vectors);
}

/// Replaces the last columns of the block by random ones. Returns the number of random columns, which may be 0.
template <class T>
int64_t add_probes(const Problem<T>& problem, State<T>& state, int64_t products) {
  if (products < 2 || problem.columns - problem.k < probe_vectors) return 0;
  const int64_t first = problem.columns - probe_vectors;
  const auto fresh = state.W.view().columns_between(first, problem.columns);
  fill_normal<T>(problem.rows(), fresh, Random(problem.options.seed, Stream::refill), ~uint64_t{0});
  orthonormalize_against<T>(problem.rows(), state.W.view().columns_between(0, first), fresh);
  return probe_vectors;
}

/// Block Krylov with at most `products` products.
template <class T>
void refine(const Problem<T>& problem, State<T>& state, const ClusterOptions& options, int64_t products,
            Matrix<T> image, int64_t probes) {
  const KrylovSizes sizes = krylov_sizes(problem.n, options);
  EigenPairs<T>& pairs = state.pairs;
  KrylovBasis<T> krylov(problem.rows(), multiply_from(state.L(problem), options.stop, image), options.seed, state.W,
                        sizes.capacity);
  for (int64_t product = 1; product <= products; ++product) {
    krylov.expand();
    ++pairs.iterations;
    ++pairs.full_products;
    pairs.columns_evaluated += problem.n;
    pairs.flops += 2.0 * double(problem.n) * double(problem.n) * double(problem.columns);
    take_ahead(problem, state, krylov.ahead(problem.columns), pairs);
    pairs.probe = krylov.probe(problem.columns - probes, probes, problem.k);
    state.theta = krylov.values().head(problem.columns);
    if (!report(problem, state, largest_residual(pairs))) return;
    if (product == products || problem.budget.spent(0, 0)) return;
    if (!krylov.advance(sizes.keep, uint64_t(pairs.iterations))) return;
  }
}

template <class T>
void run_products(const Problem<T>& problem, State<T>& state, int64_t products) {
  ClusterOptions options = problem.options;
  options.block_size = problem.columns;
  const int64_t probes = add_probes(problem, state, products);
  Matrix<T> image = first_product(problem, state);
  products -= state.wasted_products;
  if (products == 0) return;
  if (!options.limits.tolerance) return refine(problem, state, options, products, std::move(image), probes);
  if (products == 1) return certify_block(problem, state, std::move(image));  // only enough to certify the block
  forget_error(state.pairs);
  const int64_t before = state.pairs.full_products;
  krylov_until<T>(state.L(problem), options, problem.budget, {state.W, std::move(image), probes}, problem.observer,
                  state.pairs);
  if (state.pairs.full_products == before)
    state.pairs.vectors = {};  // stopped during the first product: the result of the batches is used
}

}  // namespace

template <class T>
void polish(const Problem<T>& problem, State<T>& state) {
  const Limits& limits = problem.options.limits;
  int64_t products = problem.plan.products;
  if (limits.iterations && limits.passes)
    products = std::min(products, *limits.iterations - (state.pairs.iterations - 1));
  if (!state.is_stalled && products >= (limits.tolerance ? 2 : 1))
    run_products(problem, state, products);
  else if (limits.tolerance)
    certify_block(problem, state, first_product(problem, state));
}

template void polish(const Problem<float>&, State<float>&);
MBSC_FLOAT64(template void polish(const Problem<double>&, State<double>&);)

}  // namespace mbsc::minibatch
