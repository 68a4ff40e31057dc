# SPDX-License-Identifier: Apache-2.0
"""The point sets of the benchmark. Every set is a function of its size and a fixed seed."""
import gzip
import io

import numpy as np

import shared


def manifold(n, features=128, dimension=12, seed=1):
    """Points near a curved surface of `dimension` dimensions, with a little noise in all features."""
    random = np.random.default_rng(seed)
    first = random.standard_normal((dimension, 64)).astype(np.float32) / np.sqrt(dimension).astype(np.float32)
    second = random.standard_normal((64, features)).astype(np.float32) / 8
    X = np.empty((n, features), np.float32)
    for begin in range(0, n, 100_000):
        rows = slice(begin, min(n, begin + 100_000))
        hidden = random.standard_normal((rows.stop - begin, dimension), np.float32)
        X[rows] = np.tanh(hidden @ first) @ second
        X[rows] += 0.01 * random.standard_normal((rows.stop - begin, features), np.float32)
    return X


def mixture(n, features, groups=20, seed=2):
    """A mixture of Gaussians of different sizes and widths."""
    random = np.random.default_rng(seed)
    centers = 4 * random.standard_normal((groups, features), np.float32)
    widths = random.uniform(0.5, 1.5, groups).astype(np.float32)
    X = random.standard_normal((n, features), np.float32)
    of = random.choice(groups, n, p=random.dirichlet(np.full(groups, 5.0)))
    for begin in range(0, n, 100_000):
        some = of[begin:begin + 100_000]
        X[begin:begin + 100_000] *= widths[some, None]
        X[begin:begin + 100_000] += centers[some]
    return X


def with_copies(X, share=0.7, seed=3):
    """Replaces a share of the rows by copies of the other rows."""
    random = np.random.default_rng(seed)
    kept = int(round(len(X) * (1 - share)))
    rows = np.concatenate([np.arange(kept), random.integers(0, kept, len(X) - kept)])
    random.shuffle(rows)
    return X[rows]


def mnist():
    with gzip.open(shared.data_folder() / "mnist.csv.gz") as file:
        table = np.loadtxt(io.TextIOWrapper(file), delimiter=",", dtype=np.float32)
    return np.ascontiguousarray(table[:, :-1])
