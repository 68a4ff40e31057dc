// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "mbsc/options.h"

namespace mbsc::cli {

/// From now on Ctrl-C (and SIGTERM) asks the running command to end with what it has; a second one ends it at once.
StopToken stop_on_interrupt();

}  // namespace mbsc::cli
