// SPDX-License-Identifier: Apache-2.0
// Data and checks for the tests of cluster().
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <vector>

#include "mbsc/cluster.h"
#include "mbsc/io/synthetic.h"

namespace mbsc::testing {

struct Sample {
  Matrix<float> X;
  std::vector<int32_t> classes;
};

inline Sample sample(Shape shape, int64_t n, int64_t features = 2) {
  SyntheticOptions options;
  options.shape = shape;
  options.n = n;
  options.features = features;
  options = checked(options);
  Sample s{Matrix<float>(n, features), std::vector<int32_t>(static_cast<size_t>(n))};
  make_rows(options, 0, s.X, s.classes);
  return s;
}

/// Whether a and b are the same partition, up to the numbers of the clusters.
inline bool same_partition(std::span<const int32_t> a, std::span<const int32_t> b) {
  std::map<int32_t, int32_t> forth, back;
  for (size_t i = 0; i < a.size(); ++i)
    if (forth.emplace(a[i], b[i]).first->second != b[i] || back.emplace(b[i], a[i]).first->second != a[i]) return false;
  return a.size() == b.size();
}

inline ClusterOptions options_for(int64_t clusters, int threads = 1) {
  ClusterOptions options;
  options.clusters = clusters;
  options.threads = threads;
  return options;
}

inline void expect_well_formed(const Clustering& result, int64_t n, int64_t clusters) {
  ASSERT_EQ(int64_t(result.labels.size()), n);
  ASSERT_EQ(int64_t(result.cluster_sizes.size()), clusters);
  std::vector<int64_t> sizes(static_cast<size_t>(clusters));
  for (const int32_t label : result.labels) {
    ASSERT_GE(label, 0);
    ASSERT_LT(label, clusters);
    ++sizes[size_t(label)];
  }
  EXPECT_EQ(sizes, result.cluster_sizes);
  EXPECT_TRUE(std::is_sorted(sizes.rbegin(), sizes.rend())) << "labels go by falling size";
  for (int64_t i = 0; i < result.pairs.vectors.size(); ++i) ASSERT_TRUE(std::isfinite(result.pairs.vectors.data()[i]));
}

}  // namespace mbsc::testing
