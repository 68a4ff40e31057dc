// SPDX-License-Identifier: Apache-2.0
#include "mbsc/solvers/minibatch/nystrom_model.h"

#include <algorithm>
#include <numeric>

#include "mbsc/base/float64.h"
#include "mbsc/solvers/krylov/krylov_basis.h"

namespace mbsc {

using Eigen::MatrixXd;
using Eigen::VectorXd;

template <class T>
NystromModel<T>::NystromModel(const Normalized<T>& L, const std::vector<int64_t>& landmarks, int64_t rank,
                              const StopToken& stop)
    : L_(&L),
      basis_(nystrom_basis(L, landmarks, rank, stop, kept_count<T>(L.n(), L.input_bytes()),
                           std::min<int64_t>(rank, 100))) {
  take_diagonals();
}

template <class T>
void NystromModel<T>::take_diagonals() {
  hidden_ = L_->hidden_diagonal();
  taken_out_ = L_->definite_diagonal();
  own_.resize(hidden_.size());
  const int64_t first = L_->rows().own_rows().begin;
  L_->rows().for_each_block([&](int64_t, Range rows) {
    for (int64_t i = rows.begin; i < rows.end; ++i) {
      double sum = -double(L_->flat(first + i, first + i));
      for (int64_t r = 0; r < rank(); ++r) {
        const double q = basis_.vectors(i, r);
        sum += basis_.values[size_t(r)] * q * q;
      }
      own_[size_t(i)] = sum;
    }
  });
  if (L_->all_degrees().sampled()) return;
  const auto s = L_->inverse_root_degrees();
  Matrix<T> u(int64_t(s.size()), 1), image(u.rows(), 1);
  for (size_t i = 0; i < s.size(); ++i) u(int64_t(i), 0) = s[i] > 0 ? 1 / s[i] : T{};
  multiply_low_rank(gram<T>(L_->rows(), basis_.vectors, u), image);
  for (size_t i = 0; i < s.size(); ++i)
    if (s[i] > 0) taken_out_[i] = double(image(int64_t(i), 0) * s[i]) - 1;
}

template <class T>
void NystromModel<T>::leave_out(const NeighborGraph& graph) {
  left_out_ = &graph;
  const RowSpace& space = L_->rows();
  const int64_t own = space.local_rows(), first_row = space.own_rows().begin;
  const auto number_of = [&](int64_t column) {
    return column < own ? first_row + column : graph.others.rows()[size_t(column - own)];
  };
  on_edges_.resize(graph.values.size());
  space.for_each_block([&](int64_t, Range rows) {
    for (int64_t i = rows.begin; i < rows.end; ++i)
      for (int64_t e = graph.starts[size_t(i)]; e < graph.starts[size_t(i + 1)]; ++e)
        on_edges_[size_t(e)] = -L_->flat(first_row + i, number_of(graph.columns[size_t(e)]));
  });
  // A few columns of Q at a time, because the rows of other ranks are fetched and take memory.
  constexpr int64_t together = 80;
  for (int64_t from = 0; from < rank(); from += together) {
    const int64_t width = std::min(together, rank() - from);
    const MatrixView<const T> Q = basis_.vectors.view().columns_between(from, from + width);
    const Matrix<T> others = graph.others.fetch<T>(space.comm(), Q);
    space.for_each_block(
        [&](int64_t, Range rows) {
          T weighted[together];
          for (int64_t i = rows.begin; i < rows.end; ++i) {
            for (int64_t r = 0; r < width; ++r) weighted[r] = T(basis_.values[size_t(from + r)]) * Q(i, r);
            for (int64_t e = graph.starts[size_t(i)]; e < graph.starts[size_t(i + 1)]; ++e) {
              const int64_t j = graph.columns[size_t(e)];
              const T* row = j < own ? Q.row(j) : others.row(j - own);
              T sums[8] = {};  // one sum would be a slow chain of additions
              int64_t r = 0;
              for (; r + 8 <= width; r += 8)
                for (int64_t lane = 0; lane < 8; ++lane) sums[lane] += weighted[r + lane] * row[r + lane];
              for (; r < width; ++r) sums[0] += weighted[r] * row[r];
              on_edges_[size_t(e)] += std::accumulate(sums, sums + 8, T{});
            }
          }
        },
        20.0 * double(width));
  }
}

template <class T>
void NystromModel<T>::rescale(const Rescaling<T>& by) {
  by.multiply_rows(basis_.vectors);
  L_ = &by.to();
  take_diagonals();
}

template <class T>
void NystromModel<T>::multiply_low_rank(const MatrixXd& projected, MatrixView<T> out) const {
  const Eigen::Map<const VectorXd> theta(basis_.values.data(), rank());
  mbsc::multiply<T>(L_->rows(), basis_.vectors, theta.asDiagonal() * projected, out);
}

template <class T>
void NystromModel<T>::multiply(MatrixView<const T> V, MatrixView<T> out) const {
  multiply_low_rank(quick_gram<T>(L_->rows(), basis_.vectors, V), out);
  L_->rows().for_each_block([&](int64_t, Range rows) {
    for (int64_t i = rows.begin; i < rows.end; ++i)
      for (int64_t c = 0; c < V.cols; ++c) out(i, c) -= T(taken_out_[size_t(i)]) * V(i, c);
  });
}

template <class T>
void NystromModel<T>::multiply_sampled(MatrixView<const T> V, MatrixView<T> out) const {
  const RowSpace& space = L_->rows();
  Matrix<T> trusted(V.rows, V.cols), flat(V.rows, V.cols);
  space.for_each_block([&](int64_t, Range rows) {
    for (int64_t i = rows.begin; i < rows.end; ++i)
      if (is_trusted(i)) std::copy_n(V.row(i), V.cols, trusted.row(i));
  });
  multiply_low_rank(quick_gram_of_few_rows<T>(space, basis_.vectors, trusted), out);
  if (left_out_) add_sparse_product<T>(space, *left_out_, on_edges_, -1, trusted, out);
  L_->add_exact(trusted, flat);
  space.for_each_block([&](int64_t, Range rows) {
    for (int64_t i = rows.begin; i < rows.end; ++i)
      for (int64_t c = 0; c < V.cols; ++c)
        out(i, c) = is_trusted(i) ? out(i, c) - flat(i, c) - T(own_[size_t(i)]) * V(i, c) : T{};
  });
}

template <class T>
Matrix<T> NystromModel<T>::leading(int64_t c, uint64_t seed, double residual) {
  const RowSpace& space = L_->rows();
  if (rank() == 0) return random_basis(*L_, c, seed);
  Matrix<T> start = rank() < c ? random_basis(*L_, c, seed) : Matrix<T>(space.local_rows(), c);
  const double most = basis_.values[size_t(std::min(c, rank()) - 1)] / 2;
  const int64_t first_row = space.own_rows().begin;
  for (size_t i = 0; i < own_.size(); ++i) {
    const int64_t row = first_row + int64_t(i);
    taken_out_[i] = std::max(taken_out_[i], own_[i] + double(L_->flat(row, row)) - most);
  }
  // The best vectors of the model within the first columns of Q are a good first block.
  const auto first = basis_.vectors.view().columns_between(0, std::min(rank(), 100 + c));
  Matrix<T> image(space.local_rows(), first.cols);
  multiply(first, image);
  const SmallEigen eigen = eigen_descending(gram<T>(space, first, image));
  const int64_t known = std::min(c, rank());
  mbsc::multiply<T>(space, first, eigen.vectors.leftCols(known), start.view().columns_between(0, known));
  orthonormalize_or_refill<T>(space, start, seed, -1);
  if (residual >= 1) return start;
  constexpr int steps = 6;
  KrylovBasis<T> krylov(
      space, [&](MatrixView<const T> in, MatrixView<T> out) { multiply(in, out); }, seed, std::move(start), steps * c,
      true);
  for (int step = 0; step < steps; ++step) {
    krylov.expand();
    if (krylov.largest_residual(std::min(c, krylov.columns())) < residual) break;
    if (step + 1 < steps && !krylov.advance(2 * c, uint64_t(step))) break;
  }
  Matrix<T> W(space.local_rows(), c);
  copy<T>(space, krylov.ritz_vectors(std::min(c, krylov.columns())), W);
  orthonormalize_in_order<T>(space, W, seed);
  return W;
}

template class NystromModel<float>;
MBSC_FLOAT64(template class NystromModel<double>;)

}  // namespace mbsc
