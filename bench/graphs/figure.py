# SPDX-License-Identifier: Apache-2.0
"""Draws docs/graphs.png: the clusters of shapes in the plane, by k-means and by each graph."""
import pathlib
import subprocess
import tempfile

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import ListedColormap
from sklearn.metrics import normalized_mutual_info_score

import rivals
import sets
import shared

PICTURE = shared.ROOT / "docs/graphs.png"
#: title -> (points and classes, clusters)
SHAPES = {
    "moons, noise 0.1": (sets.moons(3000, 0.1), 2),
    "circles, noise 0.08": (sets.circles(3000, 0.08), 2),
    "three spirals": (lambda: sets.spirals(3000, 0.03), 3),
    "thin beside round": (lambda: sets.thin_beside_round(3000), 2),
    "unequal widths": (lambda: sets.clouds(3000, 2, (1, 1, 1), (1, 0.3, 2), 8), 3),
}
#: Colors of Okabe and Ito, which color-blind readers can distinguish.
COLORS = ListedColormap(["#0072B2", "#E69F00", "#000000"])
COLUMNS = ("k-means", "rbf", "neighbors", "landmarks")


def labels_of(column, program, points, clusters):
    if column == "k-means":
        return rivals.kmeans(points, clusters, 0)
    with tempfile.TemporaryDirectory() as folder:
        path, labels = pathlib.Path(folder) / "points.npy", pathlib.Path(folder) / "labels"
        np.save(path, points.astype(np.float32))
        subprocess.run([program, "cluster", path, "-k", str(clusters), "--affinity", column, "--quiet", "--labels", labels],
                       check=True)
        return np.loadtxt(labels, dtype=int)


def draw(program):
    figure, panels = plt.subplots(len(SHAPES), len(COLUMNS), figsize=(8, 2 * len(SHAPES)), layout="constrained")
    for panel, column in zip(panels[0], COLUMNS):
        panel.set_title(column)
    for row, (title, (make, clusters)) in zip(panels, SHAPES.items()):
        points, classes = make()
        for panel, column in zip(row, COLUMNS):
            labels = labels_of(column, program, points, clusters)
            panel.scatter(*points.T, c=labels, s=1, cmap=COLORS, linewidths=0)
            panel.set(xticks=[], yticks=[], xlabel=f"NMI {normalized_mutual_info_score(classes, labels):.2f}")
        row[0].set_ylabel(title)
    figure.savefig(PICTURE, dpi=80)
