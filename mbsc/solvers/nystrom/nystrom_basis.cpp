// SPDX-License-Identifier: Apache-2.0
#include "mbsc/solvers/nystrom/nystrom_basis.h"

#include <Eigen/Core>
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "mbsc/base/float64.h"
#include "mbsc/base/random.h"
#include "mbsc/linalg/dense.h"
#include "mbsc/linalg/reduce.h"
#include "mbsc/simd/gemm.h"
#include "mbsc/solvers/krylov/krylov_basis.h"
#include "mbsc/solvers/nystrom/inverse_root.h"

namespace mbsc {
namespace {

using Eigen::MatrixXd;

/// The leading eigenpairs of C'GC = B'B (nystrom.cpp). For a large matrix they come from a block Krylov space with a
/// few products: the first `sharp` pairs are almost exact, the others are the remaining Ritz pairs of this space. (For
/// the Ritz vectors V of any space, B V theta^-1/2 is orthonormal, and the model B VV'B' is never larger than BB'.)
SmallEigen leading_pairs(const InverseRoot& C, const MatrixXd& G, int64_t rank, int64_t sharp, int threads,
                         const StopToken& stop) {
  const int64_t m = C.columns();
  const auto product = [&](const MatrixXd& V) {
    return C.apply_transposed(multiply_symmetric(G, C.apply(V), threads));
  };
  if (m <= 300 || 3 * sharp >= m) return eigen_descending(product(MatrixXd::Identity(m, m)));
  const RowSpace space(m, threads);
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
  KrylovBasis<double> krylov(space, operate, 0, std::move(start), std::min(m, steps * block));
  for (int64_t step = 0; step < steps; ++step) {
    krylov.expand();
    if (step + 1 < steps && !krylov.advance(2 * block, uint64_t(step))) break;
  }
  const int64_t found = std::min(rank, krylov.columns());
  const Matrix<double> vectors = krylov.ritz_vectors(found);
  return {krylov.values().head(found), widen(vectors)};
}

/// Copies the leading columns of K to `kept`.
template <class T>
void keep_columns(const Normalized<T>& L, Range rows, MatrixView<const T> K, KeptColumns<T>& kept) {
  const int64_t first = L.rows().own_rows().begin;
  const int64_t count = int64_t(kept.indices.size());
  for (int64_t i = rows.begin; i < rows.end; ++i)
    for (int64_t j = 0; j < count; ++j)
      kept.values(i, j) = sampled_entry(L, first + i, kept.indices[size_t(j)], K(i - rows.begin, j));
}

/// Returns K_Sn K_nS and fills `kept`. The product is summed block by block (linalg/reduce.h), so its bits are the same
/// for any number of ranks and threads. Only the lower triangle is sent.
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
        // Each thread computes a part of the sum, in the order of the rows.
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
  square.resize(0, 0);
  MatrixXd gram(m, m);
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j <= i; ++j) gram(i, j) = gram(j, i) = lower[size_t(i * (i + 1) / 2 + j)];
  return gram;
}

}  // namespace

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
  const int threads = L.rows().threads();
  const InverseRoot root = [&] {
    Matrix<T> square(m, m);
    L.evaluate_definite_square(landmarks, square);
    return InverseRoot(square, threads);
  }();
  NystromBasis<T> basis;
  const int64_t count = std::min(m, keep);
  basis.columns_evaluated = 2 * m - count;
  basis.kept.indices.assign(landmarks.begin(), landmarks.begin() + count);
  basis.kept.values = Matrix<T>(L.rows().local_rows(), count);
  const SmallEigen eigen =
      leading_pairs(root, landmark_gram(L, landmarks, stop, basis.kept), std::min(rank, root.columns()),
                    std::min(sharp, root.columns()), threads, stop);
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

int64_t landmark_bytes(int64_t n, int64_t m) {
  // The root, the square of a block of rows, and the result; and the lower triangles that are in memory during the sum
  // over the blocks (linalg/reduce.h).
  const auto triangles = int64_t(std::bit_width(uint64_t(RowBlocks(n).count()))) / 2 + 2;
  return 8 * m * m * 4 + 4 * m * m * triangles;
}

#define MBSC_INSTANTIATE(T)                                                                                            \
  template std::vector<int64_t> choose_landmarks(const Normalized<T>&, int64_t, uint64_t);                             \
  template NystromBasis<T> nystrom_basis(const Normalized<T>&, const std::vector<int64_t>&, int64_t, const StopToken&, \
                                         int64_t, int64_t);
MBSC_INSTANTIATE(float)
MBSC_FLOAT64(MBSC_INSTANTIATE(double))
#undef MBSC_INSTANTIATE

}  // namespace mbsc
