// SPDX-License-Identifier: Apache-2.0
// ctest runs this program again under each level of MBSC_SIMD (tests/CMakeLists.txt). This test checks that the
// requested level is in use.
#include <gtest/gtest.h>

#include <cstdlib>

#include "mbsc/simd/tile.h"

namespace mbsc {
namespace {

TEST(SimdLevel, IsTheRequestedLevel) {
  const char* forced = std::getenv("MBSC_SIMD");
  if (forced == nullptr || *forced == '\0') GTEST_SKIP() << "MBSC_SIMD is not set; the level is " << simd::level_name();
  EXPECT_STRCASEEQ(simd::level_name(), forced);
}

}  // namespace
}  // namespace mbsc
