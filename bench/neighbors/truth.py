# SPDX-License-Identifier: Apache-2.0
"""The true neighbors of some points, by brute force in float64, and the recall of lists."""
import numpy as np


def true_neighbors(X, sample, each):
    """The `each` nearest rows of X at a positive distance from each sampled row: their numbers, and their squared
    distances. If X has copies, pass its distinct rows as X and the sampled rows of the points as `sample`."""
    Y = sample.astype(np.float64)
    own = (Y * Y).sum(1)[:, None]
    left = np.hstack([Y, np.ones((len(Y), 1))])
    best = np.full((len(Y), each), np.inf)
    numbers = np.zeros((len(Y), each), np.int64)
    step = 2500  # the products of a step stay in cache
    for begin in range(0, len(X), step):
        Z = X[begin:begin + step].astype(np.float64)
        products = left @ np.hstack([-2 * Z, (Z * Z).sum(1)[:, None]]).T  # squared distances, less |y|^2
        near = products <= best[:, -1:] * (1 + 1e-9) - own + 1e-9 * own
        for i in np.flatnonzero(near.any(1)):
            candidates = np.flatnonzero(near[i])
            exact = ((Z[candidates] - Y[i]) ** 2).sum(1)
            candidates, exact = candidates[exact > 0], exact[exact > 0]
            all_squares = np.concatenate([best[i], exact])
            order = np.argsort(all_squares, kind="stable")[:each]
            numbers[i] = np.concatenate([numbers[i], candidates + begin])[order]
            best[i] = all_squares[order]
    return numbers, best


def recall(X, points, lists, squares):
    """The share of the true neighbors that are in the lists. Entries at distance 0 (copies) do not count: if a list has
    c other entries, they are compared with the c nearest distinct points."""
    found = wanted = 0
    for point, row, truth in zip(points, lists, squares):
        row = np.unique(row[row != point])
        mine = ((X[row].astype(np.float64) - X[point].astype(np.float64)) ** 2).sum(1)
        others = mine[mine > 0]
        count = len(truth) if len(others) == len(mine) else len(others)
        found += min(count, int((others <= truth[count - 1] * (1 + 1e-9)).sum())) if count else 0
        wanted += count
    return found / wanted
