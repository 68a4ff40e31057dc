// SPDX-License-Identifier: Apache-2.0
// The factor B of a landmark affinity: the n x p matrix of the weights between points and landmarks. Each point is
// joined to its K nearest landmarks. A row of B has K entries; entries of weight zero are stored, too. A rank has the rows
// of its own points; every rank has all landmarks.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mbsc/input.h"
#include "mbsc/linalg/row_space.h"

namespace mbsc {

struct LandmarkFactor {
  Matrix<float> landmarks;       ///< p x d, in scaled coordinates
  double width = 0;              ///< s: a weight is exp(-distance^2 / (2 s^2))
  int64_t each = 0;              ///< K
  std::vector<int32_t> columns;  ///< for each own point, its K landmarks, nearest first
  std::vector<float> weights;    ///< their weights
  std::vector<double> degrees;   ///< Dr = B'1: the sum of the weights of each landmark, over all ranks

  int64_t size() const { return landmarks.rows(); }
};

/// Some rows of B.
struct FactorRows {
  std::vector<int32_t> columns;
  std::vector<float> weights;
};
/// The rows of these points (global numbers, ascending), on every rank. Collective.
FactorRows gather_factor_rows(const RowSpace& rows, const LandmarkFactor& factor, std::span<const int64_t> points);

/// The weight of a point and a landmark. Weights below 1e-30 become zero, except that of the nearest landmark, which
/// becomes 1e-30. So no point loses all of its landmarks because of underflow.
float landmark_weight(float square, double width, bool is_nearest);

/// B'V, a p x c matrix, on every rank. V and the `out` of spread_to_points() have the own rows. Collective.
Matrix<double> gather_to_landmarks(const RowSpace& rows, const LandmarkFactor& factor, MatrixView<const float> V);

/// out = B T, for a p x c matrix T.
void spread_to_points(const RowSpace& rows, const LandmarkFactor& factor, MatrixView<const float> T,
                      MatrixView<float> out);

/// B'V divided by the degree of each landmark (0 if that is 0): the mean of V over the points of each landmark.
Matrix<float> mean_at_landmarks(const RowSpace& rows, const LandmarkFactor& factor, MatrixView<const float> V);

}  // namespace mbsc
