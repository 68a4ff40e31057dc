# SPDX-License-Identifier: Apache-2.0
"""docs/ranks.md from the figures of `run`."""
import model

FEATURES, COLUMNS = 54, 10
#: What the table of many nodes assumes beside what was measured.
NODE_CORES, LINK_BITS, LINK_LATENCY = 32, 10e9, 20e-6
TABLE_BATCH = 1000
HEAD = """# What ranks cost

How long a run on P ranks takes, what goes between them, and what each has in memory: a model, fitted on one machine and
tested there against runs whose network is slow. [mpi.md](mpi.md) tells how to start one.

<!-- not run: takes minutes, and root for the hosts -->
```sh
bench/mpi/run
```

An iteration of the paper's algorithm (n points, m columns a batch, k' = columns of W) takes

    seconds = n (m a + b) / (P cores)  +  rounds x latency  +  bytes / bandwidth

a is the time of a kernel value with its product on one core, b that of all else a row needs. With D = ceil(log2 P), and U the
partial sums on the longest way up the tree of row blocks:

    rounds = 7 D + 3 (U + D)      three gatherings with their sizes, three sums up and down, whether to go on
    bytes  = 4 m (d + k') (P-1)/P + 24 k'^2 (U + D)

What comes to all ranks together is known to the byte, M being the partial sums that go from one rank to another:

    4 m (d + k') (P-1)  +  24 k'^2 (M + P - 1)  +  (P + 4) (P-1)

A full product takes n^2/2 a' / (P cores), a' the time of a pair, and the bytes of n/2 rows of coordinates, right-hand sides
and sums. These travel while a rank works; but Open MPI moves long messages over TCP only inside its own calls, so that
the model adds them up. Where a network moves them by itself they hide behind the work, as delays by the clock do below.
"""


def best(run):
    return min(run["seconds"])


def machine_of(fit, cores):
    return model.Machine(fit["seconds_per_value"], fit["seconds_per_row"], fit["seconds_per_pair"], cores)


def predicted(machine, network, run, ranks):
    if run["what"] == "iteration":
        return model.seconds_of_iteration(machine, network, run["n"], FEATURES, COLUMNS, run["batch"], ranks)
    return model.seconds_of_product(machine, network, run["n"], FEATURES, COLUMNS, ranks)


def compared(fit, network, run, ranks=None):
    """Ranks on this machine share its two cores. Gives the model's parts and the measured seconds."""
    ranks = ranks or run["ranks"]
    cores = 1 if ranks == 1 else fit["cores_of_two"] / ranks
    return predicted(machine_of(fit, cores), network, run, ranks), best(run)


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]) + "\n"


def short(seconds):
    return f"{seconds * 1e3:.3g} ms" if seconds < 1 else f"{seconds:.3g} s" if seconds < 600 else f"{seconds / 3600:.3g} h"


def size(count):
    for unit, name in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if count >= unit:
            return f"{count / unit:.3g} {name}"
    return f"{count:.0f} B"


def comparison(fit, entries):
    rows = []
    for label, network, run in entries:
        (compute, waiting, moving), measured = compared(fit, network, run)
        total = compute + waiting + moving
        rows.append([label, run["what"], run["ranks"], short(compute), short(waiting), short(moving), short(total),
                     short(measured), f"{measured / total:.2f}"])
    return table(["network", "what", "ranks", "compute", "latency", "bytes", "model", "measured", "measured / model"], rows)


def about(part):
    machine = part["machine"]
    return f"{machine['cpu']}, {machine['cpus']} cores; commit {part['commit']}."


