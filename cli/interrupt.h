// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "mbsc/options.h"

namespace mbsc::cli {

/// Installs a handler for Ctrl-C (SIGINT) and SIGTERM. After the first signal, the returned token asks the running
/// command to end with its current result. A second signal ends the process at once.
StopToken stop_on_interrupt();

}  // namespace mbsc::cli
