# SPDX-License-Identifier: Apache-2.0
"""Statistics of a few seeds: 95 % intervals, and verdicts that may be "not settled"."""
import math
import statistics

# Two-sided 95 % quantiles of Student's t by degrees of freedom. From 30 on, the normal distribution is close enough.
T95 = [12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23, 2.20, 2.18, 2.16, 2.14, 2.13, 2.12, 2.11, 2.10,
       2.09, 2.09, 2.08, 2.07, 2.07, 2.06, 2.06, 2.06, 2.05, 2.05, 2.05]
HOLDS, FAILS, OPEN = "holds", "does **not** hold", "is **not settled** by these seeds"


def t95(freedom):
    return T95[int(freedom) - 1] if 1 <= freedom < len(T95) + 1 else 1.96


def difference(first, second):
    """The 95 % interval of the difference of two means, by Welch's formula. It is infinite if either list has fewer
    than two values."""
    if min(len(first), len(second)) < 2:
        return -math.inf, math.inf
    apart = statistics.mean(first) - statistics.mean(second)
    parts = [(statistics.variance(values) / len(values), len(values) - 1) for values in (first, second)]
    error = sum(part for part, _ in parts)
    if error == 0:
        return apart, apart
    freedom = max(1, math.floor(error**2 / sum(part**2 / df for part, df in parts)))
    return apart - t95(freedom) * math.sqrt(error), apart + t95(freedom) * math.sqrt(error)


def paired(first, second):
    """The same for pairs of values, one pair for each seed."""
    apart = [a - b for a, b in zip(first, second)]
    return difference(apart, [0.0] * len(apart))


def inside(interval, least, most):
    """A verdict whether the quantity lies in [least, most], given its interval."""
    if least <= interval[0] and interval[1] <= most:
        return HOLDS
    return FAILS if interval[1] < least or interval[0] > most else OPEN


def above(interval, level=0.0):
    return inside(interval, level, math.inf)


def smaller_spread(later, earlier):
    """A verdict whether the later values vary less, by absolute deviations from the medians (Brown, Forsythe)."""
    def deviations(values):
        middle = statistics.median(values)
        return [abs(value - middle) for value in values]
    return above(difference(deviations(earlier), deviations(later)))


def interval_text(interval, digits=3):
    return f"{interval[0]:+.{digits}f} to {interval[1]:+.{digits}f}"
