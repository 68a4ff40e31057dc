# SPDX-License-Identifier: Apache-2.0
"""`--affinity landmarks`: shapes that it must find, degenerate data, and what it refuses."""
import math
import random
import unittest

import npy
from point_sets import blobs, rings, three_blobs
from program import ProgramTest


class Landmarks(ProgramTest):
    def cluster_rows(self, rows, clusters, *options):
        """Clusters the rows, checks that the embedding is finite, and returns (labels, summary)."""
        self.write_csv("points.csv", rows)
        labels, summary = self.cluster("points.csv", clusters, "--affinity", "landmarks", *options, "--embedding",
                                       "embedding.npy")
        embedding, _ = npy.decode((self.folder / "embedding.npy").read_bytes())
        self.assertTrue(all(math.isfinite(value) for row in embedding for value in row))
        self.assertEqual(sorted(set(labels)), list(range(clusters)))
        return labels, summary

    def test_rings_are_found(self):
        rows, classes = rings(900)
        labels, summary = self.cluster_rows(rows, len(set(classes)))
        self.assert_same_partition(labels, classes)
        self.assertEqual(summary["method"], "transfer")
        self.assertEqual(summary["neighbors"], 5)
        self.assertEqual(summary["transfer"]["landmarks"], 225)
        self.assertEqual(summary["regularization"], 0)
        self.assertIsNone(summary["graph"]["distinct_points"])
        self.assertGreater(summary["graph"]["width"], 0)

    def test_noisy_shapes_are_found_in_many_points(self):
        for shape, clusters, noise in (("moons", 2, .1), ("rings", 2, .08), ("spirals", 3, .03)):
            with self.subTest(shape=shape):
                self.run_program("generate", shape, "--n", 40000, "--clusters", clusters, "--noise", noise, "-q",
                                 "-o", "shape.npy")
                _, summary = self.cluster("shape.npy", clusters, "--affinity", "landmarks", "--label-column", "last")
                self.assertGreater(summary["nmi"], .97)
                self.assertGreater(summary["graph"]["recall"], .98)

    def test_a_single_outlier_with_its_own_landmark_takes_no_cluster(self):
        # Each seed gives another set, and some sets have an outlier. Without the rule for weak edges
        # (landmark_graph.cpp), such an outlier would be a cluster in at least one of the six runs.
        for seed in range(6):
            with self.subTest(seed=seed):
                self.run_program("generate", "moons", "--n", 6000, "--noise", .1, "--seed", seed, "-q", "-o",
                                 "shape.npy")
                _, summary = self.cluster("shape.npy", 2, "--affinity", "landmarks", "--label-column", "last")
                self.assertGreater(summary["nmi"], .96)

    def test_methods_agree(self):
        rows, classes = three_blobs()
        for options in (("transfer",), ("chebyshev",), ("exact",), ("power", "--iterations", 200),
                        ("transfer", "--regularization", ".01"), ("chebyshev", "--landmarks", 40)):
            with self.subTest(options=options):
                labels, _ = self.cluster_rows(rows, 3, "--method", *options)
                self.assert_same_partition(labels, classes)

    def test_the_report_says_which_graph(self):
        rows, _ = three_blobs()
        self.write_csv("points.csv", rows)
        _, stderr = self.run_program("cluster", "points.csv", "-k", 3, "--affinity", "landmarks", "--neighbors", 4,
                                     "--landmarks", 50, "--labels", "labels.txt")
        self.assertIn("landmarks: the 4 nearest of 50 landmarks", stderr)

    def test_same_bits_for_any_number_of_threads(self):
        generator = random.Random(1)
        self.write_csv("points.csv", [[generator.gauss(0, 1) for _ in range(3)] for _ in range(6000)])

        def bits(threads):
            self.run_program("cluster", "points.csv", "-k", 4, "--affinity", "landmarks", "--threads", threads,
                             "--quiet", "--labels", "labels.txt", "--embedding", "embedding.npy")
            return tuple((self.folder / name).read_bytes() for name in ("labels.txt", "embedding.npy"))
        one = bits(1)
        for threads in (2, 3, 1):
            self.assertEqual(bits(threads), one)

    def test_two_points(self):
        labels, _ = self.cluster_rows([[0.0, 1.0], [2.0, 3.0]], 2)
        self.assertEqual(sorted(labels), [0, 1])

    def test_a_speck_takes_no_cluster(self):
        rows, classes = blobs([(0.0, 0.0), (14.0, 0.0)], (1500, 1500), spread=1.0)
        far = [[1000.0 + i, 1000.0] for i in range(25)]
        labels, summary = self.cluster_rows([*rows, *far], 2)
        self.assert_same_partition(labels[:3000], classes)
        # A few outliers of the normal clouds are specks, too.
        self.assertIn(summary["graph"]["speck_points"], range(25, 46))
        self.assertEqual(summary["isolated_points"], summary["graph"]["speck_points"])

    def test_more_components_than_clusters(self):
        rows, classes = blobs([(0.0, 0.0), (1000.0, 0.0), (0.0, 1000.0), (30.0, 1000.0)], (400, 300, 250, 200),
                              spread=1.0)
        labels, summary = self.cluster_rows(rows, 3)
        self.assertEqual(summary["graph"]["components"], 4)
        # The three largest components are the clusters. The smallest one joins the nearest of them.
        self.assert_same_partition(labels, [min(c, 2) for c in classes])

    def test_copies(self):
        rows, classes = three_blobs()
        rows, classes = rows * 20, classes * 20
        labels, _ = self.cluster_rows(rows, 3)
        self.assert_same_partition(labels, classes)

    def test_fewer_distinct_points_than_landmarks(self):
        labels, summary = self.cluster_rows([[float(i % 6 // 3 * 50 + i % 3), 0.0] for i in range(900)], 2)
        self.assertEqual(summary["transfer"]["landmarks"], 6)
        self.assert_same_partition(labels, [i % 6 // 3 for i in range(900)])

    def test_an_outlier_does_not_take_a_cluster(self):
        rows, classes = rings(900)
        labels, _ = self.cluster_rows([*rows, [1e6, 1e6]], len(set(classes)))
        self.assert_same_partition(labels[:-1], classes)

    def test_constant_features_and_one_feature(self):
        rows, classes = three_blobs()
        labels, _ = self.cluster_rows([[*row, 7.0, 0.0] for row in rows], 3, "--scale", "standard")
        self.assert_same_partition(labels, classes)
        generator = random.Random(2)
        line = [[generator.gauss(10.0 * (i % 3), 1)] for i in range(900)]
        labels, _ = self.cluster_rows(line, 3)
        self.assert_same_partition(labels, [i % 3 for i in range(900)])

    def test_misuse_is_refused(self):
        rows, _ = three_blobs()
        self.write_csv("points.csv", rows)
        for options, words in ((("--affinity", "landmarks", "--method", "nystrom"), ["nystrom", "dense"]),
                               (("--affinity", "landmarks", "--method", "minibatch"), ["minibatch", "dense"]),
                               (("--affinity", "landmarks", "--gamma", "1"), ["gamma"]),
                               (("--affinity", "landmarks", "--degrees", "sampled"), ["degrees", "only"]),
                               (("--affinity", "landmarks", "--recall", "0.5"), ["recall", "neighbors only"]),
                               (("--affinity", "landmarks", "--edge-weights", "binary"), ["edge-weights", "only"]),
                               (("--affinity", "landmarks", "--landmarks", "2"), ["landmarks", "at least", "3", "2"]),
                               (("--affinity", "landmarks", "--landmarks", "5", "--neighbors", "6"),
                                ["neighbors", "5; got 6"]),
                               (("--affinity", "landmarks", "--method", "exact", "--start", "nystrom"),
                                ["start must be random"]),
                               (("--affinity", "neighbors", "--landmarks", "50"), ["landmarks", "chebyshev"]),
                               (("--affinity", "neighbors", "--method", "transfer"), ["transfer", "landmarks"]),
                               (("--affinity", "rbf", "--method", "transfer"), ["transfer", "landmarks"])):
            with self.subTest(options=options):
                self.assert_rejected("cluster", "points.csv", "-k", 3, *options, words=words)


if __name__ == "__main__":
    unittest.main()
