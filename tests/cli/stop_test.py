# SPDX-License-Identifier: Apache-2.0
"""Budgets, tolerances and Ctrl-C: the program writes the best answer so far, and its exit code says how it ended."""
import signal
import subprocess
import time
import unittest

from point_sets import rings
from program import ProgramTest

BUDGET_SPENT = 3
INTERRUPTED = 130
# float32 cannot reach this residual, so any budget is spent before.
UNREACHABLE = ("--tolerance", "1e-12")


class Budget(ProgramTest):
    def setUp(self):
        super().setUp()
        rows, _ = rings(600)
        self.write_csv("rings.csv", rows)

    def test_iterations_spent_before_the_tolerance(self):
        for method in ("minibatch", "exact"):
            with self.subTest(method=method):
                labels, summary = self.cluster("rings.csv", 2, "--gamma", 4, "--method", method, "--iterations", 1,
                                               *UNREACHABLE, code=BUDGET_SPENT)
                self.assertEqual(len(labels), 600)
                self.assertEqual(summary["status"], "budget spent")

    def test_passes_spent_before_the_tolerance(self):
        _, summary = self.cluster("rings.csv", 2, "--gamma", 4, "--method", "minibatch", "--passes", 0.5,
                                  *UNREACHABLE, code=BUDGET_SPENT)
        self.assertEqual(summary["status"], "budget spent")

    def test_seconds_spent_before_the_tolerance(self):
        before = time.monotonic()
        self.cluster("rings.csv", 2, "--gamma", 4, "--method", "minibatch", "--seconds", 1, "--stall", 0,
                     *UNREACHABLE, code=BUDGET_SPENT)
        self.assertLess(time.monotonic() - before, 20)

    def test_a_budget_without_a_tolerance_is_done_when_spent(self):
        for budget in (("--iterations", 5), ("--passes", 0.5)):
            with self.subTest(budget=budget):
                self.cluster("rings.csv", 2, "--gamma", 4, "--method", "minibatch", *budget)

    def test_a_tolerance_below_float32_ends_when_nothing_improves(self):
        _, summary = self.cluster("rings.csv", 2, "--gamma", 4, "--method", "exact", *UNREACHABLE, code=BUDGET_SPENT)
        self.assertEqual(summary["status"], "stalled")
        self.assertLess(summary["passes"], 100)
        self.assertLess(max(summary["residuals"]), 1e-5)

    def test_a_tolerance_that_is_reached(self):
        _, summary = self.cluster("rings.csv", 2, "--gamma", 4, "--method", "exact", "--tolerance", 1e-4)
        self.assertEqual(summary["status"], "converged")
        self.assertLessEqual(max(summary["residuals"]), 1e-4)

    def test_more_passes_are_counted(self):
        _, one = self.cluster("rings.csv", 2, "--gamma", 4, "--method", "minibatch", "--passes", 1)
        _, four = self.cluster("rings.csv", 2, "--gamma", 4, "--method", "minibatch", "--passes", 4, "--stall", 0)
        self.assertGreater(four["iterations"], one["iterations"])
        self.assertGreater(four["columns_evaluated"], one["columns_evaluated"])


class Interrupt(ProgramTest):
    def test_ctrl_c_writes_the_best_answer_so_far(self):
        rows, _ = rings(3000)
        self.write_csv("rings.csv", rows)
        process = self.start("cluster", "rings.csv", "-k", 2, "--gamma", 4, "--method", "minibatch",
                             "--seconds", 100, "--stall", 0, "--no-polish", "--passes", 100000,
                             "--labels", "labels.txt", "--summary", "summary.json")
        # Reading 3,000 points and computing their degrees takes well under a second. After that the program iterates.
        time.sleep(4)
        self.assertIsNone(process.poll(), "the run should still be going on")
        process.send_signal(signal.SIGINT)
        try:
            _, stderr = process.communicate(timeout=20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            self.fail("Ctrl-C did not end the run within 20 s")
        self.assertEqual(process.returncode, INTERRUPTED, stderr.decode())
        self.assertEqual(len(self.labels("labels.txt")), 3000)
        summary = self.summary("summary.json")
        self.assertEqual(summary["status"], "stopped")
        self.assertGreaterEqual(summary["iterations"], 1)

    def test_ctrl_c_while_reading_leaves_nothing(self):
        process = self.start("cluster", "-", "-k", 2, "--labels", "labels.txt")
        process.stdin.write(b"1,2\n3,4\n")
        process.stdin.flush()
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        try:
            process.communicate(timeout=20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            self.fail("Ctrl-C did not end the run within 20 s")
        self.assertEqual(process.returncode, INTERRUPTED)
        self.assertEqual(self.files(), [])


if __name__ == "__main__":
    unittest.main()
