// SPDX-License-Identifier: Apache-2.0
#include "mbsc/affinity/kernel/rectangular_product.h"

#include <algorithm>

#include "mbsc/affinity/kernel/kernel_form.h"
#include "mbsc/base/require.h"
#include "mbsc/linalg/row_space.h"

namespace mbsc {
namespace {

/// The number of points of Y that are packed at a time. Sums within such a chunk are computed in T, sums over chunks in
/// double.
constexpr int64_t points_per_chunk = 2048;

/// The working memory of one thread for some rows.
template <class T>
struct RowsWorkspace {
  simd::Packed<T> rows;
  AlignedVector<T> out, scratch;
};

void check(const Points& X, const Points& Y, const RectangularPairs& pairs, int64_t v_rows, int64_t out_rows) {
  require(X.features == Y.features, "both sets of points need the same number of features; got {} and {}", X.features,
          Y.features);
  require(v_rows == Y.rows, "V must have a row for each of the {} points of Y; got {}", Y.rows, v_rows);
  require(out_rows == std::ssize(pairs.rows), "the result has {} rows for {} points", out_rows, pairs.rows.size());
  require(pairs.zero.empty() || std::ssize(pairs.zero) == Y.rows, "zero must be empty or have {} entries; got {}",
          Y.rows, pairs.zero.size());
}

}  // namespace

template <class T>
void multiply_between(const Points& X, const Points& Y, const Kernel& kernel, const RectangularPairs& pairs,
                      MatrixView<const T> V, MatrixView<double> out, int threads, const StopToken& stop) {
  check(X, Y, pairs, V.rows, out.rows);
  const Points sets[] = {Y, X};
  const KernelForm<T> form = choose_form<T>(kernel, sets, threads);
  const RowSpace space(out.rows, threads);
  const int64_t width = simd::panel_rows<T>();
  for (int64_t i = 0; i < out.rows; ++i) std::fill_n(out.row(i), out.cols, 0.0);
  simd::Packed<T> columns;
  AlignedVector<T> rhs;
  for (int64_t first = 0; first < Y.rows && out.rows > 0; first += points_per_chunk) {
    const int64_t count = std::min(points_per_chunk, Y.rows - first);
    pack_points(Y, form.rules[0], Range{first, first + count}, simd::group_columns, columns);
    pack_right_hand_sides(V.rows_between(first, first + count), simd::group_columns, rhs);
    const int64_t* zero = pairs.zero.empty() ? nullptr : pairs.zero.data() + first;
    const auto multiply_rows = [&](Range range) {
      thread_local RowsWorkspace<T> work;
      pack_points(X, form.rules[1], pairs.rows.subspan(size_t(range.begin), size_t(range.size())), width, work.rows);
      work.out.assign(size_t(work.rows.pieces() * width * V.cols), T{});
      simd::run(simd::Task::multiply,
                make_tile(form.tile, {.points = &work.rows, .first_index = range.begin, .out = work.out.data()},
                          {.points = &columns, .indices = zero, .rhs = rhs.data()}, V.cols, work.scratch));
      add_panels(work.out, width, out.rows_between(range.begin, range.end));
    };
    for_rows_in_cache<T>(space, X.features, double(count) * double(X.features + V.cols + 12), stop, multiply_rows);
    if (stop.stop_requested()) throw Stopped();
  }
}

template void multiply_between(const Points&, const Points&, const Kernel&, const RectangularPairs&,
                               MatrixView<const float>, MatrixView<double>, int, const StopToken&);
template void multiply_between(const Points&, const Points&, const Kernel&, const RectangularPairs&,
                               MatrixView<const double>, MatrixView<double>, int, const StopToken&);

}  // namespace mbsc
