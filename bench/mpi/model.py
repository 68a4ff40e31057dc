# SPDX-License-Identifier: Apache-2.0
"""The model of what ranks cost. An iteration of the paper's algorithm on P ranks takes

    seconds = work / (P rate) + rounds latency + bytes / bandwidth

with work = n (m a + b), a and b the seconds of a kernel value and of a row of everything else on one core; the rounds and
bytes are those on the longest way through an iteration. A full product has work = n^2/2 a' and a ring of blocks.

`traffic_*` are exact: what comes to all ranks together, byte for byte as the program counts it.
"""
import dataclasses
import math

VALUE, SUM, FLAG = 4, 8, 4  # bytes: float, double, int


def block_rows(n):
    """As mbsc/base/row_blocks.h."""
    for limit, rows in ((2048, 64), (8192, 256), (32768, 512), (262144, 1024)):
        if n <= limit:
            return rows
    return 2048


def block_count(n):
    return -(-n // block_rows(n))


def rank_of_block(block, blocks, ranks):
    return ((block + 1) * ranks - 1) // blocks


def messages_of_a_sum(blocks, ranks):
    """Partial sums that go from one rank to another along the tree of blocks (mbsc/linalg/reduce.cpp), and how many of
    them wait for each other."""
    def walk(begin, end):
        first, last = rank_of_block(begin, blocks, ranks), rank_of_block(end - 1, blocks, ranks)
        if first == last:
            return 0, 0
        middle = begin + (1 << ((end - begin - 1).bit_length() - 1))
        left, left_depth = walk(begin, middle)
        right, right_depth = walk(middle, end)
        crosses = int(rank_of_block(middle, blocks, ranks) != first)
        return left + right + crosses, max(left_depth, right_depth + crosses)
    return walk(0, blocks)


def levels(ranks):
    return (ranks - 1).bit_length()


def traffic_of_iteration(n, features, columns, batch, ranks):
    """Bytes that come to all ranks in one iteration: rows of W and points of the batch, three sums of columns^2 numbers
    (W'G, and Cholesky-QR twice), whether anybody was asked to stop, and whether to go on."""
    messages, _ = messages_of_a_sum(block_count(n), ranks)
    others = ranks - 1
    return (others * batch * (features + columns) * VALUE + 3 * columns**2 * SUM * (messages + others) + ranks * others
            + others * FLAG)


def traffic_of_product(n, features, columns, ranks):
    """Bytes that come to all ranks in one full product: coordinates and right-hand sides of a column block come from its
    home to every rank that meets it, its sums go from one of them to the next, and home
    (mbsc/affinity/symmetric_pass.h); whether anybody was asked to stop."""
    blocks, rows = block_count(n), block_rows(n)
    whole = lambda size: -(-size // 64) * 64  # noqa: E731
    total = ranks * (ranks - 1)
    for block in range(blocks):
        reach = blocks // 2 - int(blocks % 2 == 0 and block < blocks // 2)
        count = min(n, (block + 1) * rows) - block * rows
        path = [rank_of_block((block - distance) % blocks, blocks, ranks) for distance in range(reach + 1)]
        hops = sum(a != b for a, b in zip(path, path[1:]))
        sums = whole(count * columns * VALUE)
        total += hops * (whole(count * features * VALUE) + 2 * sums) + (sums if path[-1] != path[0] else 0)
    return total


@dataclasses.dataclass
class Machine:
    seconds_per_value: float   # of a kernel value of a batch, on one core
    seconds_per_row: float     # of all else in an iteration
    seconds_per_pair: float    # of a kernel value of a full product
    cores: float = 1           # of a rank


@dataclasses.dataclass
class Network:
    latency: float
    seconds_per_byte: float


def seconds_of_iteration(machine, network, n, features, columns, batch, ranks):
    """Compute, waiting for latencies, and moving bytes."""
    compute = n * (batch * machine.seconds_per_value + machine.seconds_per_row) / (ranks * machine.cores)
    if ranks == 1:
        return compute, 0.0, 0.0
    _, depth = messages_of_a_sum(block_count(n), ranks)
    down = levels(ranks)
    # Three gatherings, each after one of sizes; three sums up the tree and down again; one flag.
    rounds = 3 * 2 * down + 3 * (depth + down) + down
    # The batch, but for the own part, and the sums.
    moved = batch * (features + columns) * VALUE * (ranks - 1) / ranks + 3 * columns**2 * SUM * (depth + down)
    return compute, rounds * network.latency, moved * network.seconds_per_byte


def seconds_of_product(machine, network, n, features, columns, ranks):
    """Compute, latencies of the ring, and bytes: messages are under way while a strip is worked on, but a transport that
    moves long ones only inside its own calls (Open MPI over TCP) hides nothing behind the work."""
    compute = n * n / 2 * machine.seconds_per_pair / (ranks * machine.cores)
    if ranks == 1:
        return compute, 0.0, 0.0
    moved = traffic_of_product(n, features, columns, ranks) / ranks * network.seconds_per_byte
    # Down the ring hop by hop at its beginning, and home; and the flag.
    rounds = ranks / 2 + 1 + 2 * levels(ranks)
    return compute, rounds * network.latency, moved


def memory_of_rank(n, features, columns, ranks, arrays=5, replicated=40, fixed=60e6):
    """Bytes: own points and so many n x columns arrays of its rows; a few numbers for every point; tiles and program."""
    return n / ranks * VALUE * (features + arrays * columns) + replicated * n + fixed


def fit_line(points):
    """Least squares of y = a + b x by relative error, for (x, y)."""
    weights = [1 / (y * y) for _, y in points]
    total = sum(weights)
    mean_x = sum(w * x for w, (x, _) in zip(weights, points)) / total
    mean_y = sum(w * y for w, (_, y) in zip(weights, points)) / total
    over = sum(w * (x - mean_x) * (y - mean_y) for w, (x, y) in zip(weights, points))
    slope = over / sum(w * (x - mean_x) ** 2 for w, (x, _) in zip(weights, points))
    return mean_y - slope * mean_x, slope


def network_of(messages):
    """Latency from the shortest messages, bandwidth by a fit of all to latency + bytes / bandwidth."""
    latency = min(message["seconds"] for message in messages if message["bytes"] <= 64)
    long = [message for message in messages if message["bytes"] >= 1 << 15]
    per_byte = sum((m["seconds"] - latency) / m["bytes"] for m in long) / len(long)
    return Network(latency, max(per_byte, 0.0))


def median(values):
    ordered = sorted(values)
    return ordered[len(ordered) // 2] if ordered else math.nan
