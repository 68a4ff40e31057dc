// SPDX-License-Identifier: Apache-2.0
// What comes out of a clustering: plain nested structs.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "mbsc/comm.h"
#include "mbsc/input.h"
#include "mbsc/options.h"

namespace mbsc {

enum class Status {
  converged,   ///< the recomputed residuals are within the tolerance
  finished,    ///< the work that was asked for is done; there was no tolerance
  budget,      ///< a limit was reached before the tolerance
  stalled,     ///< no further progress (rounding, or steps below `stall`); the tolerance is not reached
  unresolved,  ///< the gap after the k-th eigenvalue is too small for the accuracy that was reached
  stopped,     ///< on request
};
std::string to_string(Status status);

/// What building a neighbor graph found.
struct GraphReport {
  int64_t edges = 0;
  int64_t components = 0;
  int64_t speck_points = 0;     ///< points of tiny components; they count as isolated
  int64_t distinct_points = 0;  ///< copies of a point count once
  double width = 0;             ///< of the Gaussian weights: the mean positive distance of a neighbor
  double recall = 1;            ///< share of true neighbors found, measured on a sample
  double recall_error = 0;      ///< its standard error
};

/// Every automatic value of a run. resolve() decides them before any work, from the input's shape and the options;
/// values that depend on the data (gamma, landmarks, the start) are written back by the stage that finds them.
struct Plan {
  int64_t n = 0;
  int64_t features = 0;
  int ranks = 1;
  ClusterOptions options;  ///< as given, with the automatic values filled in
  bool gamma_is_given = false;
  std::vector<double> shift, scale;  ///< of each feature, as the option `scale` found them; empty: not scaled
  std::optional<GraphReport> graph;  ///< of affinity = neighbors
  int64_t memory_bytes = 0;          ///< estimated upper bound of what a rank needs beside its points
};

/// A bound for eigenvalues that the solver may have missed. A residual proves that a pair is an eigenpair, not that it
/// is a leading one.
struct Probe {
  int64_t vectors = 0;    ///< random vectors used
  int64_t products = 0;   ///< full products applied to each
  double bound = 1;       ///< with this confidence, no missed eigenvalue is larger
  double confidence = 0;  ///< 0.99
};

/// How the subspace error was estimated.
enum class ErrorSource {
  none,
  batches,   ///< from the spread of the batches
  residuals  ///< residuals over the gap to the next Ritz value (Davis, Kahan)
};

/// One line of a solver's history.
struct TraceEntry {
  int64_t iteration = 0;
  double passes = 0;
  double objective = 0;
  double seconds = 0;
};

template <class T>
struct EigenPairs {
  std::vector<double> values;         ///< k eigenvalues of L, descending
  bool values_are_exact = false;      ///< Rayleigh quotients of `vectors`, not estimates
  Matrix<T> vectors;                  ///< own rows x k, orthonormal columns
  Matrix<T> block;                    ///< own rows x k': the whole block, if keep_block is set
  std::vector<double> residuals;      ///< one per pair: recomputed, or bounds; empty if no full product was made
  bool residuals_are_bounds = false;  ///< upper bounds, from the full product before
  double subspace_error = std::numeric_limits<double>::quiet_NaN();  ///< estimated rms sine to the exact vectors
  ErrorSource subspace_error_source = ErrorSource::none;
  std::optional<Probe> probe;
  Status status = Status::finished;
  int64_t iterations = 0;
  int64_t columns_evaluated = 0;  ///< a full product counts n
  int64_t full_products = 0;
  double flops = 0;  ///< by the paper's formulas (docs/methods.md)
  double seconds = 0;
  std::vector<TraceEntry> trace;
  int64_t batch_size = 0;       ///< as used; 0 if batches double, or there are none
  int64_t landmarks = 0;        ///< as used
  int64_t guards = 0;           ///< as used
  double control_variate = 0;   ///< weight of the control variate: 0 not used, 1 in full
  bool start_is_graph = false;  ///< minibatch with Ritz steps: the start came from the graph of neighbors
};

struct DegreeReport {
  std::vector<double> values;            ///< degrees of own rows, as used
  int64_t columns = 0;                   ///< evaluated for sampled degrees
  std::optional<double> relative_error;  ///< of sampled degrees: standard error / degree, root mean square
  std::optional<double> largest_error;   ///< of sampled degrees: the largest standard error / degree
  int64_t isolated_points = 0;           ///< points without a neighbor; labeled by distance
};

/// The normalized cut of the labels.
struct Cut {
  std::optional<double> exact;     ///< if the method made full products, and the budget had one left
  std::optional<double> estimate;  ///< otherwise, from sampled columns
  std::optional<double> standard_error;
};

struct Cost {
  int64_t columns_evaluated = 0;  ///< by the solver and for sampled degrees
  int64_t kernel_values = 0;      ///< evaluated by all stages and ranks
  double passes = 0;              ///< columns_evaluated / n
  struct Seconds {
    double graph = 0, degrees = 0, solve = 0, kmeans = 0, cut = 0;
  } seconds;
  Traffic traffic;           ///< received by this rank, from the degrees on
  int64_t cached_bytes = 0;  ///< of kernel values, over all ranks
};

/// If ranks share the points, labels, pairs.vectors and degrees.values belong to the rows this rank passed in;
/// everything else describes the whole run and is equal on all ranks, except seconds, threads and traffic.
struct Clustering {
  std::vector<int32_t> labels;  ///< 0..k-1, by decreasing cluster size
  std::vector<int64_t> cluster_sizes;
  Matrix<double> cluster_centers;  ///< k x k, of k-means, in the space of the scaled rows (embedding_scale)
  double inertia = 0;              ///< of k-means
  Status status = Status::finished;
  EigenPairs<float> pairs;
  DegreeReport degrees;
  Cut cut;
  Cost cost;
  Plan plan;
};

}  // namespace mbsc
