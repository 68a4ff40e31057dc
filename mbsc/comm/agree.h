// SPDX-License-Identifier: Apache-2.0
// Where ranks look at rows of their own, one of them may find fault where the others do not: they must all hear of it,
// or the others wait for ever.
#pragma once

#include <optional>
#include <string>

#include "mbsc/base/require.h"
#include "mbsc/base/stop_token.h"
#include "mbsc/comm/comm.h"

namespace mbsc {

/// Calls work() on every rank. Where one throws InvalidInput, or Stopped, all do: what the lowest such rank has thrown.
/// The work may be collective as long as it throws on no rank before its last collective.
template <class Work>
void agree(const Comm& comm, const Work& work) {
  if (comm.size() == 1) return work();
  enum Outcome : char { fine, invalid, stopped };
  Outcome outcome = fine;
  std::string message;
  try {
    work();
  } catch (const InvalidInput& error) {
    outcome = invalid;
    message = error.what();
  } catch (const Stopped&) {
    outcome = stopped;
  }
  const std::vector<Outcome> all = comm.gather<Outcome>(std::span<const Outcome>(&outcome, 1));
  for (int rank = 0; rank < comm.size(); ++rank) {
    if (all[size_t(rank)] == fine) continue;
    if (all[size_t(rank)] == stopped) throw Stopped();
    auto length = comm.broadcast<int64_t>(int64_t(message.size()), rank);
    message.resize(size_t(length));
    comm.broadcast(std::span<char>(message), rank);
    throw InvalidInput(message);
  }
}

}  // namespace mbsc
