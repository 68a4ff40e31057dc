# SPDX-License-Identifier: Apache-2.0
"""Writes docs/peers.md and docs/peers.svg from the results of `run`."""
import textwrap

import shared

TITLES = {"pendigits": "Pendigits", "shuttle": "Shuttle", "mnist": "MNIST"}
ABOUT = {
    "mbsc": "the program with its defaults and this gamma",
    "mbsc-passes-1": "`--method minibatch --passes 1`",
    "mbsc-exact": "`--method exact`",
    "mbsc-paper": "`--preset paper --passes 1`",
    "mbsc-sampled-0.01": "`--method minibatch --degrees sampled --degree-columns 200 --passes 0.01`",
    "mbsc-nystrom-1000": "`--method nystrom --landmarks 1000`",
    "sklearn-arpack": "`SpectralClustering(eigen_solver='arpack')`",
    "sklearn-lobpcg": "the same with `'lobpcg'`",
    "sklearn-amg": "the same with `'amg'`",
    "sklearn-nystroem-100": "`Nystroem(n_components=100)` and `KMeans(n_init=10)`",
    "sklearn-nystroem-500": "500 components",
    "sklearn-nystroem-1000": "1,000 components",
    "sklearn-nystroem-2000": "2,000 components",
    "dask-ml": "`dask_ml.cluster.SpectralClustering(n_components=1000)`",
    "paper-numpy": "the paper's algorithm in numpy (float32), one pass in batches of 100",
}
EXACT = ["sklearn-arpack", "sklearn-lobpcg", "sklearn-amg"]

HEAD = """\
# Comparison with peers

This page compares time, memory and results of mbsc and of other programs for spectral clustering, on one machine and
with the same points, k and gamma (the paper's). Peers are timed from points in memory to labels, without reading and
imports. mbsc is timed as a user sees it: from the start of the process, with the compressed file, to the labels on
disk. Each round runs all methods in turn. The best time of the stated number of rounds counts; a method that takes more
than 20 s runs once. NMI compares the labels with the classes. Agreement is the NMI of the labels and the labels of the
exact solution. Error is the rms sine of the angles to the exact eigenvectors, if a method returns its embedding.

The tables show the options of each mbsc row. All mbsc rows except `mbsc` and `mbsc-paper` also set `--regularization`
to 0, and set `--embedding-scale`. `mbsc` has its default regularization, and so solves a slightly different problem;
all other methods solve the problem without regularization. On Pendigits, where scikit-learn's exact solvers can run,
the mbsc rows cluster D^-1/2 U as scikit-learn does, where U are the eigenvectors; on the larger sets they cluster U.
Exceptions: `mbsc` uses its default scaling, `mbsc-paper` always uses U.

![seconds and NMI](peers.svg)

{machine}

<!-- not run: takes an hour -->
```sh
bench/peers/run
```
"""


def row_named(data, method):
    return next((row for row in data["rows"] if row["method"] == method and "seconds" in row), None)


def gibibytes(size):
    return f"{size / 2**30:.2f}" if size < 2**30 else f"{size / 2**30:.1f}"


def seconds(value):
    return f"{value:.3g}" if value < 100 else f"{value:.0f}"


def on_the_curve(method):
    return method.startswith(("mbsc-sampled-", "mbsc-exact-"))


def about(method):
    if method in ABOUT:
        return ABOUT[method]
    if on_the_curve(method):
        _, degrees, passes = method.split("-")
        return f"`--method minibatch --degrees {degrees} --passes {passes}`"
    return method


def main_table(data):
    lines = ["| | what | seconds | peak GiB | NMI | agreement | error |", "|---|---|---|---|---|---|---|"]
    for row in data["rows"]:
        method = row["method"]
        if method == "keops-product":
            continue
        if "failed" in row:
            lines.append(f"| `{method}` | {about(method)} | - | - | - | - | {row['failed']} |")
            continue
        error = f"{row['error']:.2g}" if "error" in row else ""
        agreement = f"{row['agreement']:.3f}" if "agreement" in row else ""
        lines.append(f"| `{method}` | {about(method)} | {seconds(row['seconds'])} |"
                     f" {gibibytes(row['peak_memory_bytes'])} | {row['nmi']:.3f} | {agreement} | {error} |")
    return "\n".join(lines)


