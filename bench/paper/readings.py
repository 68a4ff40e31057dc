# SPDX-License-Identifier: Apache-2.0
"""Reads numbers from the store, for the report, the figures and the checks. A "look" is the measurement of one run at
one checkpoint."""
import statistics


def mean_and_deviation(values):
    return statistics.mean(values), statistics.stdev(values) if len(values) > 1 else 0.0


def spread(values, digits=3):
    """"0.667 ± 0.004", or a single value."""
    mean, deviation = mean_and_deviation(values)
    return f"{mean:.{digits}f}" + (f" ± {deviation:.{digits}f}" if len(values) > 1 else "")


def short(value):
    """The value to two digits."""
    if 1e-3 <= abs(value) < 1e4:
        return f"{value:.2g}"
    return f"{value:.1e}".replace("e-0", "e-").replace("e+0", "e").replace("e+", "e")


def runs_of(kept):
    """{name: results of all seeds} of one data set. Runs with Nystrom's own degrees have a name of their own."""
    found = {}
    for key, measured in kept.items():
        for name, results in measured["result"].get("runs", {}).items():
            found[name + (", its own degrees" if key.endswith("degrees nystrom") else "")] = results
    return found


def at(results, passes):
    """For every seed, the last checkpoint within these passes, with a margin for the start and the last batch."""
    looks = []
    for result in results:
        within = [look for look in result["points"] if look["passes"] <= passes * 1.02 + 0.002]
        looks.append((within or result["points"][:1])[-1])
    return looks


def final(results):
    return [result["points"][-1] for result in results]


def nmi(looks, embedding="none", mean="nmi"):
    return [look["scores"][embedding][mean] for look in looks]


def values(looks, key):
    return [look[key] for look in looks]


def exact_of(kept):
    """The NMI of every seed, and the facts about the exact solution."""
    if "exact" not in kept:
        return None
    result = kept["exact"]["result"]
    return {"nmi": nmi(final(result["runs"]["exact"])),
            "geometric": nmi(final(result["runs"]["exact"]), mean="nmi_geometric"),
            "by_embedding": {word: nmi(final(result["runs"]["exact"]), word)
                             for word in result["runs"]["exact"][0]["points"][0]["scores"]}, **result["exact"]}


def batches(runs):
    """The batch sizes of the mini-batch runs, ascending."""
    return sorted(int(name.split("-")[1]) for name in runs if name.startswith("minibatch-"))


def landmarks(runs, suffix=""):
    return sorted(int(name.split("-")[1].split(",")[0]) for name in runs
                  if name.startswith("nystrom-") and name.endswith("its own degrees") == bool(suffix))


MEANS = {"nmi": "arithmetic", "nmi_geometric": "geometric"}


def choices(kept):
    """{(restarts, embedding, mean of NMI): the NMI of every seed}: choices that the paper does not state."""
    found = {}
    for name, results in runs_of(kept).items():
        if name.startswith("choices-"):
            looks = final(results)
            for embedding in looks[0]["scores"]:
                for mean in MEANS:
                    found[int(name.split("-")[1]), embedding, mean] = nmi(looks, embedding, mean)
    return found


def until(results, level, key):
    """The operations (or seconds, passes: `key`) until the NMI stays at or above a level, as the mean over the seeds.
    None if a seed does not reach the level."""
    found = []
    for result in results:
        reached = None
        for look in result["points"]:
            good = look["scores"]["none"]["nmi"] >= level
            reached = (look if reached is None else reached) if good else None
        if reached is None:
            return None
        found.append(reached[key])
    return statistics.mean(found)
