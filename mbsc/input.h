// SPDX-License-Identifier: Apache-2.0
// The input of a clustering: arrays, and views of arrays. A view does not copy the caller's data.
//     Matrix, MatrixView   row-major storage: Matrix owns it, MatrixView refers to it
//     Points               rows of coordinates in the caller's memory, with an optional scaling
//     Graph                a sparse matrix of weights in the caller's memory
//     Input                points, a dense matrix of affinities, or a graph
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace mbsc {

/// Thrown for an invalid option, an invalid file, or data that cannot be clustered. The message names the rule that was
/// broken and the value.
class InvalidInput : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Thrown for a graph that is not symmetric. `row` and `column`, counted from 0, have an entry that differs from the
/// entry of `column` and `row`, or has no such partner.
class AsymmetricGraph : public InvalidInput {
 public:
  AsymmetricGraph(const std::string& message, int64_t row_, int64_t column_)
      : InvalidInput(message), row(row_), column(column_) {}
  int64_t row, column;
};

/// A half-open range of rows (or of blocks, or columns).
struct Range {
  int64_t begin = 0;
  int64_t end = 0;
  int64_t size() const { return end - begin; }
  bool contains(int64_t i) const { return begin <= i && i < end; }
};

/// A view of a row-major matrix. It does not own the data. Rows are `stride` elements apart.
template <class T>
struct MatrixView {
  T* data = nullptr;
  int64_t rows = 0;
  int64_t cols = 0;
  int64_t stride = 0;

  MatrixView() = default;
  MatrixView(T* data_, int64_t rows_, int64_t cols_) : MatrixView(data_, rows_, cols_, cols_) {}
  MatrixView(T* data_, int64_t rows_, int64_t cols_, int64_t stride_)
      : data(data_), rows(rows_), cols(cols_), stride(stride_) {}

  T* row(int64_t i) const { return data + i * stride; }
  T& operator()(int64_t i, int64_t j) const { return data[i * stride + j]; }
  /// Rows [begin, end).
  MatrixView rows_between(int64_t begin, int64_t end) const {
    return {data + begin * stride, end - begin, cols, stride};
  }
  /// Columns [begin, end).
  MatrixView columns_between(int64_t begin, int64_t end) const { return {data + begin, rows, end - begin, stride}; }
  operator MatrixView<const T>() const requires(!std::is_const_v<T>) { return {data, rows, cols, stride}; }
};

/// A row-major matrix that owns its data. The data is aligned for vector loads. A new matrix is zero.
template <class T>
class Matrix {
 public:
  Matrix() = default;
  Matrix(int64_t rows, int64_t cols) : rows_(rows), cols_(cols), data_(allocate(rows * cols)) {}
  Matrix(const Matrix& other) : Matrix(other.rows_, other.cols_) { std::copy_n(other.data(), size(), data()); }
  Matrix(Matrix&&) noexcept = default;
  Matrix& operator=(const Matrix& other) { return *this = Matrix(other); }
  Matrix& operator=(Matrix&&) noexcept = default;
  ~Matrix() = default;

  int64_t rows() const { return rows_; }
  int64_t cols() const { return cols_; }
  int64_t size() const { return rows_ * cols_; }
  /// True if default-constructed. A 0 x c matrix is not empty: a rank may own no rows.
  bool empty() const { return cols_ == 0; }
  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }
  T* row(int64_t i) { return data() + i * cols_; }
  const T* row(int64_t i) const { return data() + i * cols_; }
  T& operator()(int64_t i, int64_t j) { return data()[i * cols_ + j]; }
  const T& operator()(int64_t i, int64_t j) const { return data()[i * cols_ + j]; }

  MatrixView<T> view() { return {data(), rows_, cols_}; }
  MatrixView<const T> view() const { return {data(), rows_, cols_}; }
  operator MatrixView<T>() { return view(); }
  operator MatrixView<const T>() const { return view(); }

 private:
  struct Free {
    void operator()(T* p) const { std::free(p); }
  };
  static std::unique_ptr<T[], Free> allocate(int64_t count) {
    static_assert(std::is_trivially_copyable_v<T>);
    if (count == 0) return nullptr;
    constexpr size_t alignment = 64;
    const size_t bytes = (static_cast<size_t>(count) * sizeof(T) + alignment - 1) / alignment * alignment;
    T* p = static_cast<T*>(std::aligned_alloc(alignment, bytes));
    if (p == nullptr) throw std::bad_alloc();
    std::fill_n(p, count, T{});
    return std::unique_ptr<T[], Free>(p);
  }

  int64_t rows_ = 0;
  int64_t cols_ = 0;
  std::unique_ptr<T[], Free> data_;
};

