// SPDX-License-Identifier: Apache-2.0
// Finds the nearest landmarks of many points, in two levels, so that a point is not compared with all p landmarks.
//
//     cells:  a few rounds of k-means divide the landmarks into C = 2 sqrt(p) cells
//     1:      a point belongs to the cell with the nearest center
//     2:      it is compared with the landmarks that are nearest to this center (8 sqrt(p) + p/6 of them, at least
//             256), by the tile (simd/tile.h). All points of a cell share these candidates
//
// The tile computes expanded distances in float32, relative to the center of the cell, so they lose few digits. The
// best candidates, four more than are wanted, are ranked by direct distances. The search is exact if p <= 256. Its
// results depend only on the points, the landmarks and the seed.
// Cost: d (C + candidates) multiply-adds for each point. Memory: 8 bytes for each point.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mbsc/input.h"
#include "mbsc/options.h"

namespace mbsc {

/// The nearest landmarks of some points, nearest first. Ties go to the lower number.
struct NearLandmarks {
  int64_t each = 0;                ///< landmarks of each point
  std::vector<int32_t> landmarks;  ///< points x each
  std::vector<float> squares;      ///< their squared distances
};

class LandmarkSearch {
 public:
  /// The landmarks (in scaled coordinates) must outlive this object.
  LandmarkSearch(MatrixView<const float> landmarks, uint64_t seed, int threads);

  int64_t size() const { return landmarks_.rows; }
  /// The `each` nearest landmarks of each point. Throws Stopped after a stop request.
  NearLandmarks find(const Points& points, int64_t each, int threads, const StopToken& stop) const;
  /// The same by comparing every point with every landmark: the measure of what find() misses.
  NearLandmarks find_by_brute_force(const Points& points, int64_t each) const;

 private:
  /// Some points of one cell: positions in the list of points that is ordered by cell.
  struct Piece {
    int32_t cell;
    Range points;
  };
  void search(const Points& points, const int32_t* members, Range range, int32_t cell, NearLandmarks& out) const;
  /// Ranks candidates of one point by direct distances and writes the nearest to `out`. `squares` is working memory.
  void rank(const float* row, std::span<const int32_t> candidates, int64_t point, std::vector<float>& squares,
            NearLandmarks& out) const;

  MatrixView<const float> landmarks_;
  Matrix<float> centers_;                         ///< of the cells
  std::vector<std::vector<int32_t>> candidates_;  ///< of each cell
};

}  // namespace mbsc
