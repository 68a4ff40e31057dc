# SPDX-License-Identifier: Apache-2.0
"""Writes docs/paper.md from the results of `run`. A part without results is left out."""
import statistics
import textwrap

import experiments
import findings
import published
import readings
import search
import sizes
from readings import short, spread

HEAD = """\
# The experiments of the paper

One command repeats every experiment of *Mini-Batch Spectral Clustering* (Han, Filippone) from the data files. This page
compares the results with those that the paper prints. The algorithm is that of `--preset paper`, with the corrections
described in [methods](methods.md). Every method evaluates kernel values when it needs them, so the seconds include
their evaluation. Operations are counted as in the paper: the evaluation of affinities does not count.

{machine}

<!-- not run: takes two hours -->
```sh
bench/paper/run
```

The paper leaves some choices open. These are the choices here:

- The kernel is exp(-|x - y|² / sigma²).
- k-means clusters the rows of the eigenvectors without scaling (embedding `none`), with 10 restarts.
- NMI is the mutual information divided by the arithmetic mean of the entropies.
- Degrees are exact. The seconds of the solver do not include them.
- The start comes from Nystrom with 10 landmarks, as in the authors' script.
- lambda = 1/sqrt(n), and epsilon = 1e-6.
"""
SCALINGS = {"pendigits": "none", "shuttle": "[-1, 1], ranges of the first 43,500 rows", "mnist": "/ 255",
            "covtype-I": "[0, 1], ranges of all rows of Covtype", "covtype-II": "[0, 1]"}
GROUPS = {"step": "Step lambda", "batch": "Batch m", "start": "Start", "stop": "Stopping rule",
          "estimator": "Estimator"}


def fill(text):
    return textwrap.fill(text, 120, break_on_hyphens=False, break_long_words=False)


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]) + "\n"


def machine_text(store):
    entries = [entry for part in sorted(store.folder.glob("*.json")) for entry in store.read(part.stem).values()]
    if not entries:
        return ""
    machines = sorted({f"{entry['machine']['cpu']}, {entry['machine']['cpus']} cores, "
                       f"{entry['machine']['memory_gib']} GiB"
                       for entry in entries})
    commits = sorted({entry["commit"] for entry in entries})
    return fill(f"{'; '.join(machines)}; commit {', '.join(commits)}. The paper's machine: {published.MACHINE}.")


def data_section(store):
    kept = store.read("data")
    if not kept:
        return ""
    rows = []
    for name in published.DATA:
        if name not in kept:
            continue
        found, paper = kept[name]["result"], published.DATA[name]
        checksum = found["sha256_points"] if name == "covtype-I" else found["sha256"]
        features = f"{found['d']}" + (f" ({paper['d']} in the paper)" if paper["d"] != found["d"] else "")
        rows.append([sizes.TITLES[name], f"{found['n']:,}", features, found["clusters"], paper["sigma"], SCALINGS[name],
                     f"`{(checksum or '-')[:16]}`"])
    text = table(["", "n", "d", "classes", "sigma", "scaling", "sha256, first digits"], rows)
    if "covtype-I" in kept:
        counts = ", ".join(f"{count:,}" for count in kept["covtype-I"]["result"]["class_counts"])
        text += "\n" + fill(
            f"Checksums are those of the compressed files; the checksum of Covtype-I is that of its scaled points as "
            f"`.npy`. Covtype-I has all points of the classes 3 to 7, of which 4 to 6 count as one, and 14,129 points "
            f"of the classes 1 and 2 together, drawn with a fixed seed. Its classes have {counts} points.") + "\n"
    return "\n## Data\n\n" + text


