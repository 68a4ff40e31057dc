// SPDX-License-Identifier: Apache-2.0
// Method: Nystrom, one-shot and orthogonalized.
// Reference: Fowlkes, Belongie, Chung, Malik, "Spectral grouping using the Nystrom method", PAMI 2004.
// Algorithm: m landmarks S; K = L with a(x, x) on the diagonal of the affinity (with a zero diagonal the landmark
//   block is indefinite). K_SS = E e E';  B = K_nS E e^-1/2, so that K ~ B B';  B'B = F theta F';
//   vectors B F theta^-1/2 = K_nS [E e^-1/2 F theta^-1/2], orthonormal; values theta, which are those of K,
//   above L's by up to the largest a(x, x) s^2.
// Memory: B is never formed. B'B = e^-1/2 E' (K_Sn K_nS) E e^-1/2 is summed block by block, and the vectors are one
//   product with the landmark columns, of which as many are kept as 256 MiB hold, the others evaluated again:
//   O(m^2 + n k) and those.
// Cost: n m to 2 n m kernel values, n m^2 multiply-adds. Not exact: error is what the landmarks miss.
#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <iterator>

#include "mbsc/base/random.h"
#include "mbsc/base/require.h"
#include "mbsc/linalg/dense.h"
#include "mbsc/linalg/reduce.h"
#include "mbsc/simd/gemm.h"
#include "mbsc/solvers/krylov_basis.h"
#include "mbsc/solvers/nystrom_basis.h"

namespace mbsc {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
template <class T>
using RowMajor = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

template <class T>
MatrixXd widen(const Matrix<T>& A) {
  return Eigen::Map<const RowMajor<T>>(A.data(), A.rows(), A.cols()).template cast<double>();
}
template <class T>
Matrix<T> narrow(const MatrixXd& A) {
  Matrix<T> out(A.rows(), A.cols());
  Eigen::Map<RowMajor<T>>(out.data(), A.rows(), A.cols()) = A.template cast<T>();
  return out;
}

/// E e^-1/2 over the eigenvalues above the noise of T: (K_SS)^+ = result * result'.
template <class T>
MatrixXd inverse_root(const MatrixXd& block) {
  const SmallEigen eigen = eigen_descending(block);
  const double least = eigen.values[0] * std::max(1e-6, 10.0 * double(std::numeric_limits<T>::epsilon()));
  int64_t rank = 0;
  while (rank < eigen.values.size() && eigen.values[rank] > least) ++rank;
  return eigen.vectors.leftCols(rank) * eigen.values.head(rank).cwiseSqrt().cwiseInverse().asDiagonal();
}

/// C = (K_SS)^+1/2 such that C C' = (K_SS)^+, as something to multiply with.
/// By Cholesky of K_SS scaled to a unit diagonal, whose diagonal is lifted by 1e-6 of the sum of each row: what
/// rounding may have taken from it, in dense rows much, in those of outliers nothing to speak of. Where it is not
/// definite even so (precomputed matrices), or small, by its eigenvectors.
class InverseRoot {
 public:
  template <class T>
  InverseRoot(const Matrix<T>& square, int threads) : threads_(threads) {
    const MatrixXd block = widen(square);
    const int64_t m = block.rows();
    // Below that eigenvectors take a millisecond or two, and leave out what is noise.
    if (m > 128 && (block.diagonal().array() > 0).all()) {
      const VectorXd scale = block.diagonal().cwiseSqrt().cwiseInverse();
      const MatrixXd unit = scale.asDiagonal() * block * scale.asDiagonal();
      const VectorXd sums = unit.cwiseAbs().rowwise().sum();
      for (const double share : {1e-6, 1e-5}) {
        MatrixXd lifted = unit;
        lifted.diagonal() += share * sums;
        if (!cholesky(lifted, threads)) continue;
        upper_ = lifted * scale.cwiseInverse().asDiagonal();
        return;
      }
    }
    general_ = inverse_root<T>(block);
  }

