// SPDX-License-Identifier: Apache-2.0
// Affinity: the narrow waist. A symmetric n x n matrix A, never negative, zero on its diagonal, seen from this
// rank's rows and never stored: everything above touches it through the products below, many right-hand sides at a
// time; everything about points, kernels and SIMD stays below.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "mbsc/affinity/neighbors.h"
#include "mbsc/base/matrix.h"
#include "mbsc/base/stop_token.h"
#include "mbsc/linalg/row_space.h"

namespace mbsc {

/// Row sums of A and of its entries squared, of this rank's rows.
struct Degrees {
  Degrees() = default;
  explicit Degrees(int64_t rows) : sum(size_t(rows)), squares(size_t(rows)) {}
  std::vector<double> sum;      ///< d_i = sum_j a_ij
  std::vector<double> squares;  ///< q_i = sum_j a_ij^2, for importance sampling
  std::shared_ptr<const NeighborGraph> graph;  ///< the largest entries of each row, where they were asked for
  // Where they come from a sample (sampled_degrees.h):
  std::vector<double> variance;  ///< of `sum`, estimated; 0 where that row is exact
  int64_t columns = 0;           ///< how many were drawn; 0: all rows are exact, and there is no variance
  bool sampled() const { return columns > 0; }
  void make_exact() {
    variance.clear();
    columns = 0;
  }
};

/// Sums over a few columns of A, which are sums over a few of its rows as well.
struct ColumnSums {
  Degrees rows;     ///< of each own row over the columns: a share of its degree
  Degrees columns;  ///< of each column over the rows of all ranks: by symmetry the whole degree of that point
};

/// Some columns of A, with whatever is needed of points that other ranks hold.
template <class T>
class ColumnBlock {
 public:
  explicit ColumnBlock(std::span<const int64_t> columns) : indices_(columns.begin(), columns.end()) {}
  ColumnBlock(const ColumnBlock&) = delete;
  ColumnBlock& operator=(const ColumnBlock&) = delete;
  virtual ~ColumnBlock() = default;

  std::span<const int64_t> indices() const { return indices_; }
  /// out = A[rows, columns], a small dense block; rows are local. Zero diagonal. By any number of threads at a time.
  virtual void evaluate(Range rows, MatrixView<T> out) const = 0;

 private:
  std::vector<int64_t> indices_;
};

/// Products, column blocks and degrees are collective: all ranks ask for the same ones, in the same order.
template <class T>
class Affinity {
 public:
  explicit Affinity(const RowSpace& rows) : rows_(rows) {}
  Affinity(const Affinity&) = delete;
  Affinity& operator=(const Affinity&) = delete;
  virtual ~Affinity() = default;

  const RowSpace& rows() const { return rows_; }
  int64_t n() const { return rows_.n(); }

  /// out = A[own rows, columns] C. C has one row per column, the same on all ranks. Columns ascend.
  virtual void multiply_columns(std::span<const int64_t> columns, MatrixView<const T> C, MatrixView<T> out,
                                const StopToken& stop) const = 0;
  /// out = A V: a full product, each pair evaluated once, or taken from what is kept of it.
  virtual void multiply(MatrixView<const T> V, MatrixView<T> out, const StopToken& stop) const = 0;
  /// The same from entries evaluated anew, in full precision.
  virtual void multiply_anew(MatrixView<const T> V, MatrixView<T> out, const StopToken& stop) const {
    multiply(V, out, stop);
  }
  /// How far an entry of `multiply` may be off, relative to itself.
  virtual double entry_error() const { return 0; }
  /// For small dense blocks. Columns ascend. This must outlive it.
  virtual std::unique_ptr<const ColumnBlock<T>> take_columns(std::span<const int64_t> columns) const = 0;
  /// out = A[rows, columns]; rows are local.
  void evaluate(Range rows, std::span<const int64_t> columns, MatrixView<T> out) const {
    take_columns(columns)->evaluate(rows, out);
  }
  /// The same of some points by themselves, on every rank.
  virtual void evaluate_square(std::span<const int64_t> points, MatrixView<T> out) const = 0;
  /// Row sums, one symmetric pass, and a graph of the `neighbors` largest entries of each row (0: none); `progress`
  /// hears the share that is done, from the calling thread.
  virtual Degrees degrees(const StopToken& stop, const std::function<void(double)>& progress = {},
                          int64_t neighbors = 0) const = 0;
  /// The sums that some columns allow, n kernel values each. Columns ascend.
  virtual ColumnSums sum_columns(std::span<const int64_t> columns, const StopToken& stop,
                                 const std::function<void(double)>& progress = {}) const;
  /// Multiply-adds that an entry costs, about: what a solver may weigh its own work against.
  virtual double cost_of_value() const { return 1; }
  /// a(x, x) of the kernel, which the zero diagonal hides; Nystrom needs it.
  virtual double self_similarity() const = 0;

  /// Entries this rank has evaluated so far, by all products together. A symmetric pass evaluates n(n+1)/2 and a
  /// little, over all ranks.
  int64_t kernel_values() const { return kernel_values_; }

 protected:
  void count_kernel_values(int64_t values) const { kernel_values_ += values; }
  /// Throws Stopped, on all ranks, where the token of one of them asks for it: a product that is not complete is no
  /// product.
  void throw_if_stopped(const StopToken& stop) const {
    if (rows_.comm().any(stop.stop_requested())) throw Stopped();
  }

 private:
  RowSpace rows_;
  mutable std::atomic<int64_t> kernel_values_{0};
};

}  // namespace mbsc
