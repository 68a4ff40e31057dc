// SPDX-License-Identifier: Apache-2.0
#include "mbsc/kmeans/seeding.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "mbsc/base/float64.h"
#include "mbsc/base/random.h"
#include "mbsc/base/require.h"
#include "mbsc/kmeans/distances.h"
#include "mbsc/linalg/reduce.h"

namespace mbsc {
namespace {

template <class T>
class Seeding {
 public:
  Seeding(const RowSpace& space, MatrixView<const T> rows, std::span<const uint8_t> excluded, Random random,
          int restart)
      : space_(space),
        rows_(rows),
        random_(random),
        restart_(static_cast<uint64_t>(restart)),
        weight_(rows.rows, T{1}) {
    for (size_t i = 0; i < excluded.size(); ++i)
      if (excluded[i]) weight_[i] = 0;
  }

  Matrix<double> choose(int64_t clusters) {
    const auto trials = static_cast<int64_t>(2 + std::log(static_cast<double>(clusters)));
    Matrix<double> seeds(clusters, rows_.cols);
    for (int64_t step = 0; step < clusters; ++step) {
      const std::vector<double> blocks = block_weights();
      const double potential = std::accumulate(blocks.begin(), blocks.end(), 0.0);
      require(std::isfinite(potential), "rows of k-means must have finite squared distances; their sum is {}",
              potential);
      if (potential == 0) {
        std::copy_n(seeds.row(step - 1), rows_.cols, seeds.row(step));
        continue;
      }
      const Matrix<double> candidates = draw(step, step == 0 ? 1 : trials, blocks, potential);
      const int64_t best = keep_best(candidates, step == 0);
      std::copy_n(candidates.row(best), rows_.cols, seeds.row(step));
    }
    return seeds;
  }

 private:
  /// The sums of the weights of every block of every rank, in block order.
  std::vector<double> block_weights() const {
    std::vector<double> own(space_.own_blocks().size());
    space_.for_each_block([&](int64_t block, Range rows) {
      double& sum = own[block - space_.own_blocks().begin];
      for (int64_t i = rows.begin; i < rows.end; ++i) sum += static_cast<double>(weight_[i]);
    });
    return space_.comm().gather<double>(own);
  }

  /// Draws `count` rows with probability proportional to their weight, with replacement.
  Matrix<double> draw(int64_t step, int64_t count, const std::vector<double>& blocks, double total) const {
    std::vector<double> mine;  // for each drawn row of this rank: the number of the draw, then the row
    for (int64_t trial = 0; trial < count; ++trial) {
      double target = total * random_.uniform(restart_ << 32 | static_cast<uint64_t>(step), trial);
      int64_t block = -1;
      for (int64_t b = 0; b < std::ssize(blocks); ++b) {
        if (blocks[b] == 0) continue;
        if (block >= 0) target -= blocks[block];
        block = b;
        if (target < blocks[b]) break;
      }
      if (!space_.own_blocks().contains(block)) continue;
      const T* row = rows_.row(row_at(block, target));
      mine.push_back(static_cast<double>(trial));
      mine.insert(mine.end(), row, row + rows_.cols);
    }
    const std::vector<double> all = space_.comm().gather<double>(mine);
    Matrix<double> result(count, rows_.cols);
    for (size_t at = 0; at < all.size(); at += rows_.cols + 1)
      std::copy_n(&all[at] + 1, rows_.cols, result.row(static_cast<int64_t>(all[at])));
    return result;
  }

  /// The local number of the row at position `target` of the cumulative weights of the block.
  int64_t row_at(int64_t block, double target) const {
    const Range range = space_.blocks().block(block);
    const int64_t offset = space_.own_rows().begin;
    int64_t found = -1;
    double sum = 0;
    for (int64_t i = range.begin - offset; i < range.end - offset; ++i) {
      if (weight_[i] == 0) continue;
      found = i;
      sum += static_cast<double>(weight_[i]);
      if (target < sum) break;
    }
    return found;
  }

  /// Returns the candidate with the lowest potential, and updates the weights for it.
  int64_t keep_best(const Matrix<double>& candidates, bool first) {
    const CenterTile<T> tile(candidates);
    const int64_t width = tile.padded();
    if (lowered_.cols() != width) lowered_ = Matrix<T>(rows_.rows, width);
    const std::vector<double> potentials =
        sum_over_blocks(space_, tile.count(), [&](int64_t, Range range, std::span<double> out) {
          for (int64_t i = range.begin; i < range.end; ++i) {
            if (weight_[i] == 0) continue;
            T* lowered = lowered_.row(i);
            tile.squared_distances(rows_.row(i), lowered);
            if (!first)
              for (int64_t c = 0; c < width; ++c) lowered[c] = std::min(lowered[c], weight_[i]);
            for (int64_t c = 0; c < tile.count(); ++c) out[c] += static_cast<double>(lowered[c]);
          }
        });
    const int64_t best = std::min_element(potentials.begin(), potentials.end()) - potentials.begin();
    space_.for_each_block([&](int64_t, Range range) {
      for (int64_t i = range.begin; i < range.end; ++i)
        if (weight_[i] != 0) weight_[i] = lowered_(i, best);
    });
    return best;
  }

  const RowSpace& space_;
  MatrixView<const T> rows_;
  Random random_;
  uint64_t restart_;
  std::vector<T> weight_;  // squared distance to the nearest seed; initially 1; 0 if excluded
  Matrix<T> lowered_;      // the weights after each candidate
};

}  // namespace

template <class T>
Matrix<double> choose_seeds(const RowSpace& space, MatrixView<const T> rows, std::span<const uint8_t> excluded,
                            int64_t clusters, uint64_t seed, int restart) {
  return Seeding<T>(space, rows, excluded, Random(seed, Stream::kmeans), restart).choose(clusters);
}

template Matrix<double> choose_seeds(const RowSpace&, MatrixView<const float>, std::span<const uint8_t>, int64_t,
                                     uint64_t, int);
MBSC_FLOAT64(template Matrix<double> choose_seeds(const RowSpace&, MatrixView<const double>, std::span<const uint8_t>,
                                                  int64_t, uint64_t, int);)

}  // namespace mbsc