def method_rows(runs, looks_at):
    """(name, checkpoints) of the rows of a table."""
    rows = [(f"minibatch, m = {m}", looks_at(runs[f"minibatch-{m}"])) for m in readings.batches(runs)]
    rows += [(f"nystrom, {m}", readings.final(runs[f"nystrom-{m}"])) for m in readings.landmarks(runs)]
    rows += [(f"nystrom, {m}, its own degrees", readings.final(runs[f"nystrom-{m}, its own degrees"]))
             for m in readings.landmarks(runs, "own")]
    if "power" in runs:
        last = len(runs["power"][0]["points"])
        for products in sorted({min(3, last), last}):
            rows.append((f"power, T = {products}", [result["points"][products - 1] for result in runs["power"]]))
    if "ours" in runs:
        rows += [(f"default solver, {text}", readings.at(runs["ours"], passes))
                 for passes, text in ((0.1, "0.1 passes"), (1, "1 pass"))]
    return rows


def figure_table(kept):
    runs = readings.runs_of(kept)
    rows = []
    for name, looks in method_rows(runs, lambda results: readings.at(results, 1)):
        errors = [look["error"] for look in looks if "error" in look]
        rows.append([name, len(looks), spread(readings.nmi(looks)), spread(readings.nmi(looks, mean="nmi_geometric")),
                     short(statistics.mean(errors)) if errors else "",
                     short(statistics.mean(readings.values(looks, "passes"))),
                     short(statistics.mean(readings.values(looks, "operations"))),
                     f"{statistics.mean(readings.values(looks, 'seconds')):.3g}"])
    return table(["", "seeds", "NMI", "geometric", "error", "passes", "operations", "seconds"], rows)


def choices_section(store):
    """Choices that the paper does not state: the embedding, the restarts of k-means, and the mean that divides NMI."""
    found = {name: readings.choices(store.read(f"figure-{name}")) for name in sizes.FIGURE_SETS}
    found = {name: choices for name, choices in found.items() if choices}
    if not found:
        return ""
    rows = []
    for key in dict.fromkeys(key for choices in found.values() for key in choices):
        restarts, embedding, mean = key
        rows.append([f"`{embedding}`", restarts, readings.MEANS[mean],
                     *(spread(choices[key]) if key in choices else "" for choices in found.values())])
    rows.append(["the paper", "", "", *(published.FIGURE[name]["nmi"] for name in found)])
    return f"""
### Open choices

The table shows the NMI of the largest batches after one pass. It depends on the embedding, on the restarts of k-means,
and on the mean of the entropies that divides NMI.
{fill(findings.choice_sentence(found))}

{table(["embedding", "restarts", "mean", *(sizes.TITLES[name] for name in found)], rows)}"""


def figure_section(store):
    found = {name: store.read(f"figure-{name}") for name in sizes.FIGURE_SETS}
    if not any(found.values()):
        return ""
    text = """
## NMI against operations

![NMI against operations, seconds and passes, and the error](paper-nmi.svg)

The tables show means and standard deviations over the seeds. The figure shows mini-batches along one pass. Error is the
rms sine of the angles to the exact eigenvectors. Seconds are those of the solver. *Default solver* is our minibatch
with its defaults, on the same problem. An error below 1e-4 (MNIST: 1e-3) is partly the error of the exact solution
itself; its largest residual is stated.
"""
    for name, kept in found.items():
        exact = readings.exact_of(kept)
        if not exact:
            continue
        paper = published.FIGURE[name]
        degrees = max(entry["result"]["data"].get("degrees_seconds", 0) for entry in kept.values())
        embeddings = ", ".join(f"{spread(found_nmi)} with `{word}`"
                               for word, found_nmi in exact["by_embedding"].items())
        about = (f"The exact solution (largest residual {short(exact['largest_residual'])}) has an NMI of "
                 f"{embeddings}. Divided by the geometric mean, it is {spread(exact['geometric'])} with `none`. The "
                 f"paper reports an NMI of {paper['nmi']} for the largest batches, in {paper['minibatch']} s. It "
                 f"reports {paper['power']} s for the power method and {paper['nystrom']} s for Nystrom with 1,000 "
                 f"samples. The degrees, which the paper does not count, take {degrees:.3g} s here.")
        text += f"\n### {sizes.TITLES[name]}\n\n{fill(about)}\n\n{figure_table(kept)}"
    return text + choices_section(store)


