# SPDX-License-Identifier: Apache-2.0
"""Ranks of an mpi4py communicator: errors are raised on all ranks before a collective call of the library, and rows of
all ranks are gathered on one."""
from __future__ import annotations

import numpy as np

#: Longer messages are split, because MPI counts elements with an int.
MOST_BYTES = 1 << 30


def address_of(comm) -> int:
    """The address of the MPI_Comm in an mpi4py communicator."""
    from mpi4py import MPI

    if not isinstance(comm, MPI.Intracomm):
        raise TypeError(f"comm must be an intracommunicator of mpi4py; got {comm!r}")
    return MPI._addressof(comm)


def agree(comm, work):
    """Return the result of ``work()``; if it fails on any rank, raise the error on all ranks. All ranks must
    call this."""
    result, error = None, None
    try:
        result = work()
    except Exception as mine:  # every rank must reach allgather, even after an error
        error = mine
    told = comm.allgather(None if error is None else (type(error), str(error)))
    if error is not None:
        raise error
    for rank, other in enumerate(told):
        if other is not None:
            kind = other[0] if issubclass(other[0], (ValueError, TypeError)) else RuntimeError
            raise kind(f"rank {rank}: {other[1]}")
    return result


def require_equal(comm, values: dict) -> None:
    """Raise an error if any value is not the same on all ranks. All ranks must call this."""
    first = comm.bcast(values)
    different = sorted(name for name in values if repr(values[name]) != repr(first.get(name)))
    for rank, names in enumerate(comm.allgather(different)):
        if names:
            raise ValueError(f"parameters must be the same on all ranks; rank {rank} has another "
                             f"{', '.join(names)} than rank 0")


def rows_on(comm, rows: np.ndarray, root: int) -> np.ndarray | None:
    """The rows of all ranks, in the order of ranks, on the root; None on the others. All ranks
    must call this."""
    rows = np.ascontiguousarray(rows)
    parts = comm.allgather((len(rows), rows.dtype.str))
    type_of_all = np.result_type(*(dtype for count, dtype in parts if count))
    own = rows.astype(type_of_all, copy=False).reshape(-1).view(np.uint8)
    if comm.rank != root:
        for at in range(0, own.size, MOST_BYTES):
            comm.Send(own[at:at + MOST_BYTES], dest=root)
        return None
    whole = np.empty((sum(count for count, _ in parts),) + rows.shape[1:], type_of_all)
    row_bytes = whole[:1].nbytes or int(np.prod(rows.shape[1:])) * type_of_all.itemsize
    place = whole.reshape(-1).view(np.uint8)
    for rank, (count, _) in enumerate(parts):
        part, place = place[:count * row_bytes], place[count * row_bytes:]
        if rank == root:
            part[:] = own
            continue
        for at in range(0, part.size, MOST_BYTES):
            comm.Recv(part[at:at + MOST_BYTES], source=rank)
    return whole
