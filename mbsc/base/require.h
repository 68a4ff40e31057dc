// SPDX-License-Identifier: Apache-2.0
// Misuse throws: the message names the rule and the value.
#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace mbsc {

/// A rule of the interface was broken: a bad option, a bad file, data that cannot be clustered.
class InvalidInput : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Throws InvalidInput with the formatted message unless `rule` holds.
template <class... Args>
void require(bool rule, fmt::format_string<Args...> message, Args&&... args) {
  if (!rule) throw InvalidInput(fmt::format(message, std::forward<Args>(args)...));
}

}  // namespace mbsc
