// SPDX-License-Identifier: Apache-2.0
#include "mbsc/affinity/matrix/matrix_affinity.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <string>

#include "mbsc/base/float64.h"
#include "mbsc/base/require.h"
#include "mbsc/comm/agree.h"
#include "mbsc/linalg/reduce.h"

namespace mbsc {

template <class T>
MatrixAffinity<T>::MatrixAffinity(const Points& matrix, const RowSpace& rows)
    : Affinity<T>(rows), matrix_(matrix), first_(rows.own_rows().begin) {
  const int64_t n = rows.n();
  require(matrix.rows == rows.local_rows() && matrix.features == n,
          "a precomputed affinity must be square; got {} x {}", n, matrix.features);
  agree(rows.comm(), [&] { check_entries(); });
  largest_ = largest_of_all(rows.comm(), largest_);
  agree(rows.comm(), [&] { check_symmetry(); });
  const double diagonal = sum_over_blocks(rows, 1, [&](int64_t, Range range, std::span<double> out) {
    for (int64_t i = range.begin; i < range.end; ++i) out[0] += matrix.raw(i, first_ + i);
  })[0];
  self_similarity_ = diagonal > 0 ? diagonal / double(n) : largest_;
}

template <class T>
void MatrixAffinity<T>::check_entries() {
  for (int64_t i = 0; i < matrix_.rows; ++i)
    for (int64_t j = 0; j < this->n(); ++j) {
      const double a = matrix_.raw(i, j);
      require(std::isfinite(float(a)) && a >= 0,
              "a precomputed affinity must be finite and not negative; got {} at ({}, {})", a, first_ + i + 1, j + 1);
      largest_ = std::max(largest_, a);
    }
}

template <class T>
void MatrixAffinity<T>::check_symmetry() const {
  std::string wrong;
  const auto compare = [&](int64_t i, int64_t j, double a, double b) {
    if (!wrong.empty() || std::abs(a - b) <= 1e-5 * largest_) return;
    wrong = fmt::format("a precomputed affinity must be symmetric; entry ({}, {}) is {} but ({}, {}) is {}", i + 1,
                        j + 1, a, j + 1, i + 1, b);
  };
  for (int64_t i = 0; i < matrix_.rows; ++i)
    for (int64_t j = 0; j < i; ++j)
      compare(first_ + i, first_ + j, matrix_.raw(i, first_ + j), matrix_.raw(j, first_ + i));
  compare_with_other_ranks(compare);
  require(wrong.empty(), "{}", wrong);
}

template <class T>
template <class Compare>
void MatrixAffinity<T>::compare_with_other_ranks(const Compare& compare) const {
  const RowSpace& space = this->rows();
  const Comm& comm = space.comm();
  const auto blocks_of = [&](int rank) { return space.blocks().blocks_of_rank(rank, comm.size()); };
  for (int distance = 1; distance < comm.size(); ++distance) {
    const int to = (comm.rank() + distance) % comm.size(), from = (comm.rank() + comm.size() - distance) % comm.size();
    const Range columns = space.blocks().rows_of(blocks_of(to)), theirs = blocks_of(from), own = space.own_blocks();
    for (int64_t b = 0; b < std::max(theirs.size(), own.size()); ++b) {
      const Range rows = b < own.size() ? space.blocks().block(own.begin + b) : Range{};
      const Range others = b < theirs.size() ? space.blocks().block(theirs.begin + b) : Range{};
      std::vector<double> send, receive(size_t(others.size() * matrix_.rows));
      for (int64_t i = rows.begin; i < rows.end; ++i)
        for (int64_t j = columns.begin; j < columns.end; ++j) send.push_back(matrix_.raw(i - first_, j));
      // There is no message if the sender has no more rows, or if the receiver has no rows at all.
      const auto receiving = receive.empty() ? nullptr : comm.start_receive<double>(receive, from);
      const auto sending = send.empty() ? nullptr : comm.start_send<double>(send, to);
      if (receiving) receiving->wait();
      if (sending) sending->wait();
      for (int64_t j = others.begin; j < others.end; ++j)
        for (int64_t i = 0; i < matrix_.rows; ++i)
          compare(first_ + i, j, matrix_.raw(i, j), receive[size_t((j - others.begin) * matrix_.rows + i)]);
    }
  }
}

template <class T>
void MatrixAffinity<T>::multiply_columns(std::span<const int64_t> columns, MatrixView<const T> C, MatrixView<T> out,
                                         const StopToken& stop) const {
  this->throw_if_stopped(stop);
  this->rows().for_each_block([&](int64_t, Range range) {
    for (int64_t i = range.begin; i < range.end; ++i) {
      std::fill_n(out.row(i), out.cols, T{});
      for (size_t s = 0; s < columns.size(); ++s) {
        const T a = entry(i, columns[s]);
        for (int64_t c = 0; c < out.cols; ++c) out(i, c) += a * C(int64_t(s), c);
      }
    }
  });
  this->count_kernel_values(matrix_.rows * int64_t(columns.size()));
}

template <class T>
void MatrixAffinity<T>::multiply(MatrixView<const T> V, MatrixView<T> out, const StopToken& stop) const {
  // Each rank needs all rows of V. They take little memory compared with the own rows of the matrix.
  std::vector<T> mine;
  if (this->rows().comm().size() > 1)
    for (int64_t i = 0; i < V.rows; ++i) mine.insert(mine.end(), V.row(i), V.row(i) + V.cols);
  const std::vector<T> gathered =
      this->rows().comm().size() > 1 ? this->rows().comm().template gather<T>(mine) : std::vector<T>();
  const MatrixView<const T> all = gathered.empty() ? V : MatrixView<const T>(gathered.data(), this->n(), V.cols);
  this->rows().for_each_block([&](int64_t, Range range) {
    if (stop.stop_requested()) return;
    for (int64_t i = range.begin; i < range.end; ++i) {
      std::fill_n(out.row(i), out.cols, T{});
      for (int64_t j = 0; j < this->n(); ++j) {
        const T a = entry(i, j);
        for (int64_t c = 0; c < out.cols; ++c) out(i, c) += a * all(j, c);
      }
    }
  });
  this->throw_if_stopped(stop);
  this->count_kernel_values(matrix_.rows * this->n());
}

template <class T>
class MatrixAffinity<T>::Block final : public ColumnBlock<T> {
 public:
  Block(const MatrixAffinity& affinity, std::span<const int64_t> columns)
      : ColumnBlock<T>(columns), affinity_(affinity) {}
  void evaluate(Range rows, MatrixView<T> out) const override {
    const auto columns = this->indices();
    for (int64_t i = 0; i < rows.size(); ++i)
      for (size_t s = 0; s < columns.size(); ++s) out(i, int64_t(s)) = affinity_.entry(rows.begin + i, columns[s]);
    affinity_.count_kernel_values(rows.size() * int64_t(columns.size()));
  }

