# SPDX-License-Identifier: Apache-2.0
"""Graphs: sparse arrays and matrices of SciPy in the form that the library accepts, and scikit-learn's graphs of
distances."""
from __future__ import annotations

import numpy as np
from scipy.sparse import issparse

from .points import FLOATS

#: The affinities whose input is square.
PRECOMPUTED = ("precomputed", "precomputed_nearest_neighbors")


def checked(graph):
    """The graph as a CSR or CSC matrix of floats; copied only if necessary."""
    from sklearn.utils import check_array

    return check_array(graph, accept_sparse=("csr", "csc"), dtype=FLOATS)


def arrays_of(graph) -> tuple[np.ndarray, np.ndarray, np.ndarray, bool]:
    """The starts, indices and weights of a CSR or CSC matrix, and whether it is CSC. Returns SciPy's own arrays without a
    copy, except that 32-bit starts and 64-bit indices are converted."""
    if graph.shape[0] != graph.shape[1]:
        raise ValueError(f"the matrix of a graph must be square; got {graph.shape[0]} x {graph.shape[1]}")
    if graph.shape[0] >= 2**31:
        raise ValueError(f"a graph must have fewer than 2^31 nodes; got {graph.shape[0]}")
    values = np.ascontiguousarray(graph.data)
    if not values.dtype.isnative:
        values = values.astype(values.dtype.newbyteorder("="))
    return (np.ascontiguousarray(graph.indptr, np.int64), np.ascontiguousarray(graph.indices, np.int32), values,
            graph.format == "csc")


def nearest_connectivity(distances, n_neighbors: int | str, n_jobs: int | None):
    """The graph of scikit-learn's ``affinity='precomputed_nearest_neighbors'``: each point is joined to its
    ``n_neighbors`` nearest with weight 1, then A = (A + A')/2."""
    from sklearn.neighbors import NearestNeighbors, sort_graph_by_row_values

    if distances.shape[0] != distances.shape[1]:
        raise ValueError(f"the matrix of distances must be square; got {distances.shape[0]} x {distances.shape[1]}")
    fewest = len(distances) if not issparse(distances) else None
    if issparse(distances):
        distances = sort_graph_by_row_values(distances.tocsr(), copy=True, warn_when_not_sorted=False)
        fewest = int(np.diff(distances.indptr).min())
    if fewest < 1:
        raise ValueError("every point must have at least one neighbor in a graph of distances")
    count = min(10, fewest) if n_neighbors == "auto" else n_neighbors
    nearest = NearestNeighbors(n_neighbors=count, metric="precomputed", n_jobs=n_jobs).fit(distances)
    connectivity = nearest.kneighbors_graph(distances, mode="connectivity")
    return 0.5 * (connectivity + connectivity.T)
