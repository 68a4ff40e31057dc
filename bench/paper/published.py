# SPDX-License-Identifier: Apache-2.0
"""The numbers that the paper prints (Han, Filippone, Mini-Batch Spectral Clustering), in tables and in a caption."""

MACHINE = "10 cores, 20 GB"
DATA = {
    "pendigits": {"n": 10_992, "d": 16, "classes": 10, "sigma": 223.61},
    "shuttle": {"n": 58_000, "d": 9, "classes": 7, "sigma": 0.45},
    "mnist": {"n": 60_000, "d": 780, "classes": 10, "sigma": 4.08},
    "covtype-I": {"n": 100_000, "d": 54, "classes": 5, "sigma": 1.15},
    "covtype-II": {"n": 581_012, "d": 54, "classes": 7, "sigma": 1.15},
}
# The NMI of the run with the largest batch size, after one pass, and the seconds of each method.
FIGURE = {
    "pendigits": {"nmi": 0.67, "minibatch": 3.8, "power": 20, "nystrom": 15.2},
    "shuttle": {"nmi": 0.48, "minibatch": 107, "power": 935, "nystrom": 198},
    "mnist": {"nmi": 0.47, "minibatch": 112, "power": 987, "nystrom": 211},
}
# The rows of the paper's table: (NMI, seconds).
COVTYPE = {
    "covtype-I": {"minibatch-400": (0.40, 998), "minibatch-800": (0.40, 2100), "nystrom-400": (0.38, 78),
                  "nystrom-800": (0.38, 965), "power": (0.40, 9300)},
    "covtype-II": {"minibatch-1000": (0.14, 7500), "minibatch-2000": (0.14, 12610), "nystrom-1000": (0.09, 2520),
                   "nystrom-2000": (0.11, 11420)},
}
MEMORY_GB = {"covtype-I": 1, "covtype-II": 3.6}
# The largest difference from a number of the paper that still counts as equal.
NEAR = 0.02
