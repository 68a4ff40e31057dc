// SPDX-License-Identifier: Apache-2.0
// The class of row i is i mod clusters, so any range of rows has about the same number of rows of each class.
//
// rings: circles of radius 1, 2, ...; the angle is uniform.
//
// moons: (cos t, sin t) and (1 - cos t, 1/2 - sin t); t is uniform in [0, pi].
//
// blobs: Gaussian. Each center has its own cell of a grid, which a keyed permutation chooses. Along each axis, the
// middles of the cells are 8 apart, and a center is within 1 of the middle of its cell. So any two centers are at least
// 6 apart.
//
// spirals: arms r = r0 + clusters t / (4 pi). Each arm is the previous one, rotated by 2 pi / clusters, so the arms are
// 1/2 apart along every ray. An arm has one and a half turns, and its points are uniform in the area that it covers.
#include "mbsc/io/synthetic.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "mbsc/base/random.h"
#include "mbsc/base/require.h"

namespace mbsc {
namespace {

constexpr double pi = std::numbers::pi;

// The second counter of a random number says what it is for. The first one is the row, or the class of a center.
constexpr uint64_t position = uint64_t{1} << 40;
constexpr uint64_t jitter = uint64_t{2} << 40;
constexpr uint64_t side = uint64_t{3} << 40;

struct Defaults {
  const char* name;
  int clusters;
  double noise;
};

Defaults defaults_of(Shape shape) {
  switch (shape) {
    case Shape::rings:
      return {"rings", 2, 0.05};
    case Shape::moons:
      return {"moons", 2, 0.05};
    case Shape::blobs:
      return {"blobs", 3, 0.5};
    case Shape::spirals:
      return {"spirals", 2, 0.03};
  }
  throw InvalidInput("shape must be rings, moons, blobs or spirals");
}

struct Point {
  double x = 0;
  double y = 0;
};

Point on_circle(double radius, double angle) { return {radius * std::cos(angle), radius * std::sin(angle)}; }

/// A point of a class, without noise. u is uniform in [0, 1).
Point place(Shape shape, int32_t label, int clusters, double u) {
  if (shape == Shape::rings) return on_circle(label + 1, 2 * pi * u);
  if (shape == Shape::moons) {
    const Point upper = on_circle(1, pi * u);
    return label == 0 ? upper : Point{1 - upper.x, 0.5 - upper.y};
  }
  const double pitch = 0.5 * clusters, turns = 1.5;
  const double inner = clusters == 1 ? 0.25 : 0.25 / std::sin(pi / clusters);
  const double outer = inner + pitch * turns;
  const double radius = std::sqrt(inner * inner + u * (outer * outer - inner * inner));
  return on_circle(radius, 2 * pi * ((radius - inner) / pitch + double(label) / clusters));
}

/// The grid of the centers of blobs. It has `sides` cells along each of the first `chosen` features, together at least
/// four times as many cells as centers, and two cells along each other feature.
class Grid {
 public:
  Grid(const SyntheticOptions& options, const Random& random)
      : random_(random), sides_(smallest_side(options)), permutation_(cells(options), random, position) {}

  /// Feature f of the center of class `label`.
  double operator()(int32_t label, int64_t f) const {
    int64_t cell = permutation_(label), along = sides_;
    for (int64_t passed = 0; passed < std::min(f, chosen_); ++passed) cell /= sides_;
    if (f >= chosen_) {
      cell = static_cast<int64_t>(random_.bits(label, side + f) >> 63);
      along = 2;
    }
    const double middle = static_cast<double>(cell % along) - static_cast<double>(along - 1) / 2;
    return 8 * middle + 2 * random_.uniform(label, jitter + f) - 1;
  }

 private:
  /// The smallest s >= 2 with s^features >= 4 clusters.
  static int64_t smallest_side(const SyntheticOptions& options) {
    int64_t sides = 2;
    while (power(sides, options.features, 4 * int64_t{options.clusters}) < 4 * int64_t{options.clusters}) ++sides;
    return sides;
  }
  /// base^exponent, or the first power that is at least `enough`.
  static int64_t power(int64_t base, int64_t exponent, int64_t enough) {
    int64_t result = 1;
    for (int64_t e = 0; e < exponent && result < enough; ++e) result *= base;
    return result;
  }
  int64_t cells(const SyntheticOptions& options) {
    int64_t count = 1;
    for (chosen_ = 0; chosen_ < options.features && count < 4 * int64_t{options.clusters}; ++chosen_) count *= sides_;
    return count;
  }

  const Random& random_;
  int64_t sides_;
  int64_t chosen_ = 0;
  KeyedPermutation permutation_;
};

}  // namespace

SyntheticOptions checked(SyntheticOptions options) {
  const Defaults defaults = defaults_of(options.shape);
  require(options.n >= 1, "n must be at least 1; got {}", options.n);
  require(std::isfinite(options.noise), "noise must be finite; got {}", options.noise);
  if (options.noise < 0) options.noise = defaults.noise;
  if (options.clusters == 0) options.clusters = defaults.clusters;
  require(options.clusters >= 1 && options.clusters <= options.n, "clusters must be in [1, {}]; got {}", options.n,
          options.clusters);
  require(options.shape != Shape::moons || options.clusters == 2, "moons have 2 clusters; got {}", options.clusters);
  if (options.shape == Shape::blobs)
    require(options.features >= 1, "features must be at least 1; got {}", options.features);
  else
    require(options.features == 2, "{} have 2 features; got {}", defaults.name, options.features);
  return options;
}

void make_rows(const SyntheticOptions& options, int64_t first_row, MatrixView<float> out, std::span<int32_t> classes) {
  require(out.cols == options.features, "rows have {} features; the matrix has {} columns", options.features, out.cols);
  require(std::ssize(classes) == out.rows, "{} rows need as many classes; got {}", out.rows, classes.size());
  const Random random(options.seed, Stream::generate);
  const bool blobs = options.shape == Shape::blobs;
  Matrix<double> centers(blobs ? options.clusters : 0, options.features);
  if (blobs) {
    const Grid grid(options, random);
    for (int32_t c = 0; c < options.clusters; ++c)
      for (int64_t f = 0; f < options.features; ++f) centers(c, f) = grid(c, f);
  }
  for (int64_t i = 0; i < out.rows; ++i) {
    const int64_t row = first_row + i;
    const auto label = static_cast<int32_t>(row % options.clusters);
    classes[i] = label;
    if (blobs) {
      for (int64_t f = 0; f < options.features; ++f)
        out(i, f) = static_cast<float>(centers(label, f) + options.noise * random.normal(row, f));
    } else {
      const Point p = place(options.shape, label, options.clusters, random.uniform(row, position));
      out(i, 0) = static_cast<float>(p.x + options.noise * random.normal(row, 0));
      out(i, 1) = static_cast<float>(p.y + options.noise * random.normal(row, 1));
    }
  }
}

}  // namespace mbsc
