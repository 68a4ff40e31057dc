# SPDX-License-Identifier: Apache-2.0
"""`mbsc score A B` measures the agreement of two files of labels."""
import json
import math
import unittest

from program import ProgramTest


class Score(ProgramTest):
    def score(self, left, right):
        self.write("a.txt", "".join(f"{label}\n" for label in left))
        self.write("b.txt", "".join(f"{label}\n" for label in right))
        stdout, _ = self.run_program("score", "a.txt", "b.txt", "--json")
        return json.loads(stdout)

    def test_known_values(self):
        # The entropies are ln 2 and 1.5 ln 2, and the mutual information is ln 2. Of the 6 pairs of points, 2 are
        # together in the first labeling, 1 in the second, and 1 in both.
        scores = self.score([0, 0, 1, 1], [0, 0, 1, 2])
        self.assertAlmostEqual(scores["nmi"], 0.8, places=9)
        self.assertAlmostEqual(scores["nmi_geometric"], 1 / math.sqrt(1.5), places=9)
        self.assertAlmostEqual(scores["ari"], 4 / 7, places=9)
        self.assertAlmostEqual(scores["accuracy"], 0.75, places=9)

    def test_names_of_the_labels_do_not_matter(self):
        scores = self.score(["cat", "dog", "cat", "owl"], [7, 3, 7, 5])
        for key in ("nmi", "nmi_geometric", "ari", "accuracy"):
            self.assertAlmostEqual(scores[key], 1.0, places=9)

    def test_independent_labels(self):
        scores = self.score([0, 0, 1, 1], [0, 1, 0, 1])
        self.assertAlmostEqual(scores["nmi"], 0.0, places=9)
        self.assertAlmostEqual(scores["ari"], -0.5, places=9)
        self.assertAlmostEqual(scores["accuracy"], 0.5, places=9)

    def test_one_cluster_only_is_a_number(self):
        scores = self.score([0, 0, 0], [1, 1, 1])
        self.assertTrue(all(math.isfinite(scores[key]) for key in ("nmi", "ari", "accuracy")))

    def test_report_for_people(self):
        self.score([0, 0, 1, 1], [0, 0, 1, 2])
        stdout, _ = self.run_program("score", "a.txt", "b.txt")
        for word in ("nmi", "0.8", "ari", "0.571", "accuracy", "0.75"):
            self.assertIn(word, stdout.lower())

    def test_lengths_differ(self):
        self.write("a.txt", "0\n1\n2\n")
        self.write("b.txt", "0\n1\n")
        self.assert_rejected("score", "a.txt", "b.txt", words=["3", "2"])

    def test_missing_and_empty_files(self):
        self.write("a.txt", "0\n1\n")
        self.write("empty.txt", "")
        self.assert_rejected("score", "a.txt", "nowhere.txt", words=["nowhere.txt"])
        self.assert_rejected("score", "empty.txt", "a.txt", words=["empty.txt"])


if __name__ == "__main__":
    unittest.main()
