// SPDX-License-Identifier: Apache-2.0
#include "mbsc/affinity/pass/pass_input.h"

#include "mbsc/base/float64.h"

namespace mbsc {

template <class T, class Sum>
Range PassInput<T, Sum>::local_rows(int64_t block) const {
  const Range rows = space.blocks().block(block);
  return {rows.begin - first_row, rows.end - first_row};
}

template <class T, class Sum>
PassColumns<T, Sum> PassInput<T, Sum>::own_columns(int64_t block) const {
  const Range rows = local_rows(block);
  PassColumns<T, Sum> columns;
  columns.rows = space.blocks().block(block);
  columns.points = points.rows_between(rows.begin, rows.end);
  columns.V = operands.V.rows_between(rows.begin, rows.end);
  columns.sums = operands.column_sums.rows_between(rows.begin, rows.end);
  columns.largest = operands.column_largest;
  columns.first_largest = rows.begin;
  return columns;
}

template struct PassInput<float, float>;
template struct PassInput<float, double>;
MBSC_FLOAT64(template struct PassInput<double, double>;)

}  // namespace mbsc
