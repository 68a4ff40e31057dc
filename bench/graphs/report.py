# SPDX-License-Identifier: Apache-2.0
"""Writes docs/graphs.md from the runs of bench/graphs/run."""
import statistics

import sets
import shared

PAGE = shared.ROOT / "docs/graphs.md"
INTRODUCTION = """# Which graph gives the best clusters

<!-- Written by bench/graphs/run. Do not edit. -->

The NMI (arithmetic mean) of the labels with the true classes, for each graph and each labeled data set of
bench/graphs/sets.py: the median over {seeds} seeds (above 20,000 points, `rbf`, k-means and HDBSCAN have one seed,
because their runs take minutes). The list of sets, their scaling and their seeds were fixed before the runs. `default`
has no option but the number of clusters. `rbf` is the dense kernel, which was the default before. All options that are
not named have their defaults. scikit-learn is its SpectralClustering with 10 neighbors. HDBSCAN chooses the number of
clusters itself, and its noise counts as one more cluster. A dash means that the set is too large for the configuration,
or that the run failed. [choosing.md](choosing.md) explains the options.

The rules of the default (number of neighbors, width, cutoff, regularization, and when landmarks replace the graph) were
found by looking at these very sets. Expect less on other data. Under "Leave one out", a configuration is chosen without
the set it is judged by.

Machine: {cpu}, {cpus} CPUs. Commit: {commits}. To repeat: `bench/graphs/run`.
"""


def medians_of(rows):
    """(set, configuration) -> the median NMI, if no run failed. Later commits replace earlier ones."""
    newest = {}
    for row in rows:
        newest[row["set"], row["configuration"], row["seed"]] = row["nmi"]
    values = {}
    for (name, configuration, _), nmi in newest.items():
        values.setdefault((name, configuration), []).append(nmi)
    return {key: statistics.median(nmis) for key, nmis in values.items() if None not in nmis}


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def cell(value):
    return "-" if value is None else f"{value:.3f}"


def mean_over(medians, names, configuration):
    found = [medians[n, configuration] for n in names if (n, configuration) in medians]
    return statistics.mean(found) if len(found) == len(names) and found else None


def compared_sets(medians, configurations):
    """The sets that have a value for each of these configurations."""
    return [name for name in sets.SETS if all((name, c) in medians for c in configurations)]


def without_landmarks(configurations):
    """Without the numbers of landmarks, which some sets are too small for."""
    return [c for c in configurations if not c.startswith("landmarks,")]


def left_out(medians, names, configurations):
    """For each set: the configuration with the best mean over the other sets, and its NMI on this set."""
    rows = []
    for name in names:
        others = [other for other in names if other != name]
        best = max(configurations, key=lambda c: statistics.mean(medians[o, c] for o in others))
        rows.append((name, best, medians[name, best]))
    return rows


def write(rows, configurations, rivals):
    medians = medians_of(rows)
    present = [c for c in configurations if any(key[1] == c for key in medians)]
    main = [c for c in ("rbf", "default", "neighbors, sharp", "landmarks", *rivals) if c in present or c in rivals]
    names = [name for name in sets.SETS if any((name, c) in medians for c in main)]
    machine = shared.machine()
    text = [INTRODUCTION.format(seeds=max(row["seed"] for row in rows) + 1, cpu=machine["cpu"], cpus=machine["cpus"],
                                commits=", ".join(sorted({row["commit"] for row in rows})))]
    text.append("## The default, other graphs, and rivals\n")
    text.append(table(["set", "points", *main], [[n, f"{sets.SETS[n].size:,}", *(cell(medians.get((n, c))) for c in main)]
                                                 for n in names]))
    text.append(default_text(medians))
    text.append(means_text(medians, present, rivals))
    text.append(choice_text(medians, present))
    shared.write_document(PAGE, "\n".join(text))


def default_text(medians):
    """The default compared with rbf on all sets that both have."""
    lines = []
    both = compared_sets(medians, ["rbf", "default"])
    for title, names in (("real", [n for n in both if sets.SETS[n].kind == "real"]),
                         ("generated", [n for n in both if sets.SETS[n].kind == "generated"]), ("all", both)):
        if names:
            rbf, default = mean_over(medians, names, "rbf"), mean_over(medians, names, "default")
            lines.append([f"{len(names)} {title} sets", cell(rbf), cell(default), f"{default - rbf:+.3f}"])
    losses = [(medians[n, "rbf"] - medians[n, "default"], n) for n in both]
    loss, name = max(losses, default=(0, "-"))
    return ("Means over the sets that both have:\n\n" + table(["mean over", "rbf", "default", "difference"], lines) +
            f"\nThe largest loss of the default against `rbf` on one set is {max(loss, 0):.3f}" +
            (f" ({name}).\n" if loss > 0 else ".\n"))


def means_text(medians, present, rivals):
    small = [c for c in (*present, *rivals)]
    kinds = {kind: [n for n in compared_sets(medians, without_landmarks(present)) if sets.SETS[n].kind == kind]
             for kind in ("real", "generated")}
    header = ["configuration", *(f"mean of {len(names)} {kind} sets" for kind, names in kinds.items()),
              "largest loss against rbf"]
    lines = []
    for c in small:
        losses = [(medians[n, "rbf"] - medians[n, c], n) for names in kinds.values() for n in names
                  if (n, c) in medians and (n, "rbf") in medians]
        loss, name = max(losses, default=(0, "-"))
        lines.append([c, *(cell(mean_over(medians, names, c)) for names in kinds.values()), f"{loss:.3f} ({name})"])
    return ("## Every configuration\n\nThe means are over the sets on which every configuration of the neighbor graph was "
            "run; a dash means that a configuration lacks one of them. The largest loss is the most that a configuration is below `rbf` on "
            "one of these sets.\n\n" + table(header, lines))


def choice_text(medians, present):
    present = without_landmarks(present)
    names = compared_sets(medians, present)
    if len(names) < 3:
        return ""
    rows = left_out(medians, names, present)
    mean = statistics.mean(value for _, _, value in rows)
    chosen = table(["set left out", "best on the others", "its NMI on this set"],
                   [[name, best, cell(value)] for name, best, value in rows])
    return ("## Leave one out\n\nFor each set, the configuration that is best on average over the other sets, and how it "
            f"does on this set. Mean: {mean:.3f}; `rbf` on the same sets: {mean_over(medians, names, 'rbf'):.3f}.\n\n" +
            chosen)
