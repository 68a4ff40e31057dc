# SPDX-License-Identifier: Apache-2.0
"""Graphs of the user's own: sparse arrays and matrices of SciPy, files that SciPy and NetworkX write, and twenty graphs
whose embedding must give the same clusters as that of a dense solver."""
import subprocess

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs, make_circles, make_moons
from sklearn.metrics import adjusted_rand_score
from sklearn.neighbors import NearestNeighbors, kneighbors_graph

from mbsc import MiniBatchSpectralClustering, spectral_embedding
from mbsc.metrics import normalized_cut


def block_graph(sizes, inside, between, seed):
    """A stochastic block model as a symmetric CSR matrix, and the block of each node."""
    random = np.random.RandomState(seed)
    blocks = np.repeat(np.arange(len(sizes)), sizes)
    share = np.where(blocks[:, None] == blocks[None, :], inside, between)
    upper = np.triu(random.rand(len(blocks), len(blocks)) < share, 1)
    return sp.csr_matrix((upper | upper.T).astype(float)), blocks


def grid(rows, columns):
    path = [sp.diags([np.ones(n - 1), np.ones(n - 1)], [-1, 1]) for n in (rows, columns)]
    return (sp.kron(path[0], sp.eye(columns)) + sp.kron(sp.eye(rows), path[1])).tocsr()


def neighbors(X, count, mode="connectivity"):
    graph = kneighbors_graph(X, count, mode=mode)
    if mode == "distance":
        graph.data = np.exp(-graph.data**2 / graph.data.mean()**2)
    return (0.5 * (graph + graph.T)).tocsr()


def networkx_graph(build):
    networkx = pytest.importorskip("networkx")
    return sp.csr_matrix(networkx.to_scipy_sparse_array(build(networkx), dtype=float))


# Graphs in which one node belongs to several clusters by symmetry are left out (the hub of a windmill graph): any
# rotation of the same eigenvectors may assign it differently.
GRAPHS = {
    "karate club": lambda: networkx_graph(lambda nx: nx.karate_club_graph()),
    "karate club, unweighted": lambda: networkx_graph(lambda nx: nx.from_edgelist(nx.karate_club_graph().edges())),
    "les miserables": lambda: networkx_graph(lambda nx: nx.les_miserables_graph()),
    "florentine families": lambda: networkx_graph(lambda nx: nx.florentine_families_graph()),
    "barbell": lambda: networkx_graph(lambda nx: nx.barbell_graph(20, 3)),
    "caveman": lambda: networkx_graph(lambda nx: nx.connected_caveman_graph(6, 9)),
    "planted partition": lambda: networkx_graph(lambda nx: nx.planted_partition_graph(4, 60, 0.3, 0.02, seed=1)),
    "gaussian partition": lambda: networkx_graph(lambda nx: nx.gaussian_random_partition_graph(200, 40, 9, 0.3, 0.01,
                                                                                            seed=3)),
    "relaxed caveman": lambda: networkx_graph(lambda nx: nx.relaxed_caveman_graph(7, 10, 0.1, seed=1)),
    "random geometric": lambda: networkx_graph(lambda nx: nx.random_geometric_graph(300, 0.15, seed=2)),
    "two blocks": lambda: block_graph((150, 100), 0.2, 0.01, 0)[0],
    "five blocks": lambda: block_graph((80, 70, 60, 50, 40), 0.3, 0.02, 1)[0],
    "ten blocks": lambda: block_graph([60] * 10, 0.4, 0.01, 2)[0],
    "grid 10 x 37": lambda: grid(10, 37),
    "grid 5 x 100": lambda: grid(5, 100),
    "grid 16 x 41": lambda: grid(16, 41),
    "neighbors of blobs": lambda: neighbors(make_blobs(600, centers=5, cluster_std=1.5, random_state=0)[0], 12),
    "neighbors of moons": lambda: neighbors(make_moons(500, noise=0.12, random_state=0)[0], 15),
    "weighted neighbors of circles": lambda: neighbors(make_circles(700, factor=0.5, noise=0.09, random_state=0)[0], 12,
                                                       "distance"),
    "weighted neighbors of noise": lambda: neighbors(np.random.RandomState(0).rand(400, 3), 10, "distance"),
}


def largest_component(A):
    _, labels = sp.csgraph.connected_components(A)
    chosen = labels == np.bincount(labels).argmax()
    return A[chosen][:, chosen]


def dense_spectrum(A):
    """The eigenvalues of D^-1/2 A D^-1/2, descending, and the eigenvectors."""
    root = 1 / np.sqrt(np.asarray(A.sum(axis=1)).ravel())
    values, vectors = np.linalg.eigh(root[:, None] * A.toarray() * root[None, :])
    return values[::-1], vectors[:, ::-1]


def by_kmeans(rows):
    return KMeans(rows.shape[1], n_init=10, random_state=0).fit_predict(rows)


