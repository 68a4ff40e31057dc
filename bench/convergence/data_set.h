// SPDX-License-Identifier: Apache-2.0
// The data sets of the benchmark, as the paper scaled them; scripts/get-data says where they come from.
//
//     pendigits   as it is                                                gamma 1/223.61^2   k 10
//     shuttle     to [-1, 1] by the ranges of its first 43,500 rows       gamma 1/0.45^2     k 7
//     mnist       / 255                                                   gamma 1/4.08^2     k 10
//     covtype-I   to [0, 1] by the ranges of all rows; classes 3 to 7 and 14,129 points of classes 1 and 2 together,
//                 n = 100,000; classes 4, 5 and 6 are one                 gamma 1/1.15^2     k 5
//     covtype-II  all rows of the same                                    gamma 1/1.15^2     k 7
//     pendigits-4, pendigits-16, mnist-4, mnist-16                        gamma 4 or 16 / median squared distance
#pragma once

#include <string>
#include <vector>

#include "mbsc/io/table.h"

namespace mbsc::bench {

struct DataSet {
  std::string name;  ///< as above
  std::string file;  ///< of the folder: <file>.csv.gz
  int64_t clusters = 0;
  double gamma = 0;
  bool wants_cut = false;  ///< normalized cuts and residuals are reported as well
  std::vector<int32_t> truth;
  Points points;
  Table table;  ///< what points look at; empty where `chosen` is
  Matrix<float> chosen;
};

const std::vector<std::string>& data_set_names();

/// Throws InvalidInput where there is no such data set or no such file.
DataSet load_data_set(const std::string& name, const std::string& folder, int threads);

}  // namespace mbsc::bench