def fit_section(part):
    fit = part["found"]
    network = model.network_of(fit["messages"])
    flops = 2 * (FEATURES + COLUMNS) / fit["seconds_per_value"] / 1e9
    return f"""## Fitted

{about(part)} d = {FEATURES}, k' = {COLUMNS}, float32.

- a = {fit['seconds_per_value'] * 1e9:.3g} ns a kernel value on one core ({flops:.3g} GFLOP/s of 2 (d + k')), b = {fit['seconds_per_row'] * 1e9:.3g} ns a row; two
  cores together are {fit['cores_of_two']:.3g} times one. A full product: {fit['seconds_per_pair'] * 1e9:.3g} ns a pair.
- Messages between two ranks of this machine: latency {network.latency * 1e6:.3g} us, {1e-9 / max(network.seconds_per_byte, 1e-12):.3g} GB/s.
"""


def traffic_section(part):
    rows = []
    for row in part["found"]:
        counted = sorted(set(row["counted"]))
        rows.append([row["what"], f"{row['n']:,}", row["batch"] or "", row["ranks"], f"{row['formula']:,}",
                     ", ".join(f"{count:,}" for count in counted), "yes" if counted == [row["formula"]] else "NO"])
    return f"""## Bytes, counted

What came to all ranks together in each of several iterations (or products). {about(part)}

{table(["what", "n", "m", "ranks", "formula", "counted", "equal"], rows)}"""


def tests_section(found):
    fit = found["fit"]["found"]
    here = model.network_of(fit["messages"])
    text = "## The model against runs\n\nBest of the repetitions of a run.\n"
    if "ranks" in found:
        text += f"\n**Ranks that share this machine.** {about(found['ranks'])}\n\n"
        text += comparison(fit, [("shared memory", here, run) for run in found["ranks"]["found"]])
    if "delays" in found:
        entries = []
        for run in found["delays"]["found"]:
            network = model.Network(here.latency + run["latency"], here.seconds_per_byte + run["seconds_per_byte"])
            label = f"{run['latency'] * 1e3:g} ms" + (f", {1e-6 / run['seconds_per_byte']:.3g} MB/s"
                                                      if run["seconds_per_byte"] else "")
            entries.append((label, network, run))
        text += f"\n**Delays injected in the Comm** (`delayed_comm.h`). {about(found['delays'])}\n\n" + comparison(fit, entries)
    hosts = found.get("hosts", {}).get("found", {})
    if "links" in hosts:
        entries = []
        for link in hosts["links"]:
            network = model.network_of(link["messages"])
            name = f"{link['bits_per_second'] / 1e6:g} Mbit/s" if link["bits_per_second"] else "no limit"
            name += f" ({network.latency * 1e6:.3g} us, {1e-6 / network.seconds_per_byte:.3g} MB/s measured)"
            entries += [(name, network, run) for run in link["runs"]]
        text += ("\n**Two hosts**: network namespaces, a veth link with a token bucket (tbf) at each end, TCP; latency and "
                 f"bandwidth of the\nmodel are those of messages measured on that link. {about(found['hosts'])}\n\n")
        text += comparison(fit, entries)
    elif "skipped" in hosts:
        text += f"\nTwo hosts: skipped, {hosts['skipped']}.\n"
    return text


def covtype_section(part):
    found = part["found"]
    if "skipped" in found:
        return ""
    text = f"## Covtype\n\n{about(part)}\n\n"
    rows = []
    best_of = {}
    for pair in found["pairs"]:
        key = (pair["ranks"], pair["threads"])
        best_of[key] = min(best_of.get(key, float("inf")), pair["seconds"]["total"])
    for (ranks, threads), seconds in sorted(best_of.items()):
        rows.append([f"{ranks} x {threads}", f"{seconds:.2f}"])
    text += "Covtype-I, 100,000 points, the paper's preset, m = 1,000, 100 iterations, from file to labels; best of 3:\n\n"
    text += table(["ranks x threads", "seconds"], rows)
    ratio = best_of[(2, 1)] / best_of[(1, 2)]
    same = "the same labels" if found["same_labels"] else "OTHER LABELS"
    text += f"\nTwo ranks of one thread take {ratio:.3f} of the time of one rank of two, with {same}.\n"
    whole = found["whole"]
    n, k = whole["n"], 7
    allowed = n * 4 * (54 + 5 * k) / 4 + 60e6
    peaks = ", ".join(f"{peak / 1e6:.0f}" for peak in whole["peak_memory_bytes"])
    text += (f"\nAll of Covtype, {n:,} points on 4 ranks, exact degrees and 5 iterations: peaks of {peaks} MB a rank. A quarter of the points and of five "
             f"n x k' arrays, and 60 MB, are {allowed / 1e6:.0f} MB.\n")
    return text


