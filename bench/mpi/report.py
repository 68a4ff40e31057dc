# SPDX-License-Identifier: Apache-2.0
"""Writes docs/ranks.md from the results of `run`."""
import model

FEATURES, COLUMNS = 54, 10
#: The table of many nodes assumes these values, in addition to the measured ones.
NODE_CORES, LINK_BITS, LINK_LATENCY = 32, 10e9, 20e-6
TABLE_BATCH = 1000
HEAD = """# The cost of ranks

This page gives a model of the time of a run on P ranks, of the bytes between them, and of the memory of each. The model
is fitted on one machine, and tested there against runs with a slow network. [mpi.md](mpi.md) explains how to start
ranks.

<!-- not run: takes minutes, and needs root for the network namespaces -->
```sh
bench/mpi/run
```

An iteration of the paper's algorithm (n points with d features, m columns per batch, k' columns of W) takes

    seconds = n (m a + b) / (P cores)  +  rounds x latency  +  bytes / bandwidth

Here a is the time of a kernel value with its product on one core, and b the time of everything else for a row. Let D be
ceil(log2 P), and U the number of partial sums on the longest path up the tree of row blocks. Then

    rounds = 7 D + 3 (U + D)      three gathers with their sizes, three sums up and down, the flag whether to go on
    bytes  = 4 m (d + k') (P-1)/P + 24 k'^2 (U + D)

The total of the bytes that all ranks receive is known exactly. Let M be the number of partial sums that travel between
ranks in one of the three sums. Then the total is

    4 m (d + k') (P-1)  +  24 k'^2 (M + P - 1)  +  (P + 4) (P-1)

A full product takes n^2/2 a' / (P cores), where a' is the time of a pair, and each rank receives about n/2 rows of
coordinates, right-hand sides and sums. These messages could travel while a rank computes. But Open MPI moves long
messages over TCP only inside its own calls, so the model adds both times. On a network that moves messages by itself,
they would overlap with the computation. The delays injected below overlap with it too, so products measured there can
be faster than the model.
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
    """The parts of the model, and the measured seconds. Ranks on this machine share its two cores."""
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

- a = {fit['seconds_per_value'] * 1e9:.3g} ns per kernel value on one core ({flops:.3g} GFLOP/s, counting
  2 (d + k') operations per value),
  b = {fit['seconds_per_row'] * 1e9:.3g} ns per row. Two cores together are {fit['cores_of_two']:.3g} times as fast as
  one. A full product takes {fit['seconds_per_pair'] * 1e9:.3g} ns per pair.
- Messages between two ranks of this machine have a latency of {network.latency * 1e6:.3g} us
  and a bandwidth of {1e-9 / max(network.seconds_per_byte, 1e-12):.3g} GB/s.
"""


def traffic_section(part):
    rows = []
    for row in part["found"]:
        counted = sorted(set(row["counted"]))
        rows.append([row["what"], f"{row['n']:,}", row["batch"] or "", row["ranks"], f"{row['formula']:,}",
                     ", ".join(f"{count:,}" for count in counted), "yes" if counted == [row["formula"]] else "NO"])
    return f"""## Counted bytes

The table shows the bytes that all ranks together received in each of several iterations (or products). {about(part)}

{table(["what", "n", "m", "ranks", "formula", "counted", "equal"], rows)}"""


def tests_section(found):
    fit = found["fit"]["found"]
    here = model.network_of(fit["messages"])
    text = "## The model and measured runs\n\nThe measured time is the best of the repetitions of a run.\n"
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
        text += f"\n**Delays injected in the Comm** (`delayed_comm.h`). {about(found['delays'])}\n\n"
        text += comparison(fit, entries)
    hosts = found.get("hosts", {}).get("found", {})
    if "links" in hosts:
        entries = []
        for link in hosts["links"]:
            network = model.network_of(link["messages"])
            name = f"{link['bits_per_second'] / 1e6:g} Mbit/s" if link["bits_per_second"] else "no limit"
            name += f" ({network.latency * 1e6:.3g} us, {1e-6 / network.seconds_per_byte:.3g} MB/s measured)"
            entries += [(name, network, run) for run in link["runs"]]
        text += ("\n**Two hosts**: network namespaces, connected by TCP over a veth link with a token bucket (tbf) at "
                 "each end. The model takes latency and bandwidth from messages that were measured on that link. "
                 f"{about(found['hosts'])}\n\n")
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
    text += ("Covtype-I, 100,000 points, preset `paper`, m = 1,000, 100 iterations, from the file to the labels; best "
             "of 3:\n\n")
    text += table(["ranks x threads", "seconds"], rows)
    ratio = best_of[(2, 1)] / best_of[(1, 2)]
    same = "the same labels" if found["same_labels"] else "OTHER LABELS"
    text += f"\nTwo ranks of one thread take {ratio:.3f} times as long as one rank of two threads, and give {same}.\n"
    whole = found["whole"]
    n, k = whole["n"], 7
    allowed = n * 4 * (54 + 5 * k) / 4 + 60e6
    peaks = ", ".join(f"{peak / 1e6:.0f}" for peak in whole["peak_memory_bytes"])
    text += (f"\nAll of Covtype ({n:,} points) on 4 ranks, with exact degrees and 5 iterations: the peaks of the ranks "
             f"are {peaks} MB. For comparison: a quarter of the points and of five n x k' arrays, plus 60 MB, is "
             f"{allowed / 1e6:.0f} MB.\n")
    return text


