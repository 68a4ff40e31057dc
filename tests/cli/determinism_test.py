# SPDX-License-Identifier: Apache-2.0
"""Same seed, same bits: for any number of threads, and if a run is repeated."""
import unittest

from point_sets import rings
from program import ProgramTest

METHODS = (
    ("exact",),
    ("minibatch", "--passes", 2),
    ("minibatch", "--passes", 2, "--preset", "paper"),
    ("minibatch", "--passes", 2, "--degrees", "sampled"),
    ("minibatch", "--passes", 2, "--start", "random"),
    ("nystrom",),
    ("power",),
    ("chebyshev",),
)


class SameBits(ProgramTest):
    def setUp(self):
        super().setUp()
        rows, _ = rings(1013)  # a prime number: the last block of rows is not full
        self.write_csv("rings.csv", rows)

    def bits(self, *options):
        """Runs the program and returns the bytes of its labels and of its embedding."""
        self.run_program("cluster", "rings.csv", "-k", 4, "--gamma", 4, *options, "--quiet",
                         "--labels", "labels.txt", "--embedding", "embedding.npy")
        return tuple((self.folder / name).read_bytes() for name in ("labels.txt", "embedding.npy"))

    def test_any_number_of_threads(self):
        for method in METHODS:
            with self.subTest(method=method):
                one = self.bits("--method", *method, "--threads", 1)
                for threads in (2, 3, 1):
                    self.assertEqual(self.bits("--method", *method, "--threads", threads), one)

    def test_seed_zero_is_the_default(self):
        self.assertEqual(self.bits("--method", "minibatch"), self.bits("--method", "minibatch", "--seed", 0))

    def test_another_seed_gives_another_start(self):
        self.assertNotEqual(self.bits("--method", "minibatch", "--seed", 1)[1],
                            self.bits("--method", "minibatch", "--seed", 2)[1])


if __name__ == "__main__":
    unittest.main()
