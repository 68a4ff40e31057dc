// SPDX-License-Identifier: Apache-2.0
// Runs work of the library so that Python stays awake: the work has a thread of its own, without the interpreter's
// lock; the calling thread looks for signals twenty times a second and answers the observer, so that Ctrl-C and
// exceptions of a callback arrive where the user called, on whichever thread that was.
#pragma once

#include <nanobind/nanobind.h>

#include <functional>
#include <memory>
#include <vector>

#include "mbsc/base/stop_token.h"
#include "mbsc/cluster.h"

namespace mbsc::python {

using Work = std::function<void(const StopToken&, const StageObserver&)>;

/// Calls work, which must touch no Python object, and returns when it is done; its exceptions are rethrown here.
/// `observer` is None or a callable of (name, fraction, iteration, passes, objective, residual); where it returns
/// False the work is asked to stop. On a signal whose handler raises (Ctrl-C) the work is asked to stop and the
/// exception raised, at the latest half a second later: work that has not come to its next tile by then ends on its
/// own, and `kept`, the objects it looks at, live until it has. It must own everything else it touches.
void run_interruptible(nanobind::object observer, std::vector<nanobind::object> kept, Work work);

/// Waits for work that was left behind; to be called before the interpreter ends.
void finish_abandoned();

}  // namespace mbsc::python
