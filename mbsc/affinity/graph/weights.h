// SPDX-License-Identifier: Apache-2.0
// The weights of a neighbor graph. For each j in the list of i (squared distance d^2), the directed weight is
//     gaussian         exp(-d^2 / (2 s^2)),  one width s: the mean of the positive distances in all lists
//     shared           |N_i and N_j| / |N_i or N_j|,  where N_i is the list of i together with i itself
//     gaussian_shared  their product
//     binary           1
//     local            exp(-d^2 / (s_i s_j)),  s_i: the distance to the seventh neighbor (or the last, if there are fewer)
// The graph is (W + W')/2, or for `mutual` its edges in both directions only. One width sees the valley between two
// dense regions; local widths level it out.
// If all weights of a point underflow, its nearest neighbor keeps the least positive weight, so that no point is lost.
// Cost: m^2 comparisons for each point (shared); memory: twice the edges while the graph is made symmetric.
#pragma once

#include "mbsc/affinity/graph/neighbor_search.h"
#include "mbsc/linalg/row_space.h"
#include "mbsc/linalg/sparse_matrix.h"
#include "mbsc/options.h"

namespace mbsc {

/// s, for the kinds that have one width.
double neighbor_width(const NeighborLists& lists);

/// Only on one rank.
SparseMatrix weigh_neighbors(const NeighborLists& lists, NeighborWeights weights, double width, bool mutual,
                             const RowSpace& rows);

}  // namespace mbsc
