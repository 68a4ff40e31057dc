# SPDX-License-Identifier: Apache-2.0
"""Graphs, and the bytes of files that contain them: Matrix Market, NPZ as scipy.sparse.save_npz writes it, edge lists.
Without NumPy and SciPy. tests/python/graph_test.py compares with files that SciPy itself has written."""
import io
import random
import struct
import zipfile

# Zachary, "An information flow model for conflict and fission in small groups", 1977. Nodes are counted from 0.
KARATE = {0: [1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 17, 19, 21, 31], 1: [2, 3, 7, 13, 17, 19, 21, 30],
          2: [3, 7, 8, 9, 13, 27, 28, 32], 3: [7, 12, 13], 4: [6, 10], 5: [6, 10, 16], 6: [16], 8: [30, 32, 33],
          9: [33], 13: [33], 14: [32, 33], 15: [32, 33], 18: [32, 33], 19: [33], 20: [32, 33], 22: [32, 33],
          23: [25, 27, 29, 32, 33], 24: [25, 27, 31], 25: [31], 26: [29, 33], 27: [33], 28: [31, 33], 29: [32, 33],
          30: [32, 33], 31: [32, 33], 32: [33]}
KARATE_EDGES = [(a, b, 1) for a, others in KARATE.items() for b in others]


def blocks(sizes, inside, between, seed=0):
    """A stochastic block model: (edges, class of each node). Every node has an edge to the next one of its block."""
    generator = random.Random(seed)
    classes = [block for block, size in enumerate(sizes) for _ in range(size)]
    edges = []
    for a in range(len(classes)):
        for b in range(a + 1, len(classes)):
            same = classes[a] == classes[b]
            if (same and b == a + 1) or generator.random() < (inside if same else between):
                edges.append((a, b, 1))
    return edges, classes


def both_directions(edges):
    return [*edges, *((b, a, weight) for a, b, weight in edges)]


def mtx(nodes, entries, kind="real", symmetry="general"):
    """The text of a Matrix Market file. A symmetric one has only the entries below the diagonal."""
    if symmetry == "symmetric":
        entries = [(max(a, b), min(a, b), weight) for a, b, weight in entries]
    lines = [f"%%MatrixMarket matrix coordinate {kind} {symmetry}", "% a comment", f"{nodes} {nodes} {len(entries)}"]
    lines += [f"{a + 1} {b + 1}" + ("" if kind == "pattern" else f" {weight}") for a, b, weight in entries]
    return "\n".join(lines) + "\n"


def npy(values, kind, shape=None):
    """The bytes of an NPY array of numbers (kind such as '<f8'), or of a text (kind '|S3')."""
    shape = (len(values),) if shape is None else shape
    code = {"<i4": "i", "<i8": "q", "<f4": "f", "<f8": "d", "|b1": "?", "<i2": "h"}.get(kind)
    data = values if code is None else struct.pack(f"<{len(values)}{code}", *values)
    header = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}"
    header += " " * (-(10 + len(header) + 1) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data


def zip_of(files, compressed=True):
    """The bytes of a zip archive of these files: name -> content. As numpy.savez does, with 64-bit headers."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED if compressed else zipfile.ZIP_STORED) as target:
        for name, content in files.items():
            with target.open(name, "w", force_zip64=True) as file:
                file.write(content)
    return archive.getvalue()


def sparse_arrays(nodes, entries, form="csr", value="<f8", index="<i4"):
    """The arrays of a sparse matrix as scipy.sparse.save_npz writes them: file name -> NPY bytes."""
    arrays = {"format.npy": npy(form.encode(), "|S3", ()), "shape.npy": npy([nodes, nodes], "<i8")}
    if form == "coo":
        arrays["row.npy"] = npy([a for a, _, _ in entries], index)
        arrays["col.npy"] = npy([b for _, b, _ in entries], index)
    else:
        major = 0 if form == "csr" else 1
        entries = sorted(entries, key=lambda entry: (entry[major], entry[1 - major]))
        starts = [0] * (nodes + 1)
        for entry in entries:
            starts[entry[major] + 1] += 1
        for i in range(nodes):
            starts[i + 1] += starts[i]
        arrays["indptr.npy"] = npy(starts, index)
        arrays["indices.npy"] = npy([entry[1 - major] for entry in entries], index)
    arrays["data.npy"] = npy([weight for _, _, weight in entries], value)
    return arrays


def npz(nodes, entries, form="csr", value="<f8", index="<i4", compressed=True):
    return zip_of(sparse_arrays(nodes, entries, form, value, index), compressed)
