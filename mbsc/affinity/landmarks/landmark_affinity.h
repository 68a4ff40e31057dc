// SPDX-License-Identifier: Apache-2.0
// LandmarkAffinity: A = B Dr^-1 B', which is never multiplied out. B joins each point to a few landmarks
// (landmark_factor.h), and Dr is the diagonal matrix of the sums of its columns. Two points are similar if they share
// landmarks. The row sums of A are those of B. The diagonal of A is not zero.
//
// A product takes 2 K multiply-adds for each point and right-hand side, if a point has K landmarks. Between ranks it sends
// sums for the landmarks, not rows of points.
#pragma once

#include <utility>

#include "mbsc/affinity/affinity.h"
#include "mbsc/affinity/landmarks/landmark_factor.h"

namespace mbsc {

class LandmarkAffinity final : public Affinity<float> {
 public:
  LandmarkAffinity(LandmarkFactor factor, const RowSpace& rows) : Affinity<float>(rows), factor_(std::move(factor)) {}

  void multiply_columns(std::span<const int64_t> columns, MatrixView<const float> C, MatrixView<float> out,
                        const StopToken& stop) const override;
  void multiply(MatrixView<const float> V, MatrixView<float> out, const StopToken& stop) const override;
  std::unique_ptr<const ColumnBlock<float>> take_columns(std::span<const int64_t> columns) const override;
  Degrees degrees(const StopToken& stop, const std::function<void(double)>& progress = {},
                  int64_t neighbors = 0) const override;
  const LandmarkFactor* factor() const override { return &factor_; }
  double cost_of_value() const override { return 2 * double(factor_.each) / double(n()); }

 private:
  class Block;
  LandmarkFactor factor_;
};

}  // namespace mbsc