def covtype_section(store):
    text = ""
    for name in sizes.COVTYPE_SETS:
        kept = store.read(name)
        rows = []
        for row, entry in kept.items():
            runs = entry["result"]
            paper_nmi, paper_seconds = published.COVTYPE[name].get(row, ("", ""))

            def mean(stage, runs=runs):
                return statistics.mean(run["seconds"][stage] for run in runs)
            rows.append([row, len(runs), spread([run["nmi"] for run in runs]),
                         spread([run["nmi_geometric"] for run in runs]), paper_nmi, f"{mean('degrees'):.3g}",
                         f"{mean('solve'):.3g}", f"{mean('total'):.3g}", paper_seconds,
                         f"{max(run['peak_memory_bytes'] for run in runs) / 1e6:.0f}"])
        if rows:
            text += f"\n### {sizes.TITLES[name]}\n\n" + table(
                ["", "seeds", "NMI", "geometric", "the paper's NMI", "degrees, s", "solve, s", "total, s",
                 "the paper's, s", "peak MB"], rows)
    if not text:
        return ""
    return """
## Covtype

Each run is one process of the program `mbsc`, from the file to the labels. `minibatch` makes T = 200 iterations.
`nystrom` uses its own approximate degrees, as in Fowlkes et al., unless its name says otherwise. `power` makes T = 3
products. `ours` is the default solver on the same problem. `defaults` also has the default regularization and
embedding.
""" + text


def variance_section(store):
    kept = store.read("variance")
    if not kept:
        return ""
    looks = next(iter(kept.values()))["result"]["variance"]
    request = next(iter(kept.values()))["request"]["variance"]
    rows = []
    for at in looks:
        where = "exact" if at["passes"] is None else short(at["passes"])
        cells = [f"{short(entry['measured'])} ({short(entry['formula'])})" for entry in at["signed"]]
        rows.append([where, short(at["error"]), short(at["first"]), short(at["second"]), short(at["third"]), *cells,
                     f"{short(at['columns']['measured'])} ({short(at['columns']['formula'])})"])
    head = ["passes", "error", "first", "second", "third",
            *(f"l = {entry['nonzeros']}" for entry in looks[0]["signed"]), "`columns`"]
    bounds = [[("exact" if at["passes"] is None else short(at["passes"])),
               *(short(entry["paper_bound"] / entry["measured"]) for entry in at["signed"])]
              for at in (looks[0], looks[-1])]
    return f"""
## Variance of the stochastic gradient

![variance](paper-variance.svg)

The data set is Pendigits, with m = {request['batch_size']} and {request['draws']} draws. The table shows the
variance of the estimate of Lw, summed over its components and averaged over the k columns. The value in brackets is
that of the formula for exactly l non-zeros (see `mbsc/solvers/paper/estimator.h`). `first`, `second` and `third` are
terms of the formula: |Lw|², the sum of (L o L)w², and |L|².

{table(head, rows)}
The bound of the paper, divided by the measured variance:

{table(["passes", *(f"l = {entry['nonzeros']}" for entry in looks[0]["signed"])], bounds)}"""


def stability_section(store):
    kept = store.read("stability")
    if not kept:
        return ""
    text = """
## Stability

These are runs of the paper's algorithm with m = 100 and one pass (with a stopping rule: up to three passes). Each row
changes one option.
"""
    names = list(dict.fromkeys(key.split(": ")[0] for key in kept))
    for group, title in GROUPS.items():
        words = list(dict.fromkeys(key.split(": ")[2] for key in kept if key.split(": ")[1] == group))
        rows = []
        for word in words:
            cells = [word]
            for name in names:
                entry = kept.get(f"{name}: {group}: {word}")
                looks = readings.final(entry["result"]["runs"]["minibatch"]) if entry else []
                if looks:
                    cells += [spread(readings.nmi(looks)), short(statistics.mean(readings.values(looks, "error")))]
                    cells += [short(statistics.mean(readings.values(looks, "passes")))] if group == "stop" else []
                else:
                    cells += ["", ""] + ([""] if group == "stop" else [])
            rows.append(cells)
        head = [title]
        for name in names:
            head += [f"{sizes.TITLES[name]}: NMI", "error"] + (["passes"] if group == "stop" else [])
        text += "\n" + table(head, rows)
    return text


