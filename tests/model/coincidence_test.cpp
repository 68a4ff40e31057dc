// SPDX-License-Identifier: Apache-2.0
#include "mbsc/model/coincidence.h"

#include <gtest/gtest.h>

#include "mbsc/model.h"

namespace mbsc {
namespace {

TEST(Coincidence, FindsTheFirstPartnerOfEachDistinctRow) {
  const std::vector<uint64_t> rows{5, 7, 5, 9, 9}, others{1, 5, 5, 8, 7};
  const Coincidence found = find_coincidence(rows, others);
  // 9 is not in `others`, so each of its copies is processed.
  EXPECT_EQ(found.distinct, (std::vector<int64_t>{0, 1, 3, 4}));
  EXPECT_EQ(found.place, (std::vector<int64_t>{0, 1, 0, 2, 3}));
  EXPECT_EQ(found.partner, (std::vector<int64_t>{-1, 0, -1, -1, 1}));
}

TEST(Coincidence, NothingIsAlsoASet) {
  EXPECT_TRUE(find_coincidence({}, {}).distinct.empty());
  const std::vector<uint64_t> rows{3};
  EXPECT_EQ(find_coincidence(rows, {}).distinct.size(), 1U);
  EXPECT_EQ(find_coincidence({}, rows).partner, (std::vector<int64_t>{-1}));
}

TEST(Coincidence, HashesAreThoseOfTheValuesNotOfTheirLayout) {
  const float rows[] = {1, 2, -0.0f, 0.1f};
  const double columns[] = {1, 0.0, 2, 0.1};
  const auto stored = hash_rows(Points(rows, ScalarType::float32, 2, 2, 2), true, 1);
  EXPECT_EQ(hash_rows(Points(columns, ScalarType::float64, 2, 2, 1, 2), true, 1), stored);
  EXPECT_NE(hash_rows(Points(columns, ScalarType::float64, 2, 2, 1, 2), false, 1)[1], stored[1]) << "0.1 is no float";
  EXPECT_NE(stored[0], stored[1]);
}

}  // namespace
}  // namespace mbsc
