// SPDX-License-Identifier: Apache-2.0
// Columns of L that stay in memory, so that they need not be evaluated a second time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "mbsc/affinity/normalized.h"
#include "mbsc/solvers/rescaling.h"

namespace mbsc {

/// The most columns of n values that may stay in memory. They may take 256 MiB, minus twice the part of the input that
/// exceeds 64 MiB, but at least 64 MiB. `input_bytes`: Affinity::input_bytes(). The limit depends only on the shape of
/// the input, not on the machine, so the results do not depend on the machine either.
template <class T>
int64_t kept_count(int64_t n, int64_t input_bytes) {
  constexpr int64_t mib = 1 << 20;
  const int64_t bytes = std::clamp(256 * mib - 2 * (input_bytes - 64 * mib), 64 * mib, 256 * mib);
  return bytes / int64_t(sizeof(T)) / std::max<int64_t>(1, n);
}
/// The number of landmarks that a budget of columns allows. A landmark costs one column if it is kept, otherwise two.
template <class T>
int64_t affordable_landmarks(int64_t n, int64_t input_bytes, int64_t budget) {
  const int64_t kept = kept_count<T>(n, input_bytes);
  return std::min(n, budget <= kept ? budget : (budget + kept) / 2);
}

/// Stored columns of L, without its rank-one regularization.
template <class T>
struct KeptColumns {
  std::vector<int64_t> indices;  ///< ascending
  Matrix<T> values;              ///< own rows x indices.size()
};

/// `value` is an entry of the definite kernel (normalized.h). Returns it without the part that
/// Normalized::add_definite() adds.
template <class T>
T sampled_entry(const Normalized<T>& L, int64_t row, int64_t column, T value) {
  return row == column ? T{} : value - L.flat(row, column);
}

/// Evaluates more columns (ascending) and adds them to `kept`.
template <class T>
void keep_more(const Normalized<T>& L, const std::vector<int64_t>& columns, KeptColumns<T>& kept,
               const StopToken& stop);

/// Rescales the columns to more accurate degrees.
template <class T>
void rescale(const Rescaling<T>& by, KeptColumns<T>& kept);

/// Adds to `sums` the row sums of A over these columns, for own rows that are not isolated.
template <class T>
void add_row_sums(const Normalized<T>& L, const KeptColumns<T>& kept, std::vector<double>& sums);

}  // namespace mbsc
