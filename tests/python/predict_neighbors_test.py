# SPDX-License-Identifier: Apache-2.0
"""Prediction with affinity='nearest_neighbors': training points keep their labels, and new points join the graph."""
import copy
import pickle

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.datasets import make_blobs, make_circles, make_moons

import mbsc
from mbsc import MiniBatchSpectralClustering, metrics

WEIGHTS = ["gaussian", "shared", "gaussian_shared", "binary", "local", "fuzzy"]
SHAPES = {
    "moons": (2, lambda n, seed: make_moons(n, noise=0.08, random_state=seed)),
    "rings": (2, lambda n, seed: make_circles(n, factor=0.5, noise=0.05, random_state=seed)),
    "blobs": (3, lambda n, seed: make_blobs(n, centers=[[0, 0], [8, 0], [0, 8]], random_state=seed)),
}


def graph_model(n_clusters, **options):
    return MiniBatchSpectralClustering(n_clusters, affinity="nearest_neighbors", **{"random_state": 0, **options})


def test_training_points_of_pendigits_keep_their_labels(pendigits):
    X, _ = pendigits
    model = graph_model(10).fit(X)
    assert (model.predict(X) == model.labels_).mean() >= 0.999


def test_a_held_out_tenth_of_pendigits_is_predicted_as_well_as_the_rest_is_clustered(pendigits):
    X, y = pendigits
    order = np.random.RandomState(0).permutation(len(X))
    held, rest = order[:len(X) // 10], order[len(X) // 10:]
    part = graph_model(10).fit(X[rest])
    nmi = metrics.normalized_mutual_info_score
    assert nmi(y[held], part.predict(X[held])) >= nmi(y[rest], part.labels_) - 0.02


@pytest.mark.parametrize("shape", SHAPES)
def test_old_and_new_points_of_shapes_get_their_cluster(shape):
    n_clusters, make = SHAPES[shape]
    X, y = make(2000, 0)
    new, new_y = make(500, 1)
    model = graph_model(n_clusters).fit(X)
    assert (model.predict(X) == model.labels_).mean() >= 0.999
    nmi = metrics.normalized_mutual_info_score
    assert nmi(new_y, model.predict(new)) >= nmi(y, model.labels_) - 0.02


def test_the_metric_cosine_ignores_lengths_in_fit_and_predict(tmp_path):
    random = np.random.RandomState(0)
    angles = np.concatenate([random.normal(center, 0.05, 400) for center in (0.3, 0.9, 1.4)])
    X = np.column_stack([np.cos(angles), np.sin(angles)]) * random.uniform(0.01, 100, 1200)[:, None]
    y = np.repeat([0, 1, 2], 400)
    model = graph_model(3, metric="cosine").fit(X)
    assert metrics.normalized_mutual_info_score(y, model.labels_) > 0.9
    assert (model.predict(X) == model.labels_).mean() >= 0.999
    new = X[::7] * random.uniform(0.1, 10, 172)[:, None]
    assert (model.predict(new) == model.labels_[::7]).mean() >= 0.98
    model.save(tmp_path / "model.npz")
    assert_array_equal(mbsc.load(tmp_path / "model.npz").predict(new), model.predict(new))


@pytest.mark.parametrize("edges", ["union", "mutual"])
@pytest.mark.parametrize("edge_weights", WEIGHTS)
def test_a_saved_model_predicts_the_same_bits(tmp_path, edge_weights, edges):
    X, _ = make_moons(1000, noise=0.08, random_state=0)
    X[500:] = X[:500]  # copies
    new, _ = make_moons(200, noise=0.08, random_state=1)
    model = graph_model(2, edge_weights=edge_weights, edges=edges).fit(X)
    rows = model.transform(new)
    model.save(tmp_path / "model.npz")
    again = mbsc.load(tmp_path / "model.npz")
    assert_array_equal(again.transform(new), rows)
    assert_array_equal(again.predict(X), model.predict(X))
    for other in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert_array_equal(other.transform(new), rows)


def test_a_model_with_a_search_index_is_saved_with_it(tmp_path):
    X, _ = make_moons(20000, noise=0.08, random_state=0)
    new, _ = make_moons(200, noise=0.08, random_state=1)
    model = graph_model(2).fit(X)
    model.save(tmp_path / "model.npz")
    with np.load(tmp_path / "model.npz") as file:
        assert len(file["leaders"]) > 0
    assert_array_equal(mbsc.load(tmp_path / "model.npz").transform(new), model.transform(new))


def test_rows_do_not_depend_on_their_company_or_on_threads():
    X, _ = make_moons(20000, noise=0.08, random_state=0)
    new, _ = make_moons(200, noise=0.08, random_state=1)
    model = graph_model(2, n_jobs=1).fit(X)
    rows = model.transform(new)
    assert_array_equal(np.vstack([model.transform(new[i:i + 67]) for i in range(0, 200, 67)]), rows)
    assert_array_equal(model.set_params(n_jobs=3).transform(new), rows)
    assert_array_equal(model.transform(new[:1]), rows[:1])


def test_scaling_and_precision_of_the_fit_are_those_of_predict():
    X, _ = make_blobs(600, centers=3, n_features=4, random_state=0)
    X[:, 0] *= 1000
    model = graph_model(3, scale="standard").fit(X)
    assert_array_equal(model.predict(X), model.labels_)
    assert model.transform(X.astype(np.float32)).dtype == np.float32
    assert_array_equal(model.predict(X.astype(np.float32)), model.labels_)


def test_points_far_from_all_others_get_the_nearest_cluster():
    X, _ = make_blobs(200, centers=[[0, 0], [50, 0]], random_state=0)
    model = graph_model(2).fit(X)
    far = np.array([[-1e4, 0.0], [1e4, 0.0]])
    left, right = model.predict([[0.0, 0.0]])[0], model.predict([[50.0, 0.0]])[0]
    assert_array_equal(model.predict(far), [left, right])
    assert np.isfinite(model.transform(far)).all()
    assert np.isfinite(model.transform([[1e30, 0.0]])).all()
