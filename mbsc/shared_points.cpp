// SPDX-License-Identifier: Apache-2.0
#include "mbsc/shared_points.h"

#include <optional>

#include "mbsc/base/require.h"

namespace mbsc {

SharedPoints::SharedPoints(const Points& given, const Comm& comm) : points_(given), balance_(comm, given.rows) {
  struct Kind {
    int64_t rows, features;
    ScalarType type;
  };
  const Kind mine{given.rows, given.features, given.type};
  std::optional<int64_t> features;
  bool wide = false;
  for (const Kind& kind : comm.gather<Kind>(std::span<const Kind>(&mine, 1))) {
    if (kind.rows == 0) continue;
    require(kind.features == features.value_or(kind.features), "ranks have points of {} and of {} features",
            features.value_or(0), kind.features);
    features = kind.features;
    wide |= kind.type == ScalarType::float64;
  }
  points_.features = features.value_or(given.features);
  const ScalarType type = wide ? ScalarType::float64 : ScalarType::float32;
  if (given.rows == 0) points_.type = type;
  if (comm.any(!balance_.is_balanced() || points_.type != type)) wide ? take<double>() : take<float>();
  points_.first_row = balance_.share().begin;
}

template <class Value>
void SharedPoints::take() {
  auto moved = std::make_shared<std::vector<Value>>(
      balance_.to_shares<Value>(stored_rows<Value>(points_, points_.features), points_.features));
  points_.data = moved->data();
  points_.type = sizeof(Value) == 4 ? ScalarType::float32 : ScalarType::float64;
  points_.rows = balance_.share().size();
  points_.row_stride = points_.features;
  points_.feature_stride = 1;
  owned_ = moved;
}

}  // namespace mbsc