def best(data, least, key, limit):
    """Of the minibatch runs with row[key] <= limit, the one with the smallest row[least]."""
    found = [row for row in data["rows"] if "error" in row and row[key] <= limit
             and (on_the_curve(row["method"]) or row["method"] == "mbsc-passes-1")]
    return min(found, key=lambda row: row[least], default=None)


def ratios(data):
    text = []
    solvers = [row for row in map(lambda name: row_named(data, name), EXACT) if row]
    one = row_named(data, "mbsc-passes-1")
    if solvers and one:
        peer = min(solvers, key=lambda row: row["seconds"])
        text.append(f"`--passes 1` is {peer['seconds'] / one['seconds']:.1f} times as fast as the fastest exact solver "
                    f"of scikit-learn (`{peer['method']}`), which needs "
                    f"{peer['peak_memory_bytes'] / one['peak_memory_bytes']:.0f} times as much memory. The NMI is "
                    f"{one['nmi']:.3f} with `--passes 1`, and {peer['nmi']:.3f} with scikit-learn.")
    paper = row_named(data, "paper-numpy")
    ours = row_named(data, "mbsc-paper")
    if paper and ours:
        text.append(f"One pass of the paper's algorithm, labels included, takes {ours['seconds']:.3g} s with the "
                    f"program and {paper['seconds']:.3g} s with numpy "
                    f"({paper['seconds'] / ours['seconds']:.1f} times as long).")
    if paper:
        nearest = best(data, "seconds", "error", paper["error"])
        if nearest:
            text.append(f"After this pass, the numpy version has an error of {paper['error']:.2g}. "
                        f"`{nearest['method']}` has an error of {nearest['error']:.2g} after {nearest['seconds']:.3g} "
                        f"s: it is {paper['seconds'] / nearest['seconds']:.0f} times as fast.")
    nystroem = row_named(data, "sklearn-nystroem-1000")
    landmarks = row_named(data, "mbsc-nystrom-1000")
    if nystroem and landmarks:
        within = best(data, "error", "seconds", nystroem["seconds"])
        outcome = (f"reaches an error of {within['error']:.2g} (`{within['method']}`, {within['seconds']:.3g} s)"
                   if within else "has no result")
        text.append(f"In the time that `Nystroem(1000)` and `KMeans` take, {nystroem['seconds']:.3g} s, minibatch "
                    f"{outcome}. The method `nystrom` with 1,000 landmarks has an error of {landmarks['error']:.2g}.")
    return "\n".join("- " + line for line in text)


def bare_passes(data):
    found = data["bare_passes"]
    times = found["seconds"]
    rows = [("degrees (sums and sums of squares), each pair once", times["degrees"]),
            ("the same, with the 16 largest entries of each row", times["neighbors"]),
            ("A v, one vector, without symmetry", times["one_vector"]),
            (f"A V, {found['columns']} vectors, each pair once", times["product"])]
    if "cached" in times:
        rows.append((f"A V from cached values, {found['cached_bytes'] / 2**30:.2f} GiB (differs by"
                     f" {found['cached_relative_difference']:.1g})", times["cached"]))
    if "keops_seconds" in found:
        rows.append((f"A V by KeOps on the CPU (differs by {found['keops_relative_difference']:.1g})",
                     found["keops_seconds"]))
    lines = ["| | seconds |", "|---|---|", *(f"| {name} | {value:.3g} |" for name, value in rows)]
    text = [f"Degrees take {times['degrees'] / times['one_vector']:.2f} times as long as a pass with one vector "
            f"without symmetry."]
    if "cached" in times:
        text.append(f"A product from cached values is {times['product'] / times['cached']:.1f} times as fast as one"
                    f" that evaluates them, and {times['one_vector'] / times['cached']:.0f} times as fast as a pass"
                    f" without symmetry.")
    if "keops_seconds" in found:
        text.append(f"KeOps takes {found['keops_seconds'] / times['product']:.1f} times as long as our product.")
    for row in data["rows"]:
        if row["method"] == "keops-product" and "failed" in row:
            text.append(f"KeOps: {row['failed']}.")
    one = row_named(data, "mbsc-passes-1")
    if one and "inflating_seconds" in data:
        text.append(reading(data, one["stages"]["read"]))
    return "\n".join(lines) + "\n\n" + textwrap.fill(" ".join(text), 120) + cached_values(data)


def reading(data, seconds):
    return (f"Reading the compressed file takes {seconds:.2f} s. Decompressing it with zlib alone takes "
            f"{data['inflating_seconds']:.2f} s.")


