// SPDX-License-Identifier: Apache-2.0
// Synthetic data: each shape, its classes and its noise.
#include "mbsc/io/synthetic.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "mbsc/base/require.h"

namespace mbsc {
namespace {

constexpr Shape all_shapes[] = {Shape::rings, Shape::moons, Shape::blobs, Shape::spirals};

struct Data {
  Matrix<float> rows;
  std::vector<int32_t> classes;
};

Data make(const SyntheticOptions& options, int64_t first, int64_t count) {
  Data data{Matrix<float>(count, options.features), std::vector<int32_t>(count)};
  make_rows(options, first, data.rows, data.classes);
  return data;
}

Data make(const SyntheticOptions& options) { return make(options, 0, options.n); }

double distance(const float* a, const float* b, int64_t features) {
  double sum = 0;
  for (int64_t f = 0; f < features; ++f) sum += std::pow(double(a[f]) - double(b[f]), 2);
  return std::sqrt(sum);
}

TEST(Synthetic, RangeOfRowsEqualsThoseRowsOfTheWhole) {
  for (const Shape shape : all_shapes) {
    const SyntheticOptions options = checked({.shape = shape, .n = 1000, .seed = 4});
    const Data whole = make(options), piece = make(options, 200, 100);
    for (int64_t i = 0; i < 100; ++i) {
      EXPECT_EQ(piece.classes[i], whole.classes[200 + i]);
      for (int64_t f = 0; f < 2; ++f) EXPECT_EQ(piece.rows(i, f), whole.rows(200 + i, f));
    }
  }
}

TEST(Synthetic, EveryPrefixHasEquallyManyRowsOfEachClass) {
  for (const Shape shape : all_shapes) {
    const SyntheticOptions options = checked({.shape = shape, .n = 1003, .clusters = shape == Shape::moons ? 2 : 5});
    const Data data = make(options);
    std::vector<int64_t> count(options.clusters);
    for (int64_t i = 0; i < options.n; ++i) {
      ++count[data.classes[i]];
      const auto [least, most] = std::minmax_element(count.begin(), count.end());
      ASSERT_LE(*most - *least, 1);
    }
  }
}

TEST(Synthetic, DifferentSeedsGiveDifferentRows) {
  for (const Shape shape : all_shapes) {
    const Data a = make(checked({.shape = shape, .seed = 1}));
    const Data b = make(checked({.shape = shape, .seed = 2}));
    int64_t equal = 0;
    for (int64_t i = 0; i < a.rows.size(); ++i) equal += a.rows.data()[i] == b.rows.data()[i];
    EXPECT_LE(equal, 2);
  }
}

TEST(Synthetic, RingsHaveRadii1To3) {
  const SyntheticOptions options = checked({.shape = Shape::rings, .n = 3000, .clusters = 3});
  const Data data = make(options);
  double angle_cosines = 0;
  for (int64_t i = 0; i < options.n; ++i) {
    const double radius = std::hypot(data.rows(i, 0), data.rows(i, 1));
    // The bound is 5.5 standard deviations of the noise.
    EXPECT_NEAR(radius, data.classes[i] + 1, 5.5 * options.noise);
    angle_cosines += data.rows(i, 0) / radius;
  }
  EXPECT_LT(std::abs(angle_cosines / options.n), 5 / std::sqrt(2.0 * options.n));
}

TEST(Synthetic, MoonsAreTwoInterleavedHalfCircles) {
  const Data data = make(checked({.shape = Shape::moons, .noise = 0}));
  for (int64_t i = 0; i < data.rows.rows(); ++i) {
    const bool upper = data.classes[i] == 0;
    const double x = data.rows(i, 0) - (upper ? 0 : 1), y = data.rows(i, 1) - (upper ? 0 : 0.5);
    EXPECT_NEAR(std::hypot(x, y), 1, 1e-6);
    EXPECT_GE(upper ? y : -y, -1e-6);
  }
}

TEST(Synthetic, BlobsHaveCentersAtLeast6ApartAndTheGivenNoise) {
  for (const int64_t features : {1, 2, 3, 40})
    for (const int clusters : {1, 3, 50}) {
      const SyntheticOptions options =
          checked({.shape = Shape::blobs, .n = clusters, .features = features, .clusters = clusters, .noise = 0});
      const Data centers = make(options);
      for (int64_t a = 0; a < clusters; ++a)
        for (int64_t b = 0; b < a; ++b)
          EXPECT_GE(distance(centers.rows.row(a), centers.rows.row(b), features), 6 - 1e-4);
    }
  const SyntheticOptions noisy = checked({.shape = Shape::blobs, .n = 9000, .noise = 0.5});
  SyntheticOptions exact = noisy;
  exact.noise = 0;
  const Data points = make(noisy), centers = make(exact);
  double squares = 0;
  for (int64_t i = 0; i < points.rows.size(); ++i)
    squares += std::pow(double(points.rows.data()[i]) - double(centers.rows.data()[i]), 2);
  const auto values = static_cast<double>(points.rows.size());
  EXPECT_NEAR(squares / values / 0.25, 1, 5 * std::sqrt(2 / values));
}

TEST(Synthetic, SpiralArmsStayApart) {
  for (const int clusters : {1, 2, 3, 6}) {
    const SyntheticOptions options = checked({.shape = Shape::spirals, .n = 2000, .clusters = clusters, .noise = 0});
    const Data data = make(options);
    // Arms are 1/2 apart along a ray. Their shortest distance is a little less.
    for (int64_t i = 0; i < options.n; ++i)
      for (int64_t j = 0; j < i; ++j)
        if (data.classes[i] != data.classes[j]) {
          ASSERT_GE(distance(data.rows.row(i), data.rows.row(j), 2), 0.3) << clusters << " arms";
        }
  }
}

TEST(Synthetic, WithDefaultNoiseTheNearestNeighborHasTheSameClass) {
  for (const Shape shape : all_shapes) {
    const SyntheticOptions options = checked({.shape = shape, .n = 1000});
    const Data data = make(options);
    int64_t wrong = 0;
    for (int64_t i = 0; i < options.n; ++i) {
      int64_t nearest = -1;
      double least = std::numeric_limits<double>::infinity();
      for (int64_t j = 0; j < options.n; ++j) {
        const double d = distance(data.rows.row(i), data.rows.row(j), 2);
        if (j != i && d < least) nearest = j, least = d;
      }
      wrong += data.classes[nearest] != data.classes[i];
    }
    EXPECT_EQ(wrong, 0) << "shape " << int(shape);
  }
}

TEST(Synthetic, DefaultsAreFilledInAndBadValuesAreRefused) {
  const SyntheticOptions blobs = checked({.shape = Shape::blobs});
  EXPECT_EQ(blobs.clusters, 3);
  EXPECT_EQ(blobs.noise, 0.5);
  EXPECT_EQ(checked({.shape = Shape::rings, .noise = 0}).noise, 0);
  EXPECT_THROW(checked({.n = 0}), InvalidInput);
  EXPECT_THROW(checked({.n = 1}), InvalidInput);
  EXPECT_THROW(checked({.clusters = -1}), InvalidInput);
  EXPECT_THROW(checked({.n = 10, .clusters = 11}), InvalidInput);
  EXPECT_THROW(checked({.features = 3}), InvalidInput);
  EXPECT_THROW(checked({.shape = Shape::blobs, .features = 0}), InvalidInput);
  EXPECT_THROW(checked({.shape = Shape::moons, .clusters = 3}), InvalidInput);
  EXPECT_THROW(checked({.noise = std::numeric_limits<double>::quiet_NaN()}), InvalidInput);
}

}  // namespace
}  // namespace mbsc
