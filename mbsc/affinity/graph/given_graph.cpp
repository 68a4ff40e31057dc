// SPDX-License-Identifier: Apache-2.0
#include "mbsc/affinity/graph/given_graph.h"

#include "mbsc/affinity/graph/clean_graph.h"
#include "mbsc/affinity/graph/components.h"
#include "mbsc/base/require.h"

namespace mbsc {

std::unique_ptr<SparseAffinity> make_given_graph(const Graph& graph, const RowSpace& rows, Plan& plan) {
  GraphReport& report = plan.graph.emplace();
  SparseMatrix matrix;
  {
    const CleanGraph clean = clean_graph(graph, rows);
    report.loops = clean.loops;
    matrix = make_symmetric(clean, plan.options.symmetrize, rows);
  }
  require(!matrix.columns.empty(), "the graph has no edges between different nodes");
  const Components components = find_components(matrix);
  report.edges = int64_t(matrix.columns.size()) / 2;
  report.components = components.count();
  report.speck_points = isolate_small(components, plan.n / (50 * plan.options.clusters), plan.options.clusters, matrix);
  return std::make_unique<SparseAffinity>(std::move(matrix), rows);
}

}  // namespace mbsc