def plan_section(found):
    fit = found["fit"]["found"]
    network = model.Network(LINK_LATENCY, 8 / LINK_BITS)
    machine = machine_of(fit, NODE_CORES * fit["cores_of_two"] / 2)
    compute, waiting, moving = model.seconds_of_iteration(machine_of(fit, 1), network, 581_012, FEATURES, COLUMNS, 1000, 4)
    share = (waiting + moving) / (compute + waiting + moving)
    bytes_share = moving / (compute + waiting + moving)
    text = f"""## Past this machine

By the model, not measured: nodes of {NODE_CORES} cores like these at the rate of two busy ones, one rank a node, a link of {LINK_BITS / 1e9:g} Gbit/s and {LINK_LATENCY * 1e6:g} us;
d = {FEATURES}, k' = {COLUMNS}, m = {TABLE_BATCH:,}. An iteration; 200 of them; one full product, of which a default run has the degrees' and about one
more (each pair once, n^2/2 pairs); memory of a node (its rows of the points and of five n x k' arrays, 40 bytes for each
of all points, 60 MB).

"""
    rows = []
    for n in (10**6, 10**7, 10**8):
        for nodes in (1, 4, 16, 64, 256, 1024):
            parts = model.seconds_of_iteration(machine, network, n, FEATURES, COLUMNS, TABLE_BATCH, nodes)
            # The bytes of a ring are n/2 rows a rank; summing them block by block would take long at 10^8.
            compute_pass = n * n / 2 * machine.seconds_per_pair / (nodes * machine.cores)
            ring = 0 if nodes == 1 else n / 2 * 4 * (FEATURES + 2 * COLUMNS) * network.seconds_per_byte
            total = sum(parts)
            rows.append([f"{n:,}", nodes, short(total), f"{100 * (parts[1] + parts[2]) / total:.2g} %", short(200 * total),
                         short(compute_pass + ring), size(model.memory_of_rank(n, FEATURES, COLUMNS, nodes))])
    text += table(["points", "nodes", "iteration", "of it network", "200 iterations", "full product", "memory of a node"], rows)
    text += f"""
All of Covtype (581,012 points, m = 1,000) on 4 nodes of one core each: {size(model.traffic_of_iteration(581_012, FEATURES, COLUMNS, 1000, 4) / 4)} come to a
node in an iteration. They take {100 * bytes_share:.2g} % of its time on such a link, latencies included {100 * share:.2g} %.
"""
    return text


def write(found):
    text = HEAD
    if "fit" in found:
        text += "\n" + fit_section(found["fit"])
    if "traffic" in found:
        text += "\n" + traffic_section(found["traffic"])
    if "fit" in found:
        text += "\n" + tests_section(found)
    if "covtype" in found:
        text += "\n" + covtype_section(found["covtype"])
    if "fit" in found:
        text += "\n" + plan_section(found)
    return text


def check(found):
    """What must hold at any size: bytes are those of the formula, and a delay costs what the model says, roughly."""
    for row in found["traffic"]["found"]:
        assert set(row["counted"]) == {row["formula"]}, row
    fit = found["fit"]["found"]
    here = model.network_of(fit["messages"])
    for run in found["delays"]["found"]:
        network = model.Network(here.latency + run["latency"], here.seconds_per_byte + run["seconds_per_byte"])
        (_, waiting, moving), measured = compared(fit, network, run)
        # A busy machine makes a run longer; nothing makes it shorter than its delays.
        assert run["what"] == "product" or measured >= 0.8 * (waiting + moving), (run, waiting, moving)
