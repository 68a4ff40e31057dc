# SPDX-License-Identifier: Apache-2.0
"""What scikit-learn tests of its own SpectralClustering, tested for ours: shapes to find, seeds, dtypes, errors."""
import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.datasets import make_blobs, make_circles, make_moons
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.pairwise import rbf_kernel

from mbsc import MiniBatchSpectralClustering

METHODS = ["exact", "minibatch", "nystrom", "power", "chebyshev"]
CENTERS = np.array([[0.0, 0.0, 0.0], [10.0, 10.0, 10.0], [20.0, 20.0, 20.0]])


def blobs(n=60, dtype=np.float64):
    X, y = make_blobs(n, centers=CENTERS, cluster_std=1.0, random_state=0)
    return X.astype(dtype), y


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_blobs_are_found_by_every_method(method, dtype):
    X, y = blobs(dtype=dtype)
    model = MiniBatchSpectralClustering(3, method=method, gamma=0.05, random_state=0).fit(X)
    assert adjusted_rand_score(y, model.labels_) == 1
    assert model.labels_.dtype == np.int64
    assert model.summary_["method"] == method


@pytest.mark.parametrize("embedding_scale", ["row", "none", "degree"])
def test_a_precomputed_affinity_of_blocks(embedding_scale):
    S = np.array([[1, 1, 1, 0.2, 0, 0, 0], [1, 1, 1, 0, 0, 0, 0], [1, 1, 1, 0, 0, 0, 0], [0.2, 0, 0, 1, 1, 1, 1],
                  [0, 0, 0, 1, 1, 1, 1], [0, 0, 0, 1, 1, 1, 1], [0, 0, 0, 1, 1, 1, 1]], dtype=float)
    model = MiniBatchSpectralClustering(2, affinity="precomputed", embedding_scale=embedding_scale, random_state=0)
    assert adjusted_rand_score([1, 1, 1, 0, 0, 0, 0], model.fit_predict(S)) == 1
    assert model.gamma_ is None


def test_precomputed_is_the_kernel_it_came_from():
    X, y = blobs(90)
    S = rbf_kernel(X, gamma=0.05)
    points = MiniBatchSpectralClustering(3, gamma=0.05, random_state=0).fit(X)
    matrix = MiniBatchSpectralClustering(3, affinity="precomputed", random_state=0).fit(S)
    assert_array_equal(points.labels_, matrix.labels_)
    assert_array_equal(matrix.predict(S), matrix.labels_)
    new, _ = make_blobs(30, centers=CENTERS, random_state=1)
    assert_array_equal(points.predict(new), matrix.predict(rbf_kernel(new, X, gamma=0.05)))


@pytest.mark.parametrize("affinity", ["rbf", "exponential", "cosine"])
def test_every_affinity_separates_directions(affinity):
    angles = np.repeat([0.1, 1.4], 50) + np.random.RandomState(0).normal(scale=0.03, size=100)
    X = np.c_[np.cos(angles), np.sin(angles)]
    labels = MiniBatchSpectralClustering(2, affinity=affinity, random_state=0).fit_predict(X)
    assert adjusted_rand_score(np.repeat([0, 1], 50), labels) == 1


@pytest.mark.parametrize("method", ["exact", "minibatch"])
@pytest.mark.parametrize("make", [lambda: make_circles(500, factor=0.4, noise=0.03, random_state=0),
                                  lambda: make_moons(500, noise=0.05, random_state=0)])
def test_circles_and_moons(make, method):
    X, y = make()
    labels = MiniBatchSpectralClustering(2, method=method, passes=4.0 if method == "minibatch" else None,
                                         random_state=0).fit_predict(X)
    assert adjusted_rand_score(y, labels) == 1


def test_the_same_seed_gives_the_same_bits_and_another_start_another_basis():
    X = np.random.RandomState(0).normal(size=(400, 5))
    fit = lambda **options: MiniBatchSpectralClustering(4, method="minibatch", **options).fit(X)  # noqa: E731
    one, again, other = fit(random_state=1), fit(random_state=1), fit(random_state=2)
    assert_array_equal(one.embedding_, again.embedding_)
    assert_array_equal(one.labels_, again.labels_)
    assert (one.embedding_ != other.embedding_).any()
    drawn = fit(random_state=np.random.RandomState(5))
    assert_array_equal(drawn.embedding_, fit(random_state=np.random.RandomState(5)).embedding_)


