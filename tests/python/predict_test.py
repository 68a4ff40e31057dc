# SPDX-License-Identifier: Apache-2.0
"""Prediction: training points keep their labels, and new points get the label of the cluster they belong to."""
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import make_blobs, make_moons

from mbsc import MiniBatchSpectralClustering, metrics

PAPER_GAMMA = 1 / 223.61**2


@pytest.mark.parametrize("gamma", [PAPER_GAMMA, "auto"])
def test_training_points_of_pendigits_keep_their_labels(pendigits, gamma):
    X, _ = pendigits
    model = MiniBatchSpectralClustering(10, gamma=gamma, random_state=0).fit(X)
    assert (model.predict(X) == model.labels_).mean() >= 0.999


@pytest.mark.parametrize("gamma", [PAPER_GAMMA, "auto"])
def test_a_held_out_tenth_of_pendigits_is_as_good_as_clustering_all(pendigits, gamma):
    X, y = pendigits
    order = np.random.RandomState(0).permutation(len(X))
    held, rest = order[:len(X) // 10], order[len(X) // 10:]
    everything = MiniBatchSpectralClustering(10, affinity="rbf", gamma=gamma, random_state=0).fit(X)
    part = MiniBatchSpectralClustering(10, affinity="rbf", gamma=gamma, random_state=0).fit(X[rest])
    nmi = metrics.normalized_mutual_info_score
    assert abs(nmi(y[held], part.predict(X[held])) - nmi(y[held], everything.labels_[held])) <= 0.02


@pytest.mark.parametrize("method", ["minibatch", "nystrom"])
def test_estimated_eigenvalues_do_not_matter(pendigits, method):
    X, _ = pendigits
    model = MiniBatchSpectralClustering(10, gamma=PAPER_GAMMA, method=method, random_state=0).fit(X)
    assert not model.summary_["eigenvalues_are_exact"]
    assert (model.predict(X) == model.labels_).mean() >= 0.999


@pytest.mark.parametrize("embedding_scale", ["row", "none", "degree"])
def test_fit_transform_is_fit_and_transform_and_predict_the_nearest_center(embedding_scale):
    X, _ = make_moons(300, noise=0.05, random_state=0)
    model = MiniBatchSpectralClustering(2, embedding_scale=embedding_scale, random_state=0)
    rows = model.fit_transform(X)
    assert_array_equal(rows, model.transform(X))
    distances = np.linalg.norm(rows[:, None] - model.cluster_centers_[None], axis=2)
    assert_array_equal(distances.argmin(axis=1), model.predict(X))
    if embedding_scale == "none":
        assert rows.shape[1] >= 2, "with a soft cutoff, the columns have weights"
        weights = np.linalg.norm(rows, axis=0)[:2]
        assert_allclose(rows[:, :2] / weights, model.embedding_, atol=1e-4)
        kernel = MiniBatchSpectralClustering(2, affinity="rbf", embedding_scale="none", random_state=0)
        assert_allclose(kernel.fit_transform(X), kernel.embedding_, atol=1e-4)


def test_rows_do_not_depend_on_their_company():
    X, _ = make_moons(300, noise=0.05, random_state=0)
    new, _ = make_moons(50, noise=0.05, random_state=1)
    model = MiniBatchSpectralClustering(2, random_state=0).fit(X)
    assert_array_equal(np.vstack([model.transform(row[None]) for row in new]), model.transform(new))


def test_points_far_from_all_others_get_the_nearest_cluster():
    X, _ = make_blobs(200, centers=[[0, 0], [50, 0]], random_state=0)
    model = MiniBatchSpectralClustering(2, random_state=0).fit(X)
    far = np.array([[-1e4, 0.0], [1e4, 0.0]])
    assert_array_equal(model.predict(far), [model.predict([[0.0, 0.0]])[0], model.predict([[50.0, 0.0]])[0]])
    assert np.isfinite(model.transform(far)).all()


def test_predicting_in_another_precision_changes_nothing():
    X, _ = make_moons(300, noise=0.05, random_state=0)
    model = MiniBatchSpectralClustering(2, random_state=0).fit(X)
    assert model.transform(X.astype(np.float32)).dtype == np.float32
    assert_array_equal(model.predict(X.astype(np.float32)), model.labels_)


def test_parameters_changed_after_the_fit_do_not_change_predictions():
    X, _ = make_moons(300, noise=0.05, random_state=0)
    model = MiniBatchSpectralClustering(2, random_state=0).fit(X)
    before = model.transform(X)
    model.set_params(embedding_scale="none", affinity="cosine", regularization=0.5)
    assert_array_equal(model.transform(X), before)
