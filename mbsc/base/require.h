// SPDX-License-Identifier: Apache-2.0
// Misuse throws an exception. The message names the rule and the value.
#pragma once

#include <fmt/format.h>

#include <utility>

#include "mbsc/input.h"

namespace mbsc {

/// Throws InvalidInput with the formatted message unless `rule` holds.
template <class... Args>
void require(bool rule, fmt::format_string<Args...> message, Args&&... args) {
  if (!rule) throw InvalidInput(fmt::format(message, std::forward<Args>(args)...));
}

}  // namespace mbsc
