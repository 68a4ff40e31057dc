# SPDX-License-Identifier: Apache-2.0
"""`--cache` stores kernel values and reuses them in full products."""
import unittest

from point_sets import three_blobs
from program import ProgramTest


class Cache(ProgramTest):
    def setUp(self):
        super().setUp()
        rows, _ = three_blobs()
        self.write_csv("points.csv", rows)

    def clustered(self, *options):
        self.run_program("cluster", "points.csv", "-k", 3, "--method", "exact", "--labels", "labels", "--summary",
                         "s.json", "-q", *options)
        return self.summary("s.json"), self.labels("labels")

    def test_caches_values_and_finds_the_same_clusters(self):
        plain, labels = self.clustered()
        cached, labels_of_cached = self.clustered("--cache", "10M")
        self.assertEqual(plain["cached_bytes"], 0)
        self.assertGreater(cached["cached_bytes"], 0)
        self.assertLessEqual(cached["cached_bytes"], 10 << 20)
        self.assertEqual(labels, labels_of_cached)
        self.assertEqual(cached["status"], plain["status"])

    def test_refuses_what_is_no_size(self):
        for size in ("much", "-1", "5X"):
            self.assert_rejected("cluster", "points.csv", "-k", 3, "--cache", size, words=["cache", size])

    def test_the_old_name_still_works_and_warns(self):
        new, _ = self.clustered("--cache", "10M")
        _, stderr = self.run_program("cluster", "points.csv", "-k", 3, "--method", "exact", "--labels", "labels",
                                     "--summary", "s.json", "-q", "--memory", "10M")
        self.assertEqual(self.summary("s.json")["cached_bytes"], new["cached_bytes"])
        self.assertIn("--memory", stderr)
        self.assertIn("--cache", stderr)


if __name__ == "__main__":
    unittest.main()
