// SPDX-License-Identifier: Apache-2.0
#include <Eigen/Core>
#include <algorithm>

#include "mbsc/base/float64.h"
#include "mbsc/linalg/reduce.h"
#include "mbsc/solvers/nystrom/inverse_root.h"
#include "mbsc/solvers/nystrom/nystrom_basis.h"

namespace mbsc {

template <class T>
std::vector<double> nystrom_degrees(const Affinity<T>& affinity, int64_t landmarks, uint64_t seed,
                                    const StopToken& stop) {
  // With unit degrees the normalized operator is the affinity itself.
  const Normalized<T> K(affinity, std::vector<double>(size_t(affinity.rows().local_rows()), 1.0), 0);
  const std::vector<int64_t> chosen = choose_landmarks(K, landmarks, seed);
  const int64_t m = int64_t(chosen.size());
  const auto columns = K.take_columns(chosen);
  const std::vector<double> sums = sum_over_blocks(affinity.rows(), m, [&](int64_t, Range rows, std::span<double> out) {
    Matrix<T> block(rows.size(), m);
    K.evaluate_definite(rows, *columns, block);
    for (int64_t i = 0; i < block.rows(); ++i)
      for (int64_t j = 0; j < m; ++j) out[size_t(j)] += double(block(i, j));
  });
  Matrix<T> square(m, m);
  K.evaluate_definite_square(chosen, square);
  const Eigen::MatrixXd root = inverse_root<T>(widen(square));
  const Eigen::VectorXd weights = root * (root.transpose() * Eigen::Map<const Eigen::VectorXd>(sums.data(), m));
  Matrix<T> out(affinity.rows().local_rows(), 1);
  K.multiply_definite_columns(chosen, narrow<T>(weights), out, stop);
  std::vector<double> degrees(size_t(out.rows()));
  for (int64_t i = 0; i < out.rows(); ++i)
    degrees[size_t(i)] = std::max(double(out(i, 0)), 1e-6 * affinity.self_similarity());
  return degrees;
}

template std::vector<double> nystrom_degrees(const Affinity<float>&, int64_t, uint64_t, const StopToken&);
MBSC_FLOAT64(template std::vector<double> nystrom_degrees(const Affinity<double>&, int64_t, uint64_t,
                                                          const StopToken&);)

}  // namespace mbsc
