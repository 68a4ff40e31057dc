// SPDX-License-Identifier: Apache-2.0
#include "mbsc/kmeans/cluster_qr.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>

#include "mbsc/base/require.h"
#include "mbsc/kmeans/rows.h"
#include "mbsc/linalg/dense.h"
#include "mbsc/linalg/reduce.h"
#include "mbsc/linalg/tall.h"

namespace mbsc {
namespace {

constexpr double tie = 1e-3;         // relative difference of squares that counts as a tie
constexpr double dependent = 1e-12;  // a remaining square below this share of the first one is a rounding error

double dot(const float* row, const double* direction, int64_t columns) {
  double sum = 0;
  for (int64_t f = 0; f < columns; ++f) sum += double(row[f]) * direction[f];
  return sum;
}

/// Chooses rows by QR with column pivoting of X'.
class Pivoting {
 public:
  Pivoting(const RowSpace& space, MatrixView<const float> rows, std::span<const uint8_t> excluded)
      : space_(space), rows_(rows), remaining_(size_t(rows.rows)), basis_(0, rows.cols) {
    space_.for_each_block([&](int64_t, Range range) {
      for (int64_t i = range.begin; i < range.end; ++i) {
        if (!excluded.empty() && excluded[size_t(i)] != 0) continue;
        for (int64_t f = 0; f < rows_.cols; ++f) remaining_[size_t(i)] += double(rows_(i, f)) * double(rows_(i, f));
      }
    });
  }

  /// C: the chosen rows. If fewer rows than columns are independent, the last rows of C are zero.
  Eigen::MatrixXd choose() {
    const int64_t k = rows_.cols;
    Eigen::MatrixXd chosen = Eigen::MatrixXd::Zero(k, k);
    double first = 0;
    for (int64_t step = 0; step < k; ++step) {
      const double most = largest();
      require(std::isfinite(most), "rows of cluster_qr must have finite squares; the largest is {}", most);
      if (step == 0) first = most;
      if (!(most > dependent * first)) break;
      const int64_t row = first_row_above((1 - tie) * most);
      const Matrix<float> found = gather_rows(space_, rows_, std::span(&row, 1));
      for (int64_t f = 0; f < k; ++f) chosen(step, f) = double(found(0, f));
      project_out(chosen.row(step));
    }
    return chosen;
  }

 private:
  double largest() const {
    double mine = 0;
    for (const double square : remaining_) mine = square <= mine ? mine : square;  // keeps NaN
    double most = 0;
    for (const double other : space_.comm().gather<double>(std::span(&mine, 1))) most = other <= most ? most : other;
    return most;
  }

  /// The global number of the first row whose remaining square is at least `least`.
  int64_t first_row_above(double least) const {
    const auto found =
        std::find_if(remaining_.begin(), remaining_.end(), [&](double square) { return square >= least; });
    const int64_t mine = found == remaining_.end() ? std::numeric_limits<int64_t>::max()
                                                   : space_.own_rows().begin + (found - remaining_.begin());
    const std::vector<int64_t> all = space_.comm().gather<int64_t>(std::span(&mine, 1));
    return *std::min_element(all.begin(), all.end());
  }

  /// Subtracts from the remaining squares the part along the direction of this row outside the basis, and adds this
  /// direction to the basis.
  void project_out(Eigen::RowVectorXd direction) {
    for (int twice = 0; twice < 2; ++twice) direction -= (direction * basis_.transpose()) * basis_;
    direction.normalize();
    space_.for_each_block(
        [&](int64_t, Range range) {
          for (int64_t i = range.begin; i < range.end; ++i) {
            if (!(remaining_[size_t(i)] > 0)) continue;
            const double part = dot(rows_.row(i), direction.data(), rows_.cols);
            remaining_[size_t(i)] = std::max(0.0, remaining_[size_t(i)] - part * part);
          }
        },
        2 * double(rows_.cols));
    basis_.conservativeResize(basis_.rows() + 1, Eigen::NoChange);
    basis_.row(basis_.rows() - 1) = direction;
  }

  const RowSpace& space_;
  MatrixView<const float> rows_;
  std::vector<double> remaining_;  ///< the square of the part outside the basis; 0 if excluded
  Eigen::MatrixXd basis_;          ///< orthonormal rows
};

/// How close a row is to another cluster.
struct Candidate {
  double share = -1;  ///< |x v_c| / |x v_label|
  int64_t row = -1;   ///< global
  int32_t label = -1;

  bool before(const Candidate& other) const {
    return row >= 0 && (other.row < 0 || share > other.share || (share == other.share && row < other.row));
  }
};

/// The row that an empty cluster takes.
Candidate closest_row(const RowSpace& space, MatrixView<const float> rows, const ClusterQrResult& result,
                      std::span<const double> counts, int64_t cluster) {
  std::vector<Candidate> found(size_t(space.own_blocks().size()));
  const auto part = [&](int64_t i, int64_t c) {
    return std::abs(dot(rows.row(i), result.directions.row(c), rows.cols));
  };
  space.for_each_block([&](int64_t block, Range range) {
    Candidate& best = found[size_t(block - space.own_blocks().begin)];
    for (int64_t i = range.begin; i < range.end; ++i) {
      const int32_t label = result.labels[size_t(i)];
      if (label < 0 || counts[size_t(label)] < 2) continue;
      const double own = part(i, label);
      const Candidate here{own > 0 ? part(i, cluster) / own : 0, space.own_rows().begin + i, label};
      if (here.before(best)) best = here;
    }
  });
  Candidate best;
  for (const Candidate& here : space.comm().gather<Candidate>(found))
    if (here.before(best)) best = here;
  return best;
}

void fill_empty(const RowSpace& space, MatrixView<const float> rows, ClusterQrResult& result) {
  std::vector<double> counts = cluster_counts(space, result.labels, rows.cols);
  for (int64_t cluster = 0; cluster < rows.cols; ++cluster) {
    if (counts[size_t(cluster)] > 0) continue;
    const Candidate taken = closest_row(space, rows, result, counts, cluster);
    require(taken.row >= 0, "cluster_qr needs at least as many rows as clusters, {}", rows.cols);
    --counts[size_t(taken.label)];
    ++counts[size_t(cluster)];
    if (space.own_rows().contains(taken.row))
      result.labels[size_t(taken.row - space.own_rows().begin)] = int32_t(cluster);
  }
}

}  // namespace

int32_t strongest_direction(const float* row, MatrixView<const double> directions) {
  double most = -1;
  int32_t label = 0;
  for (int64_t c = 0; c < directions.rows; ++c) {
    const double part = std::abs(dot(row, directions.row(c), directions.cols));
    if (part > most) most = part, label = int32_t(c);
  }
  return label;
}

ClusterQrResult cluster_qr(const RowSpace& space, MatrixView<const float> rows, std::span<const uint8_t> excluded) {
  const int64_t k = rows.cols;
  const Eigen::MatrixXd V = orthogonal_factor(Pivoting(space, rows, excluded).choose());
  ClusterQrResult result{std::vector<int32_t>(size_t(rows.rows), -1), Matrix<double>(k, k)};
  for (int64_t c = 0; c < k; ++c)
    for (int64_t f = 0; f < k; ++f) result.directions(c, f) = V(c, f);
  space.for_each_block(
      [&](int64_t, Range range) {
        for (int64_t i = range.begin; i < range.end; ++i)
          if (excluded.empty() || excluded[size_t(i)] == 0)
            result.labels[size_t(i)] = strongest_direction(rows.row(i), result.directions);
      },
      2 * double(k * k));
  fill_empty(space, rows, result);
  return result;
}

}  // namespace mbsc