  int64_t columns() const { return upper_.size() > 0 ? upper_.cols() : general_.cols(); }
  /// C X.
  MatrixXd apply(const MatrixXd& X) const {
    if (upper_.size() == 0) return general_ * X;
    MatrixXd out = X;
    solve_upper(upper_, false, out, threads_);
    return out;
  }
  /// C'X.
  MatrixXd apply_transposed(const MatrixXd& X) const {
    if (upper_.size() == 0) return general_.transpose() * X;
    MatrixXd out = X;
    solve_upper(upper_, true, out, threads_);
    return out;
  }

 private:
  int threads_;
  MatrixXd upper_, general_;
};

/// The leading eigenpairs of C'GC; of a large one by a block Krylov space, to what a few products give: the first
/// `sharp` as good as eigenpairs, the others what else the space holds. (Whatever V the space has, its Ritz vectors
/// make B V theta^-1/2 orthonormal, and their model B VV' B' takes part of BB', never more.)
SmallEigen leading_pairs(const InverseRoot& C, const MatrixXd& G, int64_t rank, int64_t sharp, int threads,
                         const StopToken& stop) {
  const int64_t m = C.columns();
  const auto product = [&](const MatrixXd& V) {
    return C.apply_transposed(multiply_symmetric(G, C.apply(V), threads));
  };
  if (m <= 300 || 3 * sharp >= m) return eigen_descending(product(MatrixXd::Identity(m, m)));
  const RowSpace space(m, threads);
  SolverOptions options;
  options.stop = stop;
  const int64_t block = sharp + 8, steps = sharp < rank ? std::clamp<int64_t>(m / (2 * block), 3, 5) : 5;
  Matrix<double> start(m, block);
  fill_normal<double>(space, start, Random(0, Stream::start), 1);
  orthonormalize<double>(space, start);
  const auto operate = [&](MatrixView<const double> in, MatrixView<double> out) {
    if (stop.stop_requested()) throw Stopped();
    using Stride = Eigen::OuterStride<>;
    const Eigen::Map<const RowMajor<double>, 0, Stride> V(in.data, m, in.cols, Stride(in.stride));
    Eigen::Map<RowMajor<double>, 0, Stride>(out.data, m, in.cols, Stride(out.stride)) = product(V);
  };
  KrylovBasis<double> krylov(space, operate, options, std::move(start), std::min(m, steps * block));
  for (int64_t step = 0; step < steps; ++step) {
    krylov.expand();
    if (step + 1 < steps && !krylov.advance(2 * block, uint64_t(step))) break;
  }
  const int64_t found = std::min(rank, krylov.columns());
  const Matrix<double> vectors = krylov.ritz_vectors(found);
  return {krylov.values().head(found), widen(vectors)};
}

/// An entry of K without what add_definite() adds.
template <class T>
T sampled_entry(const Normalized<T>& L, int64_t row, int64_t column, T value) {
  return row == column ? T{} : value - L.flat(row, column);
}

/// Copies the leading columns of K.
template <class T>
void keep_columns(const Normalized<T>& L, Range rows, MatrixView<const T> K, KeptColumns<T>& kept) {
  const int64_t first = L.rows().own_rows().begin;
  const int64_t count = int64_t(kept.indices.size());
  for (int64_t i = rows.begin; i < rows.end; ++i)
    for (int64_t j = 0; j < count; ++j)
      kept.values(i, j) = sampled_entry(L, first + i, kept.indices[size_t(j)], K(i - rows.begin, j));
}

/// K_Sn K_nS, block by block; fills `kept`. Over ranks as over threads: a sum along the tree of the blocks
/// (linalg/reduce.h), of which the lower triangle travels.
template <class T>
MatrixXd landmark_gram(const Normalized<T>& L, const std::vector<int64_t>& landmarks, const StopToken& stop,
                       KeptColumns<T>& kept) {
  const int64_t m = int64_t(landmarks.size());
  const RowSpace& space = L.rows();
  const auto columns = L.take_columns(landmarks);
  Matrix<T> K(std::min(space.blocks().block_rows(), space.local_rows()), m);
  RowMajor<double> square(m, m);
  const std::vector<double> lower =
      sum_block_by_block(space, m * (m + 1) / 2, [&](int64_t, Range rows, std::span<double> out) {
        constexpr int64_t piece = 256, panel = 120;
        parallel_for(space.threads(), (rows.size() + piece - 1) / piece, [&](int64_t p) {
          if (stop.stop_requested()) return;
          const Range some{rows.begin + p * piece, std::min(rows.end, rows.begin + (p + 1) * piece)};
          const MatrixView<T> part = K.view().rows_between(some.begin - rows.begin, some.end - rows.begin);
          L.evaluate_definite(some, *columns, part);
          keep_columns<T>(L, some, part, kept);
        });
        // Every thread a part of the sum, in the order of the rows.
        parallel_for(space.threads(), (m + panel - 1) / panel, [&](int64_t p) {
          if (stop.stop_requested()) return;
          const int64_t from = p * panel, to = std::min(m, from + panel);
          square.middleRows(from, to - from).setZero();
          simd::gemm<T, T, double>(to - from, to, rows.size(), 1, {K.data() + from, 1, m}, {K.data(), m, 1},
                                   square.row(from).data(), m);
          for (int64_t i = from; i < to; ++i) std::copy_n(square.row(i).data(), i + 1, &out[size_t(i * (i + 1) / 2)]);
        });
      });
  if (L.comm().any(stop.stop_requested())) throw Stopped();
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j <= i; ++j) square(i, j) = square(j, i) = lower[size_t(i * (i + 1) / 2 + j)];
  return square;
}

}  // namespace

