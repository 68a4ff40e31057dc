// SPDX-License-Identifier: Apache-2.0
// Table: the rows of a file.
#include "mbsc/read.h"

namespace mbsc {

Points Table::points() const {
  Points view(buffer.get(), type, rows, features, column_major ? 1 : features, column_major ? rows : 1);
  view.first_row = first_row;
  return view;
}

}  // namespace mbsc
