// SPDX-License-Identifier: Apache-2.0
// The optimal one-to-one matching of clusters and classes: the Hungarian method with shortest augmenting paths. It uses
// only the pairs that occur.
//
//     maximize the sum of weight(r, c) over matched pairs; a row or column may stay unmatched
//
// Rows are added one by one. The duals u, v >= 0 satisfy u_r + v_c >= weight(r, c), with equality on matched pairs.
// Each new row extends the matching along a shortest path, found by Dijkstra's algorithm. The length of an edge is its
// excess u_r + v_c - weight(r, c). All arithmetic is in integers.
//
// Cost: at most O(rows pairs log pairs) time, far less if most rows find a free partner at once; O(pairs) memory. For a
// full k x k table this is the usual O(k^3) times a logarithm.
//
// R. Jonker, A. Volgenant, "A shortest augmenting path algorithm for dense and sparse linear assignment problems",
// Computing 38, 1987.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace mbsc {

struct WeightedPair {
  int32_t row = 0;
  int32_t column = 0;
  int64_t weight = 0;  ///< > 0
};

/// Returns the column matched to each row; -1 = unmatched. The pairs must be sorted by row and must not repeat.
std::vector<int32_t> heaviest_matching(int32_t rows, int32_t columns, std::span<const WeightedPair> pairs);

}  // namespace mbsc
