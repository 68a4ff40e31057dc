// SPDX-License-Identifier: Apache-2.0
// The front door: points or affinities in, clusters out.
//
//     mbsc::Matrix<float> X = ...;                     // n x d
//     mbsc::ClusterOptions options;
//     options.clusters = 10;
//     mbsc::Clustering result = mbsc::cluster(mbsc::Points(X.view()), options);
//     result.labels, result.pairs.values, result.pairs.residuals, result.pairs.vectors ...
//
// Memory grows with n; the n x n matrix is never stored. Throws InvalidInput if a rule is broken, and Stopped if it was
// asked to stop before there was anything to return. Never prints.
#pragma once

#include <functional>
#include <string>

#include "mbsc/comm.h"
#include "mbsc/input.h"
#include "mbsc/options.h"
#include "mbsc/result.h"

namespace mbsc {

/// How far a run is.
struct Stage {
  std::string name;     ///< "degrees", "solve" or "kmeans"
  double fraction = 0;  ///< of the stage; NaN = not known
  int64_t iteration = 0;
  double passes = 0;
  double objective = 0;  ///< trace(W'LW) as last estimated
  double residual = 0;   ///< NaN = not known
};
/// Called from the calling thread; returns false to ask the run to stop.
using StageObserver = std::function<bool(const Stage&)>;

Clustering cluster(const Input& input, const ClusterOptions& options, const StageObserver& observer = {});

/// The same for rows that are distributed over ranks: rank 0 passes the first rows, rank 1 the next ones, any number each.
/// All ranks pass the same options. Collective. The result has the same bits for any number of ranks. Rank 0 decides
/// when to stop. Rows are copied if they are not distributed by whole blocks, or if ranks pass different types.
Clustering cluster(const Input& input, const ClusterOptions& options, const Comm& comm,
                   const StageObserver& observer = {});

/// The shape of an input, over all ranks.
struct InputShape {
  int64_t n = 0;
  int64_t features = 0;
  Input::Kind kind = Input::Kind::points;
  int ranks = 1;
};

/// Checks every option and decides the automatic values that do not depend on the data: what cluster() will do, and the
/// memory it will need. Throws InvalidInput.
Plan resolve(const InputShape& shape, const ClusterOptions& options);

/// Sets the options of a preset: "paper", the settings of Han & Filippone (minibatch with AdaGrad steps, batches of 100
/// columns, no guards, Nystrom start with 10 landmarks, no regularization, rows unscaled). If a method other than
/// minibatch is set, only the regularization and the embedding scale are changed.
void apply_preset(const std::string& preset, int64_t n, ClusterOptions& options);

/// The SIMD level in use on this machine: "AVX2", "SSE4", "NEON", ...
std::string simd_level();
/// The version of the library: "1.2.3".
std::string version();

}  // namespace mbsc
