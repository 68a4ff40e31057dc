# SPDX-License-Identifier: Apache-2.0
"""The parts of the computation as functions of arrays."""
from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from . import _core
from .points import rows_of
from .threads import threads_for


def kernel_product(X: ArrayLike, Y: ArrayLike, V: ArrayLike, gamma: float = 1.0, *, affinity: str = "rbf",
                   n_jobs: int | None = None) -> np.ndarray:
    """The product A(X, Y) V with a kernel matrix that is never stored.

    Kernel values are computed tile by tile and used while they are in the cache of the processor. Each value is
    evaluated once, for any number of columns of ``V``. Besides the arguments, only the result needs much memory.

    Parameters
    ----------
    X : array-like of shape (m, d)
    Y : array-like of shape (n, d)
    V : array-like of shape (n, r) or (n,)
        float32 uses tiles in float32; any other type uses tiles in float64, which take twice as long.
    gamma : float, default=1.0
        Parameter of the kernel; ``cosine`` does not use it.
    affinity : {'rbf', 'exponential', 'cosine'}, default='rbf'
        exp(-gamma |x-y|^2), exp(-gamma |x-y|), max(0, cosine).
    n_jobs : int or None, default=None
        Threads; see :class:`MiniBatchSpectralClustering`.

    Returns
    -------
    product : ndarray of shape (m, r) or (m,), float32 if ``V`` is float32, else float64
        If a point is in both sets, its affinity to itself is a(x, x) = 1, not 0.

    Examples
    --------
    >>> import mbsc, numpy as np
    >>> X = np.array([[0.0], [1.0]]); Y = np.array([[0.0], [2.0], [3.0]])
    >>> mbsc.kernel_product(X, Y, np.ones(3), gamma=1.0).round(4)
    array([1.0184, 0.7541])
    """
    V = np.asarray(V)
    V = V if V.dtype in (np.float32, np.float64) else V.astype(np.float64)
    if V.ndim not in (1, 2):
        raise ValueError(f"V must have 1 or 2 dimensions; got {V.ndim}")
    columns = np.ascontiguousarray(V.reshape(len(V), -1))
    product = _core.kernel_product(rows_of(X), rows_of(Y, "Y"), columns, affinity, float(gamma), threads_for(n_jobs))
    return product.astype(V.dtype, copy=False).reshape((-1,) + V.shape[1:])


def spectral_embedding(X: ArrayLike, n_components: int = 8, *, return_eigenvalues: bool = False, **options):
    """The leading eigenvectors of L = S (A + (tau/n) 11') S, S = (D + tau)^-1/2: the input of k-means.

    Parameters
    ----------
    X : array-like of shape (n, d), or (n, n) with ``affinity='precomputed'``
    n_components : int, default=8
        Number of eigenvectors. The automatic gamma depends on the number of clusters; here it is chosen as for
        ``n_components`` clusters.
    return_eigenvalues : bool, default=False
        Whether to return the eigenvalues as well.
    **options
        Any argument of :class:`MiniBatchSpectralClustering` except n_clusters, assign_labels and n_init.

    Returns
    -------
    embedding : ndarray of shape (n, n_components), float32
        Orthonormal columns, by descending eigenvalue.
    eigenvalues : ndarray of shape (n_components,)
        Only with ``return_eigenvalues``.

    Examples
    --------
    >>> import mbsc
    >>> from sklearn.datasets import make_blobs
    >>> X, _ = make_blobs(300, centers=3, random_state=0)
    >>> W, values = mbsc.spectral_embedding(X, 3, return_eigenvalues=True, random_state=0)
    >>> W.shape, bool(abs(values[0] - 1) < 1e-5)
    ((300, 3), True)
    """
    from .estimator import MiniBatchSpectralClustering

    fitted = MiniBatchSpectralClustering(n_components, n_init=1, **options).fit(X)
    return (fitted.embedding_, fitted.eigenvalues_) if return_eigenvalues else fitted.embedding_
