// SPDX-License-Identifier: Apache-2.0
// Clusters graphs that the caller gives.
#include <gtest/gtest.h>

#include <cstring>

#include "mbsc/cluster.h"
#include "mbsc/comm/thread_comm.h"
#include "mbsc/metrics.h"
#include "mbsc/model.h"

namespace mbsc {
namespace {

/// Rings of `size` nodes. Each node is joined to the two nodes on either side. Neighboring rings are joined by one weak
/// edge.
struct Rings {
  Rings(int64_t rings, int64_t size) : n(rings * size) {
    std::vector<std::vector<std::pair<int32_t, float>>> rows{static_cast<size_t>(n)};
    const auto join = [&](int64_t a, int64_t b, float weight) {
      rows[size_t(a)].emplace_back(int32_t(b), weight);
      rows[size_t(b)].emplace_back(int32_t(a), weight);
    };
    for (int64_t r = 0; r < rings; ++r) {
      for (int64_t i = 0; i < size; ++i)
        for (const int64_t step : {1, 2}) join(r * size + i, r * size + (i + step) % size, 1.0F / float(step));
      if (r > 0) join(r * size, (r - 1) * size, 0.01F);
    }
    starts.push_back(0);
    for (const auto& row : rows) {
      for (const auto& [column, weight] : row) {
        columns.push_back(column);
        values.push_back(weight);
      }
      starts.push_back(int64_t(columns.size()));
    }
  }
  Graph graph() const {
    Graph view;
    view.nodes = n;
    view.starts = starts;
    view.columns = columns;
    view.values = values.data();
    view.type = ScalarType::float32;
    return view;
  }
  Matrix<float> matrix() const {
    Matrix<float> A(n, n);
    for (int64_t i = 0; i < n; ++i)
      for (int64_t e = starts[size_t(i)]; e < starts[size_t(i + 1)]; ++e) A(i, columns[size_t(e)]) = values[size_t(e)];
    return A;
  }
  int64_t n;
  std::vector<int64_t> starts;
  std::vector<int32_t> columns;
  std::vector<float> values;
};

ClusterOptions options_for(int64_t clusters) {
  ClusterOptions options;
  options.clusters = clusters;
  return options;
}

std::string refusal(const Input& input, const ClusterOptions& options) {
  try {
    cluster(input, options);
  } catch (const InvalidInput& error) {
    return error.what();
  }
  return "";
}

TEST(GivenGraph, HasTheClustersOfTheDenseMatrix) {
  const Rings rings(3, 20);
  const Matrix<float> A = rings.matrix();
  ClusterOptions options = options_for(3);
  const Clustering graph = cluster(rings.graph(), options);
  options.regularization = 0;
  const Clustering matrix = cluster(Input::matrix(Points(A.view())), options);
  EXPECT_EQ(score_labels(matrix.labels, graph.labels).ari, 1);
  for (size_t i = 0; i < 3; ++i) EXPECT_NEAR(graph.pairs.values[i], matrix.pairs.values[i], 1e-4);
  EXPECT_NEAR(*graph.cut.exact, *matrix.cut.exact, 1e-6);
  EXPECT_EQ(graph.plan.options.method, "chebyshev");
  EXPECT_EQ(graph.plan.options.affinity, AffinityKind::precomputed);
  EXPECT_EQ(graph.plan.options.regularization, 0);
  EXPECT_EQ(graph.plan.graph->edges, 3 * 40 + 2);
  EXPECT_EQ(graph.plan.graph->components, 1);
}

TEST(GivenGraph, HasTheSameBitsForAnyNumberOfThreads) {
  const Rings rings(4, 2000);
  ClusterOptions options = options_for(4);
  options.threads = 1;
  const Clustering one = cluster(rings.graph(), options);
  for (const int threads : {2, 3}) {
    options.threads = threads;
    const Clustering more = cluster(rings.graph(), options);
    EXPECT_EQ(more.labels, one.labels);
    EXPECT_EQ(0,
              std::memcmp(more.pairs.vectors.data(), one.pairs.vectors.data(), size_t(4 * one.pairs.vectors.size())));
  }
}

TEST(GivenGraph, TheCutOfItsLabelsIsTheSameByTheOtherFunction) {
  const Rings rings(3, 20);
  const Clustering result = cluster(rings.graph(), options_for(3));
  EXPECT_NEAR(normalized_cut(rings.graph(), result.labels, {}), *result.cut.exact, 1e-6);
}

TEST(GivenGraph, HasNoModelForNewPoints) {
  const Rings rings(3, 20);
  const Clustering result = cluster(rings.graph(), options_for(3));
  EXPECT_THROW(make_model(rings.graph(), result), InvalidInput);
}

TEST(GivenGraph, RunsOnOneRankOnly) {
  const Rings rings(3, 20);
  run_as_ranks(
      2, [&](const Comm& comm) { EXPECT_THROW(cluster(Input(rings.graph()), options_for(3), comm), InvalidInput); });
}

TEST(GivenGraph, NeedsMemoryForItsEntries) {
  const auto memory = [](int64_t entries, std::optional<Symmetrize> how = {}) {
    ClusterOptions options = options_for(3);
    options.threads = 1;
    options.symmetrize = how;
    return resolve({1000000, 0, Input::Kind::graph, 1, entries}, options).memory_bytes;
  };
  EXPECT_GT(memory(int64_t{1} << 28), memory(1 << 20) + 8 * (int64_t{1} << 28)) << "8 bytes for each entry";
  EXPECT_GT(memory(1 << 28, Symmetrize::mean), memory(1 << 28));
}

TEST(GivenGraph, OptionsOfPointsAreRefused) {
  const Rings rings(3, 20);
  ClusterOptions options = options_for(3);
  options.scale = Scaling::unit;
  EXPECT_NE(refusal(rings.graph(), options).find("scale"), std::string::npos);
  options = options_for(3);
  options.neighbors = 5;
  EXPECT_NE(refusal(rings.graph(), options).find("neighbors"), std::string::npos);
  options = options_for(3);
  options.affinity = AffinityKind::rbf;
  EXPECT_NE(refusal(rings.graph(), options).find("graph"), std::string::npos);
  options = options_for(3);
  options.symmetrize = Symmetrize::max;
  const Matrix<float> A = rings.matrix();
  EXPECT_NE(refusal(Input::matrix(Points(A.view())), options).find("symmetrize"), std::string::npos);
}

}  // namespace
}  // namespace mbsc
