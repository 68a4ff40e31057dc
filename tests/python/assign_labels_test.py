# SPDX-License-Identifier: Apache-2.0
"""assign_labels: k-means, and cluster_qr, whose labels must be those of scikit-learn's function."""
import numpy as np
import pytest
from sklearn.cluster import SpectralClustering
from sklearn.cluster._spectral import cluster_qr
from sklearn.datasets import load_digits, make_blobs, make_circles, make_moons
from sklearn.metrics import adjusted_rand_score

import mbsc
from mbsc import MiniBatchSpectralClustering

SETS = {
    "blobs": (make_blobs(600, centers=6, cluster_std=0.6, random_state=2)[0], 6),
    "moons": (make_moons(400, noise=0.05, random_state=0)[0], 2),
    "circles": (make_circles(500, factor=0.4, noise=0.04, random_state=0)[0], 2),
    "clouds in 20 dimensions": (make_blobs(800, n_features=20, centers=9, cluster_std=2, random_state=1)[0], 9),
}


def direct(k, **options):
    return MiniBatchSpectralClustering(k, assign_labels="cluster_qr", random_state=0, **options)


@pytest.mark.parametrize("embedding_scale", ["row", "none", "degree"])
@pytest.mark.parametrize("name", SETS)
def test_the_labels_are_those_of_scikit_learn(name, embedding_scale):
    X, k = SETS[name]
    model = direct(k, embedding_scale=embedding_scale)
    rows = model.fit_transform(X)
    assert adjusted_rand_score(cluster_qr(rows.astype(float)), model.labels_) == 1
    assert (model.predict(X) == model.labels_).all()
    V = model.cluster_centers_
    np.testing.assert_allclose(V @ V.T, np.eye(k), atol=1e-12)
    np.testing.assert_array_equal(abs(rows @ V.T).argmax(axis=1), model.labels_)


@pytest.mark.parametrize("name", SETS)
def test_well_separated_clusters_are_those_of_spectral_clustering(name):
    X, k = SETS[name]
    gamma = MiniBatchSpectralClustering(k, affinity="rbf", random_state=0).fit(X).gamma_
    expected = SpectralClustering(k, gamma=gamma, assign_labels="cluster_qr", random_state=0).fit(X).labels_
    found = direct(k, gamma=gamma, regularization=0.0, embedding_scale="degree").fit(X).labels_
    assert adjusted_rand_score(expected, found) == 1


def test_it_is_as_good_as_k_means_on_digits():
    X, y = load_digits(return_X_y=True)
    options = {"affinity": "nearest_neighbors", "random_state": 0}
    by_kmeans = MiniBatchSpectralClustering(10, **options).fit(X)
    by_qr = MiniBatchSpectralClustering(10, assign_labels="cluster_qr", **options).fit(X)
    np.testing.assert_array_equal(by_kmeans.embedding_, by_qr.embedding_)
    nmi = mbsc.metrics.normalized_mutual_info_score
    assert nmi(y, by_qr.labels_) > nmi(y, by_kmeans.labels_) - 0.1


def test_a_saved_model_and_the_command_line_agree(tmp_path, program):
    import subprocess

    X, k = SETS["blobs"]
    model = direct(k).fit(X)
    model.save(tmp_path / "model.npz")
    again = mbsc.load(tmp_path / "model.npz")
    np.testing.assert_array_equal(again.predict(X[:50] + 0.01), model.predict(X[:50] + 0.01))
    np.save(tmp_path / "X.npy", X)
    subprocess.run([program, "cluster", "X.npy", "-k", str(k), "--assign", "cluster_qr", "--labels", "labels", "-q"],
                   check=True, cwd=tmp_path)
    np.testing.assert_array_equal(np.loadtxt(tmp_path / "labels", dtype=int), model.labels_)
    assert (model.summary_["assign"], model.summary_["restarts"], model.summary_["inertia"]) == ("cluster_qr", None, None)


def test_options_of_k_means_are_refused_by_name():
    X, k = SETS["moons"]
    with pytest.raises(ValueError, match="n_init applies to assign_labels = kmeans only; got assign_labels = cluster_qr"):
        direct(k, n_init=3).fit(X)
    with pytest.raises(ValueError, match="assign_labels must be one of kmeans, cluster_qr; got 'discretize'"):
        MiniBatchSpectralClustering(k, assign_labels="discretize").fit(X)
    with pytest.raises(ValueError, match="recall applies to affinity = nearest_neighbors only; got affinity = rbf"):
        MiniBatchSpectralClustering(k, affinity="rbf", recall=0.5).fit(X)
