# SPDX-License-Identifier: Apache-2.0
"""Graph files that are unusual but valid: each gives the bits of the plain file, or follows its stated rule."""
import gzip
import unittest

import graph_files as files
from program import ProgramTest

EDGES, CLASSES = files.blocks((40, 30, 20), 0.5, 0.02)
PLAIN = files.mtx(90, EDGES, symmetry="symmetric")
HEAD, COMMENT, SIZES, *LINES = PLAIN.splitlines()


def joined(*lines, end="\n"):
    return end.join(lines) + end


ODD_MTX = {
    "lines that end in CR LF": joined(HEAD, COMMENT, SIZES, *LINES, end="\r\n"),
    "no end of the last line": PLAIN.rstrip("\n"),
    "no comment": joined(HEAD, SIZES, *LINES),
    "comments and blank lines anywhere": joined(HEAD, "", "%", "% 1 2 3", SIZES, "", *LINES[:50], "% half", "   ", *LINES[50:],
                                                "", "%"),
    "more blanks": joined(HEAD, SIZES.replace(" ", "\t  "), *("  " + line.replace(" ", "   ") + "  " for line in LINES)),
    "tabs": joined(HEAD, SIZES, *(line.replace(" ", "\t") for line in LINES)),
    "a header in capitals": joined(HEAD.upper(), SIZES, *LINES),
    "a header with more blanks": joined(HEAD.replace(" ", "   ") + "  ", SIZES, *LINES),
    "integers": joined(HEAD.replace("real", "integer"), SIZES, *LINES),
    "exponents and plus signs": joined(HEAD, SIZES, *(line[:-1] + "+10.0e-1" for line in LINES)),
    "the entries in another order": joined(HEAD, SIZES, *sorted(LINES)),
    "entries above the diagonal": joined(HEAD, SIZES, *(" ".join([j, i, w]) for i, j, w in map(str.split, LINES))),
    "both directions": files.mtx(90, files.both_directions(EDGES)),
    "no weights": files.mtx(90, EDGES, "pattern", "symmetric"),
    "halves that add up": files.mtx(90, [(a, b, 0.5) for a, b, _ in EDGES] * 2, symmetry="symmetric"),
    "zeros that are stored": files.mtx(90, [*EDGES, (0, 89, 0), (1, 88, 0)], symmetry="symmetric"),
    "loops": files.mtx(90, [*EDGES, (3, 3, 7), (4, 4, 1)], symmetry="symmetric"),
    "a byte order mark": "\ufeff" + PLAIN,
}

PAIRS = [f"{a} {b}" for a, b, _ in EDGES]
ODD_EDGES = {
    "blanks": joined(*PAIRS),
    "lines that end in CR LF": joined(*PAIRS, end="\r\n"),
    "no end of the last line": joined(*PAIRS).rstrip("\n"),
    "comments and blank lines": joined("# nodes", "", *PAIRS[:9], "% half", "  ", *PAIRS[9:], "#"),
    "more blanks": joined(*("  " + pair.replace(" ", "   ") + " " for pair in PAIRS)),
    "tabs": joined(*(pair.replace(" ", "\t") for pair in PAIRS)),
    "commas": joined(*(pair.replace(" ", ", ") for pair in PAIRS)),
    "semicolons": joined(*(pair.replace(" ", ";") for pair in PAIRS)),
    "weights": joined(*(pair + " 1.0" for pair in PAIRS)),
    "the nodes of an edge in another order": joined(*(" ".join(reversed(pair.split())) for pair in PAIRS)),
    "halves that add up": joined(*(pair + " .5" for pair in PAIRS), *(pair + " 5e-1" for pair in PAIRS)),
    "loops": joined(*PAIRS, "3 3", "4 4"),
}


class OddGraph(ProgramTest):
    def bits(self, name, content):
        self.write(name, content)
        self.run_program("cluster", name, "-k", 3, "--quiet", "--labels", "labels.txt", "--embedding", "embedding.npy")
        return tuple((self.folder / result).read_bytes() for result in ("labels.txt", "embedding.npy"))

    def test_matrix_market(self):
        expected = self.bits("plain.mtx", PLAIN)
        self.assert_same_partition(self.labels("labels.txt"), CLASSES)
        for what, text in ODD_MTX.items():
            for name, content in (("odd.mtx", text), ("odd.mtx.gz", gzip.compress(text.encode()))):
                with self.subTest(what=what, name=name):
                    self.assertEqual(self.bits(name, content), expected)

    def test_edge_lists(self):
        expected = self.bits("plain.edges", joined(*PAIRS))
        for what, text in ODD_EDGES.items():
            for name, content in (("odd.edges", text), ("odd.edges.gz", gzip.compress(text.encode()))):
                with self.subTest(what=what, name=name):
                    self.assertEqual(self.bits(name, content), expected)

    def test_archives(self):
        both = files.both_directions(EDGES)
        expected = self.bits("plain.npz", files.npz(90, both))
        halves = [(a, b, 0.5) for a, b, _ in both] * 2
        for what, data in (("coordinates", files.npz(90, both, "coo")), ("columns", files.npz(90, both, "csc")),
                           ("not compressed", files.npz(90, both, compressed=False)),
                           ("wide indices", files.npz(90, both, index="<i8")),
                           ("weights that are true", files.npz(90, both, value="|b1")),
                           ("short integers", files.npz(90, both, value="<i2")),
                           ("halves that add up", files.npz(90, halves, "coo")),
                           ("halves in rows", files.npz(90, halves)),
                           ("loops", files.npz(90, [*both, (3, 3, 7.0)])),
                           ("compressed again", gzip.compress(files.npz(90, both)))):
            with self.subTest(what=what):
                self.assertEqual(self.bits("odd.npz", data), expected)


if __name__ == "__main__":
    unittest.main()
