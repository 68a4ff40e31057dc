// SPDX-License-Identifier: Apache-2.0
#include "mbsc/solvers/nystrom/kept_columns.h"

#include <iterator>
#include <limits>

#include "mbsc/base/float64.h"

namespace mbsc {

template <class T>
void keep_more(const Normalized<T>& L, const std::vector<int64_t>& columns, KeptColumns<T>& kept,
               const StopToken& stop) {
  KeptColumns<T> all;
  std::merge(kept.indices.begin(), kept.indices.end(), columns.begin(), columns.end(), std::back_inserter(all.indices));
  all.values = Matrix<T>(L.rows().local_rows(), int64_t(all.indices.size()));
  const auto block = L.take_columns(columns);
  L.rows().for_each_block(
      [&](int64_t, Range rows) {
        if (stop.stop_requested()) return;
        Matrix<T> K(rows.size(), int64_t(columns.size()));
        L.evaluate_definite(rows, *block, K);
        for (int64_t i = rows.begin; i < rows.end; ++i) {
          size_t old = 0, more = 0;
          const int64_t row = L.rows().own_rows().begin + i;
          for (size_t j = 0; j < all.indices.size(); ++j) {
            const int64_t column = all.indices[j];
            if (more < columns.size() && columns[more] == column)
              all.values(i, int64_t(j)) = sampled_entry(L, row, column, K(i - rows.begin, int64_t(more++)));
            else
              all.values(i, int64_t(j)) = kept.values(i, int64_t(old++));
          }
        }
      },
      double(columns.size()) * 1000);
  if (L.comm().any(stop.stop_requested())) throw Stopped();
  kept = std::move(all);
}

template <class T>
void rescale(const Rescaling<T>& by, KeptColumns<T>& kept) {
  by.multiply_rows(kept.values);
  std::vector<T> ratios;
  for (const int64_t j : kept.indices) ratios.push_back(by.ratio(j));
  by.to().rows().for_each_block([&](int64_t, Range rows) {
    for (int64_t i = rows.begin; i < rows.end; ++i)
      for (size_t j = 0; j < ratios.size(); ++j) kept.values(i, int64_t(j)) *= ratios[j];
  });
}

template <class T>
void add_row_sums(const Normalized<T>& L, const KeptColumns<T>& kept, std::vector<double>& sums) {
  const int64_t own = L.rows().own_rows().begin;
  L.rows().for_each_block([&](int64_t, Range rows) {
    for (int64_t i = rows.begin; i < rows.end; ++i) {
      double sum = 0;
      for (size_t j = 0; j < kept.indices.size(); ++j) {
        const int64_t column = kept.indices[j];
        const double value = double(kept.values(i, int64_t(j)));
        // If the entry of A is zero, subtracting the regularization leaves a rounding error: ignore it.
        const double rounding = 8 * double(std::numeric_limits<T>::epsilon()) * double(L.flat(own + i, column));
        if (value > rounding) sum += value / double(L.inverse_root_degree(column));
      }
      if (sum > 0) sums[size_t(i)] += sum / double(L.inverse_root_degrees()[size_t(i)]);
    }
  });
}

#define MBSC_INSTANTIATE(T)                                                                                      \
  template void keep_more(const Normalized<T>&, const std::vector<int64_t>&, KeptColumns<T>&, const StopToken&); \
  template void rescale(const Rescaling<T>&, KeptColumns<T>&);                                                   \
  template void add_row_sums(const Normalized<T>&, const KeptColumns<T>&, std::vector<double>&);
MBSC_INSTANTIATE(float)
MBSC_FLOAT64(MBSC_INSTANTIATE(double))
#undef MBSC_INSTANTIATE

}  // namespace mbsc
