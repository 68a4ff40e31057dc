# SPDX-License-Identifier: Apache-2.0
"""Sentences with numbers that say which statements of the paper the measurements confirm."""
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
    """Tells at which point of the pass the mean NMI is nearest to the paper's."""
    means = [(statistics.mean(readings.values(looks, "passes")), mean_nmi(looks))
             for looks in zip(*(result["points"] for result in results))]
    passes, value = min(means, key=lambda look: abs(look[1] - paper_nmi))
    return (f"Along the pass, the mean for m = {m} is nearest to the paper's value at {passes:.2g} passes. There it is "
            f"{value:.3f}, which is {'' if near(value, paper_nmi) else 'not '}within ±{published.NEAR}.")


def figure_finding(name, kept):
    runs, exact, paper = readings.runs_of(kept), readings.exact_of(kept), published.FIGURE[name]
    if not exact or not readings.batches(runs):
        return []
    title = sizes.TITLES[name]
    looks = {m: readings.at(runs[f"minibatch-{m}"], 1) for m in readings.batches(runs)}
    largest = max(looks)
    within = [m for m in looks if near(mean_nmi(looks[m]), paper["nmi"])]
    each = ", ".join(f"{spread(readings.nmi(looks[m]))} (m = {m})" for m in looks)
    of_all = (" and for all others" if len(within) == len(looks) else
              f"; it holds for {len(within)} of {len(looks)} sizes")
    seconds = statistics.mean(readings.values(looks[largest], "seconds"))
    way = "" if largest in within else way_sentence(runs[f"minibatch-{largest}"], largest, paper["nmi"]) + " "
    found = [f"**{title}, NMI {paper['nmi']}**: {verdict(largest in within)} within ±{published.NEAR} for the largest "
             f"batches{of_all}. After one pass, the NMI is {each}. The exact solution "
             f"has {statistics.mean(exact['nmi']):.3f} ({statistics.mean(exact['geometric']):.3f} by the geometric "
             f"mean). {way}A pass with m = {largest} took {seconds:.3g} s. The paper reports {paper['minibatch']} s "
             f"with the matrix in memory. {command('figure')}"]
    return found + convergence_finding(title, runs, exact) + early_finding(title, runs) + nystrom_finding(
        title, runs, exact)


def choice_sentence(found):
    """Tells which choices come nearest to the paper's numbers on all sets."""
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
    return (f"On {titles} together, the choice nearest to the paper is {words(nearest)}; it differs by at most "
            f"{distance(nearest):.3f}. Choices within ±{published.NEAR} on all sets: {within or 'none'}. The choice of "
            f"the other tables ({words((10, 'none', 'nmi'))}) differs by at most {distance((10, 'none', 'nmi')):.3f}.")


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
        parts.append(f"For m = {m}, the NMI differs by {evidence.interval_text(apart)} (95 %), and the error is "
                     f"{short(error)}, as if {short(missing)} of the {len(exact['eigenvalues'])} directions were "
                     f"missing.")
    worst = next((word for word in (evidence.FAILS, evidence.OPEN) if word in verdicts), evidence.HOLDS)
    return [f"**{title}, \"converges to the accuracy of the exact solution\"**, within ±{near_exact} of its NMI, "
            f"{worst} after one pass. The exact NMI is {statistics.mean(exact['nmi']):.3f}. " + " ".join(parts) +
            f" The NMI of the labels says nothing about the eigenvectors themselves. {command('figure')}"]


def early_finding(title, runs):
    """The paper: stable before a full pass."""
    m = readings.batches(runs)[-1]
    half, whole = (readings.nmi(readings.at(runs[f"minibatch-{m}"], passes)) for passes in (0.5, 1))
    first = readings.nmi([result["points"][0] for result in runs[f"minibatch-{m}"]])
    change = evidence.paired(half, whole)
    return [f"**{title}, \"stable before a full pass\"**, to ±0.01, {evidence.inside(change, -0.01, 0.01)}. For m = "
            f"{m} the NMI is {spread(half)} after half a pass and {spread(whole)} after one, a change of "
            f"{evidence.interval_text(change)} (95 %). **\"The variance diminishes throughout iterations\"** "
            f"{evidence.smaller_spread(whole, first)}. The standard deviation is "
            f"{readings.mean_and_deviation(first)[1]:.3f} at the first checkpoint and "
            f"{readings.mean_and_deviation(whole)[1]:.3f} at the end. {command('figure')}"]


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
    text = (f"**{title}, \"Nystrom needs 1000 samples\"** to come within 0.01 of the exact NMI {claim}. The NMI is "
            + ", ".join(f"{spread(values[m])} ({m})" for m in marks) + ".")
    level = statistics.mean(exact["nmi"]) - published.NEAR
    m = readings.batches(runs)[-1]
    batch = readings.until(runs[f"minibatch-{m}"], level, "operations")
    power = readings.until(runs["power"], level, "operations") if "power" in runs else None
    if batch and power:
        operations = statistics.mean(readings.values(readings.final(runs[f"nystrom-{marks[-1]}"]), "operations"))
        text += (f" To stay within {published.NEAR} of the exact NMI, m = {m} takes {short(batch)} operations (mean "
                 f"over the seeds), and the power method {short(power)}. \"Distinctively less\", taken as less than "
                 f"half, {verdict(batch < power / 2)}. Nystrom with {marks[-1]} takes {short(operations)}.")
    return [text + " " + command("figure")]


