# SPDX-License-Identifier: Apache-2.0
"""Writes and reads NPY files of two-dimensional float32 or float64 arrays, without NumPy. Writes version 1.0."""
import ast
import struct

MAGIC = b"\x93NUMPY\x01\x00"


def encode(rows, dtype="<f4", fortran=False):
    """Returns the bytes of an NPY file with these rows."""
    n, d = len(rows), len(rows[0])
    header = f"{{'descr': '{dtype}', 'fortran_order': {fortran}, 'shape': ({n}, {d}), }}"
    header += " " * (-(len(MAGIC) + 2 + len(header) + 1) % 64) + "\n"
    lines = zip(*rows) if fortran else rows
    values = [float(value) for line in lines for value in line]
    return (MAGIC + struct.pack("<H", len(header)) + header.encode("latin1")
            + struct.pack(f"<{n * d}{'f' if dtype == '<f4' else 'd'}", *values))


def decode(data):
    """Returns (rows, dtype) from the bytes of an NPY file."""
    assert data[:6] == MAGIC[:6], "not an NPY file"
    size, start = (struct.unpack("<H", data[8:10])[0], 10) if data[6] == 1 else (struct.unpack("<I", data[8:12])[0], 12)
    header = ast.literal_eval(data[start:start + size].decode("latin1"))
    n, d = header["shape"]
    kind = {"<f4": "f", "<f8": "d"}[header["descr"]]
    values = struct.unpack(f"<{n * d}{kind}", data[start + size:])
    if header["fortran_order"]:
        return [values[i::n] for i in range(n)], header["descr"]
    return [values[i * d:(i + 1) * d] for i in range(n)], header["descr"]
