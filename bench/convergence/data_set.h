// SPDX-License-Identifier: Apache-2.0
// The data sets of the benchmark, scaled as in the paper. scripts/get-data says where they come from.
//
//     pendigits   as it is                                                gamma 1/223.61^2   k 10
//     shuttle     to [-1, 1] by the ranges of its first 43,500 rows       gamma 1/0.45^2     k 7
//     mnist       / 255                                                   gamma 1/4.08^2     k 10
//     covtype-I   to [0, 1] by the ranges of all rows; all points of classes 3 to 7, and 14,129 points drawn from
//                 classes 1 and 2; n = 100,000; classes 4, 5 and 6 are one     gamma 1/1.15^2     k 5
//     covtype-II  all rows, scaled in the same way                        gamma 1/1.15^2     k 7
//     pendigits-4, pendigits-16, mnist-4, mnist-16                        gamma 4 or 16 / median squared distance
#pragma once

#include <string>
#include <vector>

#include "mbsc/read.h"

namespace mbsc::bench {

struct DataSet {
  std::string name;  ///< one of the names above
  std::string file;  ///< the file is <file>.csv.gz
  int64_t clusters = 0;
  double gamma = 0;
  bool wants_cut = false;  ///< normalized cuts and residuals are reported too
  std::vector<int32_t> truth;
  Points points;
  Table table;           ///< owns the coordinates, unless `chosen` does
  Matrix<float> chosen;  ///< owns the coordinates if they are a part of the file
};

const std::vector<std::string>& data_set_names();

/// Throws InvalidInput if there is no such data set or no such file.
DataSet load_data_set(const std::string& name, const std::string& folder, int threads);

}  // namespace mbsc::bench
