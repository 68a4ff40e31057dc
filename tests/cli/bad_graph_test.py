# SPDX-License-Identifier: Apache-2.0
"""If a graph file breaks a rule: exit code 2, a message that names the file, the line (if the format has lines) and the
rule, and no new file."""
import gzip
import struct
import unittest

import graph_files as files
from program import ProgramTest

HEADER = "%%MatrixMarket matrix coordinate real general\n"
BOTH = files.both_directions([(0, 1, 1), (1, 2, 1), (2, 3, 1), (3, 0, 1)])

# What is wrong: the text, the number of the line, words of the message.
BAD_MTX = {
    "no percent signs": ("MatrixMarket matrix coordinate real general\n2 2 1\n1 2 1\n", 1, ["%%MatrixMarket"]),
    "one percent sign": ("%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 1\n", 1, ["%%MatrixMarket"]),
    "no header": ("2 2 2\n1 2 1\n2 1 1\n", 1, ["%%MatrixMarket", "2 2 2"]),
    "an unknown object": ("%%MatrixMarket vector coordinate real general\n2 2 1\n", 1, ["object", "vector"]),
    "an unknown format": ("%%MatrixMarket matrix list real general\n2 2 1\n", 1, ["format", "list"]),
    "complex values": ("%%MatrixMarket matrix coordinate complex general\n2 2 1\n1 2 1 0\n", 1, ["complex"]),
    "a pattern of an array": ("%%MatrixMarket matrix array pattern general\n2 2\n", 1, ["pattern"]),
    "skew symmetry": ("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 1\n", 1, ["skew-symmetric"]),
    "a short header": ("%%MatrixMarket matrix coordinate\n2 2 1\n1 2 1\n", 1, ["type of the values"]),
    "no sizes": (HEADER + "% nothing\n", 2, ["sizes"]),
    "two sizes": (HEADER + "2 2\n1 2 1\n", 2, ["rows, columns and entries", "2 2"]),
    "four sizes": (HEADER + "2 2 2 2\n1 2 1\n", 2, ["rows, columns and entries"]),
    "sizes that are no numbers": (HEADER + "% comment\n\ntwo 2 2\n1 2 1\n", 4, ["sizes", "two"]),
    "negative sizes": (HEADER + "-2 -2 1\n1 2 1\n", 2, ["sizes", "-2"]),
    "a rectangle": (HEADER + "3 4 1\n1 2 1\n", 2, ["square", "3 x 4"]),
    "one node": (HEADER + "1 1 0\n", 2, ["between 2 and"]),
    "too many nodes": (HEADER + "3000000000 3000000000 1\n1 2 1\n", 2, ["between 2 and", "3000000000"]),
    "a row of 0": (HEADER + "2 2 2\n0 1 1\n1 0 1\n", 3, ["row", "0 is not in [1, 2]"]),
    "a column beyond the size": (HEADER + "2 2 2\n1 2 1\n2 3 1\n", 4, ["column", "3 is not in [1, 2]"]),
    "an index beyond 64 bits": (HEADER + "2 2 1\n99999999999999999999 1 1\n", 3, ["row", "is not in [1, 2]"]),
    "an index that is no integer": (HEADER + "2 2 1\n1.5 1 1\n", 3, ["row", "1.5", "not an integer"]),
    "no column": (HEADER + "2 2 1\n1\n", 3, ["no column"]),
    "no weight": (HEADER + "2 2 2\n1 2 1\n2 1\n", 4, ["no weight"]),
    "a fourth column": (HEADER + "2 2 1\n1 2 1 7\n", 3, ["'7' is one column too many"]),
    "a weight in a pattern": ("%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2 1\n", 3, ["too many"]),
    "a weight that is text": (HEADER + "2 2 1\n1 2 heavy\n", 3, ["heavy", "not a number"]),
    "a negative weight": (HEADER + "2 2 2\n1 2 1\n2 1 -1\n", 4, ["-1", "not negative"]),
    "a weight that is NaN": (HEADER + "2 2 1\n1 2 nan\n", 3, ["nan", "finite"]),
    "an infinite weight": (HEADER + "2 2 1\n1 2 inf\n", 3, ["inf", "finite"]),
    "a weight that overflows": (HEADER + "2 2 1\n1 2 1e999\n", 3, ["1e999", "finite"]),
    "too few entries": (HEADER + "2 2 3\n1 2 1\n2 1 1\n", 4, ["after 2 of 3 entries"]),
    "too many entries": (HEADER + "2 2 1\n1 2 1\n2 1 1\n", 4, ["1 entries", "one more"]),
    "too few values of an array": ("%%MatrixMarket matrix array real general\n2 2\n0\n1\n1\n", 5, ["3 of 4"]),
    "one direction": (HEADER + "3 3 3\n1 2 1\n2 1 1\n\n2 3 5\n", 6, ["symmetric", "(2, 3) is 5", "symmetrize"]),
    "two weights of a pair": (HEADER + "2 2 2\n1 2 1\n2 1 1.01\n", 3, ["symmetric", "1.01", "symmetrize"]),
    "no edges": (HEADER + "2 2 0\n", None, ["no edges"]),
    "loops only": (HEADER + "2 2 2\n1 1 1\n2 2 1\n", None, ["no edges"]),
    "weights of zero": (HEADER + "2 2 2\n1 2 0\n2 1 0\n", None, ["no edges"]),
    "weights that underflow": (HEADER + "2 2 2\n1 2 1e-400\n2 1 1e-400\n", None, ["no edges"]),
    "a Hermitian matrix": ("%%MatrixMarket matrix coordinate real hermitian\n2 2 1\n2 1 1\n", 1, ["hermitian"]),
    "a long header": ("%%MatrixMarket matrix coordinate real general x\n2 2 1\n1 2 1\n", 1, ["'x' is one more"]),
    "a header and nothing else": ("%%MatrixMarket matrix coordinate real general", 1, ["sizes"]),
    "fractions in an integer matrix": ("%%MatrixMarket matrix coordinate integer general\n2 2 2\n1 2 2\n2 1 1.5\n", 4,
                                       ["1.5", "not an integer"]),
    "no nodes": (HEADER + "0 0 0\n", 2, ["between 2 and", "0"]),
    "sizes beyond 64 bits": (HEADER + "99999999999999999999 2 1\n1 2 1\n", 2, ["sizes"]),
    "a negative number of entries": (HEADER + "2 2 -1\n1 2 1\n", 2, ["sizes", "-1"]),
    "far too few entries": (HEADER + "2 2 9000000000000000000\n1 2 1\n2 1 1\n", 4, ["after 2 of 9000000000000000000"]),
    "a negative index": (HEADER + "2 2 1\n1 -2 1\n", 3, ["column", "-2 is not in [1, 2]"]),
    "a decimal comma": (HEADER + "2 2 1\n1 2 1,5\n", 3, ["1,5", "not a number"]),
    "a hexadecimal weight": (HEADER + "2 2 1\n1 2 0x10\n", 3, ["0x10", "not a number"]),
    "half a number": (HEADER + "2 2 1\n1 2 1e\n", 3, ["1e", "not a number"]),
    "half a line": (HEADER + "2 2 2\n1 2 1\n2", 4, ["no column"]),
    "a third weight that breaks the symmetry": (HEADER + "2 2 3\n1 2 1\n2 1 1\n1 2 1\n", 3, ["symmetric", "is 2 and"]),
    "a rectangular array": ("%%MatrixMarket matrix array real general\n2 3\n0\n1\n1\n0\n1\n1\n", 2, ["square", "2 x 3"]),
    "too many values of an array": ("%%MatrixMarket matrix array real general\n2 2\n0\n1\n1\n0\n5\n", 7, ["one more"]),
    "two values in a line of an array": ("%%MatrixMarket matrix array real general\n2 2\n0 1\n1 0\n", 3, ["too many"]),
    "a negative value of an array": ("%%MatrixMarket matrix array real general\n2 2\n0\n-1\n-1\n0\n", 4, ["-1"]),
}

