// SPDX-License-Identifier: Apache-2.0
#include "mbsc/simd/level.h"

#include <hwy/targets.h>
#include <strings.h>

#include <cstdlib>
#include <string>

#include "mbsc/base/require.h"

namespace mbsc::simd {

void choose_level() {
  static const bool once = [] {
    const char* name = std::getenv("MBSC_SIMD");
    if (name == nullptr || *name == '\0') return true;
    std::string known;
    for (const int64_t target : hwy::SupportedAndGeneratedTargets()) {
      if (strcasecmp(name, hwy::TargetName(target)) == 0) {
        hwy::SetSupportedTargetsForTest(target);
        hwy::GetChosenTarget().Update(hwy::SupportedTargets());
        return true;
      }
      known += std::string(known.empty() ? "" : ", ") + hwy::TargetName(target);
    }
    throw InvalidInput(fmt::format("MBSC_SIMD must be one of {}; got '{}'", known, name));
  }();
  (void)once;
}

}  // namespace mbsc::simd
