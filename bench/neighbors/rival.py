# SPDX-License-Identifier: Apache-2.0
"""Runs one rival on the points of an NPY file, and prints JSON. Each rival has its own process.

    rival.py METHOD POINTS.npy NEIGHBORS RECALL SAMPLE.npy TRUTH.npy OUTPUT.npy

The time is that from points in memory to the lists of all points. The compilation of pynndescent is not counted: it
runs on a small set first. hnswlib's `ef` is the smallest tried that reaches the recall on the sample; this trial is not
counted either. The lists of the sampled points are written to OUTPUT.npy.
"""
import json
import resource
import sys
import time

import numpy as np

THREADS = 2


def cpu_seconds():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


class Clock:
    def __init__(self):
        self.cpu, self.wall = cpu_seconds(), time.perf_counter()

    def read(self):
        return {"cpu_seconds": cpu_seconds() - self.cpu, "seconds": time.perf_counter() - self.wall}


def without_self(lists, points, each):
    """Removes the point itself from each list, or the last entry if the point is not in its list."""
    out = np.empty((len(lists), each), lists.dtype)
    for i, (row, point) in enumerate(zip(lists, points)):
        others = row[row != point]
        out[i] = others[:each]
    return out


def pynndescent(X, each):
    from pynndescent import NNDescent
    NNDescent(np.random.default_rng(0).standard_normal((5000, X.shape[1]), np.float32), n_neighbors=each + 1,
              n_jobs=THREADS, random_state=1)
    clock = Clock()
    lists = NNDescent(X, n_neighbors=each + 1, n_jobs=THREADS, random_state=1).neighbor_graph[0]
    return lists, {**clock.read(), "settings": "defaults"}


def hnswlib(X, each, wanted, sample, truth):
    import hnswlib as library
    clock = Clock()
    index = library.Index(space="l2", dim=X.shape[1])
    index.init_index(max_elements=len(X), M=16, ef_construction=100, random_seed=1)
    index.set_num_threads(THREADS)
    index.add_items(X)
    build = clock.read()
    for ef in (20, 24, 32, 48, 64, 96, 128):
        index.set_ef(ef)
        lists = without_self(index.knn_query(X[sample], k=each + 1)[0], sample, each)
        if np.mean([len(np.intersect1d(a, b)) for a, b in zip(lists, truth)]) >= wanted * each:
            break
    clock = Clock()
    lists = index.knn_query(X, k=each + 1)[0]
    query = clock.read()
    return lists, {**{key: build[key] + query[key] for key in build}, "build_cpu_seconds": build["cpu_seconds"],
                   "settings": f"M 16, ef_construction 100, ef {ef}"}


def main():
    method, points, each, wanted, sample, truth, output = sys.argv[1:]
    X, sample, truth, each = np.load(points), np.load(sample)[:, 0].astype(int), np.load(truth), int(each)
    lists, found = (pynndescent(X, each) if method == "pynndescent" else
                    hnswlib(X, each, float(wanted), sample, truth))
    np.save(output, without_self(lists[sample], sample, each))
    found["peak_memory_bytes"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    found["points_bytes"] = X.nbytes
    print(json.dumps(found))


if __name__ == "__main__":
    main()