enum class ScalarType { float32, float64 };

/// A view of this rank's rows of X, the n x d matrix of the points. It does not own the coordinates: a NumPy array, the
/// buffer of a file or a std::vector is used in place. The value of a feature is (x - shift) * scale. It is computed in
/// double while the rows are packed, so scaling and centering need no copy.
struct Points {
  const void* data = nullptr;
  ScalarType type = ScalarType::float32;
  int64_t rows = 0;        ///< number of rows in this view
  int64_t features = 0;    ///< d
  int64_t row_stride = 0;  ///< elements between one row and the next
  int64_t feature_stride = 1;
  int64_t first_row = 0;      ///< global number of row 0
  std::vector<double> shift;  ///< per feature; empty = 0
  std::vector<double> scale;  ///< per feature; empty = 1

  Points() = default;
  explicit Points(MatrixView<const float> X) : Points(X.data, ScalarType::float32, X.rows, X.cols, X.stride) {}
  explicit Points(MatrixView<const double> X) : Points(X.data, ScalarType::float64, X.rows, X.cols, X.stride) {}
  Points(const void* data_, ScalarType type_, int64_t rows_, int64_t features_, int64_t row_stride_,
         int64_t feature_stride_ = 1)
      : data(data_),
        type(type_),
        rows(rows_),
        features(features_),
        row_stride(row_stride_),
        feature_stride(feature_stride_) {}

  /// Rows [begin, end) of this view.
  Points rows_between(int64_t begin, int64_t end) const {
    Points part = *this;
    const int64_t bytes = begin * row_stride * (type == ScalarType::float32 ? 4 : 8);
    part.data = static_cast<const char*>(data) + bytes;
    part.rows = end - begin;
    part.first_row = first_row + begin;
    return part;
  }
  /// The stored value.
  double raw(int64_t i, int64_t f) const {
    const int64_t at = i * row_stride + f * feature_stride;
    return type == ScalarType::float32 ? static_cast<double>(static_cast<const float*>(data)[at])
                                       : static_cast<const double*>(data)[at];
  }
  /// The value after scaling.
  double operator()(int64_t i, int64_t f) const {
    double x = raw(i, f);
    if (!shift.empty()) x -= shift[f];
    if (!scale.empty()) x *= scale[f];
    return x;
  }
};

/// A view of the n x n matrix of the weights of a graph, in compressed sparse row (CSR) form. It does not own the arrays
/// unless `owner` is set: the arrays of a SciPy matrix are used in place. Columns may be in any order, and the weights
/// of entries at the same place are added. The diagonal is ignored.
struct Graph {
  int64_t nodes = 0;                 ///< n
  std::span<const int64_t> starts;   ///< index of the first entry of each row, and the number of entries: n + 1 values
  std::span<const int32_t> columns;  ///< of each entry, counted from 0
  const void* values = nullptr;      ///< the weight of each entry; null: every weight is 1
  ScalarType type = ScalarType::float64;  ///< of the values
  bool by_column = false;             ///< the columns are compressed, not the rows (CSC); only messages need to know
  std::shared_ptr<const void> owner;  ///< keeps the arrays alive; null: the caller keeps them alive

  int64_t entries() const { return int64_t(columns.size()); }
  double value(int64_t entry) const {
    if (values == nullptr) return 1;
    return type == ScalarType::float32 ? static_cast<double>(static_cast<const float*>(values)[entry])
                                       : static_cast<const double*>(values)[entry];
  }
};

/// The data to cluster. Affinities are computed from points, or the input is the matrix of affinities itself: dense, or
/// sparse as the weights of a graph.
struct Input {
  enum class Kind { points, matrix, graph };

  Input(const Points& points) : rows(points) {}
  /// A symmetric graph, or one to which the option `symmetrize` is applied. No weight is negative. For one rank only.
  Input(const Graph& graph_) : kind(Kind::graph), graph(graph_) {}
  Input(Kind kind_, const Points& rows_) : kind(kind_), rows(rows_) {}
  /// A symmetric n x n matrix of affinities. No entry is negative. The diagonal is ignored.
  static Input matrix(const Points& rows) { return {Kind::matrix, rows}; }

  bool is_points() const { return kind == Kind::points; }
  bool is_matrix() const { return kind == Kind::matrix; }
  bool is_graph() const { return kind == Kind::graph; }
  /// The number of rows of this rank.
  int64_t row_count() const { return is_graph() ? graph.nodes : rows.rows; }

  Kind kind = Kind::points;
  Points rows;  ///< this rank's rows: coordinates, or rows of the matrix; empty for a graph
  Graph graph;  ///< empty unless the input is a graph
};

}  // namespace mbsc
