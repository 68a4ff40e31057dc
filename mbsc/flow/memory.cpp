// SPDX-License-Identifier: Apache-2.0
#include "mbsc/flow/memory.h"

#include <algorithm>

#include "mbsc/affinity/graph/neighbor_graph.h"
#include "mbsc/affinity/graph/neighbors.h"
#include "mbsc/affinity/landmarks/landmark_graph.h"
#include "mbsc/affinity/pass/symmetric_pass.h"
#include "mbsc/solvers/registry.h"

namespace mbsc {
namespace {

/// The largest number of rows that a rank owns.
int64_t largest_share(const RowBlocks& blocks, int ranks) {
  return std::min(blocks.n(), (blocks.count() + ranks - 1) / ranks * blocks.block_rows());
}

/// The memory of a symmetric pass: packed columns and rows, and blocks that are received from other ranks. `block` is
/// the number of columns of the product.
int64_t pass_bytes(const RowBlocks& blocks, int64_t features, int64_t block, int threads, int ranks) {
  const int64_t together = turns_together(blocks, features, 4);
  const int64_t arriving = ranks > 1 ? 5 * together * (8 * features + 8 * block + 300) : 0;
  const int64_t of_thread = 2 * 4 * (features + (2 + together) * block);  // degrees and products: own buffers
  return blocks.block_rows() * (3 * together * features * 4 + arriving + threads * of_thread);
}

}  // namespace

int64_t estimate_memory(const InputShape& shape, const ClusterOptions& options) {
  const int64_t n = shape.n;
  const RowBlocks blocks(n);
  const int64_t input_bytes = shape.kind == Input::Kind::points ? 4 * n * shape.features : 0;
  SolverMemory solver = find_solver(*options.method, options.step_rule).memory(n, input_bytes, options);
  solver.columns += solver.block;  // a full product has separate sums for blocks as rows and as columns
  if (options.keep_block) solver.columns += solver.block;
  const int64_t share = largest_share(blocks, shape.ranks);
  const int64_t vectors = 8 + 8 + 8 + 4 + 4 + 4 + 1;  // degrees twice, their squares, roots, labels, flags
  const int64_t kmeans = 4 * options.clusters + 40;   // the scaled rows, labels and distances of restarts
  int64_t of_a_row = 4 * solver.columns + solver.row_bytes + vectors + kmeans;
  if (options.degrees == DegreeKind::sampled) of_a_row = std::max(of_a_row, 24 + vectors);  // variance, sums, row lists
  int64_t of_search = 0;
  if (options.affinity == AffinityKind::neighbors) {
    // The larger of two stages. The solver needs the graph and coarser graphs. The search needs a copy of the points,
    // the lists of neighbors, their directed edges, the reversed edges, and the graph. What is kept for new points is a
    // copy of the graph, the lists without their distances, and a few distances.
    const int64_t m = options.neighbors.value_or(automatic_neighbors(n, shape.features));
    const int64_t kept = options.keep_graph ? 16 * m + 24 : 0;
    int64_t of_lists = 4 * shape.features + 56 * m + 150;
    if (shape.ranks > 1) {
      // Rows of the block that other ranks own, and their neighborhoods: at most as many as own rows, twice. A batch of
      // the search has its own points and lists, and their copies.
      of_a_row += 4 * 2 * solver.block;
      of_lists += 12 * shape.features + 24 * m;
    }
    of_a_row = std::max(of_a_row + 24 * m + kept, of_lists);
    of_search = *options.threads * 8 * shape.features * std::min<int64_t>(n, 3328);  // packed points of a leaf
  }
  if (options.affinity == AffinityKind::landmarks) {
    // The larger of two stages. The solver needs the graph. The search also needs the cells of the points.
    const int64_t p = *options.landmarks, K = options.neighbors.value_or(automatic_nearest_landmarks);
    if (shape.ranks > 1) of_a_row += 2 * K * (8 * K + 8);  // points that are sent to the ranks of their landmarks
    of_a_row = std::max(of_a_row + 8 * K, 8 * K + 16);
    const int64_t sums = std::min<int64_t>(64, 2 * blocks.count());  // of row blocks that are added together
    of_search = p * (4 * shape.features * 26 + 8 * sums * std::min<int64_t>(solver.block, 64));  // and the sample
  }
  // A given graph: while it is made symmetric, the checked entries and the graph; then the graph and coarser graphs.
  const int64_t of_graph = (options.symmetrize ? 40 : 20) * shape.entries;
  int64_t bytes = of_a_row * share + of_search + of_graph + solver.small_bytes +
                  pass_bytes(blocks, shape.features, solver.block, *options.threads, shape.ranks) +
                  std::min(options.cache, n * n) / shape.ranks;
  if (shape.ranks > 1) bytes += 40 * n;  // roots of degrees and flags of all rows
  // The sums of a column block go from rank to rank. A rank between the first and the last has to store them.
  if (shape.ranks > 2) bytes += share * std::max<int64_t>(16 + 17 * neighbors_kept(n), 4 * solver.block);
  return bytes;
}

}  // namespace mbsc
