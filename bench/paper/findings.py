# SPDX-License-Identifier: Apache-2.0
"""What the measurements say about the paper's statements, in sentences made of the figures."""
import statistics

import evidence
import published
import readings
import search
import sizes
from readings import short, spread


def verdict(holds):
    return evidence.HOLDS if holds else evidence.FAILS


def command(part):
    return f"(`bench/paper/run --only {part}`)"


def near(value, paper):
    return abs(value - paper) <= published.NEAR


def mean_nmi(looks):
    return statistics.mean(readings.nmi(looks))


def way_sentence(results, m, paper_nmi):
    """Where along the pass the mean NMI comes nearest to the paper's: a run that ends early would stop there."""
    means = [(statistics.mean(readings.values(looks, "passes")), mean_nmi(looks))
             for looks in zip(*(result["points"] for result in results))]
    passes, value = min(means, key=lambda look: abs(look[1] - paper_nmi))
    return (f"Along the pass the mean of m = {m} is nearest to the paper's at {passes:.2g} passes, {value:.3f}, "
            f"which is {'' if near(value, paper_nmi) else 'not '}within ±{published.NEAR}.")


def figure_finding(name, kept):
    runs, exact, paper = readings.runs_of(kept), readings.exact_of(kept), published.FIGURE[name]
    if not exact or not readings.batches(runs):
        return []
    title = sizes.TITLES[name]
    looks = {m: readings.at(runs[f"minibatch-{m}"], 1) for m in readings.batches(runs)}
    largest = max(looks)
    within = [m for m in looks if near(mean_nmi(looks[m]), paper["nmi"])]
    each = ", ".join(f"{spread(readings.nmi(looks[m]))} (m = {m})" for m in looks)
    of_all = " and all others" if len(within) == len(looks) else f", and for {len(within)} of {len(looks)} sizes"
    seconds = statistics.mean(readings.values(looks[largest], "seconds"))
    way = "" if largest in within else way_sentence(runs[f"minibatch-{largest}"], largest, paper["nmi"]) + " "
    found = [f"**{title}, NMI {paper['nmi']}**: {verdict(largest in within)} within ±{published.NEAR} for the largest "
             f"batches{of_all}: after one pass {each}. The exact solution "
             f"has {statistics.mean(exact['nmi']):.3f} ({statistics.mean(exact['geometric']):.3f} by the geometric "
             f"mean). {way}A pass with m = {largest} took {seconds:.3g} s, in the paper {paper['minibatch']} s with the "
             f"matrix in memory. {command('figure')}"]
    return found + convergence_finding(title, runs, exact) + early_finding(title, runs) + nystrom_finding(
        title, runs, exact)


def choice_sentence(found):
    """Which of the choices comes nearest to the paper's figures on all sets that have it."""
    def distance(key):
        return max(abs(statistics.mean(choices[key]) - published.FIGURE[name]["nmi"])
                   for name, choices in found.items())
    complete = [key for key in next(iter(found.values())) if all(key in choices for choices in found.values())]
    nearest = min(complete, key=distance)

    def words(key):
        restarts, embedding, mean = key
        return f"`{embedding}`, {restarts} restart{'s' if restarts > 1 else ''}, {readings.MEANS[mean]} mean"
    within = "; ".join(words(key) for key in complete if distance(key) <= published.NEAR)
    titles = ", ".join(sizes.TITLES[name] for name in found)
    return (f"Nearest to the paper on {titles} together: {words(nearest)}, off "
            f"by at most {distance(nearest):.3f}. Within ±{published.NEAR} on all: {within or 'none'}. What the other "
            f"tables show ({words((10, 'none', 'nmi'))}) is off by at most {distance((10, 'none', 'nmi')):.3f}.")


