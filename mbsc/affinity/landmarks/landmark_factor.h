// SPDX-License-Identifier: Apache-2.0
// The factor B of a landmark affinity: the n x p matrix of the weights between points and landmarks. Each point is
// joined to its K nearest landmarks. A row of B has K entries; entries of weight zero are stored, too.
#pragma once

#include <cstdint>
#include <vector>

#include "mbsc/input.h"
#include "mbsc/linalg/row_space.h"

namespace mbsc {

struct LandmarkFactor {
  Matrix<float> landmarks;       ///< p x d, in scaled coordinates
  double width = 0;              ///< s: a weight is exp(-distance^2 / (2 s^2))
  int64_t each = 0;              ///< K
  std::vector<int32_t> columns;  ///< n x K: the landmarks of each point, nearest first
  std::vector<float> weights;    ///< n x K
  std::vector<double> degrees;   ///< Dr = B'1: the sum of the weights of each landmark

  int64_t size() const { return landmarks.rows(); }
};

/// The weight of a point and a landmark. Weights below 1e-30 become zero, except that of the nearest landmark, which
/// becomes 1e-30. So no point loses all of its landmarks because of underflow.
float landmark_weight(float square, double width, bool is_nearest);

/// B'V, a p x c matrix. The rows are added in up to 64 chunks, whose sums are then added in their order. The number of
/// chunks depends on n and p only, so the bits do not depend on the threads.
Matrix<double> gather_to_landmarks(const RowSpace& rows, const LandmarkFactor& factor, MatrixView<const float> V);

/// out = B T, for a p x c matrix T.
void spread_to_points(const RowSpace& rows, const LandmarkFactor& factor, MatrixView<const float> T,
                      MatrixView<float> out);

/// B'V divided by the degree of each landmark (0 if that is 0): the mean of V over the points of each landmark.
Matrix<float> mean_at_landmarks(const RowSpace& rows, const LandmarkFactor& factor, MatrixView<const float> V);

}  // namespace mbsc
