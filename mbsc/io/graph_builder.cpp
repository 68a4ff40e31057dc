// SPDX-License-Identifier: Apache-2.0
#include "mbsc/io/graph_builder.h"

#include <limits>
#include <memory>
#include <numeric>
#include <utility>

#include "mbsc/base/memory.h"
#include "mbsc/base/require.h"

namespace mbsc {

Graph GraphBuilder::build(int64_t nodes, const std::string& name) {
  check_nodes(nodes, name);
  GraphArrays arrays;
  arrays.starts.assign(size_t(nodes) + 1, 0);
  for (const int32_t row : rows_) ++arrays.starts[size_t(row) + 1];
  std::partial_sum(arrays.starts.begin(), arrays.starts.end(), arrays.starts.begin());
  std::vector<int64_t> next(arrays.starts.begin(), arrays.starts.end() - 1);
  arrays.columns.resize(columns_.size());
  arrays.float64.resize(values_.size());
  for (size_t e = 0; e < rows_.size(); ++e) {
    const auto to = size_t(next[size_t(rows_[e])]++);
    arrays.columns[to] = columns_[e];
    if (!values_.empty()) arrays.float64[to] = values_[e];
  }
  *this = {};
  return own_graph(nodes, std::move(arrays));
}

Graph own_graph(int64_t nodes, GraphArrays arrays) {
  const auto owned = std::make_shared<const GraphArrays>(std::move(arrays));
  Graph graph;
  graph.nodes = nodes;
  graph.starts = owned->starts;
  graph.columns = owned->columns;
  graph.type = owned->float32.empty() ? ScalarType::float64 : ScalarType::float32;
  if (!owned->float64.empty()) graph.values = owned->float64.data();
  if (!owned->float32.empty()) graph.values = owned->float32.data();
  graph.owner = owned;
  return graph;
}

void check_nodes(int64_t nodes, const std::string& name) {
  constexpr int64_t most = std::numeric_limits<int32_t>::max();
  require(nodes >= 2 && nodes <= most, "{}: a graph must have between 2 and {} nodes; this one has {}", name, most,
          nodes);
  require(24 * nodes <= available_memory_bytes(),
          "{}: a graph of {} nodes needs {:.1f} GB, but only {:.1f} GB are free", name, nodes, 24e-9 * double(nodes),
          1e-9 * double(available_memory_bytes()));
}

}  // namespace mbsc
