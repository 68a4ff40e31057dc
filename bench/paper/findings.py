# SPDX-License-Identifier: Apache-2.0
"""What the measurements say about the paper's statements, in sentences made of the figures."""
import statistics

import published
import readings
import search
import sizes
from readings import short, spread


def verdict(holds):
    return "holds" if holds else "does **not** hold"


def command(part):
    return f"(`bench/paper/run --only {part}`)"


def near(value, paper):
    return abs(value - paper) <= published.NEAR


def figure_finding(name, kept):
    runs, exact, paper = readings.runs_of(kept), readings.exact_of(kept), published.FIGURE[name]
    if not exact or not readings.batches(runs):
        return []
    title = sizes.TITLES[name]
    largest = readings.batches(runs)[-1]
    by_batch = {m: statistics.mean(readings.nmi(readings.at(runs[f"minibatch-{m}"], 1))) for m in readings.batches(runs)}
    within = [m for m, value in by_batch.items() if near(value, paper["nmi"])]
    each = ", ".join(f"{value:.3f} (m = {m})" for m, value in by_batch.items())
    exact_nmi = statistics.mean(exact["nmi"])
    seconds = statistics.mean(readings.values(readings.at(runs[f"minibatch-{largest}"], 1), "seconds"))
    found = [f"**{title}, NMI {paper['nmi']}**: {verdict(largest in within)} within ±{published.NEAR} for the largest batches, "
             f"and for m = {', '.join(map(str, within)) or 'none'}: after one pass {each}. The exact solution has "
             f"{exact_nmi:.3f} ({statistics.mean(exact['geometric']):.3f} by the geometric mean). A pass with m = {largest} took "
             f"{seconds:.3g} s, in the paper {paper['minibatch']} s with the matrix in memory. {command('figure')}"]
    return found + convergence_finding(title, runs, exact_nmi) + early_finding(title, runs) + nystrom_finding(title, runs, exact_nmi)


def convergence_finding(title, runs, exact_nmi):
    """The paper: MBSC converges to the accuracy of the exact solution, even with small batches."""
    smallest = readings.batches(runs)[0]
    lines = []
    for m in {smallest, readings.batches(runs)[-1]}:
        looks = readings.at(runs[f"minibatch-{m}"], 1)
        lines.append((m, statistics.mean(readings.nmi(looks)), statistics.mean(readings.values(looks, "error"))))
    lines.sort()
    close = all(abs(nmi - exact_nmi) <= published.NEAR for _, nmi, _ in lines)
    large = max(error for _, _, error in lines) > 0.3
    text = (f"**{title}, \"converges to the accuracy of the exact solution\"** {verdict(close)} after one pass: exact "
            f"{exact_nmi:.3f}, " + ", ".join(f"m = {m}: {nmi:.3f} with an error of {short(error)}" for m, nmi, error in lines) + ".")
    if close and large:
        text += (" NMI hides that the eigenvectors are not those of the exact solution: an error of "
                 f"{short(max(error for _, _, error in lines))} means that whole directions are missing, and the classes are too "
                 "unequal for NMI to notice.")
    return [text + " " + command("figure")]


def early_finding(title, runs):
    """The paper: stable before a full pass."""
    m = readings.batches(runs)[-1]
    half, whole = (readings.nmi(readings.at(runs[f"minibatch-{m}"], passes)) for passes in (0.5, 1))
    change = abs(statistics.mean(half) - statistics.mean(whole))
    first = readings.mean_and_deviation(readings.nmi([result["points"][0] for result in runs[f"minibatch-{m}"]]))[1]
    last = readings.mean_and_deviation(whole)[1]
    return [f"**{title}, \"stable before a full pass\"** {verdict(change <= 0.01)}: m = {m} has {spread(half)} after half a pass and "
            f"{spread(whole)} after one. **\"The variance diminishes throughout iterations\"** {verdict(last <= first)}: standard "
            f"deviation {first:.3f} at the first look, {last:.3f} at the end. {command('figure')}"]


def nystrom_finding(title, runs, exact_nmi):
    marks = readings.landmarks(runs)
    if not marks:
        return []
    values = {m: statistics.mean(readings.nmi(readings.final(runs[f"nystrom-{m}"]))) for m in marks}
    enough = [m for m, value in values.items() if value >= exact_nmi - 0.01]
    operations = statistics.mean(readings.values(readings.final(runs[f"nystrom-{marks[-1]}"]), "operations"))
    text = (f"**{title}, \"Nystrom needs 1000 samples\"** {verdict(bool(enough) and enough[0] >= 1000)}: NMI "
            + ", ".join(f"{value:.3f} ({m})" for m, value in values.items()) + ".")
    level = exact_nmi - 0.02
    m = readings.batches(runs)[-1]
    batch = readings.until(runs[f"minibatch-{m}"], level, "operations")
    power = readings.until(runs["power"], level, "operations") if "power" in runs else None
    if batch and power:
        text += (f" To stay within 0.02 of the exact NMI, m = {m} takes {short(batch)} operations, the power method {short(power)}: "
                 f"\"distinctively less\" {verdict(batch < power / 2)}. Nystrom with {marks[-1]} takes {short(operations)}.")
    return [text + " " + command("figure")]


