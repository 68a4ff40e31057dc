// SPDX-License-Identifier: Apache-2.0
#include "mbsc/solvers/minibatch/graph_start.h"

#include <algorithm>
#include <cmath>

#include "mbsc/base/float64.h"
#include "mbsc/base/random.h"
#include "mbsc/linalg/reduce.h"
#include "mbsc/solvers/krylov/krylov_basis.h"
#include "mbsc/solvers/minibatch/sparse_part.h"

namespace mbsc {

using Eigen::MatrixXd;

namespace {

/// s = (d + tau)^-1/2 with the degrees d of the graph, and tau, the regularization that is added to each degree.
template <class T>
struct GraphDegrees {
  GraphDegrees(const RowSpace& space, const NeighborGraph& graph, double regularization) : s(size_t(graph.rows())) {
    std::vector<double> degrees(size_t(graph.rows()));
    const double total = sum_over_blocks(space, 1, [&](int64_t, Range rows, std::span<double> out) {
      for (int64_t i = rows.begin; i < rows.end; ++i) {
        for (int64_t e = graph.starts[size_t(i)]; e < graph.starts[size_t(i + 1)]; ++e)
          degrees[size_t(i)] += double(graph.values[size_t(e)]);
        out[0] += degrees[size_t(i)];
      }
    })[0];
    tau = regularization * total / double(space.n());
    for (size_t i = 0; i < s.size(); ++i) s[i] = degrees[i] + tau > 0 ? T(1 / std::sqrt(degrees[i] + tau)) : T{};
  }
  std::vector<T> s;
  double tau;
};

/// out = L_graph V: the product of the edges with V, plus (tau/n) s s'V.
template <class T>
void multiply_graph(const RowSpace& space, const GraphDegrees<T>& degrees, const SparsePart<T>& edges,
                    MatrixView<const T> V, MatrixView<T> out) {
  const auto projection = sum_over_blocks(space, V.cols, [&](int64_t, Range rows, std::span<double> sum) {
    for (int64_t i = rows.begin; i < rows.end; ++i)
      for (int64_t j = 0; j < V.cols; ++j) sum[size_t(j)] += double(degrees.s[size_t(i)]) * double(V(i, j));
  });
  const double share = degrees.tau / double(space.n());
  space.for_each_block([&](int64_t, Range rows) {
    for (int64_t i = rows.begin; i < rows.end; ++i)
      for (int64_t j = 0; j < V.cols; ++j) out(i, j) = T(double(degrees.s[size_t(i)]) * share * projection[size_t(j)]);
  });
  edges.add(1, V, out);
}

}  // namespace

template <class T>
Matrix<T> graph_block(const Normalized<T>& L, const NeighborGraph& graph, int64_t c, const ClusterOptions& options) {
  const RowSpace& space = L.rows();
  const double mean = sum_over_blocks(space, 1,
                                      [&](int64_t, Range rows, std::span<double> out) {
                                        for (int64_t i = rows.begin; i < rows.end; ++i)
                                          out[0] += L.degrees()[size_t(i)];
                                      })[0] /
                      double(L.n());
  const GraphDegrees<T> degrees(space, graph, L.regularization_added() / mean);
  const SparsePart<T> edges(space, graph, degrees.s);
  constexpr int most_steps = 60;
  const int64_t capacity = std::min(L.n(), 8 * c);
  KrylovBasis<T> krylov(
      space,
      [&](MatrixView<const T> in, MatrixView<T> out) {
        if (options.stop.stop_requested()) throw Stopped();
        multiply_graph<T>(space, degrees, edges, in, out);
      },
      options.seed, random_basis(L, c, options.seed), capacity, true);
  for (int step = 0; step < most_steps; ++step) {
    krylov.expand();
    const int64_t wanted = std::min(krylov.columns(), std::min(c, options.clusters + options.clusters / 2 + 1));
    if (step > 3 && krylov.largest_residual(wanted) < 1e-3) break;
    if (step + 1 < most_steps && !krylov.advance(std::min(3 * c, capacity - c), uint64_t(step))) break;
  }
  Matrix<T> W(space.local_rows(), c);
  copy<T>(space, krylov.ritz_vectors(std::min(c, krylov.columns())), W);
  space.for_each_block([&](int64_t, Range rows) {
    for (int64_t i = rows.begin; i < rows.end; ++i) {
      const double s = double(L.inverse_root_degrees()[size_t(i)]);
      const T ratio = s > 0 ? T(double(degrees.s[size_t(i)]) / s) : T{};
      for (int64_t j = 0; j < c; ++j) W(i, j) *= ratio;
    }
  });
  orthonormalize_in_order<T>(space, W, options.seed);
  return W;
}

namespace {

/// The contribution of some columns j to the energy of each of two blocks: 1/2 sum_j weight_j sum_i a_ij |f_i - f_j|^2.
/// f contains S W of both blocks side by side, with `width` columns each.
template <class T>
Eigen::Vector2d energy_of(const Normalized<T>& L, std::span<const int64_t> columns, std::span<const double> weights,
                          const Matrix<T>& f, int64_t width, const StopToken& stop) {
  const RowSpace& space = L.rows();
  const auto m = int64_t(columns.size());
  const auto square = [&](const T* row, int64_t block) {
    double sum = 0;
    for (int64_t c = block * width; c < (block + 1) * width; ++c) sum += double(row[c]) * double(row[c]);
    return sum;
  };
  // Right-hand sides: 1, |f|^2 of both blocks, f of both blocks. multiply_columns() multiplies by s on both sides, so
  // this function divides by s on both sides.
  const Matrix<T> rows = gather_rows<T>(space, f, columns);
  Matrix<T> C(m, 3 + 2 * width), Y(space.local_rows(), 3 + 2 * width);
  for (int64_t j = 0; j < m; ++j) {
    const T s = L.inverse_root_degree(columns[size_t(j)]);
    if (!(s > 0)) continue;
    const T weight = T(weights[size_t(j)]) / s;
    C(j, 0) = weight;
    for (int64_t b = 0; b < 2; ++b) C(j, 1 + b) = T(square(rows.row(j), b)) * weight;
    for (int64_t c = 0; c < 2 * width; ++c) C(j, 3 + c) = rows(j, c) * weight;
  }
  L.multiply_columns(columns, C, Y, stop);
  const std::vector<double> sums = sum_over_blocks(space, 2, [&](int64_t, Range range, std::span<double> out) {
    for (int64_t i = range.begin; i < range.end; ++i) {
      const double s = double(L.inverse_root_degrees()[size_t(i)]);
      if (!(s > 0)) continue;
      for (int64_t b = 0; b < 2; ++b) {
        double cross = 0;
        for (int64_t c = b * width; c < (b + 1) * width; ++c) cross += double(f(i, c)) * double(Y(i, 3 + c));
        out[size_t(b)] += (square(f.row(i), b) * double(Y(i, 0)) + double(Y(i, 1 + b)) - 2 * cross) / (2 * s);
      }
    }
  });
  return {sums[0], sums[1]};
}

}  // namespace

template <class T>
EnergyEstimate compare_energy(const Normalized<T>& L, MatrixView<const T> first, MatrixView<const T> second,
                              int64_t budget, const ClusterOptions& options) {
  const RowSpace& space = L.rows();
  const int64_t n = L.n(), width = first.cols;
  Matrix<T> f(space.local_rows(), 2 * width);
  copy<T>(space, first, f.view().columns_between(0, width));
  copy<T>(space, second, f.view().columns_between(width, 2 * width));
  // The contribution of column j to the energy is about |W_j|^2 plus the mean of |W_i|^2 over its neighbors i. So the
  // probability of a column is half proportional to |W_j|^2, half uniform.
  std::vector<double> share(size_t(space.local_rows()));
  for (int64_t i = 0; i < space.local_rows(); ++i) {
    for (int64_t c = 0; c < 2 * width; ++c) share[size_t(i)] += double(f(i, c)) * double(f(i, c));
    share[size_t(i)] = 0.5 * share[size_t(i)] / double(2 * width) + 0.5 / double(n);
  }
  std::vector<double> upto = L.comm().template gather<double>(share);
  const std::vector<double> shares = upto;
  for (size_t j = 1; j < upto.size(); ++j) upto[j] += upto[j - 1];
  space.for_each_block([&](int64_t, Range rows) {
    for (int64_t i = rows.begin; i < rows.end; ++i)
      for (int64_t c = 0; c < 2 * width; ++c) f(i, c) *= L.inverse_root_degrees()[size_t(i)];
  });
  EnergyEstimate estimate;
  // The term of the regularization is not sampled: tau (|f|^2 - |1'f|^2 / n).
  const std::vector<double> sums = sum_over_blocks(space, 4 * width, [&](int64_t, Range rows, std::span<double> out) {
    for (int64_t i = rows.begin; i < rows.end; ++i)
      for (int64_t c = 0; c < 2 * width; ++c) {
        out[size_t(c)] += double(f(i, c)) * double(f(i, c));
        out[size_t(2 * width + c)] += double(f(i, c));
      }
  });
  for (int64_t c = 0; c < 2 * width; ++c) {
    const double total = sums[size_t(2 * width + c)];
    estimate.difference +=
        (c < width ? -1 : 1) * L.regularization_added() * (sums[size_t(c)] - total * total / double(n));
  }
  // Eight systematic samples, each with its own offset.
  constexpr int64_t parts = 8;
  const int64_t each = std::max<int64_t>(1, budget / parts);
  const Random random(options.seed, Stream::landmarks);
  double sum = 0, squares = 0;
  for (int64_t p = 0; p < parts; ++p) {
    std::vector<int64_t> columns;
    std::vector<double> weights;
    const double offset = random.uniform(uint64_t(p), ~uint64_t{0});
    for (int64_t draw = 0; draw < each; ++draw) {
      const double at = (double(draw) + offset) / double(each) * upto.back();
      const auto j = std::min<int64_t>(n - 1, std::upper_bound(upto.begin(), upto.end(), at) - upto.begin());
      const double weight = upto.back() / (double(each) * shares[size_t(j)]);
      if (!columns.empty() && columns.back() == j) {
        weights.back() += weight;
      } else {
        columns.push_back(j);
        weights.push_back(weight);
      }
    }
    const Eigen::Vector2d energy = energy_of<T>(L, columns, weights, f, width, options.stop);
    estimate.columns += int64_t(columns.size());
    sum += (energy[1] - energy[0]) / double(parts);
    squares += (energy[1] - energy[0]) * (energy[1] - energy[0]) / double(parts);
  }
  estimate.difference += sum;
  estimate.standard_error = std::sqrt(std::max(0.0, squares - sum * sum) / double(parts - 1));
  return estimate;
}

#define MBSC_INSTANTIATE(T)                                                                                       \
  template Matrix<T> graph_block(const Normalized<T>&, const NeighborGraph&, int64_t, const ClusterOptions&);     \
  template EnergyEstimate compare_energy(const Normalized<T>&, MatrixView<const T>, MatrixView<const T>, int64_t, \
                                         const ClusterOptions&);
MBSC_INSTANTIATE(float)
MBSC_FLOAT64(MBSC_INSTANTIATE(double))
#undef MBSC_INSTANTIATE

}  // namespace mbsc
