# SPDX-License-Identifier: Apache-2.0
"""`mbsc generate SHAPE` writes the features, and the class in the last column."""
import math
import unittest

import npy
from program import ProgramTest

SHAPES = ("rings", "moons", "blobs", "spirals")


class Generate(ProgramTest):
    def generate(self, shape, *options, name="points.csv"):
        self.run_program("generate", shape, *options, "--output", name, "--quiet")
        data = (self.folder / name).read_bytes()
        if name.endswith(".npy"):
            return npy.decode(data)[0]
        return [[float(cell) for cell in line.split(",")] for line in data.decode().splitlines()]

    def test_every_shape_has_its_rows_and_classes(self):
        for shape in SHAPES:
            with self.subTest(shape=shape):
                rows = self.generate(shape, "--n", 300, "--clusters", 2)
                self.assertEqual(len(rows), 300)
                self.assertEqual({len(row) for row in rows}, {3})
                self.assertTrue(all(math.isfinite(value) for row in rows for value in row))
                self.assertEqual({row[-1] for row in rows}, {0.0, 1.0})

    def test_more_clusters(self):
        for shape in ("rings", "blobs", "spirals"):
            with self.subTest(shape=shape):
                rows = self.generate(shape, "--n", 500, "--clusters", 5)
                self.assertEqual({row[-1] for row in rows}, {0.0, 1.0, 2.0, 3.0, 4.0})

    def test_more_features_for_blobs(self):
        rows = self.generate("blobs", "--n", 50, "--features", 7)
        self.assertEqual({len(row) for row in rows}, {8})

    def test_rings_without_noise_are_circles(self):
        rows = self.generate("rings", "--n", 400, "--clusters", 3, "--noise", 0)
        for label in range(3):
            radii = [math.hypot(x, y) for x, y, c in rows if c == label]
            self.assertLess(max(radii) - min(radii), 1e-3 * max(radii))

    def test_npy_and_csv_hold_the_same_points(self):
        text = self.generate("moons", "--n", 100, "--seed", 3)
        binary = self.generate("moons", "--n", 100, "--seed", 3, name="points.npy")
        for left, right in zip(text, binary, strict=True):
            for x, y in zip(left, right, strict=True):
                self.assertAlmostEqual(x, y, delta=1e-5)

    def test_the_seed_decides(self):
        for shape in SHAPES:
            with self.subTest(shape=shape):
                first = self.generate(shape, "--n", 50, "--seed", 1)
                self.assertEqual(self.generate(shape, "--n", 50, "--seed", 1), first)
                self.assertNotEqual(self.generate(shape, "--n", 50, "--seed", 2), first)

    def test_standard_output(self):
        self.generate("rings", "--n", 20)
        stdout, _ = self.run_program("generate", "rings", "--n", 20, "--output", "-")
        self.assertEqual(stdout, (self.folder / "points.csv").read_text())

    def test_what_is_generated_can_be_clustered(self):
        self.generate("blobs", "--n", 300, "--clusters", 3, "--noise", 0.05)
        _, summary = self.cluster("points.csv", 3, "--label-column", "last")
        self.assertGreater(summary["nmi"], 0.9)

    def test_bad_options(self):
        self.assert_rejected("generate", "pentagons", "--output", "p.csv", words=["pentagons"])
        self.assert_rejected("generate", "rings", "--n", 0, "--output", "p.csv", words=["0"])
        self.assert_rejected("generate", "rings", "--n", -5, "--output", "p.csv", words=["-5"])
        self.assert_rejected("generate", "moons", "--features", 5, "--output", "p.csv", words=["features", "5"])
        self.assert_rejected("generate", "rings", "--output", "nowhere/p.csv", words=["nowhere"])
        self.assert_rejected("generate", "rings", "--output", "points.xlsx", words=["points.xlsx"])


if __name__ == "__main__":
    unittest.main()
