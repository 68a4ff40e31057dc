# SPDX-License-Identifier: Apache-2.0
"""The paper's data set Pendigits (scripts/get-data), in the folder MBSC_DATA or data/. Skipped if it is absent."""
import os
import pathlib
import unittest

from program import ROOT, ProgramTest

DATA = pathlib.Path(os.environ.get("MBSC_DATA", ROOT / "data")).resolve()
PENDIGITS = DATA / "pendigits.csv.gz"


@unittest.skipUnless(PENDIGITS.exists(), "skipped: no data")
class Pendigits(ProgramTest):
    def pendigits(self, *options):
        _, summary = self.cluster(PENDIGITS, 10, "--label-column", "last", "--sigma", 223.61, *options)
        self.assertEqual((summary["n"], summary["d"]), (10992, 16))
        return summary

    def test_exact_gives_the_nmi_of_the_exact_cut(self):
        summary = self.pendigits("--method", "exact", "--tolerance", 1e-4)
        self.assertEqual(len(summary["residuals"]), 10)
        self.assertLessEqual(max(summary["residuals"]), 1e-4)
        self.assertGreaterEqual(summary["nmi"], 0.65)
        self.assertLessEqual(summary["nmi"], 0.69)
        for value, expected in zip(summary["eigenvalues"], (1, 0.165, 0.150, 0.094, 0.060, 0.037)):
            self.assertAlmostEqual(value, expected, delta=1e-3)

    def test_the_papers_settings_reach_its_nmi_in_one_pass(self):
        # The median NMI of ten seeds is at least 0.65; a single seed may be a little below.
        summary = self.pendigits("--method", "minibatch", "--preset", "paper", "--passes", 1)
        self.assertGreaterEqual(summary["nmi"], 0.62)


if __name__ == "__main__":
    unittest.main()
