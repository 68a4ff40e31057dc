// SPDX-License-Identifier: Apache-2.0
// Method: block Krylov with thick restart ("exact"). It computes the leading eigenpairs to a given residual.
// Reference: Zhou, Saad, "Block Krylov-Schur method for large symmetric eigenvalue problems", 2008; Stewart, 2001.
// Algorithm: an orthonormal basis V grows by blocks Q: Y = LQ, T = V'LV by explicit products (full
//   orthogonalization), R = Y - VV'Y, next Q = orth(R). An eigenpair (theta, u) of T gives the Ritz pair (theta, Vu)
//   with residual |R u_Q|, where u_Q is the part of u on the last block. If V is full, its leading Ritz vectors replace
//   it. If the Krylov space is exhausted (an invariant subspace), random directions continue it.
// The reported residuals are recomputed by one more product with the final vectors.
// Start (`start`): a random block, or Nystrom's vectors, with a third of the block left random. The landmarks may miss
//   a direction entirely, and a Krylov space never finds a direction that is missing from its start.
// Cost: one full product (any number of right-hand sides) per step; memory: basis_size columns of n.
#include "mbsc/solvers/krylov/exact.h"

#include "mbsc/base/float64.h"
#include "mbsc/solvers/krylov/krylov_sizes.h"
#include "mbsc/solvers/krylov/krylov_until.h"
#include "mbsc/solvers/nystrom/nystrom_start.h"
#include "mbsc/solvers/registry.h"

namespace mbsc {
namespace {

void resolve_exact(int64_t n, ClusterOptions& options) {
  resolve_start(n, options);
  const KrylovSizes sizes = krylov_sizes(n, options);
  options.block_size = sizes.block;
  options.exact.basis_size = sizes.capacity;
}

SolverMemory exact_memory(int64_t n, int64_t input_bytes, const ClusterOptions& options) {
  const KrylovSizes sizes = krylov_sizes(n, options);
  // The basis, the next block, its image, the operands of the product, and the candidate that is certified.
  return with_start(n, input_bytes, options, {.columns = sizes.capacity + 8 * sizes.block, .block = sizes.block});
}

}  // namespace

template <class T>
Solution<T> solve_exact(const Normalized<T>& L, const ClusterOptions& given, const Observer<T>& observer) {
  ClusterOptions options = given;
  resolve_exact(L.n(), options);
  // By default only the tolerance ends a run; 1,000 passes are a safety net.
  const Limits& limits = options.limits;
  const Budget budget(L.n(), limits, limits.passes.value_or(1000), L.comm(), !limits.passes);
  Solution<T> pairs;
  const int64_t columns = *options.block_size;
  Matrix<T> start = start_block(L, columns, columns - columns / 3, options, pairs);
  krylov_until<T>(L, options, budget, {std::move(start), {}, 0}, observer, pairs);
  pairs.seconds = budget.seconds();
  return pairs;
}

const SolverRow& exact_solver() {
  static const SolverRow row{
      .name = "exact",
      .method = "exact",
      .options = {integer_option(
                      "basis_size", [](auto& o) -> auto& { return o.exact.basis_size; })
                      .at_least(1)
                      .for_methods({"exact"})
                      .automatically("as many columns as 64 MiB hold, up to 300, and at least 5 blocks")
                      .help("columns of the Krylov basis before a restart")},
      .resolve = resolve_exact,
      .memory = exact_memory,
      .solve = solve_exact<float>,
      MBSC_FLOAT64(.solve_double = solve_exact<double>)};
  return row;
}

template Solution<float> solve_exact(const Normalized<float>&, const ClusterOptions&, const Observer<float>&);
MBSC_FLOAT64(template Solution<double> solve_exact(const Normalized<double>&, const ClusterOptions&,
                                                   const Observer<double>&);)

}  // namespace mbsc
