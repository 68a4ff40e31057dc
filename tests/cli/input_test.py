# SPDX-License-Identifier: Apache-2.0
"""The same points give the same labels in every format of the input."""
import gzip
import unittest

import npy
from point_sets import three_blobs
from program import ProgramTest

ROWS, CLASSES = three_blobs()
# Multiples of 1/64: float32 and six decimals represent them exactly, so every format has the same numbers.
ROWS = [[round(x * 64) / 64 for x in row] for row in ROWS]


def text(separator=",", end="\n", head=""):
    return head + "".join(separator.join(f"{x:.6f}" for x in row) + end for row in ROWS)


class Input(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("points.csv", text())
        self.expected, _ = self.cluster("points.csv", 3, "--gamma", 1)
        self.assert_same_partition(self.expected, CLASSES)

    def assert_reads(self, content, name, *options):
        self.write(name, content)
        labels, summary = self.cluster(name, 3, "--gamma", 1, *options)
        self.assertEqual(labels, self.expected)
        self.assertEqual((summary["n"], summary["d"]), (60, 2))
        return summary

    def test_spellings_of_csv(self):
        for name, content in {
            "tabs.tsv": text("\t"), "semicolons.csv": text(";"), "spaces.txt": text(" "), "padded.csv": text(" , "),
            "windows.csv": text(end="\r\n"), "header.csv": text(head="x,y\n"), "mark.csv": "\ufeff" + text(),
            "mark_header.csv": "\ufeff" + text(head="x,y\n"), "no_end.csv": text().rstrip("\n"),
            "blank_end.csv": text() + "\n\n", "quoted.csv": "".join(f'"{x:.6f}","{y:.6f}"\n' for x, y in ROWS),
        }.items():
            with self.subTest(name=name):
                self.assert_reads(content, name)

    def test_libsvm(self):
        lines = [f"{label} 1:{x:.6f} 2:{y:.6f}\n" for (x, y), label in zip(ROWS, CLASSES)]
        summary = self.assert_reads("".join(lines), "points.svm")
        self.assertEqual(summary["nmi"], 1.0)

    def test_npy(self):
        for dtype in ("<f4", "<f8"):
            for fortran in (False, True):
                with self.subTest(dtype=dtype, fortran=fortran):
                    self.assert_reads(npy.encode(ROWS, dtype, fortran), "points.npy")

    def test_gzip(self):
        self.assert_reads(gzip.compress(text().encode()), "points.csv.gz")
        self.assert_reads(gzip.compress(npy.encode(ROWS)), "points.npy.gz")
        two_members = gzip.compress(text().encode()[:200]) + gzip.compress(text().encode()[200:])
        self.assert_reads(two_members, "members.csv.gz")

    def test_gzip_without_its_name(self):
        self.assert_reads(gzip.compress(text().encode()), "compressed.csv")

    def test_standard_input(self):
        for content in (text().encode(), gzip.compress(text().encode()), npy.encode(ROWS)):
            with self.subTest(start=content[:4]):
                labels, _ = self.cluster("-", 3, "--gamma", 1, stdin=content)
                self.assertEqual(labels, self.expected)

    def test_label_column(self):
        for name, order, column in (("last", (0, 1, 2), "last"), ("first", (2, 0, 1), "first"), ("one", (2, 0, 1), "1"),
                                    ("two", (0, 2, 1), "2"), ("three", (0, 1, 2), "3")):
            with self.subTest(column=column):
                cells = [(f"{x:.6f}", f"{y:.6f}", str(label)) for (x, y), label in zip(ROWS, CLASSES)]
                content = "".join(",".join(row[i] for i in order) + "\n" for row in cells)
                summary = self.assert_reads(content, f"{name}.csv", "--label-column", column)
                for key in ("nmi", "nmi_geometric", "ari", "accuracy"):
                    self.assertAlmostEqual(summary[key], 1.0, places=9)

    def test_labels_may_be_words(self):
        names = ("red", "green", "blue")
        content = "".join(f"{x:.6f},{y:.6f},{names[label]}\n" for (x, y), label in zip(ROWS, CLASSES))
        summary = self.assert_reads(content, "words.csv", "--label-column", "last")
        self.assertAlmostEqual(summary["nmi"], 1.0, places=9)

    def test_without_truth_the_scores_are_null(self):
        summary = self.assert_reads(text(), "plain.csv")
        for key in ("nmi", "nmi_geometric", "ari", "accuracy"):
            self.assertIsNone(summary[key])

    def test_sigma_is_gamma(self):
        _, by_gamma = self.cluster("points.csv", 3, "--gamma", 0.25)
        _, by_sigma = self.cluster("points.csv", 3, "--sigma", 2)
        self.assertAlmostEqual(by_gamma["gamma"], 0.25)
        self.assertEqual(by_sigma["gamma"], by_gamma["gamma"])
        self.assertEqual(by_sigma["eigenvalues"], by_gamma["eigenvalues"])

    def test_scaling_by_the_first_rows(self):
        # Scaled by the ranges of its rows 1 and 2, the second file has the points of the first. Other rows may lie
        # outside [0, 1].
        self.write("unit.csv", "0,0\n1,1\n" + text())
        self.write("scaled.csv", "10,-5\n30,5\n" + "".join(f"{10 + 20 * x:.6f},{-5 + 10 * y:.6f}\n" for x, y in ROWS))
        plain, _ = self.cluster("unit.csv", 3, "--gamma", 1)
        scaled, _ = self.cluster("scaled.csv", 3, "--gamma", 1, "--scale", "unit", "--scale-rows", 2)
        self.assertEqual(scaled, plain)


if __name__ == "__main__":
    unittest.main()
