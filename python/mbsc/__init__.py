# SPDX-License-Identifier: Apache-2.0
"""Spectral clustering by the exact normalized cut, without storing the n x n matrix.

    estimator     MiniBatchSpectralClustering, a scikit-learn estimator
    functional    spectral_embedding, kernel_product
    metrics       scores of labels, and distances of subspaces
    model_file    files of fitted estimators
    graphs        sparse matrices in the form that the library accepts
    progress      the argument of a callback, and the progress display of verbose=1
    option_docs   the documentation of the arguments
    points        arrays in the form that the library accepts
    ranks         ranks of an mpi4py communicator
    threads       converts n_jobs to a number of threads
    _core         the compiled library

Examples
--------
>>> import mbsc
>>> from sklearn.datasets import make_moons
>>> X, y = make_moons(500, noise=0.05, random_state=0)
>>> labels = mbsc.MiniBatchSpectralClustering(n_clusters=2, random_state=0).fit_predict(X)
>>> float(mbsc.metrics.adjusted_rand_score(y, labels))
1.0
"""
from . import metrics
from ._core import __version__, simd_level
from .estimator import MiniBatchSpectralClustering
from .functional import kernel_product, spectral_embedding
from .model_file import load
from .progress import Stage

__all__ = ["MiniBatchSpectralClustering", "Stage", "__version__", "kernel_product", "load", "metrics", "simd_level",
           "spectral_embedding"]
