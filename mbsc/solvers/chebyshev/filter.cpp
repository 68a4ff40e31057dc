// SPDX-License-Identifier: Apache-2.0
#include "mbsc/solvers/chebyshev/filter.h"

#include <algorithm>
#include <cmath>

namespace mbsc {
namespace {

/// (value - c) / e: the argument of T_j. It is above 1 if value > cut.
double argument(double value, double cut) { return (2 * value + 1 - cut) / (1 + cut); }

}  // namespace

double filter_growth(double value, double cut, int64_t degree) {
  const double x = argument(value, cut);
  return x > 1 ? std::cosh(std::min(600.0, double(degree) * std::acosh(x))) : 1;
}

int64_t filter_degree(double value, double cut, double growth, int64_t least, int64_t most) {
  const double x = argument(value, cut);
  if (!(x > 1)) return most;
  const double degree = std::ceil(std::acosh(growth) / std::acosh(x));
  return std::clamp<int64_t>(degree < 1e6 ? int64_t(degree) : most, least, most);
}

double filter_cut(double value, int64_t degree, double growth) {
  const double x = std::cosh(std::acosh(growth) / double(degree));
  return (2 * value + 1 - x) / (1 + x);
}

}  // namespace mbsc
