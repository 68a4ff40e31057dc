# SPDX-License-Identifier: Apache-2.0
"""Writes docs/scaling.md and docs/scaling.svg from the results of `run`."""
import textwrap

import shared

HEAD = """\
# Scaling

This page shows how time and memory of the program change with the number of points, features, clusters and threads and
with the batch size, on generated blobs. The paper's algorithm (`--preset paper`) with a fixed batch size, a fixed
number of iterations and sampled degrees takes time linear in n. A default run evaluates every pair for the degrees, and
makes one or more passes after that. So its time is quadratic in n. Its memory is linear in n.

![seconds and memory](scaling.svg)

{machine}

<!-- not run: takes half an hour -->
```sh
bench/scaling/run
```
"""
TITLES = {
    "n": "Points, fixed batches", "default": "Points, defaults", "d": "Features", "k": "Clusters",
    "m": "Columns of a batch", "threads": "Threads",
}
STAGES = ["read", "degrees", "solve", "kmeans", "total"]


def memory_text(rows):
    """A sentence with the memory per point beyond its coordinates, divided by the columns of the block. Empty if there
    are too few large runs."""
    large = [row for row in rows if row["n"] >= 1_000_000]
    if len(large) < 2:
        return ""
    per_point = [(row["peak_memory_bytes"] - 4.0 * row["n"] * row["d"]) / (row["n"] * row["k"]) for row in large]
    return (f"The memory is that of the points plus c n k bytes (W has k columns here). From a million points on, c is "
            f"{min(per_point):.1f} to {max(per_point):.1f}.")


def section(sweep, data, exponent, labels):
    rows = data["rows"]
    base = {key: rows[0][key] for key in ("n", "d", "k", "m") if key != sweep}
    if sweep in ("default", "threads"):
        base = {key: value for key, value in base.items() if key != "m" and key != ("n" if sweep == "default" else "")}
    fixed = ", ".join(f"{key} = {value:,}" for key, value in base.items())
    lines = [f"| {labels[sweep]} | " + " | ".join(STAGES) + " | peak MiB | kernel values per second | NMI |",
             "|---|" + "---|" * (len(STAGES) + 3)]
    for row in rows:
        stages = " | ".join(f"{row['seconds'][stage]:.2f}" for stage in STAGES)
        spent = row["seconds"]["degrees"] + row["seconds"]["solve"]
        rate = f"{row['kernel_values'] / spent:.2g}" if spent > 0 else "-"
        lines.append(f"| {row['size']:,} | {stages} | {row['peak_memory_bytes'] / 2**20:.0f} | {rate} |"
                     f" {row['nmi']:.3f} |")
    found = [f"{key} {exponent(rows, key):.2f}" for key in ("solve", "total") if exponent(rows, key) is not None]
    text = f"Fitted exponents: {', '.join(found)}. " if found else ""
    if sweep == "n":
        text += memory_text(rows)
    if sweep == "threads":
        text += "; ".join(f"{row['size']} threads are {rows[0]['seconds']['total'] / row['seconds']['total']:.2f} times as "
                          f"fast as one" for row in rows[1:]) + "."
    return f"""
## {TITLES[sweep]}

With {fixed}; seconds by stage:

""" + "\n".join(lines) + "\n\n" + textwrap.fill(text, 120) + "\n"


def figure(results, path, labels):
    drawing, panels = shared.new_figure("scaling", 2, len(results), (3.6 * len(results), 6))
    for column, (sweep, data) in enumerate(results.items()):
        sizes = [row["size"] for row in data["rows"]]
        upper, lower = panels[0][column], panels[1][column]
        for stage, color, marker in (("total", "#000000", "o"), ("solve", "#D55E00", "s"), ("degrees", "#0072B2", "^"),
                                     ("kmeans", "#009E73", "v")):
            seconds = [max(1e-3, row["seconds"][stage]) for row in data["rows"]]
            upper.plot(sizes, seconds, color=color, marker=marker, label=stage, markersize=5)
        lower.plot(sizes, [row["peak_memory_bytes"] / 2**20 for row in data["rows"]], color="#000000", marker="o",
                   label="peak")
        lower.plot(sizes, [4 * row["n"] * row["d"] / 2**20 for row in data["rows"]], color="#56B4E9",
                   linestyle="dashed", label="the points alone")
        for axes, name in ((upper, "seconds"), (lower, "MiB")):
            axes.set_xscale("log")
            axes.set_yscale("log")
            axes.set_xlabel(labels[sweep])
            axes.set_ylabel(name)
            axes.grid(True, color="#dddddd", linewidth=0.6)
            axes.set_axisbelow(True)
            axes.legend(fontsize=7, frameon=False)
        upper.set_title(TITLES[sweep], fontsize=10)
    shared.save_figure(drawing, path)


def write(results, folder, exponent, labels):
    first = next(iter(results.values()))
    commits = ", ".join(sorted({data["commit"] for data in results.values()}))
    machine = first["machine"]
    threads = first["rows"][0]["threads"]
    text = HEAD.format(machine=f"{machine['cpu']}, {threads} threads, {machine['memory_gib']} GiB; commit {commits}.")
    text += "".join(section(sweep, data, exponent, labels) for sweep, data in results.items())
    shared.write_document(folder / "scaling.md", text)
    figure(results, folder / "scaling.svg", labels)
