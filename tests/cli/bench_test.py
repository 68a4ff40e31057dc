# SPDX-License-Identifier: Apache-2.0
"""`mbsc bench` measures the speed of this machine."""
import json
import unittest

from program import ProgramTest


class Bench(ProgramTest):
    def test_json_has_every_size_and_rates_that_agree(self):
        stdout, _ = self.run_program("bench", "--json", "--seconds", "0.1", "--threads", "1", "--n", "100000",
                                     "--features", "16", "--clusters", "7")
        found = json.loads(stdout)
        self.assertEqual({(row["d"], row["right_hand_sides"]) for row in found["tile"]},
                         {(d, r) for d in (2, 9, 16, 54, 128, 784) for r in (1, 8, 16, 32)})
        for row in found["tile"]:
            self.assertEqual(row["threads"], 1)
            self.assertGreater(row["pairs_per_second"], 0)
            operations = 2e-9 * (row["d"] + row["right_hand_sides"])
            self.assertAlmostEqual(row["gflops"] / (row["pairs_per_second"] * operations), 1, places=6)
            if found["sgemm"] is None:
                self.assertIsNone(row["share"])
            else:
                self.assertAlmostEqual(row["share"] / (row["gflops"] / row["sgemm_gflops"]), 1, places=6)
        a_pass = found["pass"]
        self.assertEqual((a_pass["n"], a_pass["d"], a_pass["clusters"]), (100000, 16, 7))
        self.assertAlmostEqual(a_pass["seconds"] * a_pass["pairs_per_second"] / 100000 ** 2, 1, places=6)

    def test_report_for_people(self):
        stdout, _ = self.run_program("bench", "--seconds", "0.1", "--threads", "1")
        self.assertIn("right-hand sides", stdout)
        self.assertIn("784", stdout)

    def test_refuses_half_a_prediction(self):
        for options in (["--n", "10"], ["--features", "3"], ["--seconds", "0"]):
            self.assert_rejected("bench", *options)


if __name__ == "__main__":
    unittest.main()
