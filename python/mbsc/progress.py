# SPDX-License-Identifier: Apache-2.0
"""Where a run is: what a callback hears, and the line that ``verbose=1`` shows."""
from __future__ import annotations

import math
import sys
import time
from typing import Callable, NamedTuple

try:
    from tqdm.auto import tqdm
except ImportError:  # a plain line does as well
    tqdm = None

SECONDS_BETWEEN_LINES = 1.0


class Stage(NamedTuple):
    """Where a run is; what is not known is NaN."""

    name: str  #: "degrees", "solve", "kmeans"
    fraction: float  #: of the stage
    iteration: int
    passes: float
    objective: float  #: trace(W'LW) as last estimated
    residual: float  #: the largest


class ProgressBar:
    """A bar of tqdm's for each stage."""

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
    """A line now and then, where there is no tqdm."""

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
    """What the library calls: shows the progress, asks the callback."""

    def __init__(self, verbose: int, callback: Callable[[Stage], object] | None) -> None:
        self._callback = callback
        self._progress = (ProgressBar() if tqdm is not None else ProgressLines()) if verbose else None

    @classmethod
    def wanted(cls, verbose: int, callback: Callable[[Stage], object] | None) -> "Observer | None":
        """None where nobody listens: a run then never waits for Python."""
        return cls(verbose, callback) if verbose or callback is not None else None

    def __call__(self, *stage) -> bool:
        stage = Stage(*stage)
        if self._progress is not None:
            self._progress.show(stage)
        return self._callback is None or self._callback(stage) is not False

    def close(self) -> None:
        if self._progress is not None:
            self._progress.close()
