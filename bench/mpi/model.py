# SPDX-License-Identifier: Apache-2.0
"""A model of the cost of ranks. An iteration of the paper's algorithm on P ranks takes

    seconds = work / (P cores) + rounds latency + bytes / bandwidth

The work is n (m a + b) for n points and batches of m columns: a is the time of a kernel value on one core, b the time
of everything else for a row. Rounds and bytes are those on the longest path through an iteration. The work of a full
product is n^2/2 a', where a' is the time of a pair, and its messages go around a ring.

The functions `traffic_*` are exact: they return the bytes that all ranks together receive, as the program counts them.
"""
import dataclasses
import math

VALUE, SUM, FLAG = 4, 8, 4  # bytes: float, double, int


def block_rows(n):
    """The same as in mbsc/base/row_blocks.h."""
    for limit, rows in ((2048, 64), (8192, 256), (32768, 512), (262144, 1024)):
        if n <= limit:
            return rows
    return 2048


def block_count(n):
    return -(-n // block_rows(n))


def rank_of_block(block, blocks, ranks):
    return ((block + 1) * ranks - 1) // blocks


def messages_of_a_sum(blocks, ranks):
    """The number of partial sums that go from one rank to another along the tree of blocks (mbsc/linalg/reduce.cpp),
    and the largest number of them that must be sent one after the other."""
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
    """The bytes that all ranks receive in one iteration: rows of W and points of the batch, three sums of columns^2
    numbers (W'G, and Cholesky-QR twice), a flag whether any rank was asked to stop, and a flag whether to go on."""
    messages, _ = messages_of_a_sum(block_count(n), ranks)
    others = ranks - 1
    return (others * batch * (features + columns) * VALUE + 3 * columns**2 * SUM * (messages + others) + ranks * others
            + others * FLAG)


def traffic_of_product(n, features, columns, ranks):
    """The bytes that all ranks receive in one full product. The owner of a column block sends its coordinates and
    right-hand sides to every rank that needs them. The sums of the block go from one of these ranks to the next, and
    back to the owner (mbsc/affinity/pass/pair_ring.h). A flag tells whether any rank was asked to stop."""
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
    seconds_per_value: float   # for a kernel value of a batch, on one core
    seconds_per_row: float     # for everything else in an iteration
    seconds_per_pair: float    # for a kernel value of a full product
    cores: float = 1           # of each rank


@dataclasses.dataclass
class Network:
    latency: float
    seconds_per_byte: float


def seconds_of_iteration(machine, network, n, features, columns, batch, ranks):
    """The seconds of computing, of latencies, and of moving bytes."""
    compute = n * (batch * machine.seconds_per_value + machine.seconds_per_row) / (ranks * machine.cores)
    if ranks == 1:
        return compute, 0.0, 0.0
    _, depth = messages_of_a_sum(block_count(n), ranks)
    down = levels(ranks)
    # Three gathers, each after a gather of the sizes; three sums up the tree and down again; one flag.
    rounds = 3 * 2 * down + 3 * (depth + down) + down
    # The batch without the part that the rank owns, and the sums.
    moved = batch * (features + columns) * VALUE * (ranks - 1) / ranks + 3 * columns**2 * SUM * (depth + down)
    return compute, rounds * network.latency, moved * network.seconds_per_byte


def seconds_of_product(machine, network, n, features, columns, ranks):
    """The seconds of computing, of the latencies of the ring, and of moving bytes. Messages could travel while a rank
    computes; but some transports (Open MPI over TCP) move long messages only inside their own calls, so
    all three are added."""
    compute = n * n / 2 * machine.seconds_per_pair / (ranks * machine.cores)
    if ranks == 1:
        return compute, 0.0, 0.0
    moved = traffic_of_product(n, features, columns, ranks) / ranks * network.seconds_per_byte
    # Once along the ring at the beginning, back to the owner, and the flag.
    rounds = ranks / 2 + 1 + 2 * levels(ranks)
    return compute, rounds * network.latency, moved


def memory_of_rank(n, features, columns, ranks, arrays=5, replicated=40, fixed=60e6):
    """The bytes of a rank: its rows of the points and of `arrays` arrays (n x columns), `replicated` bytes for each of
    all n points, and `fixed` bytes for tiles and the program."""
    return n / ranks * VALUE * (features + arrays * columns) + replicated * n + fixed


def fit_line(points):
    """The least squares fit of y = a + b x to points (x, y), by relative errors: (a, b)."""
    weights = [1 / (y * y) for _, y in points]
    total = sum(weights)
    mean_x = sum(w * x for w, (x, _) in zip(weights, points)) / total
    mean_y = sum(w * y for w, (_, y) in zip(weights, points)) / total
    over = sum(w * (x - mean_x) * (y - mean_y) for w, (x, y) in zip(weights, points))
    slope = over / sum(w * (x - mean_x) ** 2 for w, (x, _) in zip(weights, points))
    return mean_y - slope * mean_x, slope


def network_of(messages):
    """The latency from the shortest messages, and the bandwidth from a fit of latency + bytes / bandwidth."""
    latency = min(message["seconds"] for message in messages if message["bytes"] <= 64)
    long = [message for message in messages if message["bytes"] >= 1 << 15]
    per_byte = sum((m["seconds"] - latency) / m["bytes"] for m in long) / len(long)
    return Network(latency, max(per_byte, 0.0))


def median(values):
    ordered = sorted(values)
    return ordered[len(ordered) // 2] if ordered else math.nan