def convergence_finding(title, runs, exact):
    """The paper: MBSC converges to the accuracy of the exact solution, even with small batches."""
    near_exact = published.NEAR
    parts, verdicts = [], []
    for m in (readings.batches(runs)[0], readings.batches(runs)[-1]):
        looks = readings.at(runs[f"minibatch-{m}"], 1)
        apart = evidence.difference(readings.nmi(looks), exact["nmi"])
        error = statistics.mean(readings.values(looks, "error"))
        verdicts.append(evidence.inside(apart, -near_exact, near_exact))
        missing = statistics.mean(error**2 for error in readings.values(looks, "error")) * len(exact["eigenvalues"])
        parts.append(f"m = {m}: NMI differs by {evidence.interval_text(apart)} (95 %), the error is {short(error)}, as "
                     f"if {short(missing)} of the {len(exact['eigenvalues'])} directions were missing")
    worst = next((word for word in (evidence.FAILS, evidence.OPEN) if word in verdicts), evidence.HOLDS)
    return [f"**{title}, \"converges to the accuracy of the exact solution\"**, within ±{near_exact} of its NMI, "
            f"{worst} after one pass: exact {statistics.mean(exact['nmi']):.3f}; " + "; ".join(parts) + ". NMI of the "
            f"labels says nothing about the eigenvectors themselves. {command('figure')}"]


def early_finding(title, runs):
    """The paper: stable before a full pass."""
    m = readings.batches(runs)[-1]
    half, whole = (readings.nmi(readings.at(runs[f"minibatch-{m}"], passes)) for passes in (0.5, 1))
    first = readings.nmi([result["points"][0] for result in runs[f"minibatch-{m}"]])
    change = evidence.paired(half, whole)
    return [f"**{title}, \"stable before a full pass\"**, to ±0.01, {evidence.inside(change, -0.01, 0.01)}: m = {m} "
            f"has "
            f"{spread(half)} after half a pass and {spread(whole)} after one, a change of "
            f"{evidence.interval_text(change)} (95 %). **\"The variance diminishes throughout iterations\"** "
            f"{evidence.smaller_spread(whole, first)}: standard deviation {readings.mean_and_deviation(first)[1]:.3f} "
            f"at "
            f"the first look, {readings.mean_and_deviation(whole)[1]:.3f} at the end. {command('figure')}"]


def nystrom_finding(title, runs, exact):
    marks = readings.landmarks(runs)
    if not marks:
        return []
    values = {m: readings.nmi(readings.final(runs[f"nystrom-{m}"])) for m in marks}
    apart = {m: evidence.difference(values[m], exact["nmi"]) for m in marks}
    less = {m: evidence.above(apart[m], -0.01) for m in marks}
    smaller = [less[m] for m in marks if m < 1000]
    claim = (evidence.HOLDS if less[marks[-1]] == evidence.HOLDS and all(word == evidence.FAILS for word in smaller)
             else evidence.FAILS if evidence.HOLDS in smaller or less[marks[-1]] == evidence.FAILS else evidence.OPEN)
    text = (f"**{title}, \"Nystrom needs 1000 samples\"** to come within 0.01 of the exact NMI {claim}: NMI "
            + ", ".join(f"{spread(values[m])} ({m})" for m in marks) + ".")
    level = statistics.mean(exact["nmi"]) - published.NEAR
    m = readings.batches(runs)[-1]
    batch = readings.until(runs[f"minibatch-{m}"], level, "operations")
    power = readings.until(runs["power"], level, "operations") if "power" in runs else None
    if batch and power:
        operations = statistics.mean(readings.values(readings.final(runs[f"nystrom-{marks[-1]}"]), "operations"))
        text += (f" To stay within {published.NEAR} of the exact NMI, m = {m} takes {short(batch)} operations (mean "
                 f"over "
                 f"the seeds), the power method {short(power)}: \"distinctively less\", by half, "
                 f"{verdict(batch < power / 2)}. Nystrom with {marks[-1]} takes {short(operations)}.")
    return [text + " " + command("figure")]


