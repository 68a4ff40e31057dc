// SPDX-License-Identifier: Apache-2.0
// Runs work of the library so that Python stays responsive. The work has its own thread and does not hold the GIL. The
// calling thread checks for signals twenty times a second and calls the observer. So Ctrl-C and exceptions of a
// callback are raised on the thread of the caller.
#pragma once

#include <nanobind/nanobind.h>

#include <functional>
#include <memory>
#include <vector>

#include "mbsc/cluster.h"
#include "mbsc/options.h"

namespace mbsc::python {

using Work = std::function<void(const StopToken&, const StageObserver&)>;

/// Calls work(), which must not touch any Python object, and returns when it is done. Exceptions of the work are
/// rethrown here. `observer` is None or a callable of (name, fraction, iteration, passes, objective, residual). If the
/// observer returns False, the work is asked to stop. If the observer or a signal handler raises an exception (Ctrl-C),
/// the work is asked to stop, and the exception is raised at most half a second later. If the work is not done by then,
/// it ends in the background. The objects in `kept`, whose data the work reads, stay alive until it ends. The work must
/// own everything else that it uses.
void run_interruptible(nanobind::object observer, std::vector<nanobind::object> kept, Work work);

/// Waits for work that still runs in the background; call it before the interpreter ends.
void finish_abandoned();

}  // namespace mbsc::python
