# SPDX-License-Identifier: Apache-2.0
"""Input arrays of every kind and memory layout, which are not copied unless it is necessary."""
import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest
import scipy.sparse
from numpy.testing import assert_array_equal
from sklearn.datasets import make_moons

from mbsc import MiniBatchSpectralClustering, _core
from mbsc.points import as_they_lie


def fit(X, **options):
    return MiniBatchSpectralClustering(2, random_state=0, **options).fit(X)


@pytest.fixture(scope="module")
def X():
    return make_moons(300, noise=0.05, random_state=0)[0]


def layouts(X, folder):
    X.tofile(folder / "points.bin")
    frozen = X.copy()
    frozen.flags.writeable = False
    wide = np.zeros((len(X), 5), X.dtype)
    wide[:, 1:5:3] = X
    yield "Fortran order", np.asfortranarray(X)
    yield "read-only", frozen
    yield "memory-mapped", np.memmap(folder / "points.bin", X.dtype, "r", shape=X.shape)
    yield "every third column", wide[:, 1:5:3]
    yield "backwards", X[::-1].copy()[::-1]
    yield "every second row", np.repeat(X, 2, axis=0)[::2]
    yield "other byte order", X.astype(X.dtype.newbyteorder())
    record = np.zeros(len(X), dtype=[("odd", "i1"), ("x", X.dtype, (2,))])
    record["x"] = X
    yield "odd strides", record["x"]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_layout_does_not_matter(X, tmp_path, dtype):
    X = X.astype(dtype)
    expected = fit(X)
    for name, same in layouts(X, tmp_path):
        found = fit(same)
        assert_array_equal(found.embedding_, expected.embedding_, err_msg=name)
        assert_array_equal(found.predict(same), expected.labels_, err_msg=name)


def test_what_lies_well_is_not_copied(X, tmp_path):
    for name, array in layouts(X, tmp_path):
        if name not in ("other byte order", "odd strides"):
            assert np.shares_memory(fit(array)._model["points"], array), name
            assert as_they_lie(array) is array, name


def test_integers_and_lists(X):
    whole = np.round(X * 100).astype(int)
    expected = fit(whole.astype(float)).labels_
    assert_array_equal(fit(whole).labels_, expected)
    assert_array_equal(fit(whole.tolist()).labels_, expected)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_data_frames_have_feature_names(X, library):
    frames = pytest.importorskip(library)
    frame = frames.DataFrame({"a": X[:, 0], "b": X[:, 1]})
    model = fit(frame)
    assert list(model.feature_names_in_) == ["a", "b"]
    assert_array_equal(model.labels_, fit(X).labels_)
    assert_array_equal(model.predict(frame), model.labels_)


def test_transform_gives_data_frames_on_request(X):
    pandas = pytest.importorskip("pandas")
    rows = fit(pandas.DataFrame(X, columns=["a", "b"])).set_output(transform="pandas").transform(
        pandas.DataFrame(X, columns=["a", "b"]))
    assert list(rows.columns) == ["minibatchspectralclustering0", "minibatchspectralclustering1"]


def test_sparse_points_are_refused_in_words(X):
    with pytest.raises(TypeError, match="(?i)sparse"):
        fit(scipy.sparse.csr_matrix(X))


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_what_is_not_finite_is_refused(X, bad):
    spoilt = X.copy()
    spoilt[7, 1] = bad
    with pytest.raises(ValueError, match="NaN|infinity"):
        fit(spoilt)
    with pytest.raises(ValueError, match="row 8, feature 2"):
        _core.cluster(spoilt, {"clusters": 2})


MEASURE = """
    import resource
    import numpy as np
    from mbsc import MiniBatchSpectralClustering
    X = np.random.RandomState(0).standard_normal((1200, 20_000)).astype(np.float32)
    peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    MiniBatchSpectralClustering(2, gamma=1e-4, method="nystrom", landmarks=20, random_state=0).fit(X[:200])
    X += 0  # every page is there
    before = peak()
    model = MiniBatchSpectralClustering(2, gamma=1e-4, method="nystrom", landmarks=20, random_state=0).fit(X)
    print((peak() - before) / X.nbytes)
"""


def test_the_points_are_held_once():
    environment = dict(os.environ, OMP_NUM_THREADS="1")
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(MEASURE)], check=True, capture_output=True, text=True,
                          env=environment)
    assert float(done.stdout) < 0.5, "as a share of the points; a copy would be 1"
