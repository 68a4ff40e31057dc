# SPDX-License-Identifier: Apache-2.0
"""The labeled data sets of bench/graphs. The list, the scaling and the seeds are fixed, so
that no option can be made to look good by a choice of data.

SETS maps a name to a Set. `make` returns (points, classes). The points are clustered as float32, without further
scaling."""
import dataclasses
import gzip
import os
import pathlib
from typing import Callable

import numpy as np
from sklearn import datasets

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = pathlib.Path(os.environ.get("MBSC_DATA", ROOT / "data"))
SEED = 20  # of all generated sets


@dataclasses.dataclass(frozen=True)
class Set:
    name: str
    clusters: int
    kind: str  # "real" or "generated"
    make: Callable
    size: int


def table(name, rows=None):
    """A data set of the paper: features, then the class."""
    path = DATA / f"{name}.csv.gz"
    if not path.exists():
        raise FileNotFoundError(path)
    with gzip.open(path, "rt", encoding="ascii") as stream:
        values = np.loadtxt(stream, delimiter=",", dtype=np.float32, max_rows=rows)
    return values[:, :-1], values[:, -1].astype(int)


def standardized(points):
    deviation = points.std(axis=0)
    return (points - points.mean(axis=0)) / np.where(deviation > 0, deviation, 1)


def to_range(points, low, high):
    least, most = points.min(axis=0), points.max(axis=0)
    return low + (points - least) / np.where(most > least, most - least, 1) * (high - low)


def shuttle_symmetric():
    points, classes = table("shuttle")
    return to_range(points, -1, 1), classes


def covtype_1():
    """The paper's Covtype-I: all points of the classes 3 to 7, and 14,129 points of the classes 1 and 2 together. The
    classes 4, 5 and 6 are merged into one."""
    points, classes = table("covtype")
    points = to_range(points, 0, 1)
    rng = np.random.default_rng(SEED)
    large = np.flatnonzero(classes <= 2)
    chosen = np.sort(np.concatenate([rng.choice(large, 14129, replace=False), np.flatnonzero(classes > 2)]))
    return points[chosen], np.array([0, 1, 2, 3, 4, 4, 4, 5])[classes[chosen]]


def scaled(load):
    def make():
        points, classes = load(return_X_y=True)
        return standardized(points), classes
    return make


def spirals(n, noise):
    rng = np.random.default_rng(SEED)
    classes = rng.integers(3, size=n)
    turn = 0.25 + 1.5 * np.sqrt(rng.random(n))
    angle = 2 * np.pi * (turn + classes / 3)
    points = np.column_stack([turn * np.cos(angle), turn * np.sin(angle)])
    return points + noise * rng.normal(size=(n, 2)), classes


def clouds(n, features, shares, widths, apart):
    """Normal clouds with the given shares and widths, with centers drawn at a typical distance `apart`."""
    rng = np.random.default_rng(SEED)
    classes = rng.choice(len(shares), size=n, p=np.array(shares) / sum(shares))
    centers = rng.normal(size=(len(shares), features)) * apart / np.sqrt(2 * features)
    return centers[classes] + np.array(widths)[classes, None] * rng.normal(size=(n, features)), classes


def thin_beside_round(n):
    rng = np.random.default_rng(SEED)
    half = n // 2
    thin = np.column_stack([10 * rng.normal(size=half), 0.3 * rng.normal(size=half)])
    around = rng.normal(size=(n - half, 2)) + [0, 4]
    return np.concatenate([thin, around]), np.repeat([0, 1], [half, n - half])


def moons(n, noise):
    return lambda: datasets.make_moons(n, noise=noise, random_state=SEED)


def circles(n, noise):
    return lambda: datasets.make_circles(n, noise=noise, factor=0.5, random_state=SEED)


def _real():
    yield Set("pendigits", 10, "real", lambda: table("pendigits"), 10992)
    yield Set("shuttle", 7, "real", lambda: table("shuttle"), 58000)
    yield Set("shuttle symmetric", 7, "real", shuttle_symmetric, 58000)
    yield Set("mnist", 10, "real", lambda: table("mnist"), 60000)
    yield Set("covtype-1", 5, "real", covtype_1, 100000)
    yield Set("digits", 10, "real", lambda: datasets.load_digits(return_X_y=True), 1797)
    yield Set("iris", 3, "real", scaled(datasets.load_iris), 150)
    yield Set("wine", 3, "real", scaled(datasets.load_wine), 178)
    yield Set("breast cancer", 2, "real", scaled(datasets.load_breast_cancer), 569)


def _generated():
    for n, noise in ((1000, 0.05), (10000, 0.1), (10000, 0.15), (100000, 0.1), (1000000, 0.1)):
        yield Set(f"moons {n} {noise}", 2, "generated", moons(n, noise), n)
    for n, noise in ((1000, 0.05), (10000, 0.08), (100000, 0.08), (1000000, 0.08)):
        yield Set(f"circles {n} {noise}", 2, "generated", circles(n, noise), n)
    for n in (3000, 30000):
        yield Set(f"spirals {n}", 3, "generated", lambda n=n: spirals(n, 0.03), n)
    yield Set("thin beside round", 2, "generated", lambda: thin_beside_round(10000), 10000)
    sizes = (0.5, 0.25, 0.15, 0.07, 0.03)
    yield Set("unequal sizes, 10 features", 5, "generated", lambda: clouds(20000, 10, sizes, [1] * 5, 6), 20000)
    yield Set("unequal widths, 2 features", 3, "generated", lambda: clouds(10000, 2, (1, 1, 1), (1, 0.3, 2), 8), 10000)
    yield Set("16 clouds, 16 features", 16, "generated", lambda: clouds(1000000, 16, [1] * 16, [1] * 16, 8), 1000000)
    yield Set("10 clouds, 784 features", 10, "generated", lambda: clouds(5000, 784, [1] * 10, [1] * 10, 30), 5000)


SETS = {entry.name: entry for entry in [*_real(), *_generated()]}
