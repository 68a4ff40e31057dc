// SPDX-License-Identifier: Apache-2.0
// Operator: L as the Chebyshev solver uses it, by products and by filters.
//     NormalizedOperator   any affinity, through Normalized
//     GraphOperator        a stored graph. Its rows lie in the order of the graph, which may differ from that of the
//                          points, and a step of the filter reads and writes the block only once
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "mbsc/affinity/normalized.h"
#include "mbsc/solvers/chebyshev/filter.h"

namespace mbsc {

template <class T>
class Operator {
 public:
  explicit Operator(const RowSpace& space) : space_(space) {}
  Operator(const Operator&) = delete;
  Operator& operator=(const Operator&) = delete;
  virtual ~Operator() = default;

  const RowSpace& space() const { return space_; }
  /// out = L V. Throws Stopped.
  virtual void multiply(MatrixView<const T> V, MatrixView<T> out) const = 0;
  /// W <- p(L) W, with a polynomial p of this degree, at least 1. -1 < cut < 1. Throws Stopped.
  virtual void filter(double cut, int64_t degree, Matrix<T>& W) const = 0;
  /// Returns the Ritz values (descending) of the orthonormal block W. W becomes the Ritz vectors, and `image` their
  /// product with L.
  Eigen::VectorXd rotate_to_ritz(Matrix<T>& W, Matrix<T>& image) const;

 private:
  RowSpace space_;
};

template <class T>
class NormalizedOperator final : public Operator<T> {
 public:
  NormalizedOperator(const Normalized<T>& L, const StopToken& stop) : Operator<T>(L.rows()), L_(L), stop_(stop) {}
  void multiply(MatrixView<const T> V, MatrixView<T> out) const override { L_.multiply(V, out, stop_); }
  void filter(double cut, int64_t degree, Matrix<T>& W) const override;

 private:
  const Normalized<T>& L_;
  StopToken stop_;
};

/// L = S (A + (tau/n) 11') S. A filter works on Y = S W: since S p(L) S^-1 = p(P) with P = S^2 (A + (tau/n) 11'), each
/// product needs one scaling of its result and none of its input.
class GraphOperator final : public Operator<float> {
 public:
  /// `space` distributes the rows of the graph. The degrees are those of own rows, in the order of the graph. The graph
  /// must outlive this object.
  GraphOperator(const SparseMatrix& graph, std::span<const double> degrees, double tau, const RowSpace& space,
                const StopToken& stop);
  void multiply(MatrixView<const float> V, MatrixView<float> out) const override;
  void filter(double cut, int64_t degree, Matrix<float>& W) const override;

 private:
  /// out_i <- factors_i * product * ((A + (tau/n) 11') Y)_i + same * Y_i + before * out_i. After the own rows, Y has room
  /// for the rows of other ranks, which are fetched.
  void apply(MatrixView<float> Y, std::span<const float> factors, const Recurrence::Step& step,
             MatrixView<float> out) const;
  /// out_i = factor(i) * from_i for own rows.
  template <class Factor>
  void scale(MatrixView<const float> from, const Factor& factor, MatrixView<float> out) const;

  const SparseMatrix& graph_;
  std::vector<float> roots_, squares_;  ///< s_i and s_i^2; 0 for an isolated node
  double flat_;                         ///< tau/n
  StopToken stop_;
};

}  // namespace mbsc
