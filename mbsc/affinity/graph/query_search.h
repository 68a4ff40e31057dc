// SPDX-License-Identifier: Apache-2.0
// Finds the fitted points that are nearest to new points, the queries.
//
// Equal fitted points count once and are represented by the first of them. If there are few fitted points, a query is
// compared with all of them. Otherwise the index is a partition of the fitted points: 2 sqrt(n) leaders are drawn from
// them, and every point belongs to its nearest leader. A query is compared with the points of its `probes` nearest
// leaders. make_index() finds the number of probes. For a sample of fitted points, it compares the neighbors found with
// the true ones, and doubles the probes until their recall is high enough.
// The index depends on the fitted points, the recall and the seed alone. So the result for a query depends neither on
// the other queries nor on the number of threads.
// Cost: d multiply-adds for each pair of a query and a leader, and of a query and a point of its leaders; O(n d) to
// begin. Memory: a float32 copy of the distinct fitted points and of the queries, 8 m + 9 bytes for each query.
// Reference: inverted files, Sivic and Zisserman, "Video Google", 2003.
#pragma once

#include <span>

#include "mbsc/affinity/graph/neighbor_search.h"
#include "mbsc/input.h"
#include "mbsc/result.h"

namespace mbsc {

/// Makes the index for lists of search.each points with the recall search.recall. Throws Stopped after a stop request.
SearchIndex make_index(const Points& fitted, const NeighborSearch& search);

/// Returns the `each` nearest distinct fitted points of the rows `rows` of `queries`, nearest first. If there are fewer,
/// or if a query is so far away that squared distances overflow, the rest of its list has the number -1. Distances are
/// computed from rows as round_row() writes them. Throws Stopped after a stop request.
NeighborLists find_nearest(const Points& fitted, const SearchIndex& index, const Points& queries,
                           std::span<const int64_t> rows, int64_t each, Metric metric, int threads,
                           const StopToken& stop);

}  // namespace mbsc
