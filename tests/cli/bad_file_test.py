# SPDX-License-Identifier: Apache-2.0
"""If a file cannot be clustered: exit code 2, a message that names the file, the line and the rule, and no new file."""
import gzip
import unittest

import npy
from point_sets import three_blobs
from program import ProgramTest

OUTPUTS = ("--labels", "labels.txt", "--embedding", "embedding.npy", "--summary", "summary.json")
ROWS, CLASSES = three_blobs()


class BadFile(ProgramTest):
    def assert_file_rejected(self, name, *words, clusters=3, line=None, options=()):
        return self.assert_rejected("cluster", name, "-k", clusters, *options, *OUTPUTS,
                                    words=(name, *words), line=line)

    def csv(self):
        return "".join(f"{x:.4f},{y:.4f}\n" for x, y in ROWS)

    def test_missing_file(self):
        self.assert_file_rejected("nowhere.csv")

    def test_directory(self):
        (self.folder / "points").mkdir()
        self.assert_file_rejected("points", "directory")

    def test_empty_file(self):
        self.write("empty.csv", "")
        self.assert_file_rejected("empty.csv", "empty")

    def test_file_of_blank_lines(self):
        self.write("blank.csv", "\n\n\n")
        self.assert_file_rejected("blank.csv")

    def test_header_without_rows(self):
        self.write("header.csv", "x,y\n")
        self.assert_file_rejected("header.csv")

    def test_ragged_row_too_short(self):
        self.write("ragged.csv", "1,2,3\n4,5,6\n7,8\n1,1,1\n")
        self.assert_file_rejected("ragged.csv", "2", "3", clusters=2, line=3)

    def test_ragged_row_too_long(self):
        self.write("ragged.csv", "x,y\n1,2\n3,4\n5,6,7\n1,1\n")
        self.assert_file_rejected("ragged.csv", "2", "3", clusters=2, line=4)

    def test_ragged_row_far_inside_a_large_file(self):
        lines = self.csv().splitlines() * 500
        lines[20_000] += ",1"
        self.write("large.csv", "\n".join(lines) + "\n")
        self.assert_file_rejected("large.csv", line=20_001, options=("--threads", "3"))

    def test_nan(self):
        for cell in ("nan", "NaN", "-nan"):
            with self.subTest(cell=cell):
                self.write("nan.csv", f"1,2\n3,4\n5,{cell}\n1,1\n")
                self.assert_file_rejected("nan.csv", clusters=2, line=3)

    def test_infinity(self):
        self.write("inf.csv", "1,2\n3,4\ninf,6\n1,1\n")
        self.assert_file_rejected("inf.csv", clusters=2, line=3)

    def test_text_cell(self):
        self.write("text.csv", "1,2\n3,4\n5,apple\n1,1\n")
        self.assert_file_rejected("text.csv", "apple", clusters=2, line=3)

    def test_empty_cell(self):
        self.write("hole.csv", "1,2\n,4\n5,6\n1,1\n")
        self.assert_file_rejected("hole.csv", clusters=2, line=2)

    def test_one_point(self):
        self.write("one.csv", "1,2\n")
        self.assert_rejected("cluster", "one.csv", "-k", 1, *OUTPUTS, words=["1"])

    def test_label_column_alone(self):
        self.write("thin.csv", "1\n2\n3\n")
        self.assert_file_rejected("thin.csv", clusters=2, options=("--label-column", "last"))

    def test_truncated_gzip(self):
        whole = gzip.compress(self.csv().encode())
        for length in (len(whole) - 1, len(whole) // 2, 5):
            with self.subTest(length=length):
                self.write("cut.csv.gz", whole[:length])
                self.assert_file_rejected("cut.csv.gz")

    def test_damaged_gzip(self):
        whole = bytearray(gzip.compress(self.csv().encode()))
        whole[len(whole) // 2] ^= 0xFF
        self.write("damaged.csv.gz", bytes(whole))
        self.assert_file_rejected("damaged.csv.gz")

    def test_truncated_npy(self):
        whole = npy.encode(ROWS)
        for length in (len(whole) - 1, len(whole) - 40, 100, 9, 6):
            with self.subTest(length=length):
                self.write("cut.npy", whole[:length])
                self.assert_file_rejected("cut.npy")

    def test_truncated_npy_in_gzip(self):
        self.write("cut.npy.gz", gzip.compress(npy.encode(ROWS)[:-8]))
        self.assert_file_rejected("cut.npy.gz")

    def test_npy_with_nan(self):
        rows = [list(row) for row in ROWS]
        rows[17][1] = float("nan")
        self.write("nan.npy", npy.encode(rows))
        self.assert_file_rejected("nan.npy")

    def test_npy_of_complex_numbers(self):
        self.write("complex.npy", npy.encode(ROWS).replace(b"<f4", b"<c8"))
        self.assert_file_rejected("complex.npy", "c8")

    def test_libsvm_with_a_bad_index(self):
        self.write("bad.svm", "1 1:0.5 2:1\n2 1:1 2:0.25\n1 0:3\n")
        self.assert_file_rejected("bad.svm", clusters=2, line=3)

    def test_empty_standard_input(self):
        self.assert_rejected("cluster", "-", "-k", 2, *OUTPUTS)

    def test_all_points_equal(self):
        self.write("equal.csv", "1,2\n" * 20)
        stderr = self.assert_rejected("cluster", "equal.csv", "-k", 2, *OUTPUTS)
        self.assertIn("distinct", stderr)

    def test_fewer_distinct_points_than_clusters(self):
        self.write("few.csv", "1,2\n3,4\n5,6\n" * 10)
        stderr = self.assert_rejected("cluster", "few.csv", "-k", 7, *OUTPUTS)
        self.assertIn("distinct", stderr)
        self.assertRegex(stderr, r"\b3\b")
        self.assertRegex(stderr, r"\b7\b")

    def test_every_affinity_underflows(self):
        self.write_csv("far.csv", [[float(i), 0.0] for i in range(20)])
        stderr = self.assert_rejected("cluster", "far.csv", "-k", 2, "--gamma", "1e30", *OUTPUTS)
        self.assertIn("gamma", stderr)

    def test_output_into_a_folder_that_is_not_there(self):
        self.write("points.csv", self.csv())
        self.assert_rejected("cluster", "points.csv", "-k", 3, "--labels", "nowhere/labels.txt", words=["nowhere"])


if __name__ == "__main__":
    unittest.main()
