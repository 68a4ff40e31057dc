# SPDX-License-Identifier: Apache-2.0
"""Writes docs/defaults.md from the runs of bench/defaults/run."""
import pathlib
import platform
import re
import subprocess
from collections import defaultdict

import numpy as np

RULES = [(c, share) for share in (0, 0.01, 0.03, 0.1) for c in (4, 8, 16, 32, 64)]
TAUS = (0, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1)
EMBEDDINGS = ("none", "row", "degree")
SETTINGS = [(rule, tau, embedding) for rule in RULES for tau in TAUS for embedding in EMBEDDINGS]
MUST = ("rings", "rings, noise 0.1", "moons")  # the defaults must find these


def rule_name(rule):
    c, share = rule
    return f"{c}/median" + (f", {100 * share:g} %" if share else "")


def setting_name(setting):
    rule, tau, embedding = setting
    return f"{rule_name(rule)}; {tau:g}; {embedding}"


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    return "\n".join(lines + ["| " + " | ".join(map(str, row)) + " |" for row in rows]) + "\n"


def number(value):
    return f"{value:.3f}"


def mean_ranks(scores):
    """The rank of a setting (1 = best), averaged over the sets. Ties share a rank; settings with the same gamma tie."""
    ranks = []
    for column in np.round(scores, 6).T:
        values, inverse, counts = np.unique(-column, return_inverse=True, return_counts=True)
        ranks.append((np.cumsum(counts) - (counts - 1) / 2)[inverse])
    return np.mean(ranks, axis=0)


def machine():
    model = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())
    return f"{model.group(1) if model else platform.processor()}, {platform.system()}"


def commit():
    """The last commit that changed the program."""
    root = pathlib.Path(__file__).resolve().parents[2]
    return subprocess.run(["git", "log", "-1", "--format=%h", "--abbrev=10", "--", "mbsc", "cli"], cwd=root,
                          capture_output=True, text=True).stdout.strip()


class Scores:
    """The NMI of every setting on every set, averaged over the seeds: nmi[setting, set]."""

    def __init__(self, cases, done, program):
        by_set = defaultdict(list)
        for case in cases:
            by_set[case.name].append(case)
        self.names = list(by_set)
        self.cases = by_set
        self.nmi = np.array([[np.mean([self.of(case, done, setting) for case in by_set[name]])
                              for name in self.names] for setting in SETTINGS])
        self.least = np.array([[np.min([self.of(case, done, setting) for case in by_set[name]])
                                for name in self.names] for setting in SETTINGS])
        self.kmeans = np.array([np.mean([case.facts["kmeans"] for case in by_set[name]]) for name in self.names])
        found = [[done[(case.name, case.seed, "defaults", program)] for case in by_set[name]] for name in self.names]
        self.defaults = np.array([np.mean([run["nmi"] for run in runs]) for runs in found])
        self.defaults_least = np.array([np.min([run["nmi"] for run in runs]) for runs in found])
        self.chosen = sorted({(run.get("regularization"), run.get("embedding_scale"))
                              for runs in found for run in runs})
        self.mean = self.nmi.mean(1)
        self.loss = self.nmi.max(0) - self.nmi
        self.rank = mean_ranks(self.nmi)
        columns = [self.names.index(name) for name in MUST if name in self.names]
        self.passes = (self.least[:, columns] >= 0.98).all(1)

    @staticmethod
    def run(case, done, setting):
        (c, share), tau, embedding = setting
        return done[(case.name, case.seed, case.facts["gammas"][f"{c}, {share}"], tau, embedding)]

    @staticmethod
    def of(case, done, setting):
        return Scores.run(case, done, setting)["nmi"]

    def left_out(self):
        """The mean over the sets, each with the setting that is best on the other sets: an estimate for new data."""
        values = []
        for s in range(len(self.names)):
            others = np.delete(self.nmi, s, 1).mean(1)
            values.append(self.nmi[np.argmax(np.where(self.passes, others, -1)), s])
        return np.mean(values)


def settings_table(scores, chosen):
    return table(("gamma; regularization; embedding", "mean NMI", "mean rank", "largest loss", "on",
                  "rings and moons"),
                 [(setting_name(SETTINGS[i]), number(scores.mean[i]), f"{scores.rank[i]:.0f}",
                   number(scores.loss[i].max()), scores.names[scores.loss[i].argmax()],
                   "yes" if scores.passes[i] else "no") for i in chosen])


def decision(scores):
    """The reasons for the defaults, with numbers."""
    def mean(c, share, tau, embedding, without=()):
        kept = [s for s, name in enumerate(scores.names) if name not in without]
        return number(scores.nmi[SETTINGS.index(((c, share), tau, embedding)), kept].mean())

    flat = ", ".join(f"{mean(16, 0.03, tau, 'row')} at {tau:g}" for tau in TAUS)
    embeddings = ", ".join(f"{name} {mean(16, 0.03, 0.001, name)}" for name in ("none", "row", "degree"))
    factors = ", ".join(f"{factor}: {mean(factor, 0.03, 0.001, 'row')}" for factor in (8, 16, 32))
    spirals = ("spirals",)
    return f"""## What was decided

With gamma `16/median, 3 %`:

- **regularization 0.001.** Mean NMI with `row`: {flat}. It changes little from 0.0003 to 0.003.
  Without regularization, a few points take whole clusters (breast cancer, outliers). With more, long thin shapes are
  cut across (five rings, shuttle).
- **embedding `row`.** At 0.001: {embeddings}.
- **gamma is not changed.** 16 is as good as nearby values ({factors}).
  A share of 1 % has {mean(16, 0.01, 0.001, 'row')}, but its lead comes only from the spirals, which 3 % does not find.
  Without the spirals, 1 % has {mean(16, 0.01, 0.001, 'row', spirals)} and 3 % has
  {mean(16, 0.03, 0.001, 'row', spirals)}. A share of 1 % needs about twice the passes, and with `minibatch` its NMI is
  lower on real data (last table). For thin shapes that are close together, give a larger gamma.
"""


