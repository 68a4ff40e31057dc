# SPDX-License-Identifier: Apache-2.0
"""Fits estimators of the installed Python package and prints the sha256 of every resulting array, as JSON.

usage: estimators.py FOLDER    FOLDER has blobs.csv, moons.csv and matrix.npy (cases.py)
"""
import hashlib
import json
import pathlib
import sys
import warnings

import numpy as np
from mbsc import MiniBatchSpectralClustering as Estimator

#: The new name or value of an argument -> the old one, for packages that know only the old one.
FORMER = {"cache": "memory", "neighbors": "neighbours"}
HELD_OUT = 100  # rows that fit() does not see


def estimators():
    """name: (input, arguments)"""
    found = {
        "defaults": ("blobs", {}),
        "exact": ("blobs", {"method": "exact", "tol": 1e-6, "block_size": 7}),
        "cached": ("blobs", {"method": "exact", "cache": 10_000_000}),
        "minibatch": ("blobs", {"method": "minibatch", "passes": 0.5}),
        "minibatch, neighbors": ("moons", {"method": "minibatch", "start": "neighbors", "guards": 3}),
        "minibatch, batches": ("moons", {"method": "minibatch", "batch_size": 50, "max_iter": 8, "polish": False}),
        "adagrad": ("blobs", {"method": "minibatch", "step_rule": "adagrad", "estimator": "signed", "nonzeros": 3}),
        "nystrom": ("blobs", {"method": "nystrom", "landmarks": 60, "degrees": "nystrom"}),
        "power": ("moons", {"method": "power", "power_operator": "shifted", "max_iter": 5}),
        "exponential": ("blobs", {"affinity": "exponential", "embedding_scale": "degree", "regularization": 0}),
        "cosine": ("blobs", {"affinity": "cosine", "embedding_scale": "none"}),
        "sampled degrees": ("moons", {"method": "minibatch", "degrees": "sampled", "n_init": 2}),
        "precomputed": ("matrix", {"affinity": "precomputed"}),
    }
    for layout in ("float32", "Fortran", "Fortran float32"):
        found[layout] = ("blobs", {"method": "minibatch", "gamma": 0.01})
    return found


def arguments_for(given):
    """Translates new names for an old package."""
    if "cache" in Estimator().get_params():
        return given
    return {FORMER.get(name, name): FORMER.get(value, value) if isinstance(value, str) else value
            for name, value in given.items()}


def digest(values):
    values = np.ascontiguousarray(values)
    return hashlib.sha256(f"{values.dtype} {values.shape} ".encode() + values.tobytes()).hexdigest()


def run(folder, name, source, arguments):
    X = np.load(folder / "matrix.npy") if source == "matrix" else \
        np.loadtxt(folder / f"{source}.csv", delimiter=",")[:, :-1]
    X = np.asarray(X, np.float32 if "float32" in name else np.float64, order="F" if "Fortran" in name else "C")
    training = X if source == "matrix" else X[:-HELD_OUT]
    arguments = {"affinity": "rbf", **arguments_for(arguments)}  # the default affinity of old packages
    model = Estimator(5 if source == "blobs" else 2, random_state=3, **arguments).fit(training)
    found = {key: digest(getattr(model, key)) for key in ("labels_", "embedding_", "eigenvalues_", "degrees_",
                                                          "cluster_centers_")}
    if source != "matrix":
        for word, rows in (("training", training[:50]), ("new", X[-HELD_OUT:])):
            found[f"predict, {word} points"] = digest(model.predict(rows))
            found[f"transform, {word} points"] = digest(model.transform(rows))
    return found


def main():
    warnings.simplefilter("ignore")
    folder, found = pathlib.Path(sys.argv[1]), {}
    for name, (source, arguments) in estimators().items():
        try:
            found[name] = run(folder, name, source, arguments)
        except Exception as error:  # what one package refuses, the other must refuse as well
            found[name] = {"error": type(error).__name__}
    print(json.dumps(found))


if __name__ == "__main__":
    main()
