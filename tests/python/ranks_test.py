# SPDX-License-Identifier: Apache-2.0
"""fit(X, comm=...) on ranks of mpi4py: same bits as in one process, errors on all ranks, predict after collect()."""
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

from mbsc import MiniBatchSpectralClustering, _core

pytest.importorskip("mpi4py")
if "MBSC_MPI_LIBRARY" not in os.environ:
    pytest.skip("libmbsc_mpi is not built", allow_module_level=True)

ON_RANKS = pathlib.Path(__file__).resolve().parents[1] / "mpi" / "on_ranks"
BEGIN = """
import sys
import numpy as np
from mpi4py import MPI
from mbsc import MiniBatchSpectralClustering
comm = MPI.COMM_WORLD
X, new = np.load("points.npy"), np.load("new.npy")
# Shares of any size: the first rank has a tenth, the last none where it is not the only other.
ends = np.linspace(len(X) // 10, len(X), max(2, comm.size - 1)).astype(int)[:comm.size - 1]
ends = [0, *ends, len(X), len(X)][:comm.size] + [len(X)]
mine = X[ends[comm.rank]:ends[comm.rank + 1]]
"""


def points(count=900):
    rng = np.random.default_rng(3)
    return (rng.normal(size=(count, 3)) + 5 * (np.arange(count) % 3)[:, None]).astype(np.float32)


def run(folder, ranks, script, code=0):
    (folder / "script.py").write_text(BEGIN + script, encoding="utf-8")
    done = subprocess.run([str(ON_RANKS), str(ranks), sys.executable, "-B", "script.py"], cwd=folder, text=True,
                          capture_output=True, timeout=120, check=False)
    assert done.returncode == code, done.stderr
    return done.stdout


@pytest.fixture
def folder(tmp_path):
    np.save(tmp_path / "points.npy", points())
    np.save(tmp_path / "new.npy", points(50) + np.float32(0.1))
    return tmp_path


@pytest.mark.parametrize("ranks, options", [(2, {}), (3, {"method": "minibatch", "passes": 1.5}),
                                            (4, {"method": "nystrom"})])
def test_ranks_have_the_bits_of_one_process_and_predict_after_collect(folder, ranks, options):
    model = MiniBatchSpectralClustering(3, random_state=5, n_jobs=1, **options).fit(np.load(folder / "points.npy"))
    run(folder, ranks, f"""
model = MiniBatchSpectralClustering(3, random_state=5, n_jobs=1, **{options!r}).fit(mine, comm=comm)
assert len(model.labels_) == len(mine) == len(model.embedding_) == len(model.degrees_)
assert model.summary_["n"] == len(X) and model.summary_["ranks"] == comm.size
try:
    model.predict(new)
    raise SystemExit("a rank that has a part of the points cannot predict")
except ValueError as error:
    assert "collect" in str(error)
model.collect(comm, root=comm.size - 1).collect(comm)  # as often as one likes
if comm.rank == 0:
    np.savez("found.npz", labels=model.labels_, embedding=model.embedding_, values=model.eigenvalues_,
             predicted=model.predict(new), transformed=model.transform(new))
    model.save("model.npz")
""")
    found = np.load(folder / "found.npz")
    np.testing.assert_array_equal(found["labels"], model.labels_)
    np.testing.assert_array_equal(found["embedding"], model.embedding_)
    np.testing.assert_array_equal(found["values"], model.eigenvalues_)
    new = np.load(folder / "new.npy")
    np.testing.assert_array_equal(found["predicted"], model.predict(new))
    np.testing.assert_array_equal(found["transformed"], model.transform(new))
    np.testing.assert_array_equal(MiniBatchSpectralClustering.load(folder / "model.npz").predict(new), model.predict(new))


