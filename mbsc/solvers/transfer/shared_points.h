// SPDX-License-Identifier: Apache-2.0
// The graph of the landmarks: two landmarks are joined if they share points.
#pragma once

#include "mbsc/affinity/landmarks/landmark_factor.h"
#include "mbsc/affinity/normalized.h"
#include "mbsc/linalg/sparse_matrix.h"

namespace mbsc {

/// H = B'(Dx + tau)^-1 B, a symmetric p x p matrix with a diagonal. Dx are the degrees of the points. If the
/// regularization tau is not 0, there is one more landmark, to which every point is joined with the weight tau: it adds
/// (tau/n) 11' to the affinity.
/// Each landmark adds up its row over its points, in their order, so H is symmetric to the bit and the same for any number
/// of threads and ranks. Over ranks, each rank computes a share of the rows. For this, a point is sent to the ranks of its
/// landmarks. The result is on every rank. Collective.
/// Cost: K^2 multiply-adds for each point; memory: 4 K bytes for each point, and the entries of H. On several ranks, also
/// up to K (8 K + 8) bytes for each point, twice.
SparseMatrix shared_points(const Normalized<float>& L, const LandmarkFactor& factor);

}  // namespace mbsc
