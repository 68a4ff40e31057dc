// SPDX-License-Identifier: Apache-2.0
// The affinity of points if the option `affinity` is not given.
//
// It is the first of neighbors, landmarks and rbf that no given option speaks against. An option speaks against an
// affinity that it does not apply to. A method speaks against each graph that it is not the default of, and `transfer`
// also against rbf. Above two million points, landmarks comes before neighbors, unless `neighbors` is given: the neighbor
// graph would need too much memory.
// If the neighbor graph turns out to have more than k large components, landmarks replaces it, unless an option speaks
// against that (flow/affinity.h). With neighbors, the k largest components would be the clusters, however near other
// components are.
//
// docs/graphs.md has the measurements behind this rule. An option counts as given if it differs from its default.
#pragma once

#include <string>

#include "mbsc/cluster.h"

namespace mbsc {

constexpr int64_t most_points_of_neighbors = 2000000;

struct AffinityChoice {
  AffinityKind kind;
  std::string reason;  ///< completes the sentence "chosen because ..."
};

/// Whether no given option speaks against `kind`.
bool is_possible(const ClusterOptions& given, AffinityKind kind);

/// Throws InvalidInput if the given options speak against all three. The message names two of these options.
AffinityChoice choose_affinity(const InputShape& shape, const ClusterOptions& given);

}  // namespace mbsc
