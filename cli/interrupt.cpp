// SPDX-License-Identifier: Apache-2.0
#include "cli/interrupt.h"

#include <unistd.h>

#include <csignal>

#include "cli/commands.h"

namespace mbsc::cli {
namespace {

std::atomic<bool> asked{false};

void on_signal(int) {
  if (asked.exchange(true)) _exit(interrupted);
}

}  // namespace

StopToken stop_on_interrupt() {
  struct sigaction action {};
  action.sa_handler = on_signal;  // without SA_RESTART, so that a signal ends a blocked read
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  return StopToken(asked);
}

}  // namespace mbsc::cli
