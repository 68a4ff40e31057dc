// SPDX-License-Identifier: Apache-2.0
// Method: block Krylov with thick restart ("exact"): the leading eigenpairs to a residual that is asked for.
// Reference: Zhou, Saad, "Block Krylov-Schur method for large symmetric eigenvalue problems", 2008; Stewart, 2001.
// Algorithm: an orthonormal basis V grows by blocks Q: Y = LQ, T = V'LV by explicit products (full
//   orthogonalization), R = Y - VV'Y, next Q = orth(R). Ritz pairs (theta, Vu) of T have residual |R u_Q|, u_Q the
//   part of u on the last block. When V is full it is replaced by its leading Ritz vectors. Where the Krylov space is
//   exhausted (an invariant subspace) random directions go on.
// The residuals that are reported are recomputed by one more product with the final vectors.
// Where it starts (`start`): a random block, or Nystrom's vectors with a third of the block left random, since
//   landmarks may miss a direction altogether and a Krylov space never finds what its start lacks.
// Cost: one full product (any number of right-hand sides) a step; memory basis_size columns of n.
#include <Eigen/Dense>
#include <cmath>
#include <optional>

#include "mbsc/solvers/krylov_basis.h"
#include "mbsc/solvers/nystrom_basis.h"

namespace mbsc {

template <class T>
void krylov_until(const Normalized<T>& L, const SolverOptions& options, const Budget& budget, Matrix<T> start,
                  const Observer<T>& observer, EigenPairs<T>& pairs, Matrix<T> image, int64_t probes) {
  const int64_t n = L.n(), k = options.clusters;
  const double N = double(n), tolerance = options.tolerance.value_or(sizeof(T) == 4 ? 1e-5 : 1e-10);
  const KrylovSizes sizes = krylov_sizes(n, options);
  const int64_t known = start.cols() - probes;
  // Kept values lead near the answer for little; where a certificate says that it is not near enough, the rest of the
  // way is made with values evaluated anew.
  bool anew = L.entry_error() == 0;
  const auto multiply = [&, kept = multiply_from(L, options.stop, image)](MatrixView<const T> in, MatrixView<T> out) {
    anew && image.empty() ? L.multiply_anew(in, out, options.stop) : kept(in, out);
  };
  std::optional<KrylovBasis<T>> krylov;
  krylov.emplace(L.rows(), multiply, options, std::move(start), sizes.capacity);
  pairs.status = Status::budget;
  double target = tolerance, best = std::numeric_limits<double>::infinity();
  // Below this an estimate is rounding: there is nothing to wait for, a certificate will tell.
  const double floor = 2 * double(std::numeric_limits<T>::epsilon());
  bool whole = false;  // the basis spans everything: nothing is left to find

  const auto certify_ritz = [&] {
    EigenPairs<T> candidate;
    candidate.vectors = krylov->ritz_vectors(k);
    certify(L, options.stop, k, candidate);
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

  const auto begin_anew = [&] {
    anew = true;
    whole = false;
    probes = 0;
    Matrix<T> block = krylov->ritz_vectors(std::min(sizes.block, krylov->columns()));
    krylov.emplace(L.rows(), multiply, options, std::move(block), sizes.capacity);
  };

  try {
    for (bool go_on = true; go_on;) {
      krylov->expand();
      ++pairs.iterations;
      ++pairs.full_products;
      pairs.columns_evaluated += n;
      pairs.flops += 2 * N * N * double(sizes.block) + 4 * N * double(sizes.block * krylov->columns());
      const bool enough = krylov->columns() >= k;
      if (const auto probe = krylov->probe(known, probes, k)) pairs.probe = probe;
      const double residual = enough ? krylov->largest_residual(k) : std::numeric_limits<double>::infinity();
      if (options.keep_block) pairs.block = krylov->next_iterate(std::min(std::max(k, sizes.block), krylov->columns()));
      go_on = observe(L, options, observer,
                      Progress<T>{pairs.iterations, double(pairs.columns_evaluated) / N,
                                  budget.fraction(pairs.columns_evaluated, pairs.iterations),
                                  krylov->values().head(std::min(k, krylov->columns())).sum(), residual, pairs.block},
                      budget.seconds(), pairs);
      if (!go_on) {
        pairs.status = Status::stopped;
        break;
      }
      // Another step and its certificate are two products.
      const bool last = budget.spent(pairs.columns_evaluated + 2 * n - 1, pairs.iterations);
      if (enough && (residual <= std::max(target, floor) || last || whole)) {
        const bool progress = certify_ritz();
        if (best > tolerance && !last && !anew) {
          begin_anew();
          continue;
        }
        if (best <= tolerance)
          pairs.status = Status::converged;
        else if (last)
          pairs.status = Status::budget;
        else if (whole || !progress)
          pairs.status = Status::stalled;
        else {
          target = residual * 0.5 * tolerance / best;  // the estimate was too hopeful
          whole = !krylov->advance(sizes.keep, uint64_t(pairs.iterations));
          if (!whole) continue;
          pairs.status = Status::stalled;
        }
        break;
      }
      whole = !krylov->advance(sizes.keep, uint64_t(pairs.iterations));
      if (whole) {
        certify_ritz();
        if (best > tolerance && !anew) {
          begin_anew();
          continue;
        }
        pairs.status = best <= tolerance ? Status::converged : Status::stalled;
        break;
      }
    }
  } catch (const Stopped&) {
    pairs.status = Status::stopped;
  }
  if (pairs.vectors.empty() || pairs.status == Status::stopped) {
    if (krylov->columns() >= k) {
      pairs.vectors = krylov->ritz_vectors(k);
      pairs.values.assign(krylov->values().data(), krylov->values().data() + k);
    } else {
      pairs.vectors = random_basis(L, k, options);
      pairs.values.assign(size_t(k), 0.0);
    }
    pairs.residuals.clear();
  }
  pairs.values_are_exact = !pairs.residuals.empty();
}

template <class T>
EigenPairs<T> solve_exact(const Normalized<T>& L, const SolverOptions& options, const Observer<T>& observer) {
  // Nothing but the tolerance ends it by default, and no run should go on for ever.
  const Budget budget(L.n(), options, options.passes.value_or(1000), L.comm(), !options.passes);
  EigenPairs<T> pairs;
  const int64_t columns = krylov_sizes(L.n(), options).block;
  Matrix<T> start = start_block(L, columns, columns - columns / 3, options, pairs);
  krylov_until(L, options, budget, std::move(start), observer, pairs);
  pairs.seconds = budget.seconds();
  return pairs;
}

#define MBSC_INSTANTIATE(T)                                                                                            \
  template void krylov_until(const Normalized<T>&, const SolverOptions&, const Budget&, Matrix<T>, const Observer<T>&, \
                             EigenPairs<T>&, Matrix<T>, int64_t);                                                      \
  template EigenPairs<T> solve_exact(const Normalized<T>&, const SolverOptions&, const Observer<T>&);
MBSC_INSTANTIATE(float)
MBSC_INSTANTIATE(double)
#undef MBSC_INSTANTIATE

}  // namespace mbsc
