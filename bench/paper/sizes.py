# SPDX-License-Identifier: Apache-2.0
"""The sizes of the experiments. The full run takes two hours on two cores, the quick one some minutes."""

FIGURE_SETS = ["pendigits", "shuttle", "mnist"]
COVTYPE_SETS = ["covtype-I", "covtype-II"]
TITLES = {"pendigits": "Pendigits", "shuttle": "Shuttle", "mnist": "MNIST", "covtype-I": "Covtype-I",
          "covtype-II": "Covtype-II", "blobs": "blobs"}

FULL = {
    "points": {},  # all
    # A pass takes most of a minute on MNIST, for any m.
    "batch_sizes": {"pendigits": [50, 100, 200, 500, 1000], "shuttle": [50, 100, 200, 500, 1000],
                    "mnist": [50, 200, 1000]},
    # {restarts of k-means: repetitions} of the largest batches, with every embedding.
    "choices": {"pendigits": {10: 10, 1: 10}, "shuttle": {10: 10, 1: 10}, "mnist": {10: 3}},
    "landmarks": [10, 50, 100, 500, 1000],
    "checks": [0.01, 0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.75, 1],
    "seeds": 10,
    "power": {"pendigits": (8, 3), "shuttle": (8, 3), "mnist": (8, 1)},  # products, repetitions
    "ours": {"pendigits": ([0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2], 5),
             "shuttle": ([0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2], 3), "mnist": ([0.01, 0.05, 0.1, 0.25, 0.5, 1], 1)},
    "covtype": {"covtype-I": {"batch_sizes": [400, 800], "seeds": 3, "seeds_of": {"exact": 1}, "ours": 1,
                              "exact": True},
                # A row takes minutes for each seed; the power method takes ten minutes.
                "covtype-II": {"batch_sizes": [1000, 2000], "seeds": 2,
                               "seeds_of": {"minibatch-2000": 1, "power": 1, "ours": 1}, "ours": 0.05, "exact": False}},
    "iterations": 200,
    "variance": {"batch_size": 100, "nonzeros": [1, 2, 5, 10, 20, 50, 100], "draws": 200,
                 "checks": [0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1], "seed": 0},
    "stability": {"pendigits": 10, "shuttle": 3},  # repetitions
    "search": {"points": 12_000, "seeds": 2, "at_full_size": 3, "scalings": None},
}

QUICK = {
    "points": {"pendigits": 1500, "shuttle": 1500, "mnist": 1000, "covtype-I": 2000, "covtype-II": 2500},
    "batch_sizes": {name: [50, 200] for name in FIGURE_SETS},
    "choices": {name: {10: 1, 1: 1} for name in FIGURE_SETS},
    "landmarks": [10, 100],
    "checks": [0.2, 1],
    "seeds": 2,
    "power": {name: (3, 1) for name in FIGURE_SETS},
    "ours": {name: ([0.2, 1], 1) for name in FIGURE_SETS},
    "covtype": {"covtype-I": {"batch_sizes": [100], "seeds": 1, "seeds_of": {}, "ours": 1, "exact": True},
                "covtype-II": {"batch_sizes": [100], "seeds": 1, "seeds_of": {}, "ours": 0.5, "exact": False}},
    "iterations": 20,
    "variance": {"batch_size": 40, "nonzeros": [1, 4, 20], "draws": 300, "checks": [0.05, 1], "seed": 0},
    "stability": {"pendigits": 2},
    "search": {"points": 1000, "seeds": 1, "at_full_size": 0, "scalings": ["unit", "standard-ten-rows"]},
}
