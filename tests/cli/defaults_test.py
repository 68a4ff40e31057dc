# SPDX-License-Identifier: Apache-2.0
"""With -k as the only option, the program finds clusters that k-means cannot find.

docs/graphs.md and docs/defaults.md say how the defaults were chosen.
"""
import json
import unittest

from point_sets import blobs
from program import ProgramTest


class Defaults(ProgramTest):
    def score(self, shape, *options):
        """Generates a shape with two classes, clusters it without the classes, and returns the NMI."""
        self.run_program("generate", shape, "--n", 2000, *options, "--output", "points.csv", "--quiet")
        rows = (self.folder / "points.csv").read_text().splitlines()
        self.write("truth.txt", "".join(row.rsplit(",", 1)[1] + "\n" for row in rows))
        self.write("plain.csv", "".join(row.rsplit(",", 1)[0] + "\n" for row in rows))
        self.run_program("cluster", "plain.csv", "-k", 2, "--labels", "labels.txt")
        stdout, _ = self.run_program("score", "truth.txt", "labels.txt", "--json")
        return json.loads(stdout)["nmi"]

    def test_rings_and_moons_are_found(self):
        # The rings have the radii 1 and 2, so a noise of 0.1 is 0.05 of the outer radius.
        for shape, noise in (("rings", 0.05), ("rings", 0.1), ("moons", 0.05)):
            for seed in range(3):
                with self.subTest(shape=shape, noise=noise, seed=seed):
                    self.assertGreaterEqual(self.score(shape, "--noise", noise, "--seed", seed), 0.98)

    def test_a_few_outliers_take_no_cluster(self):
        rows, classes = blobs([(0.0, 0.0), (6.0, 0.0), (0.0, 6.0)], (100, 90, 80), spread=0.5)
        outliers = [[20.0, 20.0], [20.3, 20.0], [-15.0, 5.0], [-15.0, 5.3], [3.0, -18.0]]
        self.write_csv("points.csv", rows + outliers)
        labels, _ = self.cluster("points.csv", 3)
        self.assert_same_partition(labels[:len(rows)], classes)

    def test_the_summary_tells_the_defaults_and_those_of_the_paper(self):
        rows, _ = blobs([(0.0, 0.0), (5.0, 0.0)], (60, 60), spread=0.5)
        self.write_csv("points.csv", rows)
        _, summary = self.cluster("points.csv", 2)
        self.assertEqual((summary["regularization"], summary["embedding_scale"]), (0, "row"), "there are 2 components")
        _, summary = self.cluster("points.csv", 3)
        self.assertEqual((summary["regularization"], summary["embedding_scale"]), (0.0001, "row"))
        _, summary = self.cluster("points.csv", 2, "--affinity", "rbf")
        self.assertEqual((summary["regularization"], summary["embedding_scale"]), (0.001, "row"))
        _, summary = self.cluster("points.csv", 2, "--preset", "paper")
        self.assertEqual((summary["regularization"], summary["embedding_scale"]), (0, "none"))
        _, summary = self.cluster("points.csv", 2, "--preset", "paper", "--regularization", 0.01)
        self.assertEqual((summary["regularization"], summary["embedding_scale"]), (0.01, "none"))


if __name__ == "__main__":
    unittest.main()
