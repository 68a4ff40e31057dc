// SPDX-License-Identifier: Apache-2.0
// Row-major dense storage: Matrix owns, MatrixView looks. Small algebra is Eigen's, tall algebra linalg/'s.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <span>
#include <type_traits>

namespace mbsc {

/// A row-major matrix that belongs to somebody else. Rows are `stride` elements apart.
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

/// An owning row-major matrix, aligned for vector loads, zero-filled.
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
  /// Never made. One without rows is not: a rank may have none.
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

}  // namespace mbsc