BAD_EDGES = {
    "comments only": ("# nothing\n\n% here\n", 3, ["no edges"]),
    "one column": ("a b\nc\n", 2, ["2 or 3 columns", "1"]),
    "four columns": ("a b 1 2\n", 1, ["2 or 3 columns", "4"]),
    "columns that change": ("# x\na b 1\nb c\n", 3, ["2 columns", "line 2 has 3"]),
    "a header": ("source,target,weight\na,b,1\n", 1, ["weight", "not a number"]),
    "an empty id": ("a,b\n,c\n", 2, ["column 1", "empty"]),
    "an empty weight": ("a,b,1\nb,c,\n", 2, ["no weight"]),
    "a negative weight": ("a b 1\nb c -0.5\n", 2, ["-0.5", "not negative"]),
    "a weight that is NaN": ("a b 1\nb c NaN\n", 2, ["NaN", "finite"]),
    "NetworkX's dictionaries": ("0 1 {}\n", 1, ["{}", "not a number"]),
    "one node": ("a a\n", None, ["between 2 and", "1"]),
    "loops only": ("a a\nb b\n", None, ["no edges"]),
    "weights of zero": ("a b 0\nb c 0\n", None, ["no edges"]),
    "a weight that overflows": ("a b 1\nb c 1e999\n", 2, ["1e999", "finite"]),
    "an infinite weight": ("a b 1\nb c -inf\n", 2, ["inf", "finite"]),
    "a weight that is text": ("a b 1\n\nb c two\n", 3, ["two", "not a number"]),
    "a weight with a unit": ("a\tb\t3kg\n", 1, ["3kg", "not a number"]),
    "a line that grows": ("a b 1\nb c 1\nc d 1 4 5\n", 3, ["2 or 3 columns", "5"]),
    "a page of the web": ("<html><body>404</body></html>\n", 1, ["2 or 3 columns", "1"]),
    "another separator": ("a,b,1\nb;c;1\n", 2, ["1"]),
}