def by_cluster_qr(rows):
    """cluster_qr with our rule for ties (mbsc/kmeans/cluster_qr.h). scikit-learn's function lets rounding errors decide
    between rows of the same length, so it finds other clusters after any rotation of the eigenvectors."""
    rest, chosen = rows.copy(), []
    for _ in range(rows.shape[1]):
        squares = (rest**2).sum(axis=1)
        chosen.append(int(np.argmax(squares >= 0.999 * squares.max())))
        direction = rest[chosen[-1]] / np.linalg.norm(rest[chosen[-1]])
        rest -= np.outer(rest @ direction, direction)
    left, _, right = np.linalg.svd(rows[chosen])
    return abs(rows @ (left @ right).T).argmax(axis=1)


def assigned(assign, vectors, k):
    """The labels of the rows, scaled to length one."""
    rows = np.asarray(vectors[:, :k], dtype=float)
    return assign(rows / np.linalg.norm(rows, axis=1, keepdims=True))


def test_there_are_twenty_graphs():
    assert len(GRAPHS) == 20


@pytest.mark.parametrize("assign", [by_kmeans, by_cluster_qr])
@pytest.mark.parametrize("name", GRAPHS)
def test_the_clusters_are_those_of_a_dense_solver(name, assign):
    A = GRAPHS[name]()
    A.setdiag(0)
    A = largest_component(A)
    values, vectors = dense_spectrum(A)
    gaps = values[1:12] - values[2:13]
    k = 2 + int(np.argmax(gaps))  # the largest gap below the second eigenvalue
    expected = assigned(assign, vectors, k)
    model = MiniBatchSpectralClustering(k, affinity="precomputed", random_state=0)
    if assign is by_cluster_qr:
        model.set_params(assign_labels="cluster_qr")
    for tol, error in ((None, 1e-3), (1e-4, 1e-5)):
        found = clone(model).set_params(tol=tol).fit(A)
        np.testing.assert_allclose(found.eigenvalues_, values[:k], atol=error)
        assert adjusted_rand_score(expected, assigned(assign, found.embedding_, k)) == 1.0
        if assign is by_cluster_qr:  # k-means of scikit-learn has other random numbers than ours
            assert adjusted_rand_score(expected, found.labels_) == 1.0


A, BLOCKS = block_graph((60, 50, 40), 0.3, 0.02, 5)


def fitted(X, **options):
    return MiniBatchSpectralClustering(3, affinity="precomputed", random_state=0, **options).fit(X)


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "lil", "dok", "bsr", "dia"])
@pytest.mark.parametrize("kind", ["array", "matrix"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, bool])
def test_every_sparse_format_gives_the_same_bits(form, kind, dtype):
    expected = fitted(A)
    X = getattr(sp, f"{form}_{kind}")(A.astype(dtype))
    found = fitted(X)
    np.testing.assert_array_equal(found.embedding_, expected.embedding_)
    np.testing.assert_array_equal(found.labels_, expected.labels_)
    assert adjusted_rand_score(found.labels_, BLOCKS) == 1


def test_indices_of_64_bits_unsorted_indices_and_duplicates():
    X = A.copy()
    X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    np.testing.assert_array_equal(fitted(X).embedding_, fitted(A).embedding_)
    coordinates = A.tocoo()
    order = np.random.RandomState(0).permutation(2 * A.nnz)
    twice = sp.coo_matrix((np.full(2 * A.nnz, 0.5), (np.tile(coordinates.row, 2)[order],
                                                     np.tile(coordinates.col, 2)[order])), A.shape)
    np.testing.assert_array_equal(fitted(twice).embedding_, fitted(A).embedding_)


def test_the_graph_is_not_changed():
    X = A.copy()
    X.indices.flags.writeable = X.data.flags.writeable = X.indptr.flags.writeable = False
    fitted(X)
    assert (X != A).nnz == 0


