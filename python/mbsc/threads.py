# SPDX-License-Identifier: Apache-2.0
"""Converts n_jobs to a number of threads, like the threaded code of scikit-learn."""
from __future__ import annotations

import numbers

import threadpoolctl

from ._core import default_threads


def openmp_limit() -> int | None:
    """The limit for the OpenMP code of this process (``threadpool_limits`` or OMP_NUM_THREADS); None if no limit."""
    limits = [library["num_threads"] for library in threadpoolctl.threadpool_info()
              if library["user_api"] == "openmp" and library["num_threads"]]
    return min(limits) if limits else None


def threads_for(n_jobs: int | None, most: int | None = None) -> int:
    """The number of threads for `n_jobs`. -1: the value of OMP_NUM_THREADS if it is set, else all CPUs of this process;
    -2: one less; n > 0: n. None: `most`, by default as -1, but at most the limit for OpenMP."""
    if n_jobs is None:
        most = most or default_threads()
        return min(most, openmp_limit() or most)
    if not isinstance(n_jobs, numbers.Integral) or n_jobs == 0:
        raise ValueError(f"n_jobs must be None or an integer other than 0; got {n_jobs!r}")
    return int(n_jobs) if n_jobs > 0 else max(1, default_threads() + 1 + int(n_jobs))