@pytest.mark.parametrize("affinity", ["nearest_neighbors", "landmarks"])
def test_graphs_have_the_bits_of_one_process_and_landmarks_predict_on_every_rank(folder, affinity):
    options = {"n_clusters": 3, "random_state": 5, "n_jobs": 1, "affinity": affinity, "scale": "standard"}
    model = MiniBatchSpectralClustering(**options).fit(np.load(folder / "points.npy"))
    np.savez(folder / "one.npz", labels=model.labels_, embedding=model.embedding_,
             predicted=model.predict(np.load(folder / "new.npy")))
    run(folder, 3, f"""
one = np.load("one.npz")
model = MiniBatchSpectralClustering(**{options!r}).fit(mine, comm=comm)
assert (np.concatenate(comm.allgather(model.labels_)) == one["labels"]).all()
assert (np.concatenate(comm.allgather(model.embedding_)) == one["embedding"]).all()
try:
    assert (model.predict(new) == one["predicted"]).all()
    assert model.affinity == "landmarks"
except ValueError as error:
    assert model.affinity == "nearest_neighbors" and "collect" in str(error)
model.collect(comm)
if comm.rank == 0:
    assert (model.labels_ == one["labels"]).all()
    assert (model.predict(new) == one["predicted"]).all()
""")


def test_ranks_share_processors_and_a_seed_that_nobody_gave(folder):
    out = run(folder, 2, """
model = MiniBatchSpectralClustering(3).fit(mine, comm=comm)
seeds = comm.allgather(model.summary_["seed"])
assert seeds[0] == seeds[1], seeds
threads = comm.allgather(model.summary_["threads"])
if comm.rank == 0:
    print(*threads)
""")
    cpus = _core.default_threads()
    expected = cpus if "OMP_NUM_THREADS" in os.environ else max(1, cpus // 2)
    assert out.split() == [str(expected)] * 2


def test_ranks_may_have_different_numbers_of_threads(folder):
    run(folder, 2, """
model = MiniBatchSpectralClustering(3, random_state=0, n_jobs=None if comm.rank == 0 else 2).fit(mine, comm=comm)
assert model.collect(comm).labels_ is not None
""")


def test_one_rank_is_as_good_as_none(folder):
    run(folder, 1, """
model = MiniBatchSpectralClustering(3, random_state=0).fit(X, comm=comm).collect(comm)
assert (model.predict(X) == MiniBatchSpectralClustering(3, random_state=0).fit(X).predict(X)).all()
""")


@pytest.mark.parametrize("change, words", [
    ("mine = np.where(comm.rank == 1, np.nan, mine)", "NaN"),
    ("mine = mine[:, :2 + comm.rank]", "features"),
    ("mine = mine[:0, :2] if comm.rank == 0 else mine", "features"),
    ("parameters['random_state'] = 'no' if comm.rank == 0 else 1", "no"),
    ("parameters['n_clusters'] = 3 + comm.rank", "n_clusters|clusters"),
    ("parameters['n_clusters'] = 10**6", "1000000"),
    ("parameters['gamma'] = 'wide'", "gamma"),
])
def test_what_one_rank_finds_wrong_all_are_told(folder, change, words):
    run(folder, 2, f"""
import re
parameters = dict(n_clusters=3, random_state=0)
{change}
try:
    MiniBatchSpectralClustering(**parameters).fit(mine, comm=comm)
except ValueError as error:
    assert re.search("{words}", str(error)), error
else:
    raise SystemExit("nothing was refused")
""")


def test_the_lines_of_the_document_run(folder):
    text = (ON_RANKS.parents[2] / "docs/mpi.md").read_text(encoding="utf-8")
    block = text.split("```python\n")[1].split("```")[0]
    out = run(folder, 2, block + "counts = comm.allgather(len(model.labels_))\nif comm.rank == 0: print(*counts)\n")
    assert out.split() == ["900", "450"]


def test_a_communicator_is_one_of_mpi4py():
    with pytest.raises((TypeError, AttributeError)):
        MiniBatchSpectralClustering(3).fit(points(), comm=7)