def test_embedding_is_orthonormal_and_labels_go_by_falling_size():
    X, _ = make_blobs([200, 100, 50], random_state=3, centers=None)
    model = MiniBatchSpectralClustering(3, random_state=0).fit(X)
    np.testing.assert_allclose(model.embedding_.T @ model.embedding_, np.eye(3), atol=1e-5)
    sizes = np.bincount(model.labels_)
    assert list(sizes) == sorted(sizes, reverse=True) == model.summary_["cluster_sizes"]
    assert model.cluster_centers_.shape == (3, model.transform(X).shape[1])
    assert MiniBatchSpectralClustering(3, affinity="rbf").fit(X).cluster_centers_.shape == (3, 3)
    assert model.residuals_.max() <= 1e-3
    assert len(model.history_["passes"]) >= model.n_iter_ >= 1


@pytest.mark.parametrize("options, words", [
    ({"n_clusters": 0}, "n_clusters must be in"), ({"n_clusters": 61}, "n_clusters must be in"),
    ({"n_clusters": 2.5}, "n_clusters must be an integer; got 2.5"), ({"gamma": -1.0}, "gamma must be positive"),
    ({"gamma": "wide"}, "gamma must be a number; got 'wide'"), ({"affinity": "poly"}, "affinity must be one of auto, rbf"),
    ({"affinity": None, "method": "lobpcg"}, "method must be one of auto, minibatch"), ({"n_init": 0}, "n_init must be at least 1"),
    ({"passes": 0.0}, "passes must be positive"), ({"tol": -1e-3}, "tol must be positive"),
    ({"regularization": -1.0}, "regularization must be at least 0"), ({"batch_size": 0}, "batch_size must be in"),
    ({"n_jobs": 0}, "n_jobs must be"), ({"random_state": -1}, "random_state must be"),
    ({"affinity": "cosine", "gamma": 1.0}, "gamma applies to"),
])
def test_a_bad_parameter_is_named_with_its_rule_and_its_value(options, words):
    X, _ = blobs()
    with pytest.raises(ValueError, match=words):
        MiniBatchSpectralClustering(**{"n_clusters": 3, **options}).fit(X)


def test_fewer_distinct_points_than_clusters_are_refused():
    with pytest.raises(ValueError, match="only 2 distinct points; cannot make 3 clusters"):
        MiniBatchSpectralClustering(3).fit([[0.0], [1.0]] * 5)


def test_an_affinity_that_is_not_square_is_refused():
    with pytest.raises(ValueError, match="must be square; got 5 x 4"):
        MiniBatchSpectralClustering(2, affinity="precomputed").fit(np.ones((5, 4)))


@pytest.mark.parametrize("make", [lambda: make_moons(2000, noise=0.1, random_state=0),
                                  lambda: make_circles(2000, factor=0.4, noise=0.05, random_state=0)])
def test_nearest_neighbors_find_curved_shapes(make):
    X, y = make()
    model = MiniBatchSpectralClustering(2, affinity="nearest_neighbors", n_neighbors=15, random_state=0).fit(X)
    assert adjusted_rand_score(y, model.labels_) > 0.97
    assert model.summary_["method"] == "chebyshev"
    assert model.summary_["neighbors"] == 15
    assert (model.predict(X) == model.labels_).mean() > 0.999


def test_options_of_a_neighbor_graph_need_one():
    X, _ = blobs()
    with pytest.raises(ValueError, match="n_neighbors applies to affinity = nearest_neighbors or landmarks only"):
        MiniBatchSpectralClustering(3, affinity="rbf", n_neighbors=5).fit(X)
    model = MiniBatchSpectralClustering(3, n_neighbors=5).fit(X)
    assert (model.summary_["affinity"], model.summary_["neighbors"]) == ("neighbors", 5)


@pytest.mark.parametrize("options, affinity, reason", [
    ({}, "neighbors", "there are at most 2000000 points"), ({"gamma": 0.5}, "rbf", "gamma is given"),
    ({"method": "minibatch"}, "rbf", "method is minibatch"), ({"landmarks": 20}, "landmarks", "landmarks is given"),
    ({"affinity": "rbf"}, "rbf", None), ({"affinity": "auto", "recall": 0.9}, "neighbors", "there are at most 2000000 points"),
])
def test_the_affinity_is_chosen_by_rule_and_the_summary_says_why(options, affinity, reason):
    X, _ = blobs()
    summary = MiniBatchSpectralClustering(3, **options).fit(X).summary_
    assert (summary["affinity"], summary["affinity_reason"]) == (affinity, reason)
