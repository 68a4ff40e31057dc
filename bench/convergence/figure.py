# SPDX-License-Identifier: Apache-2.0
"""Draws docs/convergence.svg: the error of the block against passes, one panel for each data set. Points are medians
over the seeds; bars go from the smallest to the largest value.

usage: figure.py convergence.json convergence.svg
"""
import json
import pathlib
import statistics
import sys

import matplotlib.pyplot as plt
from matplotlib.ticker import FuncFormatter, NullFormatter

from table import TITLES

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import shared  # noqa: E402

# The colors of Okabe and Ito, which color-blind readers can distinguish. Dashes and markers work without color.
STYLES = {
    "paper": ("#000000", "s", (0, (5, 2))),
    "nystrom": ("#009E73", "^", (0, (1, 1.5))),
    "power": ("#56B4E9", "v", (0, (4, 1.5, 1, 1.5))),
    "krylov-random": ("#0072B2", "D", (0, (7, 1.5, 1, 1.5, 1, 1.5))),
    "krylov-nystrom": ("#CC79A7", "X", (0, (2, 2))),
    "ours": ("#D55E00", "o", "solid"),
}
COLUMNS = 2


def curve(results, data, method, key):
    """Passes, medians, smallest and largest values, by budget. Budgets at which the method has spent the same passes
    give one point."""
    by_budget = {}
    for run in results["runs"]:
        if run["data"] == data and run["method"] == method:
            for result in run["results"]:
                by_budget.setdefault(result["budget"], []).append(result)
    points = {}
    for _, found in sorted(by_budget.items()):
        values = [result[key] for result in found]
        passes = statistics.median(result["passes"] for result in found)
        points[passes] = (passes, statistics.median(values), min(values), max(values))
    return list(zip(*points.values())) if points else None


def draw_panel(axes, results, data):
    for method, (color, marker, dashes) in STYLES.items():
        found = curve(results, data, method, "block_error")
        if found is None:
            continue
        passes, middle, least, largest = found
        axes.errorbar(passes, middle, yerr=[[m - low for m, low in zip(middle, least)],
                                            [high - m for m, high in zip(middle, largest)]],
                      color=color, marker=marker, markersize=7, markeredgecolor="white", markeredgewidth=0.5,
                      linestyle=dashes, linewidth=2.2 if method == "ours" else 1.5, elinewidth=0.8, capsize=2,
                      zorder=3 if method == "ours" else 2)
        passes, middle, _, _ = curve(results, data, method, "error")
        axes.plot(passes, middle, color=color, marker=marker, markersize=5, markerfacecolor="none", linestyle="none",
                  markeredgewidth=0.9)
    axes.set_xscale("log")
    axes.set_yscale("log")
    budgets = results["options"]["budgets"]
    axes.set_xticks(budgets)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.minorticks_off()
    axes.set_ylim(bottom=min(0.05, 0.7 * axes.get_ylim()[0]), top=1.3)
    axes.grid(True, color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.set_title(TITLES[data], fontsize=10)
    axes.set_xlabel("passes")
    axes.set_ylabel("subspace error")


def draw_legend(figure, results):
    used = {run["method"] for run in results["runs"]}
    handles = [plt.Line2D([], [], color=color, marker=marker, linestyle=dashes, markeredgecolor="white",
                          linewidth=2.2 if method == "ours" else 1.5, label=method)
               for method, (color, marker, dashes) in STYLES.items() if method in used]
    handles.append(plt.Line2D([], [], color="#555555", marker="o", markerfacecolor="none", linestyle="none",
                              label="open: the k vectors; lines: the block"))
    figure.legend(handles=handles, loc="outside upper center", ncols=4, frameon=False, handlelength=4, fontsize=9)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="utf-8") as stream:
        results = json.load(stream)
    data_sets = list(results["data"])
    rows = -(-len(data_sets) // COLUMNS)
    columns = min(COLUMNS, len(data_sets))
    figure, panels = shared.new_figure("convergence", rows, columns, (5 * columns, 3.6 * rows + 0.8))
    for axes, data in zip(panels.flat, data_sets):
        draw_panel(axes, results, data)
    for axes in panels.flat[len(data_sets):]:
        axes.set_visible(False)
    draw_legend(figure, results)
    shared.save_figure(figure, sys.argv[2])


if __name__ == "__main__":
    main()
