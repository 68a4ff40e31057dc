# SPDX-License-Identifier: Apache-2.0
"""Runs one peer on one data set, in its own process, so that the peak memory is that of the peer alone.

usage: worker.py PEER FOLDER K GAMMA OUTPUT.npz    FOLDER has X.npy; OUTPUT gets seconds, labels and other results

Reading the data, importing packages and compiling (KeOps) are not timed.
"""
import pathlib
import resource
import sys
import time
import warnings

import numpy as np


def spectral(solver):
    def run(X, k, gamma):
        from sklearn.cluster import SpectralClustering
        estimator = SpectralClustering(k, gamma=gamma, eigen_solver=solver, random_state=0, n_init=10)
        begin = time.perf_counter()
        estimator.fit(X)
        return {"seconds": time.perf_counter() - begin, "labels": estimator.labels_}
    return run


def nystroem(components):
    def run(X, k, gamma):
        from sklearn.cluster import KMeans
        from sklearn.kernel_approximation import Nystroem
        features = Nystroem(gamma=gamma, n_components=components, random_state=0)
        clusters = KMeans(k, n_init=10, random_state=0)
        begin = time.perf_counter()
        labels = clusters.fit_predict(features.fit_transform(X))
        return {"seconds": time.perf_counter() - begin, "labels": labels}
    return run


def dask_ml(X, k, gamma):
    from dask_ml.cluster import SpectralClustering
    import dask.array
    estimator = SpectralClustering(k, gamma=gamma, n_components=1000, random_state=0)
    begin = time.perf_counter()
    estimator.fit(dask.array.from_array(X, chunks=(len(X), X.shape[1])))
    labels = np.asarray(estimator.labels_)
    return {"seconds": time.perf_counter() - begin, "labels": labels}


def paper_numpy(X, k, gamma):
    import paper
    from sklearn.cluster import KMeans
    clusters = KMeans(k, n_init=10, random_state=0)
    begin = time.perf_counter()
    W, degrees, solve = paper.solve(X, gamma, k, batch=100, passes=1, seed=0)
    labels = clusters.fit_predict(W * np.sqrt(len(W)))
    return {"seconds": time.perf_counter() - begin, "labels": labels, "embedding": W, "degrees_seconds": degrees,
            "solve_seconds": solve}


def keops(X, k, gamma):
    """The product A V alone, with a(x, x) = 1 and the V of bench_product."""
    import pykeops
    pykeops.set_verbose(False)
    from pykeops.numpy import LazyTensor
    V = right_hand_sides(len(X))

    def product(points, right):
        x, y = LazyTensor(points[:, None, :]), LazyTensor(points[None, :, :])
        return (-gamma * ((x - y) ** 2).sum(-1)).exp() @ right
    product(np.ascontiguousarray(X[:500]), V[:500].copy())  # compiles
    X = np.ascontiguousarray(X, np.float32)
    begin = time.perf_counter()
    out = product(X, V)
    return {"seconds": time.perf_counter() - begin, "product": out - V}


def right_hand_sides(n, columns=10):
    """((i columns + c) * 2654435761 mod 2^32) / 2^32 - 1/2, as in bench_product."""
    at = np.arange(n * columns, dtype=np.uint64) * np.uint64(2654435761) % np.uint64(2**32)
    return (at / 2.0**32 - 0.5).astype(np.float32).reshape(n, columns)


PEERS = {
    "sklearn-arpack": spectral("arpack"),
    "sklearn-lobpcg": spectral("lobpcg"),
    "sklearn-amg": spectral("amg"),
    "sklearn-nystroem-100": nystroem(100),
    "sklearn-nystroem-500": nystroem(500),
    "sklearn-nystroem-1000": nystroem(1000),
    "sklearn-nystroem-2000": nystroem(2000),
    "dask-ml": dask_ml,
    "paper-numpy": paper_numpy,
    "keops-product": keops,
}


def main():
    peer, folder, k, gamma, output = sys.argv[1:]
    warnings.simplefilter("ignore")
    X = np.load(pathlib.Path(folder) / "X.npy")
    result = PEERS[peer](X, int(k), float(gamma))
    result["peak_memory_bytes"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    np.savez(output, **result)


if __name__ == "__main__":
    main()
