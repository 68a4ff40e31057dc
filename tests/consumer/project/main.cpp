// SPDX-License-Identifier: Apache-2.0
// Uses the installed headers and the installed library. The exit code is 0 if the answer is right.
#include <cstdio>

#include "mbsc/cluster.h"

/// Whether cluster() separates two groups of points on a line.
static bool works() {
  mbsc::Matrix<float> X(20, 1);
  for (int i = 0; i < 20; ++i) X(i, 0) = static_cast<float>(i < 8 ? i : 100 + i);
  mbsc::ClusterOptions options;
  options.clusters = 2;
  const mbsc::Clustering result = mbsc::cluster(mbsc::Points(X.view()), options);
  for (int i = 0; i < 20; ++i)
    if (result.labels[static_cast<size_t>(i)] != (i < 8 ? 1 : 0)) return false;
  return result.cluster_sizes == std::vector<int64_t>{12, 8};
}

int main() {
  std::printf("mbsc %s\n", mbsc::version().c_str());
  return works() ? 0 : 1;
}
