// SPDX-License-Identifier: Apache-2.0
// Each rank checks only its own rows, so an error may occur on one rank only. All ranks must learn about it; otherwise
// the others wait forever.
#pragma once

#include <optional>
#include <string>

#include "mbsc/base/require.h"
#include "mbsc/comm.h"
#include "mbsc/options.h"

namespace mbsc {

/// Calls work() on every rank. If any rank throws InvalidInput or Stopped, all ranks throw what the lowest such rank
/// has thrown. The work may be collective if no rank throws before the last collective.
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
