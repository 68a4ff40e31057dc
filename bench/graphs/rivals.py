# SPDX-License-Identifier: Apache-2.0
"""Other methods on the sets of bench/graphs: k-means and spectral clustering of scikit-learn, and HDBSCAN.

Each rival takes (points, clusters, seed) and returns labels. RIVALS maps a name to a rival and to the largest n at which
it is tried: beyond that, it takes too long or too much memory."""
import numpy as np
from sklearn import cluster


def kmeans(points, clusters, seed):
    return cluster.KMeans(clusters, n_init=10, random_state=seed).fit_predict(points)


def spectral(points, clusters, seed):
    """The graph of scikit-learn: the 10 nearest points, weights 1."""
    return cluster.SpectralClustering(clusters, affinity="nearest_neighbors", random_state=seed).fit_predict(points)


def hdbscan(points, clusters, seed):
    """HDBSCAN is not told k. A cluster has at least a tenth of n/k points. Noise counts as a cluster of its own."""
    del seed
    least = max(5, len(points) // (10 * clusters))
    return cluster.HDBSCAN(min_cluster_size=least, min_samples=5, n_jobs=-1).fit_predict(np.asarray(points))


RIVALS = {"k-means": (kmeans, 10**6), "scikit-learn": (spectral, 11000), "HDBSCAN": (hdbscan, 20000)}
