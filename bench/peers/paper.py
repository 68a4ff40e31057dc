# SPDX-License-Identifier: Apache-2.0
"""A straightforward version of the paper's algorithm in numpy: Algorithms 1 and 2 of Han & Filippone, with a Nystrom
start and AdaGrad. It uses float32, so that its matrix products are SGEMM. Its memory is O(n m)."""
import time

import numpy as np


class Laplacian:
    """L = D^-1/2 A D^-1/2, a(x, x) = 0, by columns."""

    def __init__(self, X, gamma, chunk=500):
        self.X = np.asarray(X - X.mean(0), np.float32)
        self.gamma, self.n = np.float32(gamma), len(X)
        self.norms = (self.X * self.X).sum(1)
        degrees = np.zeros(self.n)
        for first in range(0, self.n, chunk):
            degrees += self.kernel(np.arange(first, min(first + chunk, self.n))).sum(1, dtype=np.float64)
        self.scale = (1 / np.sqrt(np.maximum(degrees, 1e-12))).astype(np.float32)[:, None]

    def kernel(self, columns):
        """A[:, columns]"""
        t = self.X @ (-2 * self.X[columns].T)
        t += self.norms[:, None]
        t += self.norms[columns]
        np.maximum(t, 0, out=t)
        t *= -self.gamma
        np.exp(t, out=t)
        t[columns, np.arange(len(columns))] = 0
        return t

    def columns(self, columns, C):
        """L[:, columns] C"""
        return self.scale * (self.kernel(columns) @ (self.scale[columns] * C))


def nystrom_start(L, k, landmarks, rng):
    chosen = rng.choice(L.n, max(k, landmarks), replace=False)
    K = L.kernel(chosen)
    K[chosen, np.arange(len(chosen))] = 1
    K *= L.scale * L.scale[chosen].T
    values, vectors = np.linalg.eigh(K[chosen].astype(np.float64))
    return np.linalg.qr(K @ (vectors[:, -k:] / np.maximum(values[-k:], 1e-6)).astype(np.float32))[0]


def solve(X, gamma, k, batch, passes, seed, landmarks=10, epsilon=1e-6):
    """Returns W, and the seconds of the degrees and of the iterations."""
    rng = np.random.default_rng(seed)
    begin = time.perf_counter()
    L = Laplacian(X, gamma)
    middle = time.perf_counter()
    n = L.n
    W = nystrom_start(L, k, landmarks, rng)
    M = np.zeros_like(W)
    step = 1 / np.sqrt(n)
    order = rng.permutation(n)
    for t in range(int(passes * n) // batch):
        if t * batch % n + batch > n:
            order = rng.permutation(n)
        chosen = order[t * batch % n:][:batch]
        G = L.columns(chosen, W[chosen]) * np.float32(n / len(chosen))
        H = G - W @ (W.T @ G)
        M += H * H
        W = np.linalg.qr(W + step * H / (epsilon + np.sqrt(M)))[0]
    return W, middle - begin, time.perf_counter() - middle
