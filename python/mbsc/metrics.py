# SPDX-License-Identifier: Apache-2.0
"""Scores of labels, the normalized cut, and the distance between two subspaces."""
from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from . import _core, graphs
from .points import rows_of
from .threads import threads_for


def _as_numbers(labels: ArrayLike) -> np.ndarray:
    """Labels of any kind as 0, 1, ... in sorted order."""
    return np.unique(np.asarray(labels).ravel(), return_inverse=True)[1].astype(np.int32).ravel()


def score_labels(truth: ArrayLike, labels: ArrayLike) -> dict[str, float]:
    """All scores of two labelings of the same points, as in ``mbsc score``.

    Returns
    -------
    scores : dict
        ``nmi`` (arithmetic mean), ``nmi_geometric``, ``ari``, ``accuracy``.

    Examples
    --------
    >>> from mbsc.metrics import score_labels
    >>> score_labels([0, 0, 1, 1], ["b", "b", "a", "a"])["accuracy"]
    1.0
    """
    return _core.score_labels(_as_numbers(truth), _as_numbers(labels))


def normalized_mutual_info_score(truth: ArrayLike, labels: ArrayLike, *, average_method: str = "arithmetic") -> float:
    """Mutual information divided by the arithmetic or geometric mean of the entropies.

    Examples
    --------
    >>> from mbsc.metrics import normalized_mutual_info_score
    >>> normalized_mutual_info_score([0, 0, 1, 1], [1, 1, 0, 0])
    1.0
    """
    keys = {"arithmetic": "nmi", "geometric": "nmi_geometric"}
    if average_method not in keys:
        raise ValueError(f"average_method must be one of {', '.join(keys)}; got {average_method!r}")
    return score_labels(truth, labels)[keys[average_method]]


def adjusted_rand_score(truth: ArrayLike, labels: ArrayLike) -> float:
    """Agreement of two labelings on pairs of points, corrected for chance.

    Examples
    --------
    >>> from mbsc.metrics import adjusted_rand_score
    >>> adjusted_rand_score([0, 0, 1, 1], [1, 1, 0, 0])
    1.0
    """
    return score_labels(truth, labels)["ari"]


def clustering_accuracy(truth: ArrayLike, labels: ArrayLike) -> float:
    """The share of points whose class is matched to their cluster, in the best one-to-one matching.

    Examples
    --------
    >>> from mbsc.metrics import clustering_accuracy
    >>> clustering_accuracy([0, 0, 1, 1], [1, 1, 0, 1])
    0.75
    """
    return score_labels(truth, labels)["accuracy"]


def normalized_cut(X: ArrayLike, labels: ArrayLike, gamma: float = 1.0, *, affinity: str = "rbf",
                   n_jobs: int | None = None) -> float:
    """The normalized cut sum_c cut(c, rest) / vol(c), a number between 0 and k. Takes one full product.

    cut(c, rest) is the sum of the affinities between cluster c and the other points; vol(c) is the sum of the degrees
    of c. Spectral clustering minimizes a relaxation of the normalized cut.

    Parameters
    ----------
    X : array-like of shape (n, d), or (n, n) with ``affinity='precomputed'``; a sparse matrix is a graph
    labels : array-like of shape (n,)
    gamma : float, default=1.0
    affinity : {'rbf', 'exponential', 'cosine', 'precomputed'}, default='rbf'
    n_jobs : int or None, default=None

    Examples
    --------
    >>> from mbsc.metrics import normalized_cut
    >>> round(normalized_cut([[0.0], [0.1], [9.0], [9.1]], [0, 0, 1, 1]), 6)
    0.0
    """
    if graphs.issparse(X):
        if affinity != "precomputed":
            raise ValueError(f"a sparse matrix is a graph, which needs affinity='precomputed'; got {affinity!r}")
        return _core.normalized_cut_of_graph(*graphs.arrays_of(graphs.checked(X)), _as_numbers(labels),
                                             threads_for(n_jobs))
    return _core.normalized_cut(rows_of(X), _as_numbers(labels), affinity, float(gamma), threads_for(n_jobs))


def subspace_error(U: ArrayLike, W: ArrayLike) -> float:
    """|U - W W'U|_F / sqrt(k) of two orthonormal bases, which is the rms sine of the angles between them.

    It is 0 if the span of W contains U.

    Examples
    --------
    >>> import numpy as np
    >>> from mbsc.metrics import subspace_error
    >>> round(subspace_error(np.eye(3)[:, :2], np.eye(3)[:, 1:]), 6)
    0.707107
    """
    U, W = (np.asarray(basis, dtype=np.float64) for basis in (U, W))
    return float(np.linalg.norm(U - W @ (W.T @ U)) / np.sqrt(U.shape[1]))
