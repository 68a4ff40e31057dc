#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A tutorial of the Python package, with figures. Run it cell by cell in an editor that knows `# %%`, or as a script:

    python examples/tutorial.py [FOLDER]     writes the figures to the folder, by default the current one
"""
# %% [markdown]
# # Shapes that no straight line separates
# k-means finds round clusters. Spectral clustering finds clusters of any shape whose points are connected.

# %%
import pathlib
import sys
import tempfile
import time

import matplotlib.pyplot as plt
import numpy as np
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits, make_circles, make_moons
from sklearn.preprocessing import StandardScaler

import mbsc
from mbsc import MiniBatchSpectralClustering
from mbsc.metrics import adjusted_rand_score, score_labels

folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")

moons, moon_classes = make_moons(1500, noise=0.05, random_state=0)
circles, circle_classes = make_circles(1500, factor=0.5, noise=0.04, random_state=0)

figure, panels = plt.subplots(2, 2, figsize=(8, 8), layout="constrained")
for row, (X, classes) in zip(panels, [(moons, moon_classes), (circles, circle_classes)]):
    for panel, model in zip(row, [KMeans(2, n_init=10, random_state=0),
                                  MiniBatchSpectralClustering(2, random_state=0)]):
        labels = model.fit_predict(X)
        panel.scatter(*X.T, c=labels, s=4, cmap="coolwarm")
        panel.set_title(f"{type(model).__name__}, ARI {adjusted_rand_score(classes, labels):.2f}")
figure.savefig(folder / "shapes.png")

# %% [markdown]
# # How exact is it?
# The result includes the history of the run. It also includes the residuals |L w - theta w| if they were computed,
# which `exact` always does. The history has the objective, which is the sum of the k leading eigenvalues found so far,
# and the work, measured in passes over the affinity matrix.

# %%
digits, digit_classes = load_digits(return_X_y=True)
figure, panel = plt.subplots(figsize=(6, 4), layout="constrained")
for method in ["exact", "minibatch", "power"]:
    model = MiniBatchSpectralClustering(10, method=method, random_state=0).fit(digits)
    panel.plot(model.history_["passes"], model.history_["objective"], label=f"{method}: {model.status_}")
    worst = "unknown" if model.residuals_ is None else f"{model.residuals_.max():.1e}"
    print(f"{method:10} {model.summary_['passes']:6.1f} passes, largest residual {worst}, "
          f"NMI {score_labels(digit_classes, model.labels_)['nmi']:.3f}")
panel.set(xlabel="passes", ylabel="objective", xscale="log")
panel.legend()
figure.savefig(folder / "history.png")

# %% [markdown]
# # The width of the kernel
# `affinity="rbf"` compares all pairs of points by a kernel. gamma decides which points are near each other. The automatic value follows the data. `gamma_` is the value used.

# %%
automatic = MiniBatchSpectralClustering(10, affinity="rbf", random_state=0).fit(digits).gamma_
gammas = automatic * np.logspace(-2, 1, 7)
scores = [score_labels(digit_classes, MiniBatchSpectralClustering(10, gamma=gamma, random_state=0)
                       .fit_predict(digits))["nmi"] for gamma in gammas]
figure, panel = plt.subplots(figsize=(6, 4), layout="constrained")
panel.semilogx(gammas, scores, "o-")
panel.axvline(automatic, color="gray", linestyle=":", label="automatic")
panel.set(xlabel="gamma", ylabel="NMI")
panel.legend()
figure.savefig(folder / "gamma.png")

# %% [markdown]
# # New points
# `predict` computes the values of the eigenvectors at new points from their affinities to the fitted points. `save`
# writes a model as arrays and JSON.

# %%
known, new = digits[:1500], digits[1500:]
model = MiniBatchSpectralClustering(10, random_state=0).fit(known)
print("new points:", score_labels(digit_classes[1500:], model.predict(new)))
with tempfile.TemporaryDirectory() as place:
    model.save(pathlib.Path(place) / "digits.npz")
    again = mbsc.load(pathlib.Path(place) / "digits.npz")
assert (again.predict(new) == model.predict(new)).all()

# %% [markdown]
# # The kernel product
# `kernel_product` multiplies a kernel matrix by a few vectors without storing the matrix. Here it estimates a density.

# %%
X = StandardScaler().fit_transform(moons).astype(np.float32)
began = time.perf_counter()
density = mbsc.kernel_product(X, X, np.ones(len(X), np.float32), gamma=20.0)
print(f"{len(X)**2:,} kernel values in {time.perf_counter() - began:.3f} s")
figure, panel = plt.subplots(figsize=(5, 4), layout="constrained")
panel.scatter(*X.T, c=density, s=4)
panel.set_title("density")
figure.savefig(folder / "density.png")
