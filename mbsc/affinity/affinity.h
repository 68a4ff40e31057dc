// SPDX-License-Identifier: Apache-2.0
// Affinity: the interface between solvers and data. A is a symmetric n x n matrix with a zero diagonal and without
// negative entries. Each rank sees its own rows. Solvers use A only through the functions below. They see nothing of
// points, kernels and SIMD.
// One kind is an exception: the diagonal of a LandmarkAffinity is not zero. All functions include it: products, columns
// and degrees. Methods that replace the diagonal (Nystrom, minibatch) are refused for that kind.
//
// A new kind of affinity implements three functions: multiply_columns(), multiply() and take_columns(). All other
// functions have defaults. A kind overrides a default if it knows better or can compute the result faster.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "mbsc/affinity/graph/neighbors.h"
#include "mbsc/input.h"
#include "mbsc/linalg/row_permutation.h"
#include "mbsc/linalg/row_space.h"
#include "mbsc/options.h"

namespace mbsc {

struct LandmarkFactor;  // landmarks/landmark_factor.h

/// For each own row: the sum of its entries, and the sum of their squares.
struct Degrees {
  Degrees() = default;
  explicit Degrees(int64_t rows) : sum(size_t(rows)), squares(size_t(rows)) {}
  std::vector<double> sum;                     ///< d_i = sum_j a_ij
  std::vector<double> squares;                 ///< q_i = sum_j a_ij^2, for importance sampling
  std::shared_ptr<const NeighborGraph> graph;  ///< the largest entries of each row; null if not requested
  // The following members are set if the degrees are estimates from a sample (degrees/sampled_degrees.h).
  std::vector<double> variance;  ///< estimated variance of `sum`; 0 for a row whose degree is exact
  int64_t columns = 0;           ///< the number of sampled columns; 0: all rows are exact and `variance` is empty
  bool sampled() const { return columns > 0; }
  void make_exact() {
    variance.clear();
    columns = 0;
  }
};

/// Sums over some columns of A. By symmetry, these columns are also rows of A.
struct ColumnSums {
  Degrees rows;     ///< for each own row, the sums over the given columns: a part of its degree
  Degrees columns;  ///< for each given column, the sums over the rows of all ranks: the degree of that point
};

/// Some columns of A. It holds all data of other ranks that are needed to evaluate their entries.
template <class T>
class ColumnBlock {
 public:
  explicit ColumnBlock(std::span<const int64_t> columns) : indices_(columns.begin(), columns.end()) {}
  ColumnBlock(const ColumnBlock&) = delete;
  ColumnBlock& operator=(const ColumnBlock&) = delete;
  virtual ~ColumnBlock() = default;

  std::span<const int64_t> indices() const { return indices_; }
  /// out = A[rows, columns], a small dense block. `rows` are local. Several threads may call this at the same time.
  virtual void evaluate(Range rows, MatrixView<T> out) const = 0;

 private:
  std::vector<int64_t> indices_;
};

/// Every function that takes columns, points, right-hand sides or a stop token is collective: all ranks call it with
/// the same columns, in the same order. Lists of columns are ascending.
template <class T>
class Affinity {
 public:
  explicit Affinity(const RowSpace& rows) : rows_(rows) {}
  Affinity(const Affinity&) = delete;
  Affinity& operator=(const Affinity&) = delete;
  virtual ~Affinity() = default;

  const RowSpace& rows() const { return rows_; }
  int64_t n() const { return rows_.n(); }

  /// out = A[own rows, columns] C. C has a row for each of `columns` and is the same on all ranks.
  virtual void multiply_columns(std::span<const int64_t> columns, MatrixView<const T> C, MatrixView<T> out,
                                const StopToken& stop) const = 0;
  /// out = A V, the full product. V and out contain the own rows. Entries may come from a cache.
  virtual void multiply(MatrixView<const T> V, MatrixView<T> out, const StopToken& stop) const = 0;
  /// Some columns, for small dense blocks. This affinity must outlive the result.
  virtual std::unique_ptr<const ColumnBlock<T>> take_columns(std::span<const int64_t> columns) const = 0;

  /// out = A V without the cache: all entries are evaluated in full precision. Default: multiply().
  virtual void multiply_anew(MatrixView<const T> V, MatrixView<T> out, const StopToken& stop) const;
  /// The size in bytes that the input over all ranks has as float32. It limits what solvers keep in memory. Default: 0.
  virtual int64_t input_bytes() const { return 0; }
  /// The size of the cache of entries over all ranks, in bytes. Default: 0.
  virtual int64_t cached_bytes() const { return 0; }
  /// The largest relative error of an entry in multiply(), beyond rounding. Default: 0.
  virtual double entry_error() const { return 0; }

  /// out = A[rows, columns]. `rows` are local.
  void evaluate(Range rows, std::span<const int64_t> columns, MatrixView<T> out) const {
    take_columns(columns)->evaluate(rows, out);
  }
  /// out = A[points, points] on every rank, for distinct points in any order. Default: the owner of a point evaluates
  /// its row.
  virtual void evaluate_square(std::span<const int64_t> points, MatrixView<T> out) const;

  /// The degrees, and the graph of the `neighbors` largest entries of each row (0: no graph). The calling thread calls
  /// `progress` with the share of the work that is done. Default: evaluates all n^2 entries, a block of columns at a
  /// time.
  virtual Degrees degrees(const StopToken& stop, const std::function<void(double)>& progress = {},
                          int64_t neighbors = 0) const;
  /// The sums over some columns; each column has n entries. Default: evaluates a block of columns at a time.
  virtual ColumnSums sum_columns(std::span<const int64_t> columns, const StopToken& stop,
                                 const std::function<void(double)>& progress = {}) const;

  /// The stored entries if A is stored as a sparse matrix, else null. Its rows and columns are numbered by place.
  /// Default: null.
  virtual const SparseMatrix* edges() const { return nullptr; }
  /// The order of the stored matrix. Near points have near places, so that products find their rows in the cache. Null:
  /// the place of a point is its number. Default: null.
  virtual const RowPermutation* places() const { return nullptr; }
  /// The factor B if A is B Dr^-1 B' (landmarks/landmark_affinity.h), else null. Default: null.
  virtual const LandmarkFactor* factor() const { return nullptr; }
  /// The approximate number of multiply-adds that an entry costs. A solver compares its own work with it. Default: 1.
  virtual double cost_of_value() const { return 1; }
  /// a(x, x), the kernel value of a point with itself, which A replaces by 0. Nystrom needs it. Default: 1.
  virtual double self_similarity() const { return 1; }

  /// The number of entries that this rank has evaluated so far, in all calls. All ranks together evaluate a little more
  /// than n(n+1)/2 entries in a symmetric pass.
  int64_t kernel_values() const { return kernel_values_; }

 protected:
  void count_kernel_values(int64_t values) const { kernel_values_ += values; }
  /// Throws Stopped on all ranks if a stop is requested on any rank. So an incomplete product is never used.
  void throw_if_stopped(const StopToken& stop) const {
    if (rows_.comm().any(stop.stop_requested())) throw Stopped();
  }

 private:
  RowSpace rows_;
  mutable std::atomic<int64_t> kernel_values_{0};
};

}  // namespace mbsc
