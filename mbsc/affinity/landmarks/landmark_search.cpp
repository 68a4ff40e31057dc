// SPDX-License-Identifier: Apache-2.0
#include "mbsc/affinity/landmarks/landmark_search.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mbsc/affinity/graph/near_lists.h"
#include "mbsc/affinity/graph/pair_search.h"
#include "mbsc/affinity/graph/partition.h"
#include "mbsc/affinity/pass/make_tile.h"
#include "mbsc/affinity/take_largest.h"
#include "mbsc/base/parallel.h"
#include "mbsc/base/random.h"
#include "mbsc/simd/distance.h"

namespace mbsc {
namespace {

constexpr int64_t rows_together = 192, rows_of_piece = 4096, spare = 4;

/// The squared distances of a row to all rows of a matrix.
void distances_to_all(const float* row, MatrixView<const float> others, const std::vector<int32_t>& numbers,
                      std::vector<float>& out) {
  out.resize(size_t(others.rows));
  simd::squared_distances(row, others.data, others.stride, numbers.data(), others.rows, others.cols, out.data());
}

/// The number of the nearest center of each row; ties go to the lower number. `copy_to(i, out)` copies row i.
template <class CopyTo>
std::vector<int32_t> nearest_centers(int64_t rows, const CopyTo& copy_to, MatrixView<const float> centers,
                                     int threads) {
  std::vector<int32_t> nearest(static_cast<size_t>(rows));
  const std::vector<int32_t> numbers = numbers_below(centers.rows);
  parallel_for(threads, (rows + rows_together - 1) / rows_together, [&](int64_t piece) {
    std::vector<float> row(size_t(centers.cols)), distances;
    const int64_t first = piece * rows_together;
    for (int64_t i = first; i < std::min(rows, first + rows_together); ++i) {
      copy_to(i, row.data());
      distances_to_all(row.data(), centers, numbers, distances);
      nearest[size_t(i)] = int32_t(std::min_element(distances.begin(), distances.end()) - distances.begin());
    }
  });
  return nearest;
}

void copy_row(const Points& points, int64_t i, float* out) {
  for (int64_t f = 0; f < points.features; ++f) out[f] = float(points(i, f)) + 0.0F;
}

/// The centers of `count` cells of the landmarks: three rounds of k-means from random landmarks. An empty cell keeps its
/// center.
Matrix<float> find_centers(MatrixView<const float> landmarks, int64_t count, uint64_t seed, int threads) {
  const KeyedPermutation order(landmarks.rows, Random(seed, Stream::landmarks), 1);
  Matrix<float> centers(count, landmarks.cols);
  for (int64_t c = 0; c < count; ++c) std::copy_n(landmarks.row(order(c)), landmarks.cols, centers.row(c));
  const auto copy_landmark = [&](int64_t r, float* out) { std::copy_n(landmarks.row(r), landmarks.cols, out); };
  for (int round = 0; round < 3; ++round) {
    const std::vector<int32_t> cells = nearest_centers(landmarks.rows, copy_landmark, centers, threads);
    Matrix<double> sums(count, landmarks.cols);
    std::vector<double> sizes(static_cast<size_t>(count));
    for (int64_t r = 0; r < landmarks.rows; ++r) {
      const int32_t c = cells[size_t(r)];
      for (int64_t f = 0; f < landmarks.cols; ++f) sums(c, f) += double(landmarks(r, f));
      ++sizes[size_t(c)];
    }
    for (int64_t c = 0; c < count; ++c)
      for (int64_t f = 0; f < landmarks.cols && sizes[size_t(c)] > 0; ++f)
        centers(c, f) = float(sums(c, f) / sizes[size_t(c)]);
  }
  return centers;
}

}  // namespace

LandmarkSearch::LandmarkSearch(MatrixView<const float> landmarks, uint64_t seed, int threads) : landmarks_(landmarks) {
  const int64_t p = landmarks.rows;
  const double root = std::sqrt(double(p));
  const auto cells = std::min(p, int64_t(std::ceil(2 * root)));
  const auto count = std::min(p, std::max<int64_t>(256, int64_t(8 * root) + p / 6));
  centers_ = find_centers(landmarks, cells, seed, threads);
  candidates_.resize(size_t(cells));
  const std::vector<int32_t> numbers = numbers_below(p);
  parallel_for(threads, cells, [&](int64_t c) {
    std::vector<float> distances;
    distances_to_all(centers_.row(c), landmarks, numbers, distances);
    std::vector<int32_t> nearest = numbers;
    std::nth_element(nearest.begin(), nearest.begin() + (count - 1), nearest.end(), [&](int32_t a, int32_t b) {
      return NearPoint{distances[size_t(a)], a} < NearPoint{distances[size_t(b)], b};
    });
    nearest.resize(size_t(count));
    std::sort(nearest.begin(), nearest.end());
    candidates_[size_t(c)] = std::move(nearest);
  });
}

void LandmarkSearch::rank(const float* row, std::span<const int32_t> candidates, int64_t point,
                          std::vector<float>& squares, NearLandmarks& out) const {
  squares.resize(candidates.size());
  simd::squared_distances(row, landmarks_.data, landmarks_.stride, candidates.data(), int64_t(candidates.size()),
                          landmarks_.cols, squares.data());
  int32_t* landmarks = out.landmarks.data() + point * out.each;
  float* distances = out.squares.data() + point * out.each;
  int64_t count = 0;
  for (size_t c = 0; c < candidates.size(); ++c) {  // insertion into the sorted list of the nearest so far
    const NearPoint near{squares[c], candidates[c]};
    const auto goes_before = [&](int64_t e) { return near < NearPoint{distances[e], landmarks[e]}; };
    if (count == out.each && !goes_before(count - 1)) continue;
    int64_t at = count < out.each ? count++ : count - 1;
    for (; at > 0 && goes_before(at - 1); --at) {
      landmarks[at] = landmarks[at - 1];
      distances[at] = distances[at - 1];
    }
    landmarks[at] = near.point;
    distances[at] = near.distance;
  }
}

void LandmarkSearch::search(const Points& points, const int32_t* members, Range range, int32_t cell,
                            NearLandmarks& out) const {
  const std::vector<int32_t>& candidates = candidates_[size_t(cell)];
  const auto width = int64_t(candidates.size()), d = landmarks_.cols, wanted = std::min(width, out.each + spare);
  PackingRule rule;
  rule.offset.assign(centers_.row(cell), centers_.row(cell) + d);
  rule.factor.assign(size_t(d), 1.0);
  rule.expanded = true;
  simd::Packed<float> packed_rows, columns;
  pack_members(landmarks_, rule, candidates, simd::group_columns, columns);
  Matrix<float> rows(rows_together, d), values(rows_together, width);
  AlignedVector<float> scratch;
  std::vector<float> best;
  std::vector<int32_t> places(static_cast<size_t>(wanted));
  for (int64_t first = range.begin; first < range.end; first += rows_together) {
    const int64_t count = std::min(rows_together, range.end - first);
    for (int64_t i = 0; i < count; ++i) copy_row(points, members[first + i], rows.row(i));
    pack_points<float>(Points(rows.view()), rule, Range{0, count}, simd::panel_rows<float>(), packed_rows);
    simd::run(simd::Task::evaluate,
              make_tile<float>({simd::Form::distance, false, 1}, {&packed_rows}, {&columns}, values.view(), scratch));
    for (int64_t i = 0; i < count; ++i) {
      take_largest(values.row(i), width, wanted, places.data(), best);
      for (int32_t& place : places) place = candidates[size_t(place)];
      rank(rows.row(i), places, members[first + i], best, out);
    }
  }
}

NearLandmarks LandmarkSearch::find(const Points& points, int64_t each, int threads, const StopToken& stop) const {
  NearLandmarks found{each, std::vector<int32_t>(size_t(points.rows * each)),
                      std::vector<float>(size_t(points.rows * each))};
  const auto copy_point = [&](int64_t i, float* out) { copy_row(points, i, out); };
  const std::vector<int32_t> cells = nearest_centers(points.rows, copy_point, centers_, threads);
  std::vector<int64_t> starts(size_t(centers_.rows()) + 1);
  for (const int32_t cell : cells) ++starts[size_t(cell) + 1];
  std::partial_sum(starts.begin(), starts.end(), starts.begin());
  std::vector<int32_t> members(cells.size());
  std::vector<int64_t> next(starts.begin(), starts.end() - 1);
  for (size_t i = 0; i < cells.size(); ++i) members[size_t(next[size_t(cells[i])]++)] = int32_t(i);
  std::vector<Piece> pieces;
  for (size_t c = 0; c + 1 < starts.size(); ++c)
    for (int64_t first = starts[c]; first < starts[c + 1]; first += rows_of_piece)
      pieces.push_back({int32_t(c), {first, std::min(starts[c + 1], first + rows_of_piece)}});
  parallel_for(threads, int64_t(pieces.size()), [&](int64_t at) {
    if (stop.stop_requested()) return;
    const Piece& piece = pieces[size_t(at)];
    search(points, members.data(), piece.points, piece.cell, found);
  });
  if (stop.stop_requested()) throw Stopped();
  return found;
}

NearLandmarks LandmarkSearch::find_by_brute_force(const Points& points, int64_t each) const {
  NearLandmarks found{each, std::vector<int32_t>(size_t(points.rows * each)),
                      std::vector<float>(size_t(points.rows * each))};
  const std::vector<int32_t> numbers = numbers_below(landmarks_.rows);
  std::vector<float> row(size_t(points.features)), squares;
  for (int64_t i = 0; i < points.rows; ++i) {
    copy_row(points, i, row.data());
    rank(row.data(), numbers, i, squares, found);
  }
  return found;
}

}  // namespace mbsc