int64_t landmark_count(int64_t n, const SolverOptions& options, bool as_start) {
  const int64_t k = options.clusters;
  require(options.landmarks >= 0 && options.landmarks <= n, "landmarks must be in [1, {}]; got {}", n,
          options.landmarks);
  if (as_start) return std::min<int64_t>(n, options.landmarks > 0 ? options.landmarks : 10);
  const int64_t count = options.landmarks > 0 ? options.landmarks : std::min(n, std::max<int64_t>(500, 2 * k));
  require(count >= k, "landmarks must be at least the number of clusters, {}; got {}", k, count);
  return count;
}

template <class T>
std::vector<int64_t> choose_landmarks(const Normalized<T>& L, int64_t landmarks, uint64_t seed) {
  const std::vector<double> diagonal = L.comm().template gather<double>(L.hidden_diagonal());
  const KeyedPermutation permutation(L.n(), Random(seed, Stream::landmarks), 0);
  std::vector<int64_t> chosen;
  const auto choose = [&](double least, double most) {
    for (int64_t i = 0; i < L.n() && int64_t(chosen.size()) < landmarks; ++i) {
      const double self = diagonal[size_t(permutation(i))];
      if (least < self && self <= most) chosen.push_back(permutation(i));
    }
  };
  choose(0, 1000);
  if (chosen.empty()) choose(1000, std::numeric_limits<double>::infinity());
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

template <class T>
NystromBasis<T> nystrom_basis(const Normalized<T>& L, const std::vector<int64_t>& landmarks, int64_t rank,
                              const StopToken& stop, int64_t keep, int64_t sharp) {
  const int64_t m = int64_t(landmarks.size());
  Matrix<T> square(m, m);
  L.evaluate_definite_square(landmarks, square);
  const int threads = L.rows().threads();
  const InverseRoot root(square, threads);
  NystromBasis<T> basis;
  const int64_t count = std::min(m, keep);
  basis.columns_evaluated = 2 * m - count;
  basis.kept.indices.assign(landmarks.begin(), landmarks.begin() + count);
  basis.kept.values = Matrix<T>(L.rows().local_rows(), count);
  const SmallEigen eigen = leading_pairs(root, landmark_gram(L, landmarks, stop, basis.kept),
                                         std::min(rank, root.columns()), std::min(sharp, root.columns()), threads,
                                         stop);
  const double least = eigen.values[0] * 10 * double(std::numeric_limits<T>::epsilon());
  int64_t kept = 0;
  while (kept < std::min<int64_t>(rank, eigen.values.size()) && eigen.values[kept] > least) ++kept;
  const MatrixXd coefficients =
      root.apply(eigen.vectors.leftCols(kept) * eigen.values.head(kept).cwiseSqrt().cwiseInverse().asDiagonal());
  basis.vectors = Matrix<T>(L.rows().local_rows(), kept);
  const std::span<const int64_t> others = std::span(landmarks).subspan(size_t(count));
  if (!others.empty())
    L.multiply_definite_columns(others, narrow<T>(coefficients.bottomRows(m - count)), basis.vectors, stop);
  if (count > 0) {
    subtract<T>(L.rows(), basis.kept.values, -coefficients.topRows(count), basis.vectors);
    L.add_definite(basis.kept.indices, narrow<T>(coefficients.topRows(count)), basis.vectors);
  }
  basis.values.assign(eigen.values.data(), eigen.values.data() + kept);
  return basis;
}

template <class T>
Matrix<T> start_block(const Normalized<T>& L, int64_t columns, int64_t known, const SolverOptions& options,
                      EigenPairs<T>& pairs) {
  Matrix<T> W = random_basis(L, columns, options);
  if (options.start != Start::nystrom) return W;
  const std::vector<int64_t> landmarks = choose_landmarks(L, landmark_count(L.n(), options, true), options.seed);
  const NystromBasis<T> nystrom = nystrom_basis(L, landmarks, known, options.stop);
  pairs.landmarks = int64_t(landmarks.size());
  pairs.columns_evaluated += nystrom.columns_evaluated;
  copy<T>(L.rows(), nystrom.vectors, W);
  orthonormalize_or_refill<T>(L.rows(), W, options, -1);
  return W;
}

template <class T>
void keep_more(const Normalized<T>& L, const std::vector<int64_t>& columns, KeptColumns<T>& kept,
               const StopToken& stop) {
  KeptColumns<T> all;
  std::merge(kept.indices.begin(), kept.indices.end(), columns.begin(), columns.end(), std::back_inserter(all.indices));
  all.values = Matrix<T>(L.rows().local_rows(), int64_t(all.indices.size()));
  const auto block = L.take_columns(columns);
  L.rows().for_each_block(
      [&](int64_t, Range rows) {
        if (stop.stop_requested()) return;
        Matrix<T> K(rows.size(), int64_t(columns.size()));
        L.evaluate_definite(rows, *block, K);
        for (int64_t i = rows.begin; i < rows.end; ++i) {
          size_t old = 0, more = 0;
          const int64_t row = L.rows().own_rows().begin + i;
          for (size_t j = 0; j < all.indices.size(); ++j) {
            const int64_t column = all.indices[j];
            if (more < columns.size() && columns[more] == column)
              all.values(i, int64_t(j)) = sampled_entry(L, row, column, K(i - rows.begin, int64_t(more++)));
            else
              all.values(i, int64_t(j)) = kept.values(i, int64_t(old++));
          }
        }
      },
      double(columns.size()) * 1000);
  if (L.comm().any(stop.stop_requested())) throw Stopped();
  kept = std::move(all);
}

template <class T>
void rescale(const Rescaling<T>& by, KeptColumns<T>& kept) {
  by.multiply_rows(kept.values);
  std::vector<T> ratios;
  for (const int64_t j : kept.indices) ratios.push_back(by.ratio(j));
  by.to().rows().for_each_block([&](int64_t, Range rows) {
    for (int64_t i = rows.begin; i < rows.end; ++i)
      for (size_t j = 0; j < ratios.size(); ++j) kept.values(i, int64_t(j)) *= ratios[j];
  });
}

template <class T>
void add_row_sums(const Normalized<T>& L, const KeptColumns<T>& kept, std::vector<double>& sums) {
  const int64_t own = L.rows().own_rows().begin;
  L.rows().for_each_block([&](int64_t, Range rows) {
    for (int64_t i = rows.begin; i < rows.end; ++i) {
      double sum = 0;
      for (size_t j = 0; j < kept.indices.size(); ++j) {
        const int64_t column = kept.indices[j];
        const double value = double(kept.values(i, int64_t(j)));
        // What is left of the regularization after it was taken out of a zero is rounding, not an affinity.
        const double rounding = 8 * double(std::numeric_limits<T>::epsilon()) * double(L.flat(own + i, column));
        if (value > rounding) sum += value / double(L.inverse_root_degree(column));
      }
      if (sum > 0) sums[size_t(i)] += sum / double(L.inverse_root_degrees()[size_t(i)]);
    }
  });
}

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
  const MatrixXd root = inverse_root<T>(widen(square));
  const VectorXd weights = root * (root.transpose() * Eigen::Map<const VectorXd>(sums.data(), m));
  Matrix<T> out(affinity.rows().local_rows(), 1);
  K.multiply_definite_columns(chosen, narrow<T>(weights), out, stop);
  std::vector<double> degrees(size_t(out.rows()));
  for (int64_t i = 0; i < out.rows(); ++i)
    degrees[size_t(i)] = std::max(double(out(i, 0)), 1e-6 * affinity.self_similarity());
  return degrees;
}

