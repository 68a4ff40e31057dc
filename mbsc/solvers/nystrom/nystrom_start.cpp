// SPDX-License-Identifier: Apache-2.0
#include "mbsc/solvers/nystrom/nystrom_start.h"

#include <algorithm>

#include "mbsc/base/float64.h"
#include "mbsc/base/require.h"
#include "mbsc/solvers/nystrom/nystrom_basis.h"
#include "mbsc/solvers/rayleigh_ritz.h"

namespace mbsc {

void resolve_start(int64_t n, ClusterOptions& options) {
  require(options.start != Start::neighbors,
          "start = neighbors applies to method = minibatch with step_rule = ritz only");
  if (!options.start) options.start = Start::random;
  if (options.start == Start::nystrom) options.landmarks = std::min<int64_t>(n, options.landmarks.value_or(10));
}

template <class T>
Matrix<T> start_block(const Normalized<T>& L, int64_t columns, int64_t known, const ClusterOptions& options,
                      EigenPairs<T>& pairs) {
  Matrix<T> W = random_basis(L, columns, options.seed);
  if (options.start != Start::nystrom) return W;
  const std::vector<int64_t> landmarks = choose_landmarks(L, *options.landmarks, options.seed);
  const NystromBasis<T> nystrom = nystrom_basis(L, landmarks, known, options.stop);
  pairs.landmarks = int64_t(landmarks.size());
  pairs.columns_evaluated += nystrom.columns_evaluated;
  copy<T>(L.rows(), nystrom.vectors, W);
  orthonormalize_or_refill<T>(L.rows(), W, options.seed, -1);
  return W;
}

SolverMemory with_start(int64_t n, int64_t input_bytes, const ClusterOptions& options, SolverMemory solver) {
  if (options.start != Start::nystrom) return solver;
  const int64_t m = *options.landmarks;
  solver.columns = std::max(solver.columns, 3 * solver.block + std::min(m, kept_count<float>(n, input_bytes)));
  solver.small_bytes += landmark_bytes(n, m);
  return solver;
}

template Matrix<float> start_block(const Normalized<float>&, int64_t, int64_t, const ClusterOptions&,
                                   EigenPairs<float>&);
MBSC_FLOAT64(template Matrix<double> start_block(const Normalized<double>&, int64_t, int64_t, const ClusterOptions&,
                                                 EigenPairs<double>&);)

}  // namespace mbsc
