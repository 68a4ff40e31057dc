# SPDX-License-Identifier: Apache-2.0
"""The scikit-learn estimator: validate -> cluster -> attributes."""
from __future__ import annotations

import json
import math
import numbers
import warnings
from typing import Callable

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from . import _core, model_file, ranks
from .points import FLOATS, as_they_lie
from .progress import Observer, Stage
from .sklearn_versions import validate_data
from .threads import threads_for

#: scikit-learn's name -> the library's
LIBRARY_NAMES = {"n_clusters": "clusters", "n_init": "restarts", "tol": "tolerance", "max_iter": "iterations"}
#: What the library is not told as it stands.
PYTHON_ONLY = {"random_state", "n_jobs", "verbose", "callback"}


class MiniBatchSpectralClustering(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, BaseEstimator):
    """Spectral clustering by the exact normalized cut, in memory that grows with n.

    The affinity matrix A of the n points never exists: its products are worked out tile by tile. The k leading
    eigenvectors of L = S (A + (tau/n) 11') S, S = (D + tau)^-1/2, come from mini-batches of columns (Han and Filippone,
    2017, with the solver of docs/methods.md), or exactly where that is cheap or asked for; k-means makes labels of
    their rows. Names are scikit-learn's where it has one, else those of the command line ``mbsc cluster``, with its
    defaults: the same data, options and seed give the same bits.

    Parameters
    ----------
    n_clusters : int, default=8
        k, the clusters and the eigenvectors.
    affinity : {'rbf', 'exponential', 'cosine', 'precomputed'}, default='rbf'
        exp(-gamma |x-y|^2); exp(-gamma |x-y|); max(0, cosine); or ``X`` is a dense symmetric matrix of affinities,
        not negative, whose diagonal is ignored.
    gamma : float or 'auto', default='auto'
        Of rbf and exponential; 'auto' follows sampled distances.
    method : {'auto', 'exact', 'minibatch', 'nystrom', 'power'}, default='auto'
        'auto': exact where a tolerance is given, minibatch where passes or max_iter are; without any of these exact
        where that is cheap, else minibatch.
    passes : float or None, default=None
        Budget: columns evaluated / n. None: the method's own, which is 1.0 for minibatch.
    batch_size : int or 'auto', default='auto'
        minibatch: columns of a batch. 'auto': as many as all before it together.
    tol : float or None, default=None
        Largest residual |L w - theta w| to reach, recomputed. None: 1e-5 for exact, none for the others.
    regularization : float, default=0.001
        tau as a share of the mean degree. 0 is the plain normalized cut.
    embedding_scale : {'row', 'none', 'degree'}, default='row'
        What k-means sees: rows of length one, as they are, or divided by the root of the degree.
    n_init : int, default=10
        Runs of k-means, of which the best is kept.
    random_state : int, RandomState instance or None, default=None
        An int is the seed of everything, as ``--seed``; the others draw one.
    n_jobs : int or None, default=None
        Threads. None: all CPUs of this process, within what threadpoolctl (or OMP_NUM_THREADS) allows to OpenMP; -1: all
        CPUs; -2: all but one. Results do not depend on it.
    verbose : int, default=0
        1 shows progress: a bar where tqdm is installed, else lines on standard error.
    callback : callable or None, default=None
        Called with a :class:`mbsc.Stage` on the calling thread; returning False ends the run with what it has.
    max_iter : int or None, default=None
        Budget: batches, products or Krylov steps (``--iterations``).
    seconds : float or None, default=None
        Budget: wall clock of the solver; costs reproducibility.
    stall : float or None, default=None
        minibatch: ends when a step moves the subspace by less.
    degrees : {'exact', 'sampled', 'nystrom'}, default='exact'
        By one symmetric pass; from some columns, which count in passes; approximated (method='nystrom').
    degree_columns : int or 'auto', default='auto'
        Columns drawn for sampled degrees.
    memory : int, default=0
        Bytes for kernel values of the degree pass, kept in 16 bits for full products.
    start : {'auto', 'random', 'nystrom', 'neighbors'}, default='auto'
    landmarks : int or 'auto', default='auto'
        Of Nystrom, as a method and as a start.
    step_rule : {'ritz', 'adagrad'}, default='ritz'
        minibatch; 'adagrad' is the paper's.
    guards : int or 'auto', default='auto'
        minibatch: columns beyond k.
    columns : {'importance', 'uniform'}, default='importance'
        minibatch with ritz: how columns are drawn.
    control_variate, polish : bool, default=True
        minibatch with ritz: sample only what Nystrom misses; full products from 1.5 passes on.
    estimator : {'columns', 'signed'}, default='columns'
    sampling : {'reshuffle', 'independent'}, default='reshuffle'
    nonzeros : int, default=2
    probability : float or None, default=None
    step : float or 'auto', default='auto'
    epsilon : float, default=1e-6
        minibatch with adagrad.
    power_operator : {'plain', 'shifted'}, default='plain'
        power.
    block_size, basis_size : int or 'auto', default='auto'
        Of power, nystrom and exact.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,), int64
        By falling cluster size.
    embedding_ : ndarray of shape (n_samples, n_clusters), float32
        The eigenvectors: orthonormal columns, not scaled.
    eigenvalues_ : ndarray of shape (n_clusters,)
        Of L, descending.
    residuals_ : ndarray of shape (n_clusters,) or None
        Recomputed |L w - theta w|; None where no full product was made.
    degrees_ : ndarray of shape (n_samples,)
        Row sums of A, as used.
    gamma_ : float or None
        As used; None for cosine and precomputed.
    cluster_centers_ : ndarray of shape (n_clusters, n_clusters)
        Of k-means, in the space of :meth:`transform`.
    n_iter_ : int
        Batches, products or Krylov steps.
    status_ : str
        'converged', 'finished', 'budget spent', 'stalled' or 'stopped'.
    history_ : dict of ndarray
        ``iteration``, ``passes``, ``objective``, ``seconds``, an entry for each iteration.
    summary_ : dict
        Every setting and figure: the keys of docs/summary.md.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Where ``X`` has names.

    Notes
    -----
    float32 and float64 arrays are used as they lie, Fortran-ordered, read-only and memory-mapped ones included.
    ``predict`` and ``transform`` look at the training points again: the estimator keeps a reference to ``X``, not a copy,
    so leave the array as it is.

    Examples
    --------
    >>> from mbsc import MiniBatchSpectralClustering
    >>> from sklearn.datasets import make_circles
    >>> X, y = make_circles(600, factor=0.4, noise=0.04, random_state=0)
    >>> model = MiniBatchSpectralClustering(n_clusters=2, random_state=0).fit(X[:500])
    >>> model.labels_.shape, model.status_
    ((500,), 'converged')
    >>> from mbsc.metrics import adjusted_rand_score
    >>> adjusted_rand_score(y[500:], model.predict(X[500:]))
    1.0
    """

    def __init__(self, n_clusters: int = 8, *, affinity: str = "rbf", gamma: float | str = "auto", method: str = "auto",
                 passes: float | None = None, batch_size: int | str = "auto", tol: float | None = None,
                 regularization: float = 0.001, embedding_scale: str = "row", n_init: int = 10,
                 random_state: int | np.random.RandomState | None = None, n_jobs: int | None = None, verbose: int = 0,
                 callback: Callable[[Stage], object] | None = None, max_iter: int | None = None,
                 seconds: float | None = None, stall: float | None = None, degrees: str = "exact",
                 degree_columns: int | str = "auto", memory: int = 0, start: str = "auto",
                 landmarks: int | str = "auto", step_rule: str = "ritz", guards: int | str = "auto",
                 columns: str = "importance", control_variate: bool = True, polish: bool = True,
                 estimator: str = "columns", sampling: str = "reshuffle", nonzeros: int = 2,
                 probability: float | None = None, step: float | str = "auto", epsilon: float = 1e-6,
                 power_operator: str = "plain", block_size: int | str = "auto", basis_size: int | str = "auto") -> None:
        self.n_clusters = n_clusters
        self.affinity = affinity
        self.gamma = gamma
        self.method = method
        self.passes = passes
        self.batch_size = batch_size
        self.tol = tol
        self.regularization = regularization
        self.embedding_scale = embedding_scale
        self.n_init = n_init
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.callback = callback
        self.max_iter = max_iter
        self.seconds = seconds
        self.stall = stall
        self.degrees = degrees
        self.degree_columns = degree_columns
        self.memory = memory
        self.start = start
        self.landmarks = landmarks
        self.step_rule = step_rule
        self.guards = guards
        self.columns = columns
        self.control_variate = control_variate
        self.polish = polish
        self.estimator = estimator
        self.sampling = sampling
        self.nonzeros = nonzeros
        self.probability = probability
        self.step = step
        self.epsilon = epsilon
        self.power_operator = power_operator
        self.block_size = block_size
        self.basis_size = basis_size

    def fit(self, X, y=None, *, comm=None) -> "MiniBatchSpectralClustering":
        """Cluster the points.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or (n_samples, n_samples) where precomputed
        y : ignored
        comm : mpi4py communicator or None, default=None
            Its ranks share the points: each passes its own rows (any number) as ``X``, and finds their ``labels_``,
            ``embedding_`` and ``degrees_``; everything else is of the whole. Collective. The same bits for any number of
            ranks. ``predict`` then needs :meth:`collect`.

        Returns
        -------
        self : the fitted estimator; where it was interrupted it is as it was before.
        """
        before = vars(self).copy()
        observer = Observer.wanted(self.verbose, self.callback) if comm is None or comm.rank == 0 else None
        try:
            if comm is None:
                X, seed = self._validated(X, reset=True), self._draw_seed()
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
        """After ``fit(X, comm=comm)``: the points and results of all ranks on one, which can then predict and save.

        Collective. The root needs memory for all points; the estimators of the other ranks stay as they are.

        Parameters
        ----------
        comm : the communicator of ``fit``
        root : int, default=0
        """
        def part() -> dict:
            check_is_fitted(self)
            if self.affinity == "precomputed":
                raise ValueError("collect() goes with points, not with a precomputed affinity")
            if comm.size > 1 and self._part is None:
                raise ValueError("collect() goes with fit(X, comm=comm); this estimator was fitted without")
            return self._part

        mine = ranks.agree(comm, part)
        if comm.size == 1:
            return self
        whole = {name: ranks.rows_on(comm, rows, root) for name, rows in mine.items()}
        if comm.rank == root:
            self._model = {**self._model, "points": whole.pop("points")}
            for name, rows in whole.items():
                setattr(self, name, rows)
        return self

    def predict(self, X) -> np.ndarray:
        """The cluster of each point, by the eigenfunctions of the fitted points.

        A point that is one of the fitted points counts as that one. Cost: a kernel value for each pair of a new and a
        fitted point.

        Parameters
        ----------
        X : array-like of shape (m, n_features), or (m, n_samples) where precomputed: affinities to the fitted points

        Returns
        -------
        labels : ndarray of shape (m,), int64
        """
        return self._extend(X)[0]

    def transform(self, X) -> np.ndarray:
        """Rows of eigenvectors as k-means sees them (``embedding_scale``), by the eigenfunctions of the fitted points.

        Parameters
        ----------
        X : as for :meth:`predict`

        Returns
        -------
        rows : ndarray of shape (m, n_clusters), of the dtype of ``X``
        """
        return self._extend(X)[1]

    def save(self, path) -> None:
        """Write the fitted estimator to a file: arrays and a JSON header in ``.npz``, nothing that runs on loading.

        The points it was fitted on are part of it; callback and a RandomState are not.
        """
        check_is_fitted(self)
        self._find_extension()
        model_file.save(self, path)

    @classmethod
    def load(cls, path) -> "MiniBatchSpectralClustering":
        """What :meth:`save` wrote."""
        return model_file.load(path)

    @property
    def _n_features_out(self) -> int:
        return self.embedding_.shape[1]

    def _validated(self, X, reset: bool) -> np.ndarray:
        return as_they_lie(validate_data(self, X, reset=reset, dtype=FLOATS, order=None,
                                         ensure_min_samples=2 if reset else 1))

    def _validated_on(self, comm, X) -> tuple[np.ndarray, int]:
        """As _validated() and _draw_seed(), on ranks that share the points; errors and seed are those of all."""
        def validated():
            ranks.address_of(comm)
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
        given = {LIBRARY_NAMES.get(name, name): None if isinstance(value, str) and value == "auto" else value
                 for name, value in self.get_params(deep=False).items() if name not in PYTHON_ONLY}
        return {**given, "seed": seed, "threads": threads_for(self.n_jobs)}

    def _take(self, X: np.ndarray, found: dict, seed: int, comm=None) -> None:
        """The attributes, and what predict() needs, as the parameters are now."""
        self.labels_ = found["labels"]
        self.embedding_ = found["embedding"]
        self.eigenvalues_ = found["eigenvalues"]
        self.residuals_ = found["residuals"]
        self.degrees_ = found["degrees"]
        self.gamma_ = None if math.isnan(found["gamma"]) else found["gamma"]
        self.cluster_centers_ = found["cluster_centers"]
        self.n_iter_ = found["iterations"]
        self.status_ = found["status"]
        self.history_ = found["history"]
        self.summary_ = json.loads(found["summary"])
        self._model = {"points": X, "affinity": self.affinity, "gamma": self.gamma_ or 1.0, "seed": seed,
                       "regularization": float(self.regularization), "embedding_scale": self.embedding_scale}
        self._part = None
        if comm is not None and comm.size > 1:
            self._part = {"points": X, "labels_": self.labels_, "embedding_": self.embedding_, "degrees_": self.degrees_}
            del self._model["points"]
        elif self.affinity == "precomputed":  # only while the matrix is at hand
            self._model["row_hashes"] = _core.hash_rows(X)
            self._find_extension()
            del self._model["points"]

    def _library_model(self) -> dict:
        model = {name: value for name, value in self._model.items() if name != "seed"}
        return {**model, "labels": self.labels_.astype(np.int32), "degrees": self.degrees_,
                "embedding": self.embedding_, "cluster_centers": self.cluster_centers_}

    def _find_extension(self) -> None:
        if self._part is not None and "points" not in self._model:
            how = ("what predict() needs of a precomputed affinity is not to be had" if self.affinity == "precomputed"
                   else "collect(comm) brings them together on one rank")
            raise ValueError(f"this rank has a part of the points only: {how}")
        if "extension" not in self._model:
            residuals = [] if self.residuals_ is None else self.residuals_.tolist()
            self._model["extension"] = _core.find_extension(
                self._library_model(), self.eigenvalues_.tolist(), self.summary_["eigenvalues_are_exact"], residuals,
                self._model["seed"], threads_for(self.n_jobs))

    def _extend(self, X) -> tuple[np.ndarray, np.ndarray]:
        check_is_fitted(self)
        X = self._validated(X, reset=False)
        self._find_extension()
        labels, rows = _core.predict(self._library_model(), X, threads_for(self.n_jobs))
        return labels, rows.astype(X.dtype, copy=False)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.affinity == "precomputed"
        tags.input_tags.positive_only = self.affinity == "precomputed"
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def _more_tags(self):  # before scikit-learn 1.6
        precomputed = self.affinity == "precomputed"
        return {"pairwise": precomputed, "requires_positive_X": precomputed,
                "preserves_dtype": [np.float64, np.float32]}