def plan_section(found):
    fit = found["fit"]["found"]
    network = model.Network(LINK_LATENCY, 8 / LINK_BITS)
    machine = machine_of(fit, NODE_CORES * fit["cores_of_two"] / 2)
    compute, waiting, moving = model.seconds_of_iteration(machine_of(fit, 1), network, 581_012, FEATURES, COLUMNS,
                                                          1000, 4)
    share = (waiting + moving) / (compute + waiting + moving)
    bytes_share = moving / (compute + waiting + moving)
    text = f"""## Larger machines

These times come from the model; they are not measured. A node has {NODE_CORES} cores, each as fast as one of two busy
cores here, and one rank. The link has {LINK_BITS / 1e9:g} Gbit/s and a latency of {LINK_LATENCY * 1e6:g} us.
d = {FEATURES}, k' = {COLUMNS}, m = {TABLE_BATCH:,}. A full product evaluates n^2/2 pairs; a default run makes a degree
pass over the same pairs, and about one full product. The memory of a node is that of its rows of the points and of five
n x k' arrays, 40 bytes for each of all points, and 60 MB.

"""
    rows = []
    for n in (10**6, 10**7, 10**8):
        for nodes in (1, 4, 16, 64, 256, 1024):
            parts = model.seconds_of_iteration(machine, network, n, FEATURES, COLUMNS, TABLE_BATCH, nodes)
            # Each rank receives about n/2 rows. model.traffic_of_product() would be exact, but its loop over the blocks
            # takes too long at 10^8 points.
            compute_pass = n * n / 2 * machine.seconds_per_pair / (nodes * machine.cores)
            ring = 0 if nodes == 1 else n / 2 * 4 * (FEATURES + 2 * COLUMNS) * network.seconds_per_byte
            total = sum(parts)
            rows.append([f"{n:,}", nodes, short(total), f"{100 * (parts[1] + parts[2]) / total:.2g} %", short(200 * total),
                         short(compute_pass + ring), size(model.memory_of_rank(n, FEATURES, COLUMNS, nodes))])
    text += table(["points", "nodes", "iteration", "network share", "200 iterations", "full product",
                   "memory of a node"], rows)
    received = size(model.traffic_of_iteration(581_012, FEATURES, COLUMNS, 1000, 4) / 4)
    text += f"""
All of Covtype (581,012 points, m = 1,000) on 4 nodes of one core each: a node receives {received} in an iteration. On
such a link, this takes {100 * bytes_share:.2g} % of the time. With latencies, the network takes {100 * share:.2g} %.
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
    """Checks what must hold at any size: the bytes are those of the formula; an iteration is not shorter than its
    delays (with 20 % tolerance)."""
    for row in found["traffic"]["found"]:
        assert set(row["counted"]) == {row["formula"]}, row
    fit = found["fit"]["found"]
    here = model.network_of(fit["messages"])
    for run in found["delays"]["found"]:
        network = model.Network(here.latency + run["latency"], here.seconds_per_byte + run["seconds_per_byte"])
        (_, waiting, moving), measured = compared(fit, network, run)
        # A busy machine can make an iteration longer, but an iteration is not shorter than its delays (with 20 %
        # tolerance). A product may be shorter, because its messages overlap with the computation.
        assert run["what"] == "product" or measured >= 0.8 * (waiting + moving), (run, waiting, moving)
