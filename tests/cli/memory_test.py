# SPDX-License-Identifier: Apache-2.0
"""`--memory`: kernel values kept for full products."""
import unittest

from point_sets import three_blobs
from program import ProgramTest


class Memory(ProgramTest):
    def setUp(self):
        super().setUp()
        rows, _ = three_blobs()
        self.write_csv("points.csv", rows)

    def clustered(self, *options):
        self.run_program("cluster", "points.csv", "-k", 3, "--method", "exact", "--labels", "labels", "--summary",
                         "s.json", "-q", *options)
        return self.summary("s.json"), self.labels("labels")

    def test_keeps_values_and_finds_the_same_clusters(self):
        plain, labels = self.clustered()
        kept, labels_of_kept = self.clustered("--memory", "10M")
        self.assertEqual(plain["kept_bytes"], 0)
        self.assertGreater(kept["kept_bytes"], 0)
        self.assertLessEqual(kept["kept_bytes"], 10 << 20)
        self.assertEqual(labels, labels_of_kept)
        self.assertEqual(kept["status"], plain["status"])

    def test_refuses_what_is_no_size(self):
        for size in ("much", "-1", "5X"):
            self.assert_rejected("cluster", "points.csv", "-k", 3, "--memory", size, words=["memory"])


if __name__ == "__main__":
    unittest.main()
