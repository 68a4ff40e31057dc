# SPDX-License-Identifier: Apache-2.0
"""Writes docs/convergence.md from the results that `run` collected. The tables show medians over the seeds."""
import statistics

TITLES = {
    "pendigits": "Pendigits", "shuttle": "Shuttle", "mnist": "MNIST", "covtype-I": "Covtype-I",
    "pendigits-4": "Pendigits, gamma = 4 / median squared distance",
    "pendigits-16": "Pendigits, gamma = 16 / median squared distance",
    "mnist-4": "MNIST, gamma = 4 / median squared distance",
    "mnist-16": "MNIST, gamma = 16 / median squared distance",
}

HEAD = """\
# Error against passes

This page shows how near each method comes to the exact leading eigenvectors of L within a budget of passes. A pass is n
columns of L, or one full product. All methods share the degrees, which do not count; every other column counts.

![error against passes](convergence.svg)

U denotes the k exact eigenvectors (`exact` in float64). For an orthonormal W, the error is |U - WW'U|_F / sqrt(k), the
rms sine of the angles between the two subspaces. An entry is

    error of the block / error of the k vectors (NMI)

Entries are medians over seeds {seeds}, unless a row states fewer. The block is everything that a method computes; its
width is {blocks}. The k vectors are the result. The NMI compares the classes with k-means on the k vectors (10
restarts, embedding `none`). `-` means that the budget is too small, `*` that the method exceeded it. If a method ends
before the budget is spent, the entry is its last result.

| method | what it is |
|---|---|
| `paper` | minibatch with the paper's settings: batches of 100 columns, a Nystrom start with 10 landmarks, AdaGrad |
| `nystrom` | as many landmarks as the budget pays for, at most {landmarks} |
| `power` | 3k random columns, full products, the k leading left singular vectors |
| `krylov-random` | block Krylov (`exact`) from 3k random columns, full products, no certificate |
| `krylov-nystrom` | the same from Nystrom's vectors of 500 landmarks and k random columns |
| `ours` | minibatch with its defaults |
| `tolerance` | minibatch with `--tolerance 1e-4` and no budget; its results are below the tables |

After a product of block Krylov, the block is L times its Ritz vectors, so the entry includes the effect of this
product. The regularization is 0. The machine also did other work at times, so the seconds are orders of magnitude only.

{machine}.

<!-- not run: takes hours -->
```sh
bench/convergence/run
```
"""


def values_of(results, data, method, budget, key):
    """One value for each seed."""
    return [result[key] for run in results["runs"] if run["data"] == data and run["method"] == method
            for result in run["results"] if result["budget"] == budget and result[key] is not None]


def median_of(results, data, method, budget, key):
    values = values_of(results, data, method, budget, key)
    return statistics.median(values) if values else None


def short(value):
    """The value to two digits."""
    return f"{value:.2g}" if value >= 1e-3 else f"{value:.1e}".replace("e-0", "e-")


def without_tolerance(methods):
    """The methods that run with budgets."""
    return [method for method in methods if method != "tolerance"]


def name_of(results, data, method):
    """The name of a method, with the number of its seeds if some are missing."""
    seeds = len({run["seed"] for run in results["runs"] if run["data"] == data and run["method"] == method})
    every = len({run["seed"] for run in results["runs"]})
    return f"`{method}`" if seeds == every else f"`{method}` ({seeds} seed{'s' if seeds > 1 else ''})"


def table_of(results, data, methods, entry):
    """Rows are methods, columns are budgets. entry(method, budget) gives a cell or None."""
    budgets = results["options"]["budgets"]
    lines = ["| passes | " + " | ".join(f"{budget:g}" for budget in budgets) + " |",
             "|---|" + "---|" * len(budgets)]
    for method in methods:
        cells = [entry(method, budget) for budget in budgets]
        if any(cells):
            lines.append(f"| {name_of(results, data, method)} | " + " | ".join(cell or "-" for cell in cells) + " |")
    return "\n".join(lines) + "\n"