def covtype_findings(name, kept):
    found = []
    for row, (paper_nmi, paper_seconds) in published.COVTYPE[name].items():
        if row in kept and row.startswith(("minibatch", "power")):
            runs = kept[row]["result"]
            value = statistics.mean(run["nmi"] for run in runs)
            total = statistics.mean(run["seconds"]["total"] for run in runs)
            memory = max(run["peak_memory_bytes"] for run in runs) / 1e6
            found.append(f"**{sizes.TITLES[name]}, {row}, NMI {paper_nmi}**: {verdict(near(value, paper_nmi))}: "
                         f"{value:.3f} "
                         f"({statistics.mean(run['nmi_geometric'] for run in runs):.3f} by the geometric mean), "
                         f"{total:.3g} s in "
                         f"all against the paper's {paper_seconds} s ({paper_seconds / total:.1f} times as long), "
                         f"peak memory "
                         f"{memory:.0f} MB against \"less than {published.MEMORY_GB[name]} GB\". {command('covtype')}")
    if "power" in kept and "power" not in published.COVTYPE[name]:
        runs = kept["power"]["result"]
        found.append(f"**{sizes.TITLES[name]}, the power method \"too expensive\"** no longer: NMI "
                     f"{spread([run['nmi'] for run in runs])} in "
                     f"{statistics.mean(run['seconds']['total'] for run in runs):.0f} s. "
                     f"{command('covtype')}")
    batch = [row for row in kept if row.startswith("minibatch")]
    nystrom = [row for row in kept if row.startswith("nystrom") and "exact" not in row]
    if batch and nystrom:
        def all_nmi(row):
            return [run["nmi"] for run in kept[row]["result"]]
        def mean(row):
            return statistics.mean(all_nmi(row))
        apart = evidence.difference(all_nmi(min(batch, key=mean)), all_nmi(max(nystrom, key=mean)))
        degrees = statistics.mean(run["seconds"]["degrees"] / run["seconds"]["total"]
                                  for run in kept[batch[0]]["result"])
        found.append(f"**{sizes.TITLES[name]}, \"consistently better than Nystrom\"** {evidence.above(apart)}: "
                     + ", ".join(f"{row} {mean(row):.3f}" for row in batch + nystrom)
                     + f". The degrees, which the paper takes as precomputed, are {100 * degrees:.0f} % of the time "
                       f"of {batch[0]}. "
                     + command("covtype"))
    return found


def variance_findings(kept):
    looks = next(iter(kept.values()))["result"]["variance"]
    worst = max(abs(entry["measured"] / entry["formula"] - 1) for at in looks for entry in at["signed"])
    exact = looks[-1]
    by_l = {entry["nonzeros"]: entry for entry in exact["signed"]}
    least, most = min(by_l), max(by_l)
    within = all(entry["measured"] <= entry["paper_bound"] for at in looks for entry in at["signed"])
    text = [f"**The variance formula** (for exactly l non-zeros) is within {100 * worst:.0f} % of what was measured "
            f"at every point "
            f"of the run and every l. **The paper's bound** {verdict(within)}. {command('variance')}"]
    text.append(f"**\"The first term will vanish at convergence\"** "
                f"{verdict(exact['first'] < 0.1 * looks[0]['first'])}: |Lw|², mean "
                f"over the columns, is {short(looks[0]['first'])} at {short(looks[0]['passes'])} passes and "
                f"{short(exact['first'])} "
                f"at the exact eigenvectors, where Lw = theta w. {command('variance')}")
    ratio = by_l[most]["measured"] / by_l[least]["measured"]
    early = looks[0]["signed"][-1]["measured"] / looks[0]["signed"][0]["measured"]
    text.append(f"**At fixed m = l N_r small l is better** {verdict(ratio > 1)}, and not by the first term: at the "
                f"exact "
                f"eigenvectors the variance grows {ratio:.3g} times from l = {least} to l = {most}, early in the run "
                f"{early:.3g} "
                f"times. The term that grows is c |L|² / N_r, which the bound hides behind (n/m) |L|². **\"Most "
                f"useful during the "
                f"first phase\"** {verdict(early > ratio)}. The estimator `columns` has "
                f"{short(exact['columns']['measured'])} there, "
                f"`signed` with l = {least} {short(by_l[least]['measured'])}. {command('variance')}")
    return text


