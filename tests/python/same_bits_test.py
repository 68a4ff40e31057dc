# SPDX-License-Identifier: Apache-2.0
"""With the same data, options and seed, Python gives the same bits as the command line, for any number of threads."""
import json
import subprocess

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from mbsc import MiniBatchSpectralClustering

PAPER = {"method": "minibatch", "step_rule": "adagrad", "guards": 0, "batch_size": 100, "start": "nystrom",
         "landmarks": 10, "regularization": 0.0, "embedding_scale": "none"}
CASES = [
    ([], {}),
    (["--method", "minibatch"], {"method": "minibatch"}),
    (["--passes", "0.3", "--seed", "7"], {"passes": 0.3, "random_state": 7}),
    (["--method", "nystrom", "--landmarks", "200"], {"method": "nystrom", "landmarks": 200}),
    (["--method", "power", "--iterations", "15"], {"method": "power", "max_iter": 15}),
    (["--tolerance", "1e-3", "--regularization", "0"], {"tol": 1e-3, "regularization": 0.0}),
    (["--affinity", "exponential", "--gamma", "0.7"], {"affinity": "exponential", "gamma": 0.7}),
    (["--affinity", "cosine", "--embedding-scale", "degree"], {"affinity": "cosine", "embedding_scale": "degree"}),
    (["--degrees", "sampled", "--passes", "2"], {"degrees": "sampled", "passes": 2.0}),
    (["--preset", "paper", "--passes", "2"], {**PAPER, "passes": 2.0}),
    (["--cache", "1M"], {"cache": 1 << 20}),
]
# Keys of the summary that depend on the process, on the input file, or on flags that only the command line has.
NOT_COMPARED = {"seconds", "peak_memory_bytes", "input", "format", "classes", "label_column", "scale", "scale_rows",
                "preset", "nmi", "nmi_geometric", "ari", "accuracy"}


@pytest.fixture(scope="module")
def points():
    random = np.random.RandomState(0)
    return np.vstack([random.normal(center, 1.0, size=(1009, 6)) for center in (0.0, 2.0, 4.0)])


def run_program(program, folder, X, flags):
    np.save(folder / "points.npy", X)
    subprocess.run([program, "cluster", "points.npy", "-k", "3", "-q", "--labels", "labels.txt", "--embedding",
                    "embedding.npy", "--summary", "summary.json", *flags], cwd=folder, check=True)
    return (np.loadtxt(folder / "labels.txt", dtype=int), np.load(folder / "embedding.npy"),
            json.loads((folder / "summary.json").read_text()))


@pytest.mark.parametrize("flags, options", CASES, ids=lambda case: " ".join(case) if isinstance(case, list) else "")
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_python_and_the_command_line_agree_to_the_bit(program, tmp_path, points, flags, options, dtype):
    X = points.astype(dtype)
    labels, embedding, summary = run_program(program, tmp_path, X, flags)
    model = MiniBatchSpectralClustering(3, **{"random_state": 0, **options}).fit(X)
    assert_array_equal(model.embedding_, embedding)
    assert_array_equal(model.labels_, labels)
    # Python keeps the graph for predict().
    not_compared = NOT_COMPARED | ({"memory_estimate_bytes"} if summary["affinity"] == "neighbors" else set())
    for key in summary.keys() - not_compared:
        assert model.summary_[key] == summary[key], key


def test_threads_do_not_matter(points):
    fit = lambda n_jobs: MiniBatchSpectralClustering(3, passes=1.0, random_state=0, n_jobs=n_jobs).fit(points)  # noqa: E731
    one, three = fit(1), fit(3)
    assert_array_equal(one.embedding_, three.embedding_)
    assert_array_equal(one.transform(points[:200] + 0.1), three.transform(points[:200] + 0.1))
