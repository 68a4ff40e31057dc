// SPDX-License-Identifier: Apache-2.0
// GraphBuilder: collects the entries of a graph in the order of the file, and sorts them by row (a counting sort).
// Memory: 8 bytes for each entry, 16 if there are weights other than 1; and as much again for the graph.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "mbsc/input.h"

namespace mbsc {

class GraphBuilder {
 public:
  /// Both indices are counted from 0, and must be less than the number of nodes.
  void add(int32_t row, int32_t column, double weight) {
    if (values_.empty() && weight != 1) values_.assign(rows_.size(), 1.0);
    rows_.push_back(row);
    columns_.push_back(column);
    if (!values_.empty() || weight != 1) values_.push_back(weight);
  }
  int64_t entries() const { return int64_t(rows_.size()); }
  /// The graph, which owns its arrays. The builder is then empty. `name` is the file name for messages. Throws
  /// InvalidInput if the machine lacks the memory for this many nodes.
  Graph build(int64_t nodes, const std::string& name);

 private:
  std::vector<int32_t> rows_, columns_;
  std::vector<double> values_;  ///< empty as long as all weights are 1
};

/// The arrays of a graph.
struct GraphArrays {
  std::vector<int64_t> starts;
  std::vector<int32_t> columns;
  std::vector<float> float32;   ///< the values, if they have this type
  std::vector<double> float64;  ///< the values, if they have this type; if both are empty, all weights are 1
};

/// A graph that owns these arrays.
Graph own_graph(int64_t nodes, GraphArrays arrays);

/// Throws InvalidInput unless 2 <= nodes < 2^31 and the machine has memory for the starts of so many rows.
void check_nodes(int64_t nodes, const std::string& name);

}  // namespace mbsc
