// SPDX-License-Identifier: Apache-2.0
// ctest runs this program again under each level of MBSC_SIMD (tests/CMakeLists.txt): is that what
// ran?
#include <gtest/gtest.h>

#include <cstdlib>

#include "mbsc/simd/tile.h"

namespace mbsc {
namespace {

TEST(SimdLevel, IsTheOneThatWasForced) {
  const char* forced = std::getenv("MBSC_SIMD");
  if (forced == nullptr || *forced == '\0') GTEST_SKIP() << "no level was forced; running " << simd::level_name();
  EXPECT_STRCASEEQ(simd::level_name(), forced);
}

}  // namespace
}  // namespace mbsc
