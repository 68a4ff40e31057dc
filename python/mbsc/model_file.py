# SPDX-License-Identifier: Apache-2.0
"""A fitted estimator as a file: an .npz of plain arrays, one of which is a JSON header. Reading it runs no code.

    header      JSON as bytes: format, version of mbsc, parameters, and every result that is not an array
    points      the fitted points; for a precomputed affinity row_hashes instead; for landmarks instead
                landmarks, landmark_degrees, landmark_vectors, cluster_means
    labels, embedding, eigenvalues, residuals, degrees, cluster_centers, extension, shift, scale, history_*
    vectors, vector_values, vector_residuals: if the cutoff is soft, the weighted eigenvectors (WeightedPairs there)
    graph_starts, graph_columns, graph_values, reach, lists, local: the neighbor graph (FittedGraph in mbsc/result.h)
    firsts, leaders, leader_of                                     for the search in it (SearchIndex in mbsc/result.h)
"""
from __future__ import annotations

import json
import numbers
from typing import TYPE_CHECKING

import numpy as np

from ._core import __version__

if TYPE_CHECKING:
    from .estimator import MiniBatchSpectralClustering

FORMAT = "mbsc model 1"
ARRAYS = ("labels", "embedding", "eigenvalues", "residuals", "degrees", "cluster_centers")
MODEL_ARRAYS = ("points", "row_hashes", "vectors", "vector_values", "vector_residuals", "extension", "shift", "scale",
                "graph_starts", "graph_columns", "graph_values", "reach", "lists", "local", "firsts", "leaders",
                "leader_of", "landmarks", "landmark_degrees", "landmark_vectors", "cluster_means")


def _plain(value):
    """A parameter as a JSON value."""
    if isinstance(value, np.generic):
        return value.item()
    if value is None or isinstance(value, (str, bool, numbers.Real)):
        return value
    raise TypeError(f"a parameter of type {type(value).__name__} cannot be saved")


def save(estimator: "MiniBatchSpectralClustering", path) -> None:
    parameters = estimator.get_params(deep=False)
    parameters["callback"] = None
    if not isinstance(parameters["random_state"], numbers.Integral):
        parameters["random_state"] = None
    model = estimator._model
    header = {
        "format": FORMAT,
        "version": __version__,
        "parameters": {name: _plain(value) for name, value in parameters.items()},
        "model": {name: _plain(value) for name, value in model.items() if name not in MODEL_ARRAYS},
        "gamma": estimator.gamma_,
        "n_iter": estimator.n_iter_,
        "status": estimator.status_,
        "summary": estimator.summary_,
        "n_features_in": estimator.n_features_in_,
        "feature_names_in": [str(name) for name in getattr(estimator, "feature_names_in_", [])],
    }
    arrays = {name: getattr(estimator, name + "_") for name in ARRAYS}
    arrays.update({name: model[name] for name in MODEL_ARRAYS if model.get(name) is not None})
    arrays.update({f"history_{name}": values for name, values in estimator.history_.items()})
    text = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    with open(path, "wb") as file:
        np.savez(file, header=text, **{name: array for name, array in arrays.items() if array is not None})


def load(path) -> "MiniBatchSpectralClustering":
    """Read a fitted estimator that :meth:`MiniBatchSpectralClustering.save` wrote.

    Examples
    --------
    >>> import mbsc, os, tempfile
    >>> from sklearn.datasets import make_blobs
    >>> X, _ = make_blobs(200, centers=3, random_state=0)
    >>> model = mbsc.MiniBatchSpectralClustering(3, random_state=0).fit(X)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     model.save(os.path.join(folder, "model.npz"))
    ...     again = mbsc.load(os.path.join(folder, "model.npz"))
    >>> bool((again.predict(X) == model.predict(X)).all())
    True
    """
    from .estimator import MiniBatchSpectralClustering

    with np.load(path, allow_pickle=False) as file:
        if "header" not in file:
            raise ValueError(f"{path} is not a model of mbsc: it has no header")
        arrays = {name: file[name] for name in file.files}
    header = json.loads(arrays.pop("header").tobytes())
    if header.get("format") != FORMAT:
        raise ValueError(f"the format of {path} must be '{FORMAT}'; got {header.get('format')!r}")
    estimator = MiniBatchSpectralClustering(**header["parameters"])
    for name in ARRAYS:
        setattr(estimator, name + "_", arrays.get(name))
    estimator.history_ = {name.removeprefix("history_"): values for name, values in arrays.items()
                          if name.startswith("history_")}
    estimator.gamma_, estimator.n_iter_ = header["gamma"], header["n_iter"]
    estimator.status_, estimator.summary_ = header["status"], header["summary"]
    estimator.n_features_in_ = header["n_features_in"]
    if header["feature_names_in"]:
        estimator.feature_names_in_ = np.array(header["feature_names_in"], dtype=object)
    estimator._model = {**header["model"], **{name: arrays[name] for name in MODEL_ARRAYS if name in arrays}}
    estimator._part = None
    return estimator
