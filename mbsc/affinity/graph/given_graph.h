// SPDX-License-Identifier: Apache-2.0
// The affinity of a graph that the caller gives. clean_graph.h has the rules for its entries. The rules for its
// components are those of a neighbor graph (neighbor_graph.h), with one difference: nodes have no coordinates, so an
// isolated node gets the label of the largest cluster, not of the nearest one.
//     - A component with fewer than n/(50 k) nodes is a speck, and its nodes are isolated. (Real networks often have one
//       large component and thousands of pairs and triples. Without this rule, these would take all clusters but one.)
//     - If there are more than k components, the k largest are the clusters, and the nodes of all others are isolated.
// A node without edges is isolated, too. The report counts all of them.
#pragma once

#include <memory>

#include "mbsc/affinity/graph/sparse_affinity.h"
#include "mbsc/input.h"
#include "mbsc/result.h"

namespace mbsc {

/// Builds the affinity by the options of the plan, and writes the report on the graph to the plan. For one rank only.
/// Throws InvalidInput if the graph breaks a rule or has no edges.
std::unique_ptr<SparseAffinity> make_given_graph(const Graph& graph, const RowSpace& rows, Plan& plan);

}  // namespace mbsc
