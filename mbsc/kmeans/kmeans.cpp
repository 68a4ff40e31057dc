// SPDX-License-Identifier: Apache-2.0
#include "mbsc/kmeans/kmeans.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "mbsc/base/float64.h"
#include "mbsc/base/parallel.h"
#include "mbsc/base/require.h"
#include "mbsc/kmeans/lloyd.h"
#include "mbsc/kmeans/seeding.h"
#include "mbsc/linalg/reduce.h"

namespace mbsc {
namespace {

struct Spread {
  int64_t rows = 0;          // rows that are not excluded
  double mean_variance = 0;  // mean over the features
};

template <class T>
Spread measure_spread(const RowSpace& space, MatrixView<const T> rows, std::span<const uint8_t> excluded) {
  const auto for_each_row = [&](Range block, auto&& visit) {
    for (int64_t i = block.begin; i < block.end; ++i)
      if (excluded.empty() || !excluded[i]) visit(rows.row(i));
  };
  std::vector<double> mean = sum_over_blocks(space, rows.cols + 1, [&](int64_t, Range block, std::span<double> out) {
    for_each_row(block, [&](const T* row) {
      for (int64_t f = 0; f < rows.cols; ++f) out[f] += static_cast<double>(row[f]);
      out[rows.cols] += 1;
    });
  });
  const double count = mean.back();
  for (double& m : mean) m /= count;
  const double squares = sum_over_blocks(space, 1, [&](int64_t, Range block, std::span<double> out) {
    for_each_row(block, [&](const T* row) {
      for (int64_t f = 0; f < rows.cols; ++f) {
        const double difference = static_cast<double>(row[f]) - mean[f];
        out[0] += difference * difference;
      }
    });
  })[0];
  return {static_cast<int64_t>(count), squares / (count * static_cast<double>(rows.cols))};
}

void check(const KMeansOptions& options) {
  require(options.clusters >= 1, "clusters must be at least 1; got {}", options.clusters);
  require(options.restarts >= 1, "restarts must be at least 1; got {}", options.restarts);
  require(options.max_iterations >= 1, "max_iterations must be at least 1; got {}", options.max_iterations);
  require(options.tolerance >= 0 && std::isfinite(options.tolerance), "tolerance must be finite and at least 0; got {}",
          options.tolerance);
}

}  // namespace

template <class T>
KMeansResult kmeans(const RowSpace& space, MatrixView<const T> rows, std::span<const uint8_t> excluded,
                    const KMeansOptions& options, const StopToken& stop) {
  check(options);
  require(rows.rows == space.local_rows(), "k-means needs this rank's {} rows; got {}", space.local_rows(), rows.rows);
  require(rows.cols >= 1, "rows of k-means need at least 1 column; got {}", rows.cols);
  require(excluded.empty() || std::ssize(excluded) == rows.rows, "excluded must be empty or have {} entries; got {}",
          rows.rows, excluded.size());
  const Spread spread = measure_spread(space, rows, excluded);
  require(spread.rows >= options.clusters, "{} clusters need at least as many rows; got {}", options.clusters,
          spread.rows);
  require(std::isfinite(spread.mean_variance), "rows of k-means must be finite; their variance is {}",
          spread.mean_variance);

  const LloydLimits limits{options.max_iterations, options.tolerance * spread.mean_variance};
  const auto run = [&](int restart) {
    Matrix<double> seeds = choose_seeds(space, rows, excluded, options.clusters, options.seed, restart);
    return lloyd(space, rows, excluded, std::move(seeds), limits, stop);
  };
  KMeansResult best;
  const auto consider = [&](int restart, KMeansResult result) {
    if (restart == 0 || result.inertia < best.inertia) best = std::move(result);
  };
  // If there are so few rows that a loop over them runs on one thread (base/parallel.h), each restart gets its own
  // thread. The number of restarts that run at the same time is limited, because the labels of all of them are in
  // memory.
  const bool side_by_side = space.comm().size() == 1 && rows.rows <= 50'000 && options.restarts > 1;
  const int together = side_by_side ? 16 : 1;
  for (int first = 0; first < options.restarts; first += together) {
    if (first > 0 && space.comm().broadcast(stop.stop_requested())) break;
    std::vector<KMeansResult> found(size_t(std::min(together, options.restarts - first)));
    parallel_for(side_by_side ? space.threads() : 1, int64_t(found.size()), [&](int64_t at) {
      if (at == 0 || !stop.stop_requested()) found[size_t(at)] = run(first + int(at));
    });
    for (size_t at = 0; at < found.size(); ++at)
      if (at == 0 || !found[at].labels.empty()) consider(first + int(at), std::move(found[at]));
  }
  return best;
}

template KMeansResult kmeans(const RowSpace&, MatrixView<const float>, std::span<const uint8_t>, const KMeansOptions&,
                             const StopToken&);
MBSC_FLOAT64(template KMeansResult kmeans(const RowSpace&, MatrixView<const double>, std::span<const uint8_t>,
                                          const KMeansOptions&, const StopToken&);)

}  // namespace mbsc
