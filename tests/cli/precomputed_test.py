# SPDX-License-Identifier: Apache-2.0
"""`--affinity precomputed`: the input file is a dense affinity matrix in NPY format."""
import math
import unittest

import npy
from point_sets import three_blobs
from program import ProgramTest

ROWS, CLASSES = three_blobs()


def affinities(gamma=1.0):
    """a_ij = exp(-gamma |x_i - x_j|^2), a_ii = 0."""
    return [[0.0 if i == j else math.exp(-gamma * math.dist(x, y) ** 2) for j, y in enumerate(ROWS)]
            for i, x in enumerate(ROWS)]


class Precomputed(ProgramTest):
    def assert_matrix_rejected(self, matrix, *words):
        self.write("a.npy", npy.encode(matrix))
        self.assert_rejected("cluster", "a.npy", "-k", 3, "--affinity", "precomputed", "--labels", "labels.txt",
                             words=("a.npy", *words))

    def test_it_gives_the_clusters_and_eigenvalues_of_the_points(self):
        self.write_csv("points.csv", ROWS)
        _, expected = self.cluster("points.csv", 3, "--gamma", 1, "--method", "exact")
        for dtype in ("<f4", "<f8"):
            with self.subTest(dtype=dtype):
                self.write("a.npy", npy.encode(affinities(), dtype))
                labels, summary = self.cluster("a.npy", 3, "--affinity", "precomputed", "--method", "exact")
                self.assert_same_partition(labels, CLASSES)
                for value, other in zip(summary["eigenvalues"], expected["eigenvalues"], strict=True):
                    self.assertAlmostEqual(value, other, delta=1e-4)

    def test_the_diagonal_is_taken_as_zero(self):
        matrix = affinities()
        for i, row in enumerate(matrix):
            row[i] = 1.0
        self.write("a.npy", npy.encode(affinities()))
        self.write("ones.npy", npy.encode(matrix))
        _, zeros = self.cluster("a.npy", 3, "--affinity", "precomputed", "--method", "exact")
        _, ones = self.cluster("ones.npy", 3, "--affinity", "precomputed", "--method", "exact")
        self.assertEqual(ones["eigenvalues"], zeros["eigenvalues"])

    def test_not_square(self):
        self.assert_matrix_rejected([row[:-1] for row in affinities()], "60", "59")

    def test_not_symmetric(self):
        matrix = affinities()
        matrix[3][7] += 0.5
        self.assert_matrix_rejected(matrix, "symmetric")

    def test_negative(self):
        matrix = affinities()
        matrix[3][7] = matrix[7][3] = -0.5
        self.assert_matrix_rejected(matrix, "-0.5")


if __name__ == "__main__":
    unittest.main()
