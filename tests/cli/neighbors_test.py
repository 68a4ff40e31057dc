# SPDX-License-Identifier: Apache-2.0
"""`--affinity neighbors`: shapes that it must find, degenerate data, and what it refuses."""
import math
import random
import unittest

import npy
from point_sets import blobs, rings, three_blobs
from program import ProgramTest


class Neighbors(ProgramTest):
    def cluster_rows(self, rows, clusters, *options):
        """Clusters the rows, checks that the embedding is finite, and returns (labels, summary)."""
        self.write_csv("points.csv", rows)
        labels, summary = self.cluster("points.csv", clusters, "--affinity", "neighbors", *options, "--embedding",
                                       "embedding.npy")
        embedding, _ = npy.decode((self.folder / "embedding.npy").read_bytes())
        self.assertTrue(all(math.isfinite(value) for row in embedding for value in row))
        self.assertEqual(sorted(set(labels)), list(range(clusters)))
        return labels, summary

    def test_rings_are_found_with_every_kind_of_weights(self):
        rows, classes = rings(900)
        for weights in ("gaussian", "shared", "gaussian_shared", "binary", "local", "fuzzy"):
            with self.subTest(weights=weights):
                labels, mutual = self.cluster_rows(rows, len(set(classes)), "--edge-weights", weights, "--edges", "mutual")
                self.assert_same_partition(labels, classes)
                labels, summary = self.cluster_rows(rows, len(set(classes)), "--edge-weights", weights)
                self.assert_same_partition(labels, classes)
                self.assertEqual((mutual["edges"], summary["edges"]), ("mutual", "union"))
                self.assertLess(mutual["graph"]["edges"], summary["graph"]["edges"])
                self.assertEqual(summary["method"], "chebyshev")
                self.assertEqual(summary["edge_weights"], weights)
                self.assertEqual(summary["graph"]["recall"], 1)

    def test_methods_that_work_on_a_graph_agree(self):
        rows, classes = three_blobs()
        for options in (("chebyshev",), ("exact",), ("power", "--iterations", 200)):
            with self.subTest(options=options):
                labels, _ = self.cluster_rows(rows, 3, "--method", *options)
                self.assert_same_partition(labels, classes)

    def test_the_report_says_which_graph(self):
        rows, _ = three_blobs()
        self.write_csv("points.csv", rows)
        _, stderr = self.run_program("cluster", "points.csv", "-k", 3, "--affinity", "neighbors", "--neighbors", 7,
                                     "--labels", "labels.txt")
        self.assertIn("the 7 nearest of each point, gaussian_shared", stderr)

    def test_same_bits_for_any_number_of_threads(self):
        generator = random.Random(1)
        self.write_csv("points.csv", [[generator.gauss(0, 1) for _ in range(3)] for _ in range(2000)])

        def bits(threads):
            self.run_program("cluster", "points.csv", "-k", 4, "--affinity", "neighbors", "--threads", threads,
                             "--quiet", "--labels", "labels.txt", "--embedding", "embedding.npy")
            return tuple((self.folder / name).read_bytes() for name in ("labels.txt", "embedding.npy"))
        one = bits(1)
        for threads in (2, 3, 1):
            self.assertEqual(bits(threads), one)

    def test_two_points(self):
        labels, _ = self.cluster_rows([[0.0, 1.0], [2.0, 3.0]], 2)
        self.assertEqual(sorted(labels), [0, 1])

    def test_copies(self):
        classes = [0, 1, 1, 0, 1] * 20
        labels, summary = self.cluster_rows([[5.0, -1.0] if label else [1.0, 2.0] for label in classes], 2)
        self.assert_same_partition(labels, classes)
        self.assertEqual(summary["graph"]["distinct_points"], 2)

    def test_a_speck_takes_no_cluster(self):
        rows, classes = blobs([(0.0, 0.0), (9.0, 0.0)], (1500, 1500), spread=1.0)
        far = [[1000.0 + i, 1000.0] for i in range(25)]
        labels, summary = self.cluster_rows([*rows, *far], 2, "--neighbors", 12)
        self.assert_same_partition(labels[:3000], classes)
        self.assertEqual(summary["graph"]["speck_points"], 25)
        self.assertEqual(summary["isolated_points"], 25)

    def test_more_components_than_clusters(self):
        rows, classes = blobs([(0.0, 0.0), (1000.0, 0.0), (0.0, 1000.0), (30.0, 1000.0)], (400, 300, 250, 200),
                              spread=1.0)
        labels, summary = self.cluster_rows(rows, 3)
        self.assertEqual(summary["graph"]["components"], 4)
        # The three largest components are the clusters. The smallest one joins the nearest of them.
        self.assert_same_partition(labels, [min(c, 2) for c in classes])

    def test_fewer_components_than_clusters(self):
        rows, classes = blobs([(0.0, 0.0), (7.0, 0.0), (0.0, 500.0)], (300, 300, 300), spread=1.0)
        labels, summary = self.cluster_rows(rows, 3)
        self.assertEqual(summary["graph"]["components"], 2)
        # Two clouds that touch: a few points far from all others may go to either of them.
        usual = {c: max(set(labels), key=lambda label, c=c: sum(l == label for l, d in zip(labels, classes) if d == c))
                 for c in set(classes)}
        self.assertEqual(len(set(usual.values())), 3)
        self.assertLessEqual(sum(usual[c] != label for label, c in zip(labels, classes)), 9)
        labels, _ = self.cluster_rows(rows, 3, "--cutoff", "sharp")
        self.assert_same_partition(labels, classes)

    def test_what_is_refused(self):
        rows, _ = three_blobs()
        self.write_csv("points.csv", rows)
        for options, words in ((("--affinity", "neighbors", "--method", "nystrom"), ["nystrom", "dense"]),
                               (("--affinity", "neighbors", "--method", "minibatch"), ["minibatch", "dense"]),
                               (("--affinity", "neighbors", "--gamma", "1"), ["gamma"]),
                               (("--affinity", "neighbors", "--degrees", "sampled"), ["degrees", "only"]),
                               (("--affinity", "neighbors", "--cache", "1M"), ["cache", "only"]),
                               (("--affinity", "neighbors", "--passes", "3"), ["passes", "chebyshev"]),
                               (("--affinity", "neighbors", "--neighbors", "0"), ["neighbors", "0"]),
                               (("--affinity", "neighbors", "--neighbors", str(len(rows))), ["neighbors", str(len(rows))]),
                               (("--affinity", "neighbors", "--recall", "1.5"), ["recall", "1.5"]),
                               (("--affinity", "rbf", "--neighbors", "5"), ["neighbors", "only"]),
                               (("--affinity", "rbf", "--edge-weights", "binary"), ["edge-weights", "only"]),
                               (("--affinity", "rbf", "--edges", "mutual"), ["edges", "only"]),
                               (("--affinity", "rbf", "--recall", "0.5"), ["recall", "only"]),
                               (("--gamma", "1", "--recall", "0.5"), ["affinity", "gamma", "recall"])):
            with self.subTest(options=options):
                self.assert_rejected("cluster", "points.csv", "-k", 3, *options, words=words)


if __name__ == "__main__":
    unittest.main()
