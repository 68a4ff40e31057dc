// SPDX-License-Identifier: Apache-2.0
// The flags of `mbsc cluster`, as typed, and what they mean to the library. One spelling: the flag --batch-size is the
// field batch_size and the key in the summary.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "mbsc/cluster.h"
#include "mbsc/io/read.h"

namespace mbsc::cli {

struct ClusterFlags {
  std::string input;
  // reading
  std::string format = "auto", label_column, scale = "none";
  int64_t scale_rows = 0;
  // what to compute
  std::optional<int64_t> clusters;
  std::optional<std::string> preset, method, affinity, gamma, degrees, embedding_scale;
  std::optional<double> sigma, regularization;
  std::optional<int> restarts;
  // budget
  std::optional<double> passes, seconds, tolerance, stall;
  std::optional<int64_t> iterations;
  // methods
  std::optional<std::string> estimator, sampling, start, power_operator, step_rule, columns;
  std::optional<bool> control_variate, polish;
  std::optional<int64_t> guards;
  std::optional<int64_t> batch_size, nonzeros, vectors, landmarks, block_size, basis_size, degree_columns;
  std::optional<double> probability, step, epsilon;
  // results
  std::optional<std::string> labels, embedding, summary;
  uint64_t seed = 0;
  int threads = 0;
  uint64_t memory = 0;
  bool quiet = false;

  void add_to(CLI::App& command);
  ReadOptions read_options(const StopToken& stop) const;
  Scaling scaling() const;
  /// The preset first, then what was given beside it. n is needed for --probability.
  ClusterOptions cluster_options(int64_t n, const StopToken& stop) const;
};

}  // namespace mbsc::cli