def covtype_findings(name, kept):
    found = []
    for row, (paper_nmi, paper_seconds) in published.COVTYPE[name].items():
        if row in kept and row.startswith(("minibatch", "power")):
            runs = kept[row]["result"]
            value = statistics.mean(run["nmi"] for run in runs)
            total = statistics.mean(run["seconds"]["total"] for run in runs)
            memory = max(run["peak_memory_bytes"] for run in runs) / 1e6
            found.append(f"**{sizes.TITLES[name]}, {row}, NMI {paper_nmi}**: {verdict(near(value, paper_nmi))}: {value:.3f} "
                         f"({statistics.mean(run['nmi_geometric'] for run in runs):.3f} by the geometric mean), {total:.3g} s in "
                         f"all against the paper's {paper_seconds} s ({paper_seconds / total:.1f} times as long), peak memory "
                         f"{memory:.0f} MB against \"less than {published.MEMORY_GB[name]} GB\". {command('covtype')}")
    if "power" in kept and "power" not in published.COVTYPE[name]:
        runs = kept["power"]["result"]
        found.append(f"**{sizes.TITLES[name]}, the power method \"too expensive\"** no longer: NMI "
                     f"{spread([run['nmi'] for run in runs])} in {statistics.mean(run['seconds']['total'] for run in runs):.0f} s. "
                     f"{command('covtype')}")
    batch = [row for row in kept if row.startswith("minibatch")]
    nystrom = [row for row in kept if row.startswith("nystrom") and "exact" not in row]
    if batch and nystrom:
        def mean(row):
            return statistics.mean(run["nmi"] for run in kept[row]["result"])
        better = min(map(mean, batch)) > max(map(mean, nystrom))
        degrees = statistics.mean(run["seconds"]["degrees"] / run["seconds"]["total"] for run in kept[batch[0]]["result"])
        found.append(f"**{sizes.TITLES[name]}, \"consistently better than Nystrom\"** {verdict(better)}: "
                     + ", ".join(f"{row} {mean(row):.3f}" for row in batch + nystrom)
                     + f". The degrees, which the paper takes as precomputed, are {100 * degrees:.0f} % of the time of {batch[0]}. "
                     + command("covtype"))
    return found


def variance_findings(kept):
    looks = next(iter(kept.values()))["result"]["variance"]
    worst = max(abs(entry["measured"] / entry["formula"] - 1) for at in looks for entry in at["signed"])
    exact = looks[-1]
    by_l = {entry["nonzeros"]: entry for entry in exact["signed"]}
    least, most = min(by_l), max(by_l)
    within = all(entry["measured"] <= entry["paper_bound"] for at in looks for entry in at["signed"])
    text = [f"**The variance formula** (for exactly l non-zeros) is within {100 * worst:.0f} % of what was measured at every point "
            f"of the run and every l. **The paper's bound** {verdict(within)}. {command('variance')}"]
    text.append(f"**\"The first term will vanish at convergence\"** {verdict(exact['first'] < 0.1 * looks[0]['first'])}: |Lw|², mean "
                f"over the columns, is {short(looks[0]['first'])} at {short(looks[0]['passes'])} passes and {short(exact['first'])} "
                f"at the exact eigenvectors, where Lw = theta w. {command('variance')}")
    ratio = by_l[most]["measured"] / by_l[least]["measured"]
    early = looks[0]["signed"][-1]["measured"] / looks[0]["signed"][0]["measured"]
    text.append(f"**At fixed m = l N_r small l is better** {verdict(ratio > 1)}, and not by the first term: at the exact "
                f"eigenvectors the variance grows {ratio:.3g} times from l = {least} to l = {most}, early in the run {early:.3g} "
                f"times. The term that grows is c |L|² / N_r, which the bound hides behind (n/m) |L|². **\"Most useful during the "
                f"first phase\"** {verdict(early > ratio)}. The estimator `columns` has {short(exact['columns']['measured'])} there, "
                f"`signed` with l = {least} {short(by_l[least]['measured'])}. {command('variance')}")
    return text


def stability_findings(kept):
    found = []
    for name in dict.fromkeys(key.split(": ")[0] for key in kept):
        mine = {key.split(": ", 1)[1]: readings.final(entry["result"]["runs"]["minibatch"]) for key, entry in kept.items()
                if key.startswith(f"{name}: ")}
        steps = {key.split(": ")[1]: statistics.mean(readings.nmi(looks)) for key, looks in mine.items()
                 if key.startswith("step: ")}
        middle = [value for key, value in steps.items() if key.split("/")[0] in ("0.3", "1", "3")]
        if not middle:
            continue
        found.append(f"**{sizes.TITLES[name]}, \"robustness to parameter selection\"** {verdict(max(middle) - min(middle) <= 0.02)} "
                     f"for lambda within a factor of three of 1/sqrt(n): NMI {min(middle):.3f} to {max(middle):.3f}; over all that "
                     f"was tried {min(steps.values()):.3f} ({min(steps, key=steps.get)}) to {max(steps.values()):.3f} "
                     f"({max(steps, key=steps.get)}). {command('stability')}")
        if "start: random" in mine and "start: nystrom, 10 landmarks" in mine:
            random, warm = (mine[f"start: {word}"] for word in ("random", "nystrom, 10 landmarks"))
            found.append(f"**{sizes.TITLES[name]}, the random start** of the paper's text has NMI {spread(readings.nmi(random))} "
                         f"(error {short(statistics.mean(readings.values(random, 'error')))}) after a pass, the start of its "
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
    return [f"**Covtype-I, what gives {paper:.2f}**: {tried} combinations of scaling and kernel were tried, each with every "
            f"embedding and method. Nearest for the paper's algorithm: {nearest['value']:.3f} (scaling {nearest['scaling']}, "
            f"`{nearest['kernel']}`, embedding `{nearest['embedding']}`, n = {nearest['n']:,}), "
            f"{'within' if reached else 'not within'} ±{published.NEAR}. The highest of all: {highest['value']:.3f} "
            f"({highest['run']}, scaling {highest['scaling']}, `{highest['kernel']}`, embedding `{highest['embedding']}`"
            f"{', geometric mean' if highest['mean'] == 'nmi_geometric' else ''}, n = {highest['n']:,}). {command('covtype-search')}"]


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
