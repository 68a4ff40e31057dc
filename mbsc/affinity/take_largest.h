// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace mbsc {

/// Writes the positions of the `wanted` largest of `count` values to `out`, the largest first. Of equal values, the
/// first are taken. There must be at least `wanted` values. `best` is working memory.
inline void take_largest(const float* values, int64_t count, int64_t wanted, int32_t* out, std::vector<float>& best) {
  best.assign(size_t(wanted), 0);
  int64_t taken = 0;
  float least = 0;
  constexpr int64_t some = 32;
  for (int64_t j = 0; j < count; ++j) {
    if (taken == wanted && j % some == 0 && j + some <= count) {  // most values are too small: check many at a time
      int any = 0;
      for (int64_t i = 0; i < some; ++i) any |= values[j + i] > least ? 1 : 0;
      if (any == 0) {
        j += some - 1;
        continue;
      }
    }
    if (taken == wanted && !(values[j] > least)) continue;
    int64_t at = taken < wanted ? taken++ : wanted - 1;
    for (; at > 0 && values[j] > best[size_t(at - 1)]; --at) {
      best[size_t(at)] = best[size_t(at - 1)];
      out[at] = out[at - 1];
    }
    best[size_t(at)] = values[j];
    out[at] = int32_t(j);
    least = best[size_t(taken - 1)];
  }
}

}  // namespace mbsc