def write(all_cases, done, program):
    cases = [case for case in all_cases if case.embeddings(1) == EMBEDDINGS]
    large = [case for case in all_cases if case.embeddings(1) != EMBEDDINGS]
    if not cases:
        return "No set is complete.\n"
    scores = Scores(cases, done, program)
    seeds = max(len(found) for found in scores.cases.values())
    parts = [f"""# The evidence for the defaults

Written by `bench/defaults/run`; do not edit. Program: commit {commit()}, {machine()}, one thread, method exact.

There are {len(scores.names)} labeled sets. If a set is generated or is a subset, its results are averages over up to
{seeds} seeds. k is the number of classes.

- *NMI*: of the clusters and the known classes, divided by the arithmetic mean of the entropies.
- *gamma* `c/median, s %`: the larger of two values: c / (median squared distance), and the gamma at which a typical
  degree is s % of n/k (or 12, if that is more). On small sets many rules coincide.
- *regularization*: a share of the mean degree.
- *k-means*: scikit-learn's, 10 starts, on the same features.
- *loss*: the NMI of the best of all {len(SETTINGS)} settings on a set, minus the NMI of this setting. Ranks are among
  these settings.
- *rings and moons*: whether NMI is at least 0.98 on {', '.join(f'*{name}*' for name in MUST[:-1])} and *{MUST[-1]}*,
  for every seed.
""",
             "## Summary\n",
             table(("", "mean NMI", "largest loss", "rings and moons"),
                   [("k-means on the features", number(scores.kmeans.mean()),
                     number((scores.nmi.max(0) - scores.kmeans).max()), "no"),
                    ("the program's defaults", number(scores.defaults.mean()),
                     number((scores.nmi.max(0) - scores.defaults).max()),
                     "yes" if all(scores.defaults_least[scores.names.index(n)] >= 0.98 for n in MUST
                                  if n in scores.names) else "no"),
                    ("the best setting", number(scores.mean.max()),
                     number(scores.loss[scores.mean.argmax()].max()),
                     "yes" if scores.passes[scores.mean.argmax()] else "no"),
                    ("for each set: of the settings that find rings and moons, the one that is best on the other sets",
                     number(scores.left_out()), "", ""),
                    ("the best setting of each set", number(scores.nmi.max(0).mean()), "0", "yes")]),
             "The program's defaults here: " + "; ".join(f"regularization {tau:g}, embedding {embedding}"
                                                         for tau, embedding in scores.chosen) + ", gamma auto.\n",
             decision(scores),
             "## The best settings by mean NMI\n",
             settings_table(scores, np.argsort(-scores.mean, kind="stable")[:12]),
             "## The settings whose largest loss is smallest\n",
             settings_table(scores, np.argsort(scores.loss.max(1), kind="stable")[:8])]
    for embedding in EMBEDDINGS:
        parts += [f"## Mean NMI, embedding `{embedding}`: gamma down, regularization across\n",
                  table(("gamma", *(f"{tau:g}" for tau in TAUS)),
                        [(rule_name(rule), *(number(scores.mean[SETTINGS.index((rule, tau, embedding))])
                                             for tau in TAUS)) for rule in RULES])]
    auto = (16, 0.03)
    parts += ["## Each set: gamma 16/median, 3 %, embedding `row`, regularization across\n",
              table(("set", "seeds", "n", "d", "k", "k-means", *(f"{tau:g}" for tau in TAUS), "defaults", "best", "of"),
                    [(name, len(scores.cases[name]), *(scores.cases[name][0].facts[key] for key in "ndk"),
                      number(scores.kmeans[s]),
                      *(number(scores.nmi[SETTINGS.index((auto, tau, "row")), s]) for tau in TAUS),
                      number(scores.defaults[s]), number(scores.nmi[:, s].max()),
                      setting_name(SETTINGS[scores.nmi[:, s].argmax()]))
                     for s, name in enumerate(scores.names)])]
    if large:
        taus = sorted({tau for case in large for _, tau in case.solves()})
        seeds = len(large[0].embeddings(taus[0])) - 1
        parts += ["## Larger sets: gamma 16/median and a share, embedding `row`, regularization across\n",
                  f"The columns with a number as heading show the NMI of `exact`. The last two columns are at regularization "
                  f"{taus[0]:g}: the passes of `exact`, and NMI of `minibatch` after one pass, the mean of {seeds} "
                  f"seeds.\n",
                  table(("set", "k", "gamma", *(f"{tau:g}" for tau in taus), "defaults", "passes", "minibatch"),
                        [(case.name, case.facts["k"], rule_name((16, share)),
                          *(number(Scores.of(case, done, ((16, share), tau, "row"))) for tau in taus),
                          number(done[(case.name, case.seed, "defaults", program)]["nmi"]),
                          f"{Scores.run(case, done, ((16, share), taus[0], 'row'))['passes']:.0f}",
                          number(np.mean([Scores.of(case, done, ((16, share), taus[0], f"minibatch {seed}"))
                                          for seed in range(seeds)])))
                         for case in large for share in (0, 0.01, 0.03, 0.1)])]
    return "\n".join(parts)
