# SPDX-License-Identifier: Apache-2.0
"""Compares the functions of the package with NumPy and scikit-learn, and runs the examples in all docstrings."""
import doctest
import importlib
import pkgutil

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn import metrics as sklearn_metrics
from sklearn.metrics.pairwise import laplacian_kernel, rbf_kernel  # noqa: F401

import mbsc

RANDOM = np.random.RandomState(0)
X, Y, V = RANDOM.normal(size=(57, 4)), RANDOM.normal(size=(2100, 4)), RANDOM.normal(size=(2100, 3))


def dense(affinity, gamma):
    squares = ((X[:, None] - Y[None]) ** 2).sum(axis=2)
    if affinity == "rbf":
        return np.exp(-gamma * squares)
    if affinity == "exponential":
        return np.exp(-gamma * np.sqrt(squares))
    return np.maximum(0, X @ Y.T / np.linalg.norm(X, axis=1)[:, None] / np.linalg.norm(Y, axis=1))


@pytest.mark.parametrize("affinity", ["rbf", "exponential", "cosine"])
@pytest.mark.parametrize("dtype, bound", [(np.float32, 1e-4), (np.float64, 1e-11)])
def test_kernel_product_is_the_product_with_the_dense_matrix(affinity, dtype, bound):
    found = mbsc.kernel_product(X, Y, V.astype(dtype), 0.3, affinity=affinity)
    assert found.dtype == dtype
    assert_allclose(found, dense(affinity, 0.3) @ V, atol=bound * 50)
    assert_allclose(mbsc.kernel_product(X, Y, V[:, 0].astype(dtype), 0.3, affinity=affinity), found[:, 0], rtol=1e-6)


@pytest.mark.parametrize("arguments, words", [
    ((X, Y[:, :3], V), "features"), ((X, Y, V[:5]), "V must have a row"), ((X, Y, V, -1.0), "gamma must be positive")])
def test_kernel_product_refuses_what_does_not_fit(arguments, words):
    with pytest.raises(ValueError, match=words):
        mbsc.kernel_product(*arguments)


def test_spectral_embedding_solves_the_eigenproblem():
    points = RANDOM.normal(size=(300, 3))
    W, values = mbsc.spectral_embedding(points, 4, gamma=0.5, regularization=0.0, return_eigenvalues=True, random_state=0)
    A = rbf_kernel(points, gamma=0.5) - np.eye(300)
    root = 1 / np.sqrt(A.sum(axis=1))
    L = root[:, None] * A * root
    exact_values, U = np.linalg.eigh(L)
    assert_allclose(values, exact_values[::-1][:4], atol=1e-5)
    assert mbsc.metrics.subspace_error(U[:, ::-1][:, :4], W) < 1e-4


def test_scores_are_scikit_learns():
    a, b = RANDOM.randint(5, size=500), RANDOM.randint(4, size=500)
    b[:200] = a[:200]
    ours = mbsc.metrics
    assert ours.adjusted_rand_score(a, b) == pytest.approx(sklearn_metrics.adjusted_rand_score(a, b))
    for average in ("arithmetic", "geometric"):
        assert ours.normalized_mutual_info_score(a, b, average_method=average) == pytest.approx(
            sklearn_metrics.normalized_mutual_info_score(a, b, average_method=average))


@pytest.mark.parametrize("affinity", ["rbf", "precomputed"])
def test_normalized_cut_is_its_formula(affinity):
    points, labels = RANDOM.normal(size=(200, 3)), RANDOM.randint(3, size=200)
    A = rbf_kernel(points, gamma=0.5) - np.eye(200)
    expected = sum(A[np.ix_(labels == c, labels != c)].sum() / A[labels == c].sum() for c in range(3))
    found = mbsc.metrics.normalized_cut(points if affinity == "rbf" else A, labels, 0.5, affinity=affinity)
    assert found == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("name", [module.name for module in pkgutil.iter_modules(mbsc.__path__)
                                  if not module.name.startswith("_")] + [""])
def test_examples_of_docstrings(name):
    module = importlib.import_module(f"mbsc.{name}" if name else "mbsc")
    assert doctest.testmod(module).failed == 0


def test_every_public_name_has_a_docstring():
    for name in mbsc.__all__:
        if not name.startswith("__"):
            assert getattr(mbsc, name).__doc__