def test_a_sparse_graph_gives_the_clusters_of_the_dense_matrix():
    dense = fitted(A.toarray(), regularization=0)
    graph = fitted(A)
    np.testing.assert_allclose(graph.eigenvalues_, dense.eigenvalues_, atol=1e-4)
    assert adjusted_rand_score(graph.labels_, dense.labels_) == 1
    np.testing.assert_allclose(graph.degrees_, np.asarray(A.sum(axis=1)).ravel())
    assert (graph.gamma_, graph.summary_["graph"]["edges"]) == (None, A.nnz // 2)
    cut = normalized_cut(A, graph.labels_, affinity="precomputed")
    assert cut == pytest.approx(graph.summary_["normalized_cut"], abs=1e-6)
    assert cut == pytest.approx(normalized_cut(A.toarray(), graph.labels_, affinity="precomputed"), abs=1e-6)
    with pytest.raises(ValueError, match="precomputed"):
        normalized_cut(A, graph.labels_)
    assert spectral_embedding(A, 3, affinity="precomputed").shape == (150, 3)


def test_files_of_scipy_and_the_array_give_the_same_bits(tmp_path, program):
    weighted = A.multiply(1 + (np.arange(150)[:, None] + np.arange(150)[None, :]) % 7).tocsr()
    expected = fitted(weighted)
    for form in ("csr", "csc", "coo"):
        for compressed in (True, False):
            sp.save_npz(tmp_path / f"{form}-{compressed}.npz", weighted.asformat(form), compressed)
            sp.save_npz(tmp_path / f"{form}-{compressed}-array.npz", sp.csr_array(weighted).asformat(form), compressed)
    scipy.io.mmwrite(tmp_path / "symmetric.mtx", weighted, symmetry="symmetric")
    scipy.io.mmwrite(tmp_path / "general.mtx", weighted, symmetry="general")
    scipy.io.mmwrite(tmp_path / "integer.mtx", weighted.astype(int), field="integer")
    scipy.io.mmwrite(tmp_path / "dense.mtx", weighted.toarray())
    paths = sorted(tmp_path.iterdir())
    assert len(paths) == 16
    for path in paths:
        subprocess.run([program, "cluster", path, "-k", "3", "--labels", "labels", "--embedding", "e.npy", "-q"],
                       check=True, cwd=tmp_path)
        np.testing.assert_array_equal(np.load(tmp_path / "e.npy"), expected.embedding_, err_msg=path.name)
        np.testing.assert_array_equal(np.loadtxt(tmp_path / "labels", dtype=int), expected.labels_)


def test_asymmetric_graphs_are_refused_unless_symmetrized():
    directed = sp.triu(A).tocsr()
    with pytest.raises(ValueError, match="symmetrize = mean, max or mutual"):
        fitted(directed)
    for how, expected in (("mean", A / 2), ("max", A)):
        model = fitted(directed, symmetrize=how)
        np.testing.assert_allclose(model.degrees_, np.asarray(expected.sum(axis=1)).ravel())
        np.testing.assert_array_equal(fitted(sp.tril(A).tocsc(), symmetrize=how).embedding_, model.embedding_)
    with pytest.raises(ValueError, match="no edges"):
        fitted(directed, symmetrize="mutual")
    with pytest.raises(ValueError, match="symmetrize must be one of"):
        fitted(A, symmetrize="sum")


@pytest.mark.parametrize("change, message", [
    (lambda X: X.data.__setitem__(5, -1), "negative"),
    (lambda X: X.data.__setitem__(5, np.nan), "NaN"),
    (lambda X: X.data.__setitem__(5, np.inf), "infinity"),
    (lambda X: X.indices.__setitem__(5, 150), r"\[0, 149\]"),
])
def test_bad_entries_are_refused(change, message):
    X = A.copy()
    change(X)
    with pytest.raises(ValueError, match=message):
        fitted(X)


def test_what_does_not_apply_is_refused_by_name():
    with pytest.raises(ValueError, match="square"):
        fitted(A[:100])
    with pytest.raises((ValueError, TypeError), match="[Ss]parse"):
        MiniBatchSpectralClustering(3).fit(A)
    for options, message in (({"scale": "unit"}, "scale"), ({"gamma": 1.0}, "gamma"), ({"n_neighbors": 5}, "n_neighbors"),
                             ({"method": "nystrom"}, "nystrom"), ({"degrees": "sampled"}, "degrees must be exact")):
        with pytest.raises(ValueError, match=message):
            fitted(A, **options)
    with pytest.raises(ValueError, match="symmetrize"):
        MiniBatchSpectralClustering(2, symmetrize="mean").fit(np.random.rand(20, 2))
    model = fitted(A)
    for call in (model.predict, model.transform):
        for X in (A, A.toarray()):
            with pytest.raises(ValueError, match="fitted on a graph"):
                call(X)
    with pytest.raises(ValueError, match="fitted on a graph"):
        model.save("nowhere.npz")


def test_precomputed_nearest_neighbors_is_the_graph_of_scikit_learn():
    X, y = make_blobs(300, centers=3, cluster_std=0.8, random_state=0)
    distances = kneighbors_graph(X, 20, mode="distance")
    for count in (5, 12, "auto"):
        wanted = 10 if count == "auto" else count
        nearest = NearestNeighbors(n_neighbors=wanted, metric="precomputed").fit(distances)
        connectivity = nearest.kneighbors_graph(distances, mode="connectivity")
        options = {"affinity": "precomputed_nearest_neighbors", "n_neighbors": count, "random_state": 0}
        model = MiniBatchSpectralClustering(3, **options).fit(distances)
        expected = fitted(0.5 * (connectivity + connectivity.T))
        np.testing.assert_array_equal(model.embedding_, expected.embedding_)
        assert model.summary_["affinity"] == "precomputed"
    assert adjusted_rand_score(model.labels_, y) > 0.9
    whole = np.linalg.norm(X[:, None] - X[None], axis=2)
    dense = MiniBatchSpectralClustering(3, affinity="precomputed_nearest_neighbors", random_state=0).fit(whole)
    assert adjusted_rand_score(dense.labels_, y) > 0.9
    with pytest.raises(ValueError, match="fitted on a graph"):
        model.predict(distances)


def test_isolated_nodes_join_the_largest_cluster():
    X = sp.block_diag([A, sp.csr_matrix((4, 4))]).tocsr()
    model = fitted(X)
    assert (model.labels_[150:] == 0).all()
    assert model.summary_["isolated_points"] == 4
    np.testing.assert_array_equal(model.labels_[:150], fitted(A).labels_)
