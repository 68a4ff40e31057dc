# SPDX-License-Identifier: Apache-2.0
"""`mbsc info FILE` describes the contents of a file."""
import gzip
import json
import unittest

import npy
from program import ProgramTest

ROWS = [[1.0, -2.0], [0.5, 4.0], [3.0, 0.0]]


class Info(ProgramTest):
    def info(self, name, *options):
        stdout, _ = self.run_program("info", name, *options, "--json")
        return json.loads(stdout)

    def assert_is_rows(self, found):
        self.assertEqual((found["n"], found["d"]), (3, 2))
        self.assertEqual((found["minimum"], found["maximum"]), ([0.5, -2.0], [3.0, 4.0]))

    def test_csv(self):
        self.assert_is_rows(self.info(self.write_csv("p.csv", ROWS)))

    def test_npy_and_gzip(self):
        self.assert_is_rows(self.info(self.write("p.npy", npy.encode(ROWS))))
        self.assert_is_rows(self.info(self.write("p.npy.gz", gzip.compress(npy.encode(ROWS, "<f8")))))

    def test_standard_input(self):
        stdout, _ = self.run_program("info", "-", "--json", stdin=b"1,-2\n0.5,4\n3,0\n")
        self.assert_is_rows(json.loads(stdout))

    def test_label_column_is_not_a_feature(self):
        self.write_csv("p.csv", [[*row, label] for row, label in zip(ROWS, (2, 1, 2))])
        found = self.info("p.csv", "--label-column", "last")
        self.assert_is_rows(found)
        self.assertEqual(found["classes"], 2)

    def test_report_for_people(self):
        stdout, _ = self.run_program("info", self.write_csv("p.csv", ROWS))
        for word in ("rows", "features", "3", "2", "-2", "4", "0.5"):
            self.assertIn(word, stdout.lower())

    def test_bad_files(self):
        self.write("text.csv", "1,2\n3,apple\n")
        self.assert_rejected("info", "text.csv", words=["text.csv", "apple"], line=2)
        self.assert_rejected("info", "nowhere.csv", words=["nowhere.csv"])


if __name__ == "__main__":
    unittest.main()
