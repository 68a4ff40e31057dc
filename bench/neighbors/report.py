# SPDX-License-Identifier: Apache-2.0
"""Writes docs/neighbors.md from the measurements of `run`."""
import math

import shared

HEAD = """\
# The search for neighbors

This page compares `find_neighbors()`, which builds the lists of the neighbor graph, with pynndescent and hnswlib: the
{each} nearest neighbors of every point, from points in memory to lists. Each program runs in its own process with two
threads. Compare CPU s, the processor seconds of all threads, because other work on the machine changes the
seconds by the clock. The recall is the share of the true neighbors that are in the lists, measured on 1,000 points by
brute force in float64. mbsc is asked for a recall of {wanted:g}. The peak is that of the process, points included.

pynndescent runs with its defaults, and its compilation is not counted. hnswlib builds its index with M = 16 and
ef_construction = 100, then searches all points with the smallest `ef` of 20, 24, 32, 48, 64, 96 and 128 that reaches
the recall. Nothing else of the rivals was tuned. The constants of mbsc (leaves, fans, the size of the first round) were
chosen by trials on the sets with 128 and 16 features of this page, so mbsc has an advantage there.

Every measurement was made once, on a machine that may have run other work at the same time. A rival that was measured with an
earlier commit of mbsc is not measured again, so the rows of a set can be an hour apart.

{machine}

<!-- not run: takes half an hour -->
```sh
bench/neighbors/run
```
"""

SETS = """
## The sets

- 128 features: points near a curved surface of 12 dimensions, with noise in all features
- 16 and 8 features: a mixture of 20 Gaussians of different sizes and widths
- 70 % copies: 70 % of the rows of such a set are replaced by copies of the other rows
- MNIST: the pixels
"""

TRIED = """
## What was tried

- Comparing pairs in registers, without a tile of distances in memory, and collecting near pairs from bit masks: half of
  the time of the search before.
- Dropping candidates that a list knows before their distances are computed, and merging the others with the list in one
  step, sorted by counting: a fifth of the time.
- An order of the points by up to 64 groups of 64 groups instead of 1,000 groups: a point meets 128 leaders instead of
  1,000.
- A first version stopped as soon as the sampled recall of 256 points reached the recall asked for. Its true recall with
  128 features was 0.977. Now the sample has 512 points, and the sampled recall minus its standard error must reach the recall that was asked for.
- The true neighbors of the sample are found once, not in every round. A second round has only the fan that the measured
  recall asks for.
- With up to 8 features, the share of neighbors that a partition misses hardly grows above a million points. The first
  round is planned by this.
- Larger leaves with smaller fans (2,048 points and 5 x 2) and smaller leaves with larger fans (512 points and 10 x 3)
  take as long or longer for the same recall. The fan of the first split matters most: 6 x 3 takes as long as 8 x 2 and
  finds less, and 4 x 4 finds far less.
"""


def size(row):
    return f"{row['n']:,} x {row['d']}"


def table(rows):
    lines = ["| set | size | method | recall | CPU s | seconds | peak GiB |", "|---|---|---|---|---|---|---|"]
    lines += [f"| {r['set']} | {size(r)} | {r['method']} | {r['recall']:.3f} | {r['cpu_seconds']:.1f} | "
              f"{r['seconds']:.1f} | {r['peak_memory_bytes'] / 2**30:.2f} |" for r in rows]
    return "\n".join(lines)


def comparisons(rows):
    found = {(r["set"], r["method"]): r for r in rows}
    text = []
    for (name, method), row in found.items():
        if method == "mbsc":
            rivals = [found[name, m] for m in ("pynndescent", "hnswlib", "mbsc, all pairs") if (name, m) in found]
            text += [f"- {name}: {r['method']} takes {r['cpu_seconds'] / row['cpu_seconds']:.1f} times the processor "
                     f"time of mbsc. Its recall is {r['recall']:.3f}, that of mbsc {row['recall']:.3f}."
                     for r in rivals]
            plain = found.get((name.replace(", 70 % copies", ""), "mbsc"))
            if "copies" in name and plain:
                text.append(f"- {name}: {row['cpu_seconds'] / plain['cpu_seconds']:.2f} times the processor time of "
                            "the set without copies.")
    grown = sorted((r for r in rows if r["method"] == "mbsc" and r["set"].startswith("8 features")),
                   key=lambda r: r["n"])
    if len(grown) > 1:
        first, last = grown[0], grown[-1]
        exponent = math.log(last["cpu_seconds"] / first["cpu_seconds"]) / math.log(last["n"] / first["n"])
        per_point = ", ".join(f"{r['peak_memory_bytes'] / r['n']:.0f}" for r in grown)
        text.append(f"- From {first['n']:,} to {last['n']:,} points with 8 features, processor time grows as n to the "
                    f"power {exponent:.2f}. The peak is {per_point} bytes for each point.")
    return "\n".join(text)


def write(results, path):
    machine = results["machine"]
    versions = ", ".join(f"{name} {version}" for name, version in results["versions"].items())
    about = (f"{machine['cpu']}, {machine['cpus']} CPUs, {machine['memory_gib']} GiB; commit {results['commit']}; "
             f"{versions}.")
    text = HEAD.format(each=results["neighbors"], wanted=results["recall"], machine=about)
    shared.write_document(path, f"{text}\n{table(results['rows'])}\n\n{comparisons(results['rows'])}\n{SETS}{TRIED}")
