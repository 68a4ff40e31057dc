# SPDX-License-Identifier: Apache-2.0
"""affinity='landmarks': shapes, prediction without the training points, and files."""
import os

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import make_blobs, make_circles, make_moons

import mbsc
from mbsc import MiniBatchSpectralClustering
from mbsc.metrics import adjusted_rand_score, normalized_mutual_info_score


def fitted(X, clusters=2, **options):
    return MiniBatchSpectralClustering(clusters, affinity="landmarks", random_state=0, **options).fit(X)


@pytest.mark.parametrize("make", [lambda: make_moons(20000, noise=0.1, random_state=0),
                                  lambda: make_circles(20000, factor=0.5, noise=0.08, random_state=0)])
def test_curved_shapes_with_noise_are_found(make):
    X, y = make()
    model = fitted(X)
    assert normalized_mutual_info_score(y, model.labels_) > 0.97
    assert model.summary_["method"] == "transfer"
    assert model.residuals_.max() < 1e-5
    assert model.gamma_ is None


def test_pendigits(pendigits):
    X, y = pendigits
    model = fitted(X, 10)
    assert normalized_mutual_info_score(y, model.labels_) >= 0.83
    assert (model.predict(X) == model.labels_).mean() >= 0.999


def test_a_model_does_not_contain_the_points():
    X, y = make_moons(4000, noise=0.08, random_state=0)
    new, classes = make_moons(2000, noise=0.08, random_state=1)
    model = fitted(X, scale="standard")
    assert "points" not in model._model
    assert adjusted_rand_score(classes, model.predict(new)) > 0.95
    assert_array_equal(np.vstack([model.transform(row[None]) for row in new[:20]]), model.transform(new[:20]))


@pytest.mark.parametrize("scale", ["row", "none", "degree"])
def test_rows_of_training_points_are_those_of_the_fit(scale):
    X, _ = make_blobs(1500, centers=4, random_state=0)
    model = fitted(X, 4, embedding_scale=scale)
    assert (model.predict(X) == model.labels_).mean() >= 0.999
    if scale == "none":
        assert_allclose(model.transform(X), model.embedding_, atol=1e-5)


def test_a_saved_model_predicts_the_same(tmp_path):
    X, _ = make_moons(3000, noise=0.08, random_state=0)
    model = fitted(X, landmarks=400, n_neighbors=4)
    path = os.path.join(tmp_path, "model.npz")
    model.save(path)
    again = mbsc.load(path)
    assert_array_equal(again.predict(X), model.predict(X))
    assert_array_equal(again.transform(X), model.transform(X))
    assert again.summary_["transfer"]["landmarks"] == 400
    with np.load(path) as file:
        assert "points" not in file.files and file["landmarks"].shape == (400, 2)


def test_options_of_landmarks_are_checked():
    X, _ = make_blobs(300, centers=3, random_state=0)
    with pytest.raises(ValueError, match="landmarks must be at least"):
        fitted(X, 3, landmarks=2)
    with pytest.raises(ValueError, match="method = transfer needs affinity = landmarks"):
        MiniBatchSpectralClustering(3, affinity="rbf", method="transfer").fit(X)
