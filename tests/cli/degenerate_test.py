# SPDX-License-Identifier: Apache-2.0
"""Degenerate data: the program finds the right clusters, and no output contains NaN."""
import math
import unittest

import npy
from point_sets import blobs, three_blobs
from program import ProgramTest

METHODS = ("exact", "minibatch", "nystrom", "power", "chebyshev")


class Degenerate(ProgramTest):
    def cluster_rows(self, rows, clusters, *options):
        """Clusters the rows, checks that the embedding is finite, and returns (labels, summary)."""
        self.write_csv("points.csv", rows)
        labels, summary = self.cluster("points.csv", clusters, *options, "--embedding", "embedding.npy")
        embedding, _ = npy.decode((self.folder / "embedding.npy").read_bytes())
        self.assertEqual((len(embedding), len(embedding[0])), (len(rows), clusters))
        self.assertTrue(all(math.isfinite(value) for row in embedding for value in row))
        return labels, summary

    def test_two_points(self):
        for method in METHODS:
            with self.subTest(method=method):
                labels, _ = self.cluster_rows([[0.0, 1.0], [2.0, 3.0]], 2, "--method", method)
                self.assertEqual(sorted(labels), [0, 1])

    def test_two_distinct_points_many_times(self):
        classes = [0, 1, 1, 0, 1] * 6
        rows = [[5.0, -1.0] if label else [1.0, 2.0] for label in classes]
        for method in METHODS:
            with self.subTest(method=method):
                labels, _ = self.cluster_rows(rows, 2, "--method", method)
                self.assert_same_partition(labels, classes)

    def test_a_point_that_is_almost_isolated_takes_no_cluster(self):
        rows, classes = blobs([(0.0, 0.0), (6.0, 0.0), (0.0, 6.0)], (60, 50, 40), spread=1.0)
        # The affinities of the last point are at most exp(-34). They count in the degrees, so the point is not
        # isolated, but it must not become a cluster of its own.
        rows, classes = [*rows, [0.0, 17.0]], [*classes, 2]
        for options in (("--method", "exact"), ("--method", "nystrom"), ("--embedding-scale", "degree"),
                        ("--method", "nystrom", "--degrees", "nystrom"),
                        ("--degrees", "sampled", "--degree-columns", 100)):
            with self.subTest(options=options):
                labels, summary = self.cluster_rows(rows, 3, "--gamma", 0.5, *options)
                # The three clouds overlap: a few points may be in another cluster, but no cluster may vanish.
                self.assertGreaterEqual(min(summary["cluster_sizes"]), 35)
                self.assertEqual(labels[-1], labels[classes.index(2)])

    def test_as_many_clusters_as_points(self):
        rows = [[float(i), float(i * i)] for i in range(5)]
        labels, _ = self.cluster_rows(rows, 5)
        self.assertEqual(sorted(labels), list(range(5)))

    def test_one_cluster(self):
        rows, _ = three_blobs()
        labels, _ = self.cluster_rows(rows, 1)
        self.assertEqual(set(labels), {0})

    def test_one_outlier_at_a_million(self):
        rows, classes = blobs([(0.0, 0.0), (5.0, 0.0)], [40, 30], spread=0.3)
        labels, summary = self.cluster_rows(rows + [[1e6, 0.0]], 2, "--gamma", 1)
        self.assert_same_partition(labels[:-1], classes)
        # exp(-1e12) is 0: the outlier is isolated and gets the label of the nearest cluster, around (5, 0).
        self.assertEqual(labels[-1], labels[classes.index(1)])
        self.assertEqual(summary["isolated_points"], 1)

    def test_one_outlier_at_a_million_and_a_chosen_gamma(self):
        rows, _ = blobs([(0.0, 0.0), (5.0, 0.0)], [40, 30], spread=0.3)
        self.cluster_rows(rows + [[1e6, 0.0]], 2)

    def test_two_groups_far_apart(self):
        rows, classes = blobs([(0.0, 0.0, 0.0), (1e4, 1e4, 0.0)], [50, 40], spread=0.5)
        for options in (("--gamma", 1), ("--sigma", 1), ()):
            with self.subTest(options=options):
                labels, _ = self.cluster_rows(rows, 2, *options)
                self.assert_same_partition(labels, classes)

    def test_groups_far_from_the_origin(self):
        rows, classes = blobs([(1e4, 1e4), (1e4 + 5, 1e4)], [50, 40], spread=0.3)
        labels, _ = self.cluster_rows(rows, 2, "--gamma", 1)
        self.assert_same_partition(labels, classes)

    def test_constant_features_change_nothing(self):
        rows, classes = three_blobs()
        padded = [[7.0, *row, 0.0] for row in rows]
        for scale in ("none", "unit", "symmetric", "standard"):
            with self.subTest(scale=scale):
                labels, _ = self.cluster_rows(padded, 3, "--scale", scale)
                self.assert_same_partition(labels, classes)

    def test_duplicates_share_a_label(self):
        rows, classes = three_blobs()
        labels, _ = self.cluster_rows(rows + rows, 3)
        self.assert_same_partition(labels, classes + classes)

    def test_isolated_points_join_the_nearest_cluster(self):
        rows, classes = blobs([(0.0, 0.0), (10.0, 0.0)], [40, 30], spread=0.3)
        isolated = [[-60.0, 0.0], [80.0, 0.0], [10.0, 90.0]]
        for method in METHODS:
            with self.subTest(method=method):
                labels, summary = self.cluster_rows(rows + isolated, 2, "--gamma", 1, "--method", method)
                self.assert_same_partition(labels, classes + [0, 1, 1])
                self.assertEqual(summary["isolated_points"], 3)

    def test_disconnected_groups_have_eigenvalues_one(self):
        rows, classes = blobs([(0.0, 0.0), (50.0, 0.0), (0.0, 50.0)], [30, 20, 10], spread=0.3)
        labels, summary = self.cluster_rows(rows, 3, "--gamma", 1, "--method", "exact", "--regularization", 0)
        self.assert_same_partition(labels, classes)
        for value in summary["eigenvalues"][:3]:
            self.assertAlmostEqual(value, 1.0, delta=1e-4)

    def test_one_feature(self):
        rows, classes = blobs([(0.0,), (5.0,)], [20, 10], spread=0.2)
        labels, _ = self.cluster_rows(rows, 2)
        self.assert_same_partition(labels, classes)

    def test_very_small_and_very_large_units(self):
        rows, classes = three_blobs()
        for unit in (1e-6, 1e6):
            with self.subTest(unit=unit):
                labels, _ = self.cluster_rows([[x * unit for x in row] for row in rows], 3)
                self.assert_same_partition(labels, classes)

    def test_other_affinities(self):
        rows, classes = blobs([(9.0, 1.0), (1.0, 9.0)], [25, 15], spread=0.3)
        for affinity in ("exponential", "cosine"):
            with self.subTest(affinity=affinity):
                labels, _ = self.cluster_rows(rows, 2, "--affinity", affinity)
                self.assert_same_partition(labels, classes)


if __name__ == "__main__":
    unittest.main()