def search_section(store):
    kept = store.read("covtype-search")
    if not kept:
        return ""
    entries = search.entries(kept)
    paper = published.COVTYPE["covtype-I"]["minibatch-400"][0]
    rows = []
    for scaling, kernel, n in dict.fromkeys((entry["scaling"], entry["kernel"], entry["n"]) for entry in entries):
        mine = [entry for entry in entries if (entry["scaling"], entry["kernel"], entry["n"]) == (scaling, kernel, n)]

        def best(prefix, embedding, mine=mine):
            found = [entry["value"] for entry in mine if entry["run"].startswith(prefix) and entry["last"]
                     and entry["embedding"] == embedding and entry["mean"] == "nmi"]
            return f"{found[0]:.3f}" if found else ""
        highest = max(mine, key=lambda entry: entry["value"])
        rows.append([scaling, f"`{kernel}`".replace("|", "\\|"), f"{n:,}",
                     *(best("exact", embedding) for embedding in search.EMBEDDINGS),
                     *(best("minibatch", embedding) for embedding in search.EMBEDDINGS), best("nystrom-400", "none"),
                     best("power", "none"),
                     f"{highest['value']:.3f}: {highest['run']}, `{highest['embedding']}`"
                     + (", geometric" if highest["mean"] == "nmi_geometric" else "")
                     + ("" if highest["last"] else f", {highest['iteration']} iterations")])
    head = ["scaling", "kernel", "n", *(f"exact, `{word}`" for word in search.EMBEDDINGS),
            *(f"minibatch, `{word}`" for word in search.EMBEDDINGS), "nystrom-400", "power, T = 3",
            "highest of all that was tried"]
    return f"""
## Which settings give {paper:.2f} on Covtype-I

The search covers scalings, possible meanings of sigma, embeddings, methods, early stops and both means of NMI, on a
part of the points. The settings that came nearest to the paper's {paper:.2f} were repeated on all points.
`standard-ten` standardizes only the ten numerical features. `unit-ten` and `standard-only-ten` use only these features.
`-rows` then scales every row to length 1. The columns `minibatch` are runs that start from Nystrom.

{table(head, rows)}"""


def missing_text(plan, store):
    missing = experiments.missing(plan, store)
    if not missing:
        return ""
    parts = [f"{part} ({', '.join(keys) if len(keys) <= 8 else f'{len(keys)} rows'})" for part, keys in missing.items()]
    return "\n" + fill(f"**Not measured yet**: {'; '.join(parts)}. `bench/paper/run` measures what is missing.") + "\n"


def time_section(store):
    """The time of each part, without builds and figures."""
    parts = {path.stem: store.read(path.stem).values() for path in sorted(store.folder.glob("*.json"))}
    if any("seconds" not in entry for entries in parts.values() for entry in entries):
        return ""
    minutes = {part: sum(entry["seconds"] for entry in entries) / 60 for part, entries in parts.items()}
    rows = [[part, len(entries), f"{minutes[part]:.1f}"] for part, entries in parts.items()]
    rows.append(["all", sum(len(entries) for entries in parts.values()), f"{sum(minutes.values()):.1f}"])
    return """
## Time

This is the wall-clock time of all measurements, one after the other, without the build of the program.

""" + table(["part", "measurements", "minutes"], rows)


def document(store, plan=sizes.FULL):
    sections = [data_section, figure_section, covtype_section, variance_section, stability_section, search_section,
                time_section]
    text = HEAD.format(machine=machine_text(store)) + missing_text(plan, store)
    text += "".join(section(store) for section in sections)
    found = findings.all_findings(store)
    if found:
        text += "\n## Findings\n\n" + "\n".join(
            textwrap.fill(f"- {line}", 120, subsequent_indent="  ", break_on_hyphens=False, break_long_words=False)
            for line in found) + "\n"
    return text
