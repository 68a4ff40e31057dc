# SPDX-License-Identifier: Apache-2.0
"""The estimator in pipelines, searches and parallel jobs; and pickled, cloned and saved."""
import json
import pickle
import zipfile

import joblib
import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.datasets import make_moons
from sklearn.metrics import adjusted_rand_score
from sklearn.model_selection import GridSearchCV, ParameterGrid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import mbsc
from mbsc import MiniBatchSpectralClustering

X, y = make_moons(300, noise=0.05, random_state=0)


def test_pipelines_fit_predict_and_transform():
    pipeline = make_pipeline(StandardScaler(), MiniBatchSpectralClustering(2, random_state=0))
    labels = pipeline.fit_predict(X)
    assert adjusted_rand_score(y, labels) == 1
    assert_array_equal(pipeline.predict(X), labels)
    assert pipeline.transform(X).shape == (300, pipeline[-1].cluster_centers_.shape[1])
    first = make_pipeline(MiniBatchSpectralClustering(4, cutoff="sharp", random_state=0), StandardScaler())
    assert first.fit_transform(X).shape == (300, 4)


def test_a_grid_search_clones_fits_and_scores():
    search = GridSearchCV(MiniBatchSpectralClustering(2, random_state=0), {"gamma": [0.01, 20.0]},
                          scoring=lambda model, X, y: adjusted_rand_score(y, model.predict(X)), cv=3)
    search.fit(X, y)
    assert search.best_params_ == {"gamma": 20.0} and search.best_score_ > 0.95
    for options in ParameterGrid({"embedding_scale": ["row", "none"], "n_init": [1, 3]}):
        model = clone(MiniBatchSpectralClustering(2, random_state=0)).set_params(**options)
        assert model.get_params()["n_init"] == options["n_init"] and not hasattr(model, "labels_")


def fit_with(seed):
    return MiniBatchSpectralClustering(2, random_state=seed).fit(X).labels_


@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_jobs_in_parallel_give_what_they_give_alone(backend):
    found = joblib.Parallel(n_jobs=2, backend=backend)(joblib.delayed(fit_with)(seed) for seed in range(4))
    for seed, labels in enumerate(found):
        assert_array_equal(labels, fit_with(seed))


@pytest.mark.parametrize("affinity", ["rbf", "precomputed"])
@pytest.mark.parametrize("method", ["exact", "minibatch"])
def test_pickled_and_saved_models_predict_the_same(tmp_path, affinity, method):
    points = X if affinity == "rbf" else mbsc.kernel_product(X, X, np.eye(300), 20.0)
    model = MiniBatchSpectralClustering(2, affinity=affinity, method=method, random_state=0).fit(points)
    expected = model.transform(points)
    model.save(tmp_path / "model.npz")
    for again in (pickle.loads(pickle.dumps(model)), mbsc.load(tmp_path / "model.npz"),
                  MiniBatchSpectralClustering.load(tmp_path / "model.npz")):
        assert_array_equal(again.transform(points), expected)
        assert_array_equal(again.labels_, model.labels_)
        assert again.get_params() == model.get_params()
        assert again.summary_ == model.summary_ and again.status_ == model.status_


def test_a_saved_model_holds_arrays_and_json_only(tmp_path):
    model = MiniBatchSpectralClustering(2, random_state=np.random.RandomState(0), callback=print).fit(X)
    model.save(tmp_path / "model.npz")
    with np.load(tmp_path / "model.npz", allow_pickle=False) as file:
        header = json.loads(file["header"].tobytes())
        assert all(file[name].dtype != object for name in file.files)
    assert header["format"] == "mbsc model 1" and header["parameters"]["callback"] is None
    names = {name.removesuffix(".npy") for name in zipfile.ZipFile(tmp_path / "model.npz").namelist()}
    assert {"points", "labels", "embedding", "extension"} <= names


def test_another_file_is_refused(tmp_path):
    np.savez(tmp_path / "other.npz", a=np.zeros(3))
    with pytest.raises(ValueError, match="is not a model of mbsc"):
        mbsc.load(tmp_path / "other.npz")
    np.savez(tmp_path / "next.npz", header=np.frombuffer(b'{"format": "mbsc model 9"}', dtype=np.uint8))
    with pytest.raises(ValueError, match="must be 'mbsc model 1'; got 'mbsc model 9'"):
        mbsc.load(tmp_path / "next.npz")