def cached_values(data):
    """Sentences about an exact run with and without the cache; empty if that was not measured."""
    cached = data.get("cached")
    if not cached:
        return ""
    times = cached["seconds"]
    return "\n\n" + textwrap.fill(
        f"`--method exact --tolerance 1e-3 --cache 5G` takes {times['total']:.1f} s from start to labels, which is "
        f"{times['total'] / times['degrees']:.2f} times its degree pass ({times['degrees']:.1f} s). Its peak is "
        f"{cached['peak_memory_bytes'] / 2**30:.1f} GiB. Without `--cache` it takes "
        f"{cached['uncached_seconds']['total']:.1f} s. The two subspaces differ by {cached['difference']:.1g}.", 120)


def covtype_section(data):
    best, mean = (data["operations"] / (1e9 * data[key]) for key in ("sgemm_gflops", "sustained_sgemm_gflops"))
    times = data["seconds"]
    passes = data["bare_passes"]["seconds"]
    return f"""
## Covtype, all rows

n = {data['n']:,}, d = {data['d']}, k = {data['k']}. This is the paper's algorithm with batches of {data['batch']:,}
and {data['iterations']} iterations (`--preset paper`). The paper reports 7,500 s on 10 cores and 3.6 GB. Here reading
takes {times['read']:.1f} s, the degrees {times['degrees']:.0f} s, the solver {times['solve']:.0f} s, k-means
{times['kmeans']:.1f} s, and everything together {times['total']:.0f} s on {data['threads']} threads. The peak is
{data['peak_memory_bytes'] / 1e6:.0f} MB, the NMI {data['nmi']:.3f}.

With T iterations and batches of m columns, the solver makes 2 n m (d + k) T operations. At the mean rate of SGEMM over
20 seconds ({data['sustained_sgemm_gflops']:.0f} GFLOP/s, half of the seconds before and half after the run), these
would take {mean:.0f} s. The solver takes {times['solve'] / mean:.2f} times as long, exponentials, steps and
orthonormalization included. At the rate of the best 12 milliseconds of SGEMM ({data['sgemm_gflops']:.0f} GFLOP/s), the
ratio is {times['solve'] / best:.2f}.

The degree pass over the first {data['bare_passes']['n']:,} rows takes
{passes['degrees'] / passes['one_vector']:.2f} times as long as a pass with one vector without symmetry.
{reading(data, times['read'])}
"""


def document(results):
    any_set = next(iter(results.values()))
    commits = {data["commit"] for data in results.values()}
    machine = any_set["machine"]
    versions = ", ".join(f"{name} {version}" for name, version in any_set["versions"].items())
    text = HEAD.format(machine=textwrap.fill(
        f"{machine['cpu']}, {machine['cpus']} cores, {machine['memory_gib']} GiB; commit {', '.join(sorted(commits))}; "
        f"{versions}.", 120))
    for name, data in results.items():
        if name == "covtype":
            text += covtype_section(data)
            continue
        text += f"""
## {TITLES[name]}

n = {data['n']:,}, k = {data['k']}, gamma = {data['gamma']:.5g}; best of {data['rounds']}.

{main_table(data)}

{ratios(data)}

Single passes (best of {data['bare_passes']['rounds']}):

{bare_passes(data)}
"""
    return text


def figure(results, path):
    results = {name: data for name, data in results.items() if "rows" in data}
    drawing, panels = shared.new_figure("peers", 1, len(results), (4.6 * len(results), 4))
    styles = {"mbsc": ("#D55E00", "o"), "sklearn": ("#0072B2", "s"), "dask": ("#009E73", "^"),
              "paper": ("#000000", "X")}
    for axes, (name, data) in zip(panels.flat, results.items()):
        for row in data["rows"]:
            if "nmi" not in row:
                continue
            color, marker = styles[row["method"].split("-")[0]]
            axes.plot(row["seconds"], row["nmi"], marker=marker, color=color, linestyle="none", markersize=6)
            if not on_the_curve(row["method"]):
                axes.annotate(row["method"], (row["seconds"], row["nmi"]), fontsize=6.5, xytext=(4, 3),
                              textcoords="offset points", rotation=20)
        axes.set_xscale("log")
        axes.set_title(TITLES[name], fontsize=10)
        axes.set_xlabel("seconds")
        axes.set_ylabel("NMI")
        axes.grid(True, color="#dddddd", linewidth=0.6)
        axes.set_axisbelow(True)
        axes.margins(x=0.25)
    shared.save_figure(drawing, path)
