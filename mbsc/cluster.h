// SPDX-License-Identifier: Apache-2.0
// The main interface: cluster() takes points, affinities or a graph and returns clusters.
//
//     mbsc::Matrix<float> X = ...;                     // n x d
//     mbsc::ClusterOptions options;
//     options.clusters = 10;
//     mbsc::Clustering result = mbsc::cluster(mbsc::Points(X.view()), options);
//     result.labels, result.pairs.values, result.pairs.residuals, result.pairs.vectors ...
//
// Memory grows linearly with n: the n x n matrix is never stored. cluster() throws InvalidInput if the data or an
// option is invalid, and Stopped if it is asked to stop before there is a result. It never prints.
#pragma once

#include <functional>
#include <string>

#include "mbsc/comm.h"
#include "mbsc/input.h"
#include "mbsc/options.h"
#include "mbsc/result.h"

namespace mbsc {

/// The progress of a run.
struct Stage {
  std::string name;     ///< "degrees", "solve" or "kmeans" (the labels, by whichever `assign`)
  double fraction = 0;  ///< completed share of the stage; NaN = not known
  int64_t iteration = 0;
  double passes = 0;
  double objective = 0;  ///< latest estimate of trace(W'LW); W has the current k eigenvectors
  double residual = 0;   ///< the largest residual; NaN = not known
};
/// cluster() calls the observer on the thread of its caller. The observer returns false to stop the run.
using StageObserver = std::function<bool(const Stage&)>;

/// Clusters the input in one process.
Clustering cluster(const Input& input, const ClusterOptions& options, const StageObserver& observer = {});

/// The same for rows that are distributed over ranks. Rank 0 passes the first rows, rank 1 the next rows, and so on;
/// each rank may pass any number of rows. All ranks pass the same options. Collective. The result has the same bits for
/// any number of ranks. Rank 0 decides when to stop. Rows are copied if they are not distributed by whole row blocks,
/// or if ranks pass different types.
Clustering cluster(const Input& input, const ClusterOptions& options, const Comm& comm,
                   const StageObserver& observer = {});

/// The shape of an input, over all ranks.
struct InputShape {
  int64_t n = 0;
  int64_t features = 0;
  Input::Kind kind = Input::Kind::points;
  int ranks = 1;
  int64_t entries = 0;  ///< stored weights of a graph
};

/// Checks every option and decides the automatic values that do not depend on the data. The plan says what cluster()
/// will do and how much memory it will need. Throws InvalidInput if an option is invalid.
Plan resolve(const InputShape& shape, const ClusterOptions& options);

/// Sets the options of a preset. The only preset is "paper", the settings of Han & Filippone: minibatch with AdaGrad
/// steps, batches of 100 columns, no guards, a Nystrom start with 10 landmarks, no regularization, embedding_scale
/// none. Sizes are limited to the number of points n. If options.method is set to another method than minibatch, only
/// the regularization and the embedding scale are changed.
void apply_preset(const std::string& preset, int64_t n, ClusterOptions& options);

/// The SIMD level in use on this machine: "AVX2", "SSE4", "NEON", ...
std::string simd_level();
/// The version of the library: "1.2.3".
std::string version();

}  // namespace mbsc
