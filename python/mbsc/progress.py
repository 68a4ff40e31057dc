# SPDX-License-Identifier: Apache-2.0
"""The progress of a run: the argument of a callback, and the display of ``verbose=1``."""
from __future__ import annotations

import math
import sys
import time
from typing import Callable, NamedTuple

try:
    from tqdm.auto import tqdm
except ImportError:  # use plain lines instead
    tqdm = None

SECONDS_BETWEEN_LINES = 1.0


class Stage(NamedTuple):
    """The progress of a run; unknown values are NaN."""

    name: str  #: "degrees", "solve", "kmeans"
    fraction: float  #: completed share of the stage
    iteration: int
    passes: float
    objective: float  #: latest estimate of trace(W'LW)
    residual: float  #: the largest residual


class ProgressBar:
    """A tqdm bar for each stage."""

    def __init__(self) -> None:
        self._bar = None
        self._name = ""

    def show(self, stage: Stage) -> None:
        if stage.name != self._name:
            self.close()
            self._name = stage.name
            self._bar = tqdm(total=100, desc=f"mbsc {stage.name}", unit="%", leave=True)
        if not math.isnan(stage.fraction):
            self._bar.update(round(100 * stage.fraction, 1) - self._bar.n)
        if stage.iteration > 0:
            self._bar.set_postfix_str(f"passes {stage.passes:.2f}, objective {stage.objective:.4f}", refresh=False)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
        self._bar, self._name = None, ""


class ProgressLines:
    """Lines of text at intervals, if tqdm is not installed."""

    def __init__(self) -> None:
        self._name, self._last = "", 0.0

    def show(self, stage: Stage) -> None:
        now = time.monotonic()
        if stage.name == self._name and now - self._last < SECONDS_BETWEEN_LINES:
            return
        self._name, self._last = stage.name, now
        text = f"mbsc {stage.name}"
        if not math.isnan(stage.fraction):
            text += f" {100 * stage.fraction:.0f} %"
        if stage.iteration > 0:
            text += f", passes {stage.passes:.2f}, objective {stage.objective:.4f}"
        print(text, file=sys.stderr, flush=True)

    def close(self) -> None:
        self._name = ""


class Observer:
    """Called by the library: shows the progress and calls the callback."""

    def __init__(self, verbose: int, callback: Callable[[Stage], object] | None) -> None:
        self._callback = callback
        self._progress = (ProgressBar() if tqdm is not None else ProgressLines()) if verbose else None

    @classmethod
    def wanted(cls, verbose: int, callback: Callable[[Stage], object] | None) -> "Observer | None":
        """An observer, or None if neither a display nor a callback is requested: a run then never waits for Python."""
        return cls(verbose, callback) if verbose or callback is not None else None

    def __call__(self, *stage) -> bool:
        stage = Stage(*stage)
        if self._progress is not None:
            self._progress.show(stage)
        return self._callback is None or self._callback(stage) is not False

    def close(self) -> None:
        if self._progress is not None:
            self._progress.close()