def covtype_findings(name, kept):
    found = []
    for row, (paper_nmi, paper_seconds) in published.COVTYPE[name].items():
        if row in kept and row.startswith(("minibatch", "power")):
            runs = kept[row]["result"]
            value = statistics.mean(run["nmi"] for run in runs)
            total = statistics.mean(run["seconds"]["total"] for run in runs)
            memory = max(run["peak_memory_bytes"] for run in runs) / 1e6
            found.append(f"**{sizes.TITLES[name]}, {row}, NMI {paper_nmi}** {verdict(near(value, paper_nmi))}. It is "
                         f"{value:.3f} here "
                         f"({statistics.mean(run['nmi_geometric'] for run in runs):.3f} by the geometric mean). The "
                         f"run takes {total:.3g} s; the paper reports {paper_seconds} s, {paper_seconds / total:.1f} "
                         f"times as long. The peak memory is {memory:.0f} MB; the paper reports \"less than "
                         f"{published.MEMORY_GB[name]} GB\". {command('covtype')}")
    if "power" in kept and "power" not in published.COVTYPE[name]:
        runs = kept["power"]["result"]
        found.append(f"**{sizes.TITLES[name]}, the power method is \"too expensive\"** does **not** hold any more. It "
                     f"takes {statistics.mean(run['seconds']['total'] for run in runs):.0f} s, with an NMI of "
                     f"{spread([run['nmi'] for run in runs])}. {command('covtype')}")
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
        found.append(f"**{sizes.TITLES[name]}, \"consistently better than Nystrom\"** {evidence.above(apart)}. The NMI "
                     "is " + ", ".join(f"{mean(row):.3f} ({row})" for row in batch + nystrom)
                     + f". The paper takes the degrees as given; here they take {100 * degrees:.0f} % of the time of "
                       f"{batch[0]}. "
                     + command("covtype"))
    return found


def variance_findings(kept):
    looks = next(iter(kept.values()))["result"]["variance"]
    worst = max(abs(entry["measured"] / entry["formula"] - 1) for at in looks for entry in at["signed"])
    exact = looks[-1]
    by_l = {entry["nonzeros"]: entry for entry in exact["signed"]}
    least, most = min(by_l), max(by_l)
    within = all(entry["measured"] <= entry["paper_bound"] for at in looks for entry in at["signed"])
    text = [f"**The variance formula** (for exactly l non-zeros) is within {100 * worst:.0f} % of the measured "
            f"variance at every checkpoint and for every l. **The paper's bound** {verdict(within)}. "
            f"{command('variance')}"]
    text.append(f"**\"The first term will vanish at convergence\"** "
                f"{verdict(exact['first'] < 0.1 * looks[0]['first'])}. |Lw|², averaged over the columns, is "
                f"{short(looks[0]['first'])} at {short(looks[0]['passes'])} passes and {short(exact['first'])} at the "
                f"exact eigenvectors, for which Lw = theta w. {command('variance')}")
    ratio = by_l[most]["measured"] / by_l[least]["measured"]
    early = looks[0]["signed"][-1]["measured"] / looks[0]["signed"][0]["measured"]
    text.append(f"**For a fixed m = l N_r, a small l is better** {verdict(ratio > 1)}, but the first term is not the "
                f"reason. From l = {least} to l = {most}, the variance grows by a factor of {ratio:.3g} at the exact "
                f"eigenvectors, and of {early:.3g} early in the run. The term that grows is c |L|² / N_r "
                f"(c: see `mbsc/solvers/paper/estimator.h`). In the bound, it is hidden by the larger (n/m) |L|². "
                f"**\"Most useful during the first phase\"** {verdict(early > ratio)}. At the exact eigenvectors, the "
                f"variance of the estimator `columns` is "
                f"{short(exact['columns']['measured'])}, and that of `signed` with l = {least} is "
                f"{short(by_l[least]['measured'])}. {command('variance')}")
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
                     f"of 1/sqrt(n). There the NMI is {spread(worst)} to {spread(best)}. Over all values of lambda, it "
                     f"is {min(steps.values()):.3f} ({min(steps, key=steps.get)}) to {max(steps.values()):.3f} "
                     f"({max(steps, key=steps.get)}). {command('stability')}")
        if "start: random" in mine and "start: nystrom, 10 landmarks" in mine:
            random, warm = (mine[f"start: {word}"] for word in ("random", "nystrom, 10 landmarks"))
            found.append(f"**{sizes.TITLES[name]}, the random start** of the paper's text has an NMI of "
                         f"{spread(readings.nmi(random))} after a pass, and an error of "
                         f"{short(statistics.mean(readings.values(random, 'error')))}. The start of the authors' "
                         f"script has an NMI of {spread(readings.nmi(warm))}, and an error of "
                         f"{short(statistics.mean(readings.values(warm, 'error')))}. {command('stability')}")
    return found


def search_findings(kept):
    entries = search.entries(kept)
    paper = published.COVTYPE["covtype-I"]["minibatch-400"][0]
    highest = max(entries, key=lambda entry: entry["value"])
    finals = [entry for entry in entries if entry["last"] and entry["mean"] == "nmi" and entry["run"] == "minibatch"]
    nearest = min(finals, key=lambda entry: abs(entry["value"] - paper))
    tried = len({(entry["scaling"], entry["kernel"]) for entry in entries})
    reached = near(nearest["value"], paper)
    return [f"**Covtype-I, settings that give {paper:.2f}**: {tried} combinations of scaling and kernel were tried, "
            f"each with every embedding and method. For the paper's algorithm, the nearest NMI is "
            f"{nearest['value']:.3f} (scaling {nearest['scaling']}, `{nearest['kernel']}`, embedding "
            f"`{nearest['embedding']}`, n = {nearest['n']:,}), which is {'' if reached else 'not '}within "
            f"±{published.NEAR}. The highest NMI of all is {highest['value']:.3f} ({highest['run']}, scaling "
            f"{highest['scaling']}, `{highest['kernel']}`, embedding `{highest['embedding']}`"
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
