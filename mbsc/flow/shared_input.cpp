// SPDX-License-Identifier: Apache-2.0
#include "mbsc/flow/shared_input.h"

#include <algorithm>
#include <optional>

#include "mbsc/base/require.h"

namespace mbsc {

SharedInput::SharedInput(const Input& given, const Comm& comm)
    : input_(given), balance_(comm, given.row_count()), ranks_(comm.size()), given_rows_(given.row_count()) {
  if (ranks_ == 1) return;
  require(!given.is_graph(), "a graph is clustered on one rank only; got {}", ranks_);
  struct Layout {
    int64_t rows, features;
    ScalarType type;
  };
  Points& points = input_.rows;
  const Layout mine{points.rows, points.features, points.type};
  std::optional<int64_t> features;
  bool wide = false;
  for (const Layout& layout : comm.gather<Layout>(std::span<const Layout>(&mine, 1))) {
    if (layout.rows == 0) continue;
    require(layout.features == features.value_or(layout.features), "ranks have points of {} and of {} features",
            features.value_or(0), layout.features);
    features = layout.features;
    wide |= layout.type == ScalarType::float64;
  }
  points.features = features.value_or(points.features);
  const ScalarType type = wide ? ScalarType::float64 : ScalarType::float32;
  if (points.rows == 0) points.type = type;
  if (comm.any(!balance_.is_balanced() || points.type != type)) wide ? take<double>() : take<float>();
  points.first_row = balance_.share().begin;
}

template <class Value>
void SharedInput::take() {
  Points& points = input_.rows;
  auto moved = std::make_shared<std::vector<Value>>(
      balance_.to_shares<Value>(stored_rows<Value>(points, points.features), points.features));
  points.data = moved->data();
  points.type = sizeof(Value) == 4 ? ScalarType::float32 : ScalarType::float64;
  points.rows = balance_.share().size();
  points.row_stride = points.features;
  points.feature_stride = 1;
  owned_ = moved;
}

InputShape SharedInput::shape() const {
  return {balance_.n(), input_.rows.features, input_.kind, ranks_, input_.graph.entries()};
}

void SharedInput::give_back(Clustering& result) const {
  if (balance_.is_balanced()) return;
  result.labels = balance_.to_given<int32_t>(result.labels, 1);
  result.degrees.values = balance_.to_given<double>(result.degrees.values, 1);
  const auto give_rows = [&](Matrix<float>& vectors) {
    const int64_t width = vectors.cols();
    const std::vector<float> rows = balance_.to_given<float>({vectors.data(), size_t(vectors.size())}, width);
    vectors = Matrix<float>(given_rows_, width);
    std::copy(rows.begin(), rows.end(), vectors.data());
  };
  give_rows(result.pairs.vectors);
  if (result.pairs.weighted) give_rows(result.pairs.weighted->vectors);
}

}  // namespace mbsc