def changed(**arrays):
    """The archive of a good graph of 4 nodes, with some arrays replaced (or left out, if None)."""
    whole = files.sparse_arrays(4, BOTH)
    whole.update({name + ".npy": content for name, content in arrays.items()})
    return files.zip_of({name: content for name, content in whole.items() if content is not None})


GOOD = changed()
STORED = files.npz(4, BOTH, compressed=False)


def at(data, offset, content):
    return data[:offset] + content + data[offset + len(content):]


END = len(GOOD) - 22  # the end record
DIRECTORY = struct.unpack("<I", GOOD[END + 16:END + 20])[0]
COORDINATES = files.sparse_arrays(4, BOTH, "coo")

# What is wrong: the bytes, words of the message.
BAD_NPZ = {
    "not a zip archive": (b"\x00\x01\x02 not a zip archive", ["end record"]),
    "no end": (GOOD[:-30], ["end record"]),
    "half of it": (GOOD[:len(GOOD) // 2], ["end record"]),
    "a directory outside the file": (at(GOOD, END + 16, b"\xfe\xff\xff\x7f"), ["directory", "not in the file"]),
    "a directory that is too long": (at(GOOD, END + 12, b"\xfe\xff\xff\x7f"), ["directory", "not in the file"]),
    "a wrong number of files": (at(GOOD, END + 10, b"\xfe\xff"), ["directory", "not in the file"]),
    "a 64-bit end record that is missing": (at(GOOD, END + 16, b"\xff\xff\xff\xff"), ["64-bit end record"]),
    "a damaged directory": (at(GOOD, DIRECTORY, b"XX"), ["entry 1", "damaged"]),
    "a name beyond the directory": (at(GOOD, DIRECTORY + 28, b"\xff\xff"), ["entry 1", "damaged"]),
    "a file that is elsewhere": (at(GOOD, DIRECTORY + 42, b"\x07\x00\x00\x00"), ["not where the directory says"]),
    "a file beyond the end": (at(GOOD, DIRECTORY + 42, b"\xf0\xff\xff\x7f"), ["not where the directory says"]),
    "a packed size beyond the end": (at(GOOD, DIRECTORY + 20, b"\xf0\xff\xff\x7f"), ["truncated"]),
    "an impossible size": (at(GOOD, DIRECTORY + 24, b"\xf0\xff\xff\x7f"), ["not possible"]),
    "a wrong size": (at(GOOD, DIRECTORY + 24, b"\x01\x00\x00\x00"), ["damaged"]),
    "an encrypted file": (at(GOOD, DIRECTORY + 8, b"\x01"), ["encrypted"]),
    "an unknown compression": (at(GOOD, DIRECTORY + 10, b"\x0c"), ["method 12"]),
    "a wrong checksum": (at(GOOD, DIRECTORY + 16, b"\x00\x00\x00\x00"), ["checksum"]),
    "damaged contents": (STORED.replace(b"csr", b"csq", 1), ["checksum"]),
    "damaged compression": (at(GOOD, 60, b"\xff\xff\xff\xff\xff\xff"), ["damaged"]),
    "arrays that are no sparse matrix": (files.zip_of({"arr_0.npy": files.npy([1.0], "<f8")}), ["save_npz"]),
    "an unknown format": (changed(format=files.npy(b"dia", "|S3", ())), ["'dia'", "tocsr"]),
    "a format that is a number": (changed(format=files.npy([1], "<i8")), ["'format'", "text"]),
    "a rectangle": (changed(shape=files.npy([4, 5], "<i8")), ["square", "4, 5"]),
    "three dimensions": (changed(shape=files.npy([4, 4, 4], "<i8")), ["square", "4, 4, 4"]),
    "too many nodes": (changed(shape=files.npy([2**40] * 2, "<i8")), ["between 2 and"]),
    "no indices": (changed(indices=None), ["'indices'", "missing"]),
    "no starts": (changed(indptr=None), ["'indptr'", "missing"]),
    "indices that are floats": (changed(indices=files.npy([0.0] * 8, "<f8")), ["'indices'", "integers", "<f8"]),
    "complex weights": (changed(data=files.npy(b"\x00" * 128, "<c16", (8,))), ["'data'", "<c16"]),
    "weights in two dimensions": (changed(data=files.npy([1.0] * 8, "<f8", (4, 2))), ["'data'", "one dimension"]),
    "too few weights": (changed(data=files.npy([1.0] * 7, "<f8")), ["7 weights", "8 indices"]),
    "a truncated array": (changed(data=files.npy([1.0] * 8, "<f8")[:-8]), ["'data'", "truncated"]),
    "a truncated header": (changed(data=b"\x93NUMPY\x01\x00\x76"), ["'data'", "truncated"]),
    "an index out of range": (changed(indices=files.npy([1, 3, 0, 2, 1, 3, 0, 4], "<i4")), ["4", "[0, 3]"]),
    "a negative index": (changed(indices=files.npy([1, 3, 0, 2, 1, 3, 0, -1], "<i4")), ["'indices'", "-1"]),
    "starts that descend": (changed(indptr=files.npy([0, 4, 2, 6, 8], "<i4")), ["indptr", "descend"]),
    "too few starts": (changed(indptr=files.npy([0, 4, 6, 8], "<i4")), ["5 starts", "4"]),
    "a last start that is wrong": (changed(indptr=files.npy([0, 2, 4, 6, 9], "<i4")), ["indptr", "9"]),
    "a first start that is wrong": (changed(indptr=files.npy([1, 2, 4, 6, 8], "<i4")), ["indptr", "0"]),
    "a negative weight": (changed(data=files.npy([1.0] * 7 + [-2.0], "<f8")), ["-2", "not negative"]),
    "a weight that is NaN": (changed(data=files.npy([1.0] * 7 + [float("nan")], "<f8")), ["nan", "finite"]),
    "an asymmetric matrix": (changed(data=files.npy([1.0, 2.0] * 4, "<f8")), ["symmetric", "symmetrize"]),
    "a coordinate out of range": (files.zip_of({**COORDINATES, "row.npy": files.npy([0, 1, 2, 3, 1, 2, 3, 4], "<i4")}),
                                  ["entry 8", "[0, 3]"]),
    "no shape": (changed(shape=None), ["'shape'", "missing"]),
    "no format": (changed(format=None), ["save_npz"]),
    "no weights": (changed(data=None), ["save_npz"]),
    "no rows of the coordinates": (files.zip_of({name: content for name, content in COORDINATES.items()
                                                 if name != "row.npy"}), ["'row'", "missing"]),
    "no nodes": (changed(shape=files.npy([0, 0], "<i8")), ["between 2 and", "0"]),
    "one dimension": (changed(shape=files.npy([4], "<i8")), ["square", "(4)"]),
    "negative sizes": (changed(shape=files.npy([-4, -4], "<i8")), ["'shape'", "-4"]),
    "sizes that are floats": (changed(shape=files.npy([4.0, 4.0], "<f8")), ["'shape'", "integers"]),
    "starts that are floats": (changed(indptr=files.npy([0.0, 2, 4, 6, 8], "<f8")), ["'indptr'", "integers"]),
    "a negative start": (changed(indptr=files.npy([0, -2, 4, 6, 8], "<i4")), ["'indptr'", "-2"]),
    "indices in two dimensions": (changed(indices=files.npy([0] * 8, "<i4", (2, 4))), ["'indices'", "one dimension"]),
    "indices of one byte": (changed(indices=files.npy(bytes(8), "|u1", (8,))), ["'indices'", "|u1"]),
    "big-endian weights": (changed(data=files.npy(struct.pack(">8d", *[1.0] * 8), ">f8", (8,))), ["'data'", ">f8"]),
    "weights that are text": (changed(data=files.npy(b"1" * 8, "|S1", (8,))), ["'data'", "|S1"]),
    "weights that are objects": (changed(data=files.npy(b"\x80\x04N.", "|O", (8,))), ["'data'", "|O"]),
    "an infinite weight": (changed(data=files.npy([1.0] * 7 + [float("inf")], "<f8")), ["inf", "finite"]),
    "weights of zero": (changed(data=files.npy([0.0] * 8, "<f8")), ["no edges"]),
    "loops only": (files.npz(2, [(0, 0, 1.0), (1, 1, 1.0)]), ["no edges"]),
    "an array that is not NPY": (changed(data=b"1.0, 1.0, 1.0, 1.0"), ["'data'"]),
    "an unknown version of NPY": (changed(data=b"\x93NUMPY\x09\x00" + files.npy([1.0] * 8, "<f8")[8:]), ["version 9"]),
    "a length that is not true": (changed(data=files.npy([1.0] * 8, "<f8", (10**18,))), ["'data'", "truncated"]),
    "too few coordinates": (files.zip_of({**COORDINATES, "col.npy": files.npy([0] * 7, "<i4")}), ["7 columns"]),
}


class BadGraph(ProgramTest):
    def assert_graph_rejected(self, name, content, words, line=None, options=()):
        self.write(name, content)
        clusters = () if "-k" in options else ("-k", 2)
        message = self.assert_rejected("cluster", name, *clusters, *options, "--labels", "labels.txt", words=[name, *words],
                                       line=line)
        self.assertIn(f"mbsc: {name}:", message)

    def test_matrix_market(self):
        for what, (text, line, words) in BAD_MTX.items():
            with self.subTest(what=what):
                self.assert_graph_rejected("bad.mtx", text, words, line)

    def test_edge_list(self):
        for what, (text, line, words) in BAD_EDGES.items():
            with self.subTest(what=what):
                self.assert_graph_rejected("bad.edges", text, words, line)

    def test_npz(self):
        for what, (data, words) in BAD_NPZ.items():
            with self.subTest(what=what):
                self.assert_graph_rejected("bad.npz", data, words)

    def test_there_are_more_than_forty_bad_files_of_different_kinds(self):
        self.assertGreater(len(BAD_MTX), 40)
        self.assertGreater(len(BAD_MTX) + len(BAD_EDGES) + len(BAD_NPZ), 100)

    def test_compressed_text_has_the_same_lines(self):
        for name, bad in (("bad.mtx.gz", BAD_MTX), ("bad.edges.gz", BAD_EDGES)):
            for what, (text, line, words) in bad.items():
                with self.subTest(name=name, what=what):
                    self.assert_graph_rejected(name, gzip.compress(text.encode()), words, line)

    def test_more_clusters_than_nodes(self):
        for name, content in (("few.mtx", files.mtx(4, BOTH)), ("few.npz", GOOD), ("few.edges", "a b\nb c\nc d\n"),
                              ("few.mtx.gz", gzip.compress(files.mtx(4, BOTH).encode()))):
            self.assert_graph_rejected(name, content, ["clusters must be in [1, 4]; got 5"], options=("-k", 5))

    def test_results_of_an_earlier_run_are_not_touched(self):
        for name in ("labels.txt", "summary.json", "embedding.npy"):
            self.write(name, "earlier")
        self.write("bad.mtx", HEADER + "2 2 2\n1 2 1\n2 1 -1\n")
        self.assert_rejected("cluster", "bad.mtx", "-k", 2, "--labels", "labels.txt", "--summary", "summary.json",
                             "--embedding", "embedding.npy", line=4)
        for name in ("labels.txt", "summary.json", "embedding.npy"):
            self.assertEqual((self.folder / name).read_text(), "earlier")

    def test_every_truncation_of_an_archive_is_refused(self):
        for data in (GOOD, STORED):
            for length in range(0, len(data), 29):
                self.assert_graph_rejected("cut.npz", data[:length], [])

    def test_damaged_bytes_are_refused_or_do_not_matter(self):
        for position in range(0, len(STORED), 11):
            with self.subTest(position=position):
                self.write("flip.npz", at(STORED, position, bytes([STORED[position] ^ 0xFF])))
                process = self.start("cluster", "flip.npz", "-k", 2, "--labels", "labels.txt")
                _, message = process.communicate(timeout=60)
                self.assertIn(process.returncode, (0, 2), message)

    def test_truncated_gzip(self):
        whole = gzip.compress(files.mtx(4, BOTH).encode())
        for length in (len(whole) - 1, len(whole) // 2, 5):
            with self.subTest(length=length):
                self.assert_graph_rejected("cut.mtx.gz", whole[:length], ["truncated"])

    def test_damaged_gzip(self):
        whole = gzip.compress(files.mtx(4, BOTH).encode())
        for what, data in (("checksum", at(whole, len(whole) - 8, b"\0\0\0\0")), ("garbage", whole + b"garbage"),
                           ("contents", at(whole, 20, bytes([whole[20] ^ 0xFF])))):
            with self.subTest(what=what):
                self.assert_graph_rejected("bad.mtx.gz", data, ["gzip", "corrupt"])
        self.assert_graph_rejected("twice.mtx.gz", gzip.compress(whole), ["text"])

    def test_empty_files(self):
        for name in ("empty.mtx", "empty.npz", "empty.edges"):
            self.assert_graph_rejected(name, "", ["empty"])
        self.assert_graph_rejected("empty.mtx.gz", gzip.compress(b""), ["empty"])

    def test_binary_content_of_a_text_format(self):
        self.assert_graph_rejected("binary.edges", b"a b\n\x00\x01 c\n", ["text"])
        self.assert_graph_rejected("binary.mtx", HEADER.encode() + b"2 2 2\n1 2 1\x00\n2 1 1\n", ["text"])
        self.assert_graph_rejected("wide.mtx", files.mtx(4, BOTH).encode("utf-16"), ["UTF-16"])
        self.assert_graph_rejected("zip.edges", GOOD, ["edges"], options=("--format", "edges"))

    def test_a_table_read_as_a_graph(self):
        self.assert_graph_rejected("points.csv", "1,2\n3,4\n5,6\n", ["%%MatrixMarket"], 1, ("--format", "mtx"))


if __name__ == "__main__":
    unittest.main()