template <class T>
EigenPairs<T> solve_nystrom(const Normalized<T>& L, const SolverOptions& options, const Observer<T>& observer) {
  const int64_t n = L.n(), k = options.clusters;
  const Budget budget(n, options, {}, L.comm());
  const std::vector<int64_t> landmarks = choose_landmarks(L, landmark_count(n, options, false), options.seed);
  NystromBasis<T> basis = nystrom_basis(L, landmarks, std::max(k, options.block_size), options.stop);
  EigenPairs<T> pairs;
  pairs.vectors = Matrix<T>(basis.vectors.rows(), k);
  copy<T>(L.rows(), basis.vectors.view().columns_between(0, std::min(k, basis.vectors.cols())), pairs.vectors);
  // Landmarks of lower rank than k (duplicates): the rest is filled with random directions.
  orthonormalize_or_refill<T>(L.rows(), pairs.vectors, options, 0);
  pairs.values = basis.values;
  pairs.values.resize(size_t(k), 0.0);
  if (options.keep_block) {
    pairs.block = std::move(basis.vectors);
    orthonormalize_or_refill<T>(L.rows(), pairs.block, options, 0);
  }
  const double m = double(landmarks.size()), N = double(n), K = double(k);
  pairs.landmarks = int64_t(landmarks.size());
  pairs.columns_evaluated = basis.columns_evaluated;
  pairs.iterations = 1;
  pairs.flops = 6 * N * K + 8 * K * K * K - 3 * K * K + 4 * N * K * K - 3 * K + 2 * N * K * m + N * m + 2 * N * m * m +
                m * m + m * m * m - N;
  if (options.tolerance) {
    EigenPairs<T> certified = pairs;
    try {
      certify(L, options.stop, k, certified);
      pairs = std::move(certified);
      pairs.status = largest_residual(pairs) <= *options.tolerance ? Status::converged : Status::budget;
    } catch (const Stopped&) {
      pairs.status = Status::stopped;  // the vectors are there, their certificate is not
    }
  }
  Progress<T> progress{1, double(pairs.columns_evaluated) / N, 1.0, 0, std::nan(""), pairs.vectors};
  for (const double value : pairs.values) progress.objective += value;
  if (!observe(L, options, observer, progress, budget.seconds(), pairs)) pairs.status = Status::stopped;
  pairs.seconds = budget.seconds();
  return pairs;
}

#define MBSC_INSTANTIATE(T)                                                                              \
  template std::vector<int64_t> choose_landmarks(const Normalized<T>&, int64_t, uint64_t);               \
  template NystromBasis<T> nystrom_basis(const Normalized<T>&, const std::vector<int64_t>&, int64_t,     \
                                         const StopToken&, int64_t, int64_t);                            \
  template Matrix<T> start_block(const Normalized<T>&, int64_t, int64_t, const SolverOptions&,           \
                                 EigenPairs<T>&);                                                        \
  template void keep_more(const Normalized<T>&, const std::vector<int64_t>&, KeptColumns<T>&,            \
                          const StopToken&);                                                             \
  template void rescale(const Rescaling<T>&, KeptColumns<T>&);                                           \
  template void add_row_sums(const Normalized<T>&, const KeptColumns<T>&, std::vector<double>&);         \
  template std::vector<double> nystrom_degrees(const Affinity<T>&, int64_t, uint64_t, const StopToken&); \
  template EigenPairs<T> solve_nystrom(const Normalized<T>&, const SolverOptions&, const Observer<T>&);
MBSC_INSTANTIATE(float)
MBSC_INSTANTIATE(double)
#undef MBSC_INSTANTIATE

}  // namespace mbsc