def section(results, data, methods):
    about = results["data"][data]
    reference = about["reference"]
    runs = [run for run in results["runs"] if run["data"] == data]
    budgeted = without_tolerance(methods)

    def errors(method, budget):
        block, k_vectors, nmi = (median_of(results, data, method, budget, key)
                                 for key in ("block_error", "error", "nmi"))
        if block is None:
            return None
        within = all(values_of(results, data, method, budget, "within_budget"))
        return f"{short(block)} / {short(k_vectors)} ({nmi:.3f})" + ("" if within else " *")

    def seconds(method, budget):
        value = median_of(results, data, method, budget, "seconds")
        return None if value is None else f"{value:.3g}"

    def cut(method, budget):
        ratios = [result["normalized_cut"] / run["exact_normalized_cut"] for run in runs if run["method"] == method
                  for result in run["results"] if result["budget"] == budget]
        residual = median_of(results, data, method, budget, "largest_residual")
        return f"{statistics.median(ratios):.4f} ({short(residual)})" if ratios else None

    eigenvalues = ", ".join(f"{value:.4f}" for value in reference["values"])
    exact_nmi = statistics.median(run["exact_nmi"] for run in runs)
    text = f"""
## {TITLES[data]}

n = {about["n"]:,}, d = {about["d"]}, k = {about["clusters"]}, gamma = {about["gamma"]:.5g}. The leading eigenvalues are
{eigenvalues}; the next one is {reference["next_value"]:.4f}. The residuals are at most
{reference["largest_residual"]:.0e}. The exact solution has an NMI of {exact_nmi:.3f}.

{table_of(results, data, budgeted, errors)}
Seconds of the solver, without {about["degrees_seconds"]:.3g} s for the degrees:

{table_of(results, data, budgeted, seconds)}"""
    certified = [run["results"][0] for run in runs if run["method"] == "tolerance"]
    if certified:
        passes, error, time = (statistics.median(result[key] for result in certified)
                               for key in ("passes", "error", "seconds"))
        text += f"""
`--tolerance 1e-4` takes {passes:.3g} passes ({time:.3g} s). The largest recomputed residual over the seeds is
{short(max(result["largest_residual"] for result in certified))}, the median error {short(error)}.
"""
    if runs[0]["exact_normalized_cut"] is not None:
        text += f"""
Normalized cut, divided by that of the exact solution (in brackets the largest residual of the k vectors):

{table_of(results, data, budgeted, cut)}"""
    return text


def machine_text(results):
    """The machine and the commits of the runs, as text."""
    runs = results["runs"]

    def distinct(values):
        return list(dict.fromkeys(values))
    machines = distinct(f"{run['machine']['cpu']}, {run['program']['threads']} threads ({run['program']['simd']})"
                        for run in runs)
    compilers = distinct(f"{run['program']['compiler']}, {run['program']['flags']}" for run in runs)
    by_commit = {}
    for run in runs:
        by_commit.setdefault(run["commit"], set()).add(run["method"])
    commits = ", ".join(by_commit) if len(by_commit) == 1 else ", ".join(
        f"{commit} ({', '.join(sorted(methods))})" for commit, methods in by_commit.items())
    return f"{'; '.join(machines)}; {'; '.join(compilers)}; commit {commits}"


def blocks_text(results, methods):
    """The widths of the blocks: "k (`paper`), 3k (`power`, `ours`)"."""
    by_size = {}
    for method in methods:
        sizes = [result["block_columns"] / results["data"][run["data"]]["clusters"] for run in results["runs"]
                 if run["method"] == method for result in run["results"]]
        if sizes:
            by_size.setdefault(statistics.median(sizes), []).append(f"`{method}`")
    return ", ".join(f"{'' if size == 1 else f'{size:.3g}'}k ({', '.join(found)})"
                     for size, found in sorted(by_size.items()))


def document(results, methods):
    seeds = sorted({run["seed"] for run in results["runs"]})
    text = HEAD.format(seeds=f"{seeds[0]} to {seeds[-1]}" if len(seeds) > 1 else seeds[0],
                       landmarks=f"{results['options']['landmarks']:,}", machine=machine_text(results),
                       blocks=blocks_text(results, without_tolerance(methods)))
    return text + "".join(section(results, data, methods) for data in results["data"])