 private:
  const MatrixAffinity& affinity_;
};

template <class T>
std::unique_ptr<const ColumnBlock<T>> MatrixAffinity<T>::take_columns(std::span<const int64_t> columns) const {
  return std::make_unique<Block>(*this, columns);
}

template <class T>
void MatrixAffinity<T>::evaluate_square(std::span<const int64_t> points, MatrixView<T> out) const {
  // gather() joins the contributions in the order of the ranks, so rows arrive in ascending order. Then each row is
  // copied to its place.
  std::vector<size_t> place(points.size());
  std::iota(place.begin(), place.end(), size_t{0});
  std::stable_sort(place.begin(), place.end(), [&](size_t a, size_t b) { return points[a] < points[b]; });
  const Range own = this->rows().own_rows();
  std::vector<T> mine;
  for (const size_t i : place)
    if (own.contains(points[i]))
      for (const int64_t j : points) mine.push_back(entry(points[i] - first_, j));
  const std::vector<T> all = this->rows().comm().template gather<T>(mine);
  for (size_t i = 0; i < place.size(); ++i)
    std::copy_n(all.data() + i * points.size(), points.size(), out.row(int64_t(place[i])));
}

template <class T>
Degrees MatrixAffinity<T>::degrees(const StopToken& stop, const std::function<void(double)>& progress,
                                   int64_t neighbors) const {
  this->throw_if_stopped(stop);
  Degrees degrees(matrix_.rows);
  std::optional<LargestEntries<T>> largest;
  if (neighbors > 0) largest.emplace(matrix_.rows, neighbors);
  this->rows().for_each_block([&](int64_t, Range range) {
    for (int64_t i = range.begin; i < range.end; ++i)
      for (int64_t j = 0; j < this->n(); ++j) {
        const double a = double(entry(i, j));
        degrees.sum[i] += a;
        degrees.squares[i] += a * a;
        if (largest) largest->offer(i, j, T(a));
      }
  });
  if (largest) degrees.graph = std::make_shared<const NeighborGraph>(largest->graph(this->rows()));
  this->count_kernel_values(matrix_.rows * this->n());
  if (progress) progress(1);
  return degrees;
}

template class MatrixAffinity<float>;
MBSC_FLOAT64(template class MatrixAffinity<double>;)

}  // namespace mbsc
