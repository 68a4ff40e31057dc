# SPDX-License-Identifier: Apache-2.0
"""Draws docs/paper-nmi.svg and docs/paper-variance.svg from the results of `run`.

usage: figures.py results-folder documents-folder
"""
import pathlib
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import shared  # noqa: E402

import readings  # noqa: E402
import sizes  # noqa: E402
from store import Store  # noqa: E402

# The colors of Okabe and Ito, which color-blind readers can distinguish. Dashes and markers work without color.
BATCH_STYLES = {50: ("#56B4E9", "v", (0, (1, 1.5))), 100: ("#0072B2", "s", (0, (4, 1.5, 1, 1.5))),
                200: ("#009E73", "D", (0, (2, 2))), 500: ("#E69F00", "P", (0, (7, 1.5, 1, 1.5, 1, 1.5))),
                1000: ("#000000", "o", (0, (5, 2)))}
# (vertical axis, horizontal axis, its label) of the panels, from the top.
PANELS = [("NMI", "operations", "operations, by the paper's formulas"), ("NMI", "seconds", "seconds after the degrees"),
          ("NMI", "passes", "passes"), ("error", "passes", "passes")]


def heights(quantity, looks):
    return readings.nmi(looks) if quantity == "NMI" else readings.values(looks, "error")


def curve(axes, results, quantity, key, **style):
    """Draws mean and standard deviation over the seeds at every checkpoint."""
    looks = list(zip(*(result["points"] for result in results)))
    x = [statistics.mean(readings.values(points, key)) for points in looks]
    middle, deviation = zip(*(readings.mean_and_deviation(heights(quantity, points)) for points in looks))
    if quantity == "error":  # on a logarithmic axis a bar may not reach zero
        deviation = [[min(bar, 0.9 * value) for bar, value in zip(deviation, middle)], deviation]
    axes.errorbar(x, middle, yerr=deviation, elinewidth=0.8, capsize=2, markersize=5, markeredgecolor="white",
                  markeredgewidth=0.5, **style)


def nystrom_points(axes, runs, quantity, key):
    marks = readings.landmarks(runs)
    if not marks:
        return
    looks = [readings.final(runs[f"nystrom-{m}"]) for m in marks]
    x = [statistics.mean(readings.values(points, key)) for points in looks]
    middle, deviation = zip(*(readings.mean_and_deviation(heights(quantity, points)) for points in looks))
    if quantity == "error":  # on a logarithmic axis a bar may not reach zero
        deviation = [[min(bar, 0.9 * value) for bar, value in zip(deviation, middle)], deviation]
    axes.errorbar(x, middle, yerr=deviation, color="#CC79A7", marker="^", linestyle=(0, (1, 1)), linewidth=1,
                  elinewidth=0.8, capsize=2, markersize=6, label="Nystrom, " + ", ".join(map(str, marks)))


def panel(axes, kept, quantity, key, label):
    runs = readings.runs_of(kept)
    for m in readings.batches(runs):
        color, marker, dashes = BATCH_STYLES[m]
        curve(axes, runs[f"minibatch-{m}"], quantity, key, color=color, marker=marker, linestyle=dashes, linewidth=1.3,
              label=f"minibatch, m = {m}")
    nystrom_points(axes, runs, quantity, key)
    if "power" in runs:
        curve(axes, runs["power"], quantity, key, color="#999999", marker="X", linestyle="solid", linewidth=1.3,
              label="power method")
    if "ours" in runs:
        curve(axes, runs["ours"], quantity, key, color="#D55E00", marker="o", linestyle="solid", linewidth=2.2,
              label="minibatch with its defaults")
    exact = readings.exact_of(kept)
    if exact and quantity == "NMI":
        axes.axhline(statistics.mean(exact["nmi"]), color="#000000", linestyle="dashed", linewidth=1, label="exact")
    axes.set_xscale("log")
    axes.set_xlabel(label)
    axes.set_ylabel(quantity if quantity == "NMI" else "error, rms sine to the exact")
    if quantity == "error":
        axes.set_yscale("log")
    axes.grid(True, color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)


def nmi_figure(store, path):
    found = {name: store.read(f"figure-{name}") for name in sizes.FIGURE_SETS}
    found = {name: kept for name, kept in found.items() if kept}
    if not found:
        return
    drawing, panels = shared.new_figure("paper-nmi", len(PANELS), len(found), (5 * len(found), 15))
    for column, (name, kept) in enumerate(found.items()):
        for row, (quantity, key, label) in enumerate(PANELS):
            panel(panels[row][column], kept, quantity, key, label)
        panels[0][column].set_title(sizes.TITLES[name])
    handles, labels = panels[0][0].get_legend_handles_labels()
    drawing.legend(handles, labels, loc="outside upper center", ncols=len(found) + 1, frameon=False, handlelength=4)
    shared.save_figure(drawing, path)


def variance_figure(store, path):
    kept = store.read("variance")
    if not kept:
        return
    looks = next(iter(kept.values()))["result"]["variance"]
    drawing, panels = shared.new_figure("paper-variance", 1, 2, (11, 4.4))
    for at, color, marker in ((looks[0], "#0072B2", "s"), (looks[-1], "#D55E00", "o")):
        where = "exact eigenvectors" if at["passes"] is None else f"{at['passes']:.2g} passes"
        x = [entry["nonzeros"] for entry in at["signed"]]
        left = panels[0][0]
        left.plot(x, [entry["measured"] for entry in at["signed"]], color=color, marker=marker, linestyle="none",
                  label=f"measured, {where}")
        left.plot(x, [entry["formula"] for entry in at["signed"]], color=color, label="formula")
        left.plot(x, [entry["paper_bound"] for entry in at["signed"]], color=color, linestyle="dashed",
                  label="the paper's bound")
        left.axhline(at["columns"]["measured"], color=color, linestyle="dotted", label="estimator columns")
    left.set_xlabel("l, non-zeros of a vector, at fixed m = l N_r")
    right = panels[0][1]
    along = [at for at in looks if at["passes"] is not None]
    middle = len(looks[0]["signed"]) // 2
    for index, color, marker in ((0, "#009E73", "v"), (middle, "#E69F00", "D"), (-1, "#000000", "X")):
        right.plot([at["passes"] for at in along], [at["signed"][index]["measured"] for at in along], color=color,
                   marker=marker, label=f"signed, l = {looks[0]['signed'][index]['nonzeros']}")
    right.plot([at["passes"] for at in along], [at["columns"]["measured"] for at in along], color="#CC79A7", marker="^",
               linestyle="dotted", label="columns")
    right.plot([at["passes"] for at in along], [at["first"] for at in along], color="#999999", linestyle="dashed",
               label="|Lw|², the term said to vanish")
    right.set_xlabel("passes of the run")
    for axes in panels[0]:
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_ylabel("variance, summed over components")
        axes.grid(True, color="#dddddd", linewidth=0.6)
        axes.legend(fontsize=7.5, frameon=False, loc="center left" if axes is left else (0.55, 0.3))
    shared.save_figure(drawing, path)


def main():
    store, documents = Store(pathlib.Path(sys.argv[1])), pathlib.Path(sys.argv[2])
    nmi_figure(store, documents / "paper-nmi.svg")
    variance_figure(store, documents / "paper-variance.svg")
    return 0


if __name__ == "__main__":
    sys.exit(main())
