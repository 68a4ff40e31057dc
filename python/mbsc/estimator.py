# SPDX-License-Identifier: Apache-2.0
"""The scikit-learn estimator: validate -> cluster -> attributes."""
from __future__ import annotations

import inspect
import json
import numbers
import warnings
from typing import Callable

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from . import _core, graphs, model_file, ranks
from .option_docs import document_options
from .points import FLOATS, as_they_lie
from .progress import Observer, Stage
from .sklearn_versions import validate_data
from .threads import threads_for

#: Arguments that are not options of the library.
PYTHON_ONLY = {"random_state", "n_jobs", "verbose", "callback"}


def _is_default(value, default) -> bool:
    return value is default or (type(value) is type(default) and value == default)


@document_options
class MiniBatchSpectralClustering(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, BaseEstimator):
    """Spectral clustering by the normalized cut, in memory that grows linearly with n.

    By default, each point is joined to its nearest points. The leading eigenvectors of the normalized matrix of this
    graph are computed by a Chebyshev filter. With a kernel (``affinity='rbf'``), they are estimated from mini-batches of
    columns (Han and Filippone, 2016, with the solver of docs/methods.md), or computed to a tolerance. k-means, or
    cluster_qr, labels the rows of the eigenvectors.
    If scikit-learn has a name for an argument, this class uses that name. The other names are those of the command
    line ``mbsc cluster``. Except for ``n_clusters``, ``random_state`` and ``n_jobs``, the defaults are the same, too.
    The same data, options and seed give the same bits.

    ``affinity='precomputed_nearest_neighbors'`` is scikit-learn's: ``X`` has distances, and each point is joined to its
    ``n_neighbors`` nearest with weight 1, then A = (A + A')/2. 'auto' means 10 neighbors, or as many as every row has.

    Parameters
    ----------
    {options}
    random_state : int, RandomState instance or None, default=None
        The seed of all random numbers, as ``--seed``. With a RandomState, or None, a seed is drawn.
    n_jobs : int or None, default=None
        Number of threads. -1: the value of OMP_NUM_THREADS if it is set, else all CPUs of this process; -2: one less.
        None: as -1, but at most the limit that threadpoolctl reports for OpenMP. Results do not depend on it.
    verbose : int, default=0
        1 shows progress: a bar if tqdm is installed, else lines on standard error.
    callback : callable or None, default=None
        Called with a :class:`mbsc.Stage` on the calling thread; it may return False to end the run with the current
        result.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,), int64
        In input order; cluster 0 is the largest.
    embedding_ : ndarray of shape (n_samples, n_clusters), float32
        The eigenvectors: orthonormal columns, not scaled.
    eigenvalues_ : ndarray of shape (n_clusters,)
        Eigenvalues of L, descending.
    residuals_ : ndarray of shape (n_clusters,) or None
        |L w - theta w| of each pair, recomputed or an upper bound (``residuals_are_bounds`` in ``summary_``); None if
        there was no full product.
    degrees_ : ndarray of shape (n_samples,)
        Row sums of A, as used in the run.
    gamma_ : float or None
        The value used; None for cosine, nearest_neighbors, landmarks and precomputed.
    cluster_centers_ : ndarray of shape (n_clusters, n_columns)
        Centers of k-means, in the space of :meth:`transform`. ``n_columns`` is ``n_clusters``, or more if the cutoff is
        soft. With ``assign_labels='cluster_qr'``, row c is the direction
        of cluster c: a point belongs to the direction in which its row has the largest part.
    n_iter_ : int
        Number of batches, products or Krylov steps. For minibatch with Ritz steps, the start counts as one more.
    status_ : str
        'converged', 'finished', 'budget spent', 'stalled', 'unresolved' or 'stopped' (docs/summary.md).
    history_ : dict of ndarray
        ``iteration``, ``passes``, ``objective``, ``seconds``, with one entry for each progress report.
    summary_ : dict
        All settings and results: the keys of docs/summary.md.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Only if ``X`` has feature names.

    Notes
    -----
    float32 and float64 arrays are used without a copy, even if they are Fortran-ordered, read-only or memory-mapped.
    ``predict`` and ``transform`` read the training points again, except with ``affinity='landmarks'``. The estimator
    keeps a reference to ``X``, not a copy, so do not change the array. With nearest_neighbors, the estimator also keeps
    the graph: about 16 x ``n_neighbors`` bytes for each point.

    Examples
    --------
    >>> from mbsc import MiniBatchSpectralClustering
    >>> from sklearn.datasets import make_circles
    >>> X, y = make_circles(600, factor=0.4, noise=0.04, random_state=0)
    >>> model = MiniBatchSpectralClustering(n_clusters=2, random_state=0).fit(X[:500])
    >>> model.labels_.shape, model.status_
    ((500,), 'finished')
    >>> from mbsc.metrics import adjusted_rand_score
    >>> adjusted_rand_score(y[500:], model.predict(X[500:]))
    1.0
    """

    def __init__(self, n_clusters: int = 8, *, affinity: str = "auto", gamma: float | str = "auto",
                 n_neighbors: int | str = "auto", metric: str = "euclidean", edge_weights: str = "gaussian_shared",
                 edge_width: float | str = "auto", edges: str = "union", recall: float = 0.95,
                 symmetrize: str = "auto",
                 method: str = "auto", passes: float | None = None, batch_size: int | str = "auto",
                 tol: float | None = None, regularization: float | str = "auto", embedding_scale: str = "row",
                 cutoff: str = "auto", assign_labels: str = "kmeans", n_init: int = 10,
                 random_state: int | np.random.RandomState | None = None,
                 n_jobs: int | None = None, verbose: int = 0, callback: Callable[[Stage], object] | None = None,
                 max_iter: int | None = None, seconds: float | None = None, stall: float | None = None,
                 scale: str = "none", scale_rows: int | str = "auto", degrees: str = "exact",
                 degree_columns: int | str = "auto", cache: int | str = 0, memory: int | None = None,
                 start: str = "auto", landmarks: int | str = "auto", step_rule: str = "ritz",
                 guards: int | str = "auto", columns: str = "importance", control_variate: bool = True,
                 polish: bool = True, estimator: str = "columns", sampling: str = "reshuffle", nonzeros: int = 2,
                 probability: float | None = None, step: float | str = "auto", epsilon: float = 1e-6,
                 power_operator: str = "plain", block_size: int | str = "auto",
                 basis_size: int | str = "auto") -> None:
        given = locals()
        for name in self._get_param_names():
            setattr(self, name, given[name])

    def fit(self, X, y=None, *, comm=None) -> "MiniBatchSpectralClustering":
        """Cluster the points.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or (n_samples, n_samples) if precomputed
            With ``affinity='precomputed'`` it may be a graph: a sparse array or matrix of SciPy. With
            ``affinity='precomputed_nearest_neighbors'`` it has distances, sparse or dense.
        y : ignored
        comm : mpi4py communicator or None, default=None
            The ranks of this communicator share the points. Each rank passes its own rows (any number) as ``X`` and
            gets ``labels_``, ``embedding_`` and ``degrees_`` of these rows. Everything else describes all points. All
            ranks of the communicator must call this method. The bits are the same for any number of ranks. Call
            :meth:`collect` before ``predict``.

        Returns
        -------
        self : the fitted estimator. If the call is interrupted, the estimator stays as it was before.
        """
        before = vars(self).copy()
        observer = Observer.wanted(self.verbose, self.callback) if comm is None or comm.rank == 0 else None
        try:
            if comm is None:
                X, seed = self._validated(X, reset=True), self._draw_seed()
                if self.affinity == "precomputed_nearest_neighbors":
                    X = graphs.nearest_connectivity(X, self.n_neighbors, self.n_jobs)
                if graphs.issparse(X):
                    found = _core.cluster_graph(*graphs.arrays_of(X), self._library_options(seed), observer)
                else:
                    found = _core.cluster(X, self._library_options(seed), observer)
            else:
                X, seed = self._validated_on(comm, X)
                address = ranks.address_of(comm)
                options = {**self._library_options(seed), "threads": threads_for(self.n_jobs, _core.threads_of_rank(address))}
                found = _core.cluster(X, options, observer, address)
            self._take(X, found, seed, comm)
        except BaseException:
            vars(self).clear()
            vars(self).update(before)
            raise
        finally:
            if observer is not None:
                observer.close()
        if self.tol is not None and self.status_ in ("budget spent", "stalled"):
            worst = "unknown" if self.residuals_ is None else f"{self.residuals_.max():.1e}"
            warnings.warn(f"{self.status_} before the tolerance was met: the largest residual is {worst}, "
                          f"tol={self.tol}", ConvergenceWarning, stacklevel=2)
        return self

    def collect(self, comm, root: int = 0) -> "MiniBatchSpectralClustering":
        """Gather the points and results of all ranks on one rank, the root, after ``fit(X, comm=comm)``.

        The root can then predict and save. It needs memory for all points. The estimators of the other ranks do not
        change. All ranks of the communicator must call this method.

        Parameters
        ----------
        comm : the communicator of ``fit``
        root : int, default=0
        """
        def part() -> dict:
            check_is_fitted(self)
            if self.affinity == "precomputed":
                raise ValueError("collect() needs points; it does not support a precomputed affinity")
            if comm.size > 1 and self._part is None:
                raise ValueError("collect() needs fit(X, comm=comm); this estimator was fitted without comm")
            return self._part

        mine = ranks.agree(comm, part)
        if comm.size == 1:
            return self
        whole = {name: ranks.rows_on(comm, rows, root) for name, rows in mine.items()}
        if comm.rank == root:
            points = whole.pop("points")
            if self._model["affinity"] != "landmarks":  # its model does not need them
                self._model = {**self._model, "points": points}
            if "vectors" in whole:
                self._model = {**self._model, "vectors": whole.pop("vectors")}
            for name, rows in whole.items():
                setattr(self, name, rows)
        return self

    def predict(self, X) -> np.ndarray:
        """Assign new points to clusters, by extending the eigenvectors to the new points.

        If a new point equals a fitted point: with a kernel, their affinity counts as 0, as in ``fit``; with
        nearest_neighbors, the new point has the edges of the fitted point. Cost: one kernel value for each pair of a new and
        a fitted point; with nearest_neighbors, a search for the nearest fitted points of each new point; with
        landmarks, a search for its nearest landmarks.

        Parameters
        ----------
        X : array-like of shape (m, n_features), or (m, n_samples) if precomputed: affinities to the fitted points

        Returns
        -------
        labels : ndarray of shape (m,), int64
        """
        return self._extend(X)[0]

    def transform(self, X) -> np.ndarray:
        """Extend the eigenvectors to new points. The rows are scaled as for the labels (``embedding_scale``).

        Parameters
        ----------
        X : as for :meth:`predict`

        Returns
        -------
        rows : ndarray of shape (m, n_columns), of the dtype of ``X``
            With a soft ``cutoff``, the columns are multiplied by their weights, and there may be more than
            ``n_clusters``.
        """
        return self._extend(X)[1]

    def save(self, path) -> None:
        """Write the fitted estimator to a file: arrays and a JSON header in ``.npz``. Loading it runs no code.

        The file contains the points the estimator was fitted on (the landmarks instead if ``affinity='landmarks'``), but
        not the callback or a RandomState.
        """
        check_is_fitted(self)
        self._find_extension()
        model_file.save(self, path)

    @classmethod
    def load(cls, path) -> "MiniBatchSpectralClustering":
        """Read what :meth:`save` wrote."""
        return model_file.load(path)

    @property
    def _n_features_out(self) -> int:
        return self.cluster_centers_.shape[1]

    def _validated(self, X, reset: bool):
        accepted = ("csr", "csc") if self.affinity in graphs.PRECOMPUTED else False
        X = validate_data(self, X, reset=reset, accept_sparse=accepted, dtype=FLOATS, order=None,
                          ensure_min_samples=2 if reset else 1)
        return X if graphs.issparse(X) else as_they_lie(X)

    def _validated_on(self, comm, X) -> tuple[np.ndarray, int]:
        """_validated() and _draw_seed() for ranks that share the points. All ranks fail together and get one seed."""
        def validated():
            ranks.address_of(comm)
            if graphs.issparse(X) or self.affinity == "precomputed_nearest_neighbors":
                raise ValueError("a graph is clustered on one rank only: fit it without comm")
            rows = validate_data(self, X, reset=True, dtype=FLOATS, order=None, ensure_min_samples=0)
            options = self._library_options(0)
            compared = {name: options[name] for name in sorted(options) if name != "threads"}
            return as_they_lie(rows), self._draw_seed(), {"the number of features": rows.shape[1], **compared}

        points, seed, compared = ranks.agree(comm, validated)
        ranks.require_equal(comm, compared)
        return points, comm.bcast(seed)

    def _draw_seed(self) -> int:
        if isinstance(self.random_state, numbers.Integral):
            return int(self.random_state)
        return int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))

    def _library_options(self, seed: int) -> dict:
        """The options that differ from their defaults. The library refuses options that do not apply to the method."""
        defaults = inspect.signature(type(self).__init__).parameters
        given = {name: value for name, value in self.get_params(deep=False).items()
                 if name not in PYTHON_ONLY and not _is_default(value, defaults[name].default)}
        if self.affinity == "precomputed_nearest_neighbors":
            given["affinity"] = "precomputed"
            given.pop("n_neighbors", None)
        if "memory" in given:
            warnings.warn("the argument memory is now cache; the old name will be removed", FutureWarning, stacklevel=3)
        return {**given, "seed": seed, "threads": threads_for(self.n_jobs)}

    def _take(self, X: np.ndarray, found: dict, seed: int, comm=None) -> None:
        """Set the attributes and the data that predict() needs."""
        self.labels_ = found["labels"]
        self.embedding_ = found["embedding"]
        self.eigenvalues_ = found["eigenvalues"]
        self.residuals_ = found["residuals"]
        self.degrees_ = found["degrees"]
        self.gamma_ = found["gamma"]
        self.cluster_centers_ = found["cluster_centers"]
        self.n_iter_ = found["iterations"]
        self.status_ = found["status"]
        self.history_ = found["history"]
        self.summary_ = json.loads(found["summary"])
        self._model = {"points": X, "affinity": self.summary_["affinity"], "shift": found["shift"],
                       "scale": found["scale"], "gamma": self.gamma_ or 1.0, "seed": seed,
                       "regularization": self.summary_["regularization"], "embedding_scale": self.embedding_scale,
                       "assign": self.assign_labels}
        if found["weighted"] is not None:
            vectors, values, residuals = found["weighted"]
            self._model.update(vectors=vectors, vector_values=np.array(values), vector_residuals=np.array(residuals))
        if found["graph"] is not None:
            self._model.update(found["graph"], recall=self.summary_["recall"])
        self._part = None
        is_shared = comm is not None and comm.size > 1
        if is_shared:
            self._part = {"points": X, "labels_": self.labels_, "embedding_": self.embedding_, "degrees_": self.degrees_}
            if "vectors" in self._model:
                self._part["vectors"] = self._model["vectors"]
        if found["landmarks"] is not None:  # predict() needs the landmarks instead of the points
            del self._model["points"]
            self._model.update(found["landmarks"])
        elif is_shared:
            del self._model["points"]
        elif graphs.issparse(X):
            self._model = {**self._model, "points": None, "graph": True}
        elif self.affinity == "precomputed":  # predict() will not have the matrix
            self._model["row_hashes"] = _core.hash_rows(X)
            self._find_extension()
            del self._model["points"]

    def _library_model(self) -> dict:
        if "landmarks" in self._model:
            return {**self._model, "cluster_centers": self.cluster_centers_}
        model = {name: value for name, value in self._model.items() if name not in ("seed", "recall")}
        return {**model, "labels": self.labels_.astype(np.int32), "degrees": self.degrees_,
                "embedding": self._model.get("vectors", self.embedding_), "cluster_centers": self.cluster_centers_}

    def _require_coordinates(self) -> None:
        if self._model.get("graph"):
            raise ValueError("new points cannot be labeled: the estimator was fitted on a graph, which has no "
                             "coordinates")

    def _find_extension(self) -> None:
        self._require_coordinates()
        if self._model["affinity"] == "landmarks":
            if "landmarks" not in self._model:
                raise ValueError("this run was stopped before it had what predict() needs")
            return
        if self._part is not None and "points" not in self._model:
            how = ("predict() is not available for a precomputed affinity on ranks" if self.affinity == "precomputed"
                   else "collect(comm) gathers them on one rank")
            raise ValueError(f"this rank has only a part of the points: {how}")
        if self._model["affinity"] == "neighbors" and "graph_starts" not in self._model:  # after a fit on ranks
            names = ("clusters", "neighbors", "metric", "edge_weights", "edge_width", "edges", "recall", "seed")
            options = {name: self.summary_[name] for name in names}
            self._model.update(_core.find_graph(self._model, {**options, "threads": threads_for(self.n_jobs)}),
                               recall=self.summary_["recall"])
        if self._model["affinity"] == "neighbors" and "probes" not in self._model:
            self._model.update(_core.find_index(self._library_model(), self._model["recall"], self._model["seed"],
                                                threads_for(self.n_jobs)))
        if "extension" not in self._model:
            values = self._model.get("vector_values", self.eigenvalues_)
            residuals = self._model.get("vector_residuals", self.residuals_)
            self._model["extension"] = _core.find_extension(
                self._library_model(), values.tolist(), self.summary_["eigenvalues_are_exact"],
                [] if residuals is None else residuals.tolist(), self._model["seed"], threads_for(self.n_jobs))

    def _extend(self, X) -> tuple[np.ndarray, np.ndarray]:
        check_is_fitted(self)
        self._require_coordinates()
        X = self._validated(X, reset=False)
        self._find_extension()
        labels, rows = _core.predict(self._library_model(), X, threads_for(self.n_jobs))
        return labels, rows.astype(X.dtype, copy=False)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = tags.input_tags.sparse = self.affinity in graphs.PRECOMPUTED
        tags.input_tags.positive_only = self.affinity == "precomputed"
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def _more_tags(self):  # before scikit-learn 1.6
        return {"pairwise": self.affinity in graphs.PRECOMPUTED, "requires_positive_X": self.affinity == "precomputed",
                "preserves_dtype": [np.float64, np.float32]}