def stability_findings(kept):
    found = []
    for name in dict.fromkeys(key.split(": ")[0] for key in kept):
        mine = {key.split(": ", 1)[1]: readings.final(entry["result"]["runs"]["minibatch"])
                for key, entry in kept.items() if key.startswith(f"{name}: ")}
        steps = {key.split(": ")[1]: statistics.mean(readings.nmi(looks)) for key, looks in mine.items()
                 if key.startswith("step: ")}
        middle = {key: value for key, value in steps.items() if key.split("/")[0] in ("0.3", "1", "3")}
        if not middle:
            continue
        best, worst = (readings.nmi(mine[f"step: {choose(middle, key=middle.get)}"]) for choose in (max, min))
        apart = evidence.difference(best, worst)
        found.append(f"**{sizes.TITLES[name]}, \"robustness to parameter selection\"**, to {published.NEAR}, "
                     f"{evidence.inside(apart, -published.NEAR, published.NEAR)} for lambda within a factor of three "
                     f"of "
                     f"1/sqrt(n): NMI {spread(worst)} to {spread(best)}; over all that "
                     f"was tried {min(steps.values()):.3f} ({min(steps, key=steps.get)}) to {max(steps.values()):.3f} "
                     f"({max(steps, key=steps.get)}). {command('stability')}")
        if "start: random" in mine and "start: nystrom, 10 landmarks" in mine:
            random, warm = (mine[f"start: {word}"] for word in ("random", "nystrom, 10 landmarks"))
            found.append(f"**{sizes.TITLES[name]}, the random start** of the paper's text has NMI "
                         f"{spread(readings.nmi(random))} "
                         f"(error {short(statistics.mean(readings.values(random, 'error')))}) after a pass, the start "
                         f"of its "
                         f"authors' script {spread(readings.nmi(warm))} "
                         f"({short(statistics.mean(readings.values(warm, 'error')))}). {command('stability')}")
    return found


def search_findings(kept):
    entries = search.entries(kept)
    paper = published.COVTYPE["covtype-I"]["minibatch-400"][0]
    highest = max(entries, key=lambda entry: entry["value"])
    finals = [entry for entry in entries if entry["last"] and entry["mean"] == "nmi" and entry["run"] == "minibatch"]
    nearest = min(finals, key=lambda entry: abs(entry["value"] - paper))
    tried = len({(entry["scaling"], entry["kernel"]) for entry in entries})
    reached = near(nearest["value"], paper)
    return [f"**Covtype-I, what gives {paper:.2f}**: {tried} combinations of scaling and kernel were tried, each with "
            f"every "
            f"embedding and method. Nearest for the paper's algorithm: {nearest['value']:.3f} (scaling "
            f"{nearest['scaling']}, "
            f"`{nearest['kernel']}`, embedding `{nearest['embedding']}`, n = {nearest['n']:,}), "
            f"{'within' if reached else 'not within'} ±{published.NEAR}. The highest of all: {highest['value']:.3f} "
            f"({highest['run']}, scaling {highest['scaling']}, `{highest['kernel']}`, embedding "
            f"`{highest['embedding']}`"
            f"{', geometric mean' if highest['mean'] == 'nmi_geometric' else ''}, n = {highest['n']:,}). "
            f"{command('covtype-search')}"]


def all_findings(store):
    found = []
    for name in sizes.FIGURE_SETS:
        kept = store.read(f"figure-{name}")
        found += figure_finding(name, kept) if kept else []
    for name in sizes.COVTYPE_SETS:
        kept = store.read(name)
        found += covtype_findings(name, kept) if kept else []
    for part, function in (("variance", variance_findings), ("stability", stability_findings),
                           ("covtype-search", search_findings)):
        kept = store.read(part)
        found += function(kept) if kept else []
    return found
