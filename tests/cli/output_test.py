# SPDX-License-Identifier: Apache-2.0
"""What the program writes, where, and in which form."""
import math
import unittest

import npy
from point_sets import three_blobs
from program import ROOT, ProgramTest

KEYS = ("n", "d", "clusters", "method", "gamma", "seed", "threads", "status", "iterations", "columns_evaluated",
        "kernel_values", "passes", "flops", "eigenvalues", "residuals", "nmi", "nmi_geometric", "ari", "accuracy",
        "normalized_cut", "cluster_sizes", "seconds", "peak_memory_bytes", "version")
STAGES = ("read", "degrees", "solve", "kmeans", "total")
METHODS = ("exact", "minibatch", "nystrom", "power", "chebyshev")


class Output(ProgramTest):
    def setUp(self):
        super().setUp()
        rows, self.classes = three_blobs()
        self.write_csv("points.csv", [[*row, label] for row, label in zip(rows, self.classes)])

    def cluster_points(self, *options, **keywords):
        return self.cluster("points.csv", 3, "--label-column", "last", *options, **keywords)

    def test_labels_in_input_order_by_size(self):
        for method in METHODS:
            with self.subTest(method=method):
                labels, _ = self.cluster_points("--method", method)
                self.assertEqual(labels, self.classes, "the classes have 30, 20 and 10 points, in this order")

    def test_embedding_is_float32_with_orthonormal_columns(self):
        for options in ((), ("--embedding-scale", "row"), ("--embedding-scale", "degree"), ("--method", "minibatch"),
                        ("--method", "nystrom"), ("--method", "power")):
            with self.subTest(options=options):
                self.cluster_points("--embedding", "embedding.npy", *options)
                rows, dtype = npy.decode((self.folder / "embedding.npy").read_bytes())
                self.assertEqual(dtype, "<f4")
                self.assertEqual((len(rows), len(rows[0])), (60, 3))
                # Sixty float32 products with an error of at most 6e-8 each, and a margin for the solver's rounding.
                self.assert_orthonormal(list(zip(*rows)), tolerance=1e-5)

    def test_summary_has_every_documented_key(self):
        for method in METHODS:
            with self.subTest(method=method):
                _, summary = self.cluster_points("--method", method, "--seed", 7, "--threads", 2)
                self.assertEqual([key for key in KEYS if key not in summary], [])
                self.assertEqual([stage for stage in STAGES if stage not in summary["seconds"]], [])
                self.assertEqual(summary["method"], method)
                self.assertEqual((summary["n"], summary["d"], summary["clusters"]), (60, 2, 3))
                self.assertEqual((summary["seed"], summary["threads"]), (7, 2))
                self.assertEqual(summary["version"], (ROOT / "VERSION").read_text().strip())

    def test_switches_are_on_unless_they_are_switched_off(self):
        rows, _ = three_blobs((600, 400, 200))
        self.write_csv("many.csv", rows)
        for arguments, polish, control_variate in (((), True, True), (("--polish", "--control-variate"), True, True),
                                                   (("--no-polish",), False, True),
                                                   (("--no-control-variate",), True, False)):
            with self.subTest(arguments=arguments):
                _, summary = self.cluster("many.csv", 3, "--method", "minibatch", "--passes", 2, *arguments)
                self.assertEqual(summary["minibatch"]["polish"], polish)
                self.assertEqual(summary["residuals"] is not None, polish)
                self.assertEqual(summary["minibatch"]["control_variate"], control_variate)
                self.assertEqual(summary["control_variate_weight"] > 0, control_variate)

    def test_summary_and_report_say_where_degrees_come_from(self):
        _, summary = self.cluster_points()
        self.assertIsNone(summary["degrees"], "a graph is not sampled")
        _, summary = self.cluster_points("--affinity", "rbf")
        self.assertEqual(summary["degrees"], "exact")
        self.assertEqual([summary["degree_columns_evaluated"], summary["degree_relative_error"]], [None, None])
        rows, _ = three_blobs((600, 400, 200))
        self.write_csv("many.csv", rows)
        _, summary = self.cluster("many.csv", 3, "--degrees", "sampled", "--degree-columns", 300)
        self.assertEqual(summary["degrees"], "sampled")
        self.assertEqual(summary["degree_columns"], 300)
        self.assertTrue(300 <= summary["degree_columns_evaluated"] <= 375)
        self.assertTrue(0 < summary["degree_relative_error"] <= summary["degree_largest_error"])
        self.assertEqual(summary["columns_evaluated"], round(summary["passes"] * 1200))
        _, stderr = self.run_program("cluster", "many.csv", "-k", 3, "--degrees", "sampled", "--degree-columns", 300,
                                     "--labels", "l.txt")
        self.assertRegex(stderr, r"degrees +sampled from 3\d\d columns, typical error [\d.]+ %")

    def test_summary_of_an_exact_run_is_certified(self):
        _, summary = self.cluster_points("--method", "exact")
        self.assertEqual(summary["status"], "converged")
        self.assertEqual((len(summary["eigenvalues"]), len(summary["residuals"])), (3, 3))
        self.assertAlmostEqual(summary["eigenvalues"][0], 1.0, delta=1e-4)
        self.assertEqual(summary["eigenvalues"], sorted(summary["eigenvalues"], reverse=True))
        self.assertLessEqual(max(summary["residuals"]), 1e-3)
        self.assertEqual([summary[key] for key in ("nmi", "ari", "accuracy")], [1.0, 1.0, 1.0])
        self.assertGreaterEqual(summary["normalized_cut"], -1e-6)
        self.assertLessEqual(summary["normalized_cut"], 3.0)
        self.assertGreater(summary["passes"], 0)
        self.assertGreater(summary["kernel_values"], 0)
        self.assertGreater(summary["peak_memory_bytes"], 0)

    def test_summary_of_an_exact_run_names_its_start(self):
        for option, start in (((), "random"), (("--start", "random"), "random"), (("--start", "nystrom"), "nystrom")):
            with self.subTest(option=option):
                _, summary = self.cluster_points("--method", "exact", *option)
                self.assertEqual(summary["exact"]["start"], start)

    def test_summary_seconds_add_up(self):
        _, summary = self.cluster_points()
        seconds = summary["seconds"]
        self.assertTrue(all(value >= 0 and math.isfinite(value) for value in seconds.values()))
        parts = math.fsum(seconds[stage] for stage in STAGES if stage != "total")
        self.assertLessEqual(parts, seconds["total"] * 1.001 + 1e-6)

    def test_labels_on_standard_output_are_alone_there(self):
        stdout, stderr = self.run_program("cluster", "points.csv", "-k", 3, "--label-column", "last", "--labels", "-")
        self.assertEqual([int(line) for line in stdout.splitlines()], self.classes)
        self.assertTrue(stderr.strip(), "the summary for people goes to stderr")

    def test_nothing_on_standard_output_when_labels_go_to_a_file(self):
        stdout, _ = self.run_program("cluster", "points.csv", "-k", 3, "--label-column", "last", "--labels", "l.txt")
        self.assertEqual(stdout, "")

    def test_report_for_people_names_the_essentials(self):
        for options, words in (((), ("choice", "neighbors", "because", "nearest", "edges", "components")),
                               (("--gamma", 2), ("choice", "rbf, because gamma is given", "gamma 2")),
                               (("--affinity", "rbf"), ("rbf, gamma", "(auto)"))):
            _, stderr = self.run_program("cluster", "points.csv", "-k", 3, "--label-column", "last", "--labels", "l.txt",
                                         *options)
            for word in (*words, "eigenvalues", "clusters", "nmi", "memory", "60", "30", "20", "10"):
                self.assertIn(word, stderr.lower())
            self.assertEqual("choice" in stderr, "--affinity" not in options)

    def test_summary_says_why_an_affinity_was_chosen(self):
        for options, reason in (((), "there are at most 2000000 points"), (("--gamma", 2), "gamma is given"),
                                (("--affinity", "rbf"), None)):
            _, summary = self.cluster_points(*options)
            self.assertEqual(summary["affinity_reason"], reason)

    def test_no_progress_bar_and_no_color_without_a_terminal(self):
        _, stderr = self.run_program("cluster", "points.csv", "-k", 3, "--labels", "l.txt")
        self.assertNotIn("\r", stderr)
        self.assertNotIn("\x1b", stderr)

    def test_quiet_prints_nothing(self):
        stdout, stderr = self.run_program("cluster", "points.csv", "-k", 3, "--quiet", "--labels", "l.txt")
        self.assertEqual((stdout, stderr), ("", ""))
        self.assertEqual(len(self.labels("l.txt")), 60)

    def test_quiet_still_says_what_is_wrong(self):
        self.assert_rejected("cluster", "points.csv", "-k", 0, "--quiet", words=["clusters"])

    def test_only_the_files_that_were_asked_for_appear(self):
        self.run_program("cluster", "points.csv", "-k", 3, "--labels", "l.txt", "--summary", "s.json")
        self.assertEqual(self.files(), ["l.txt", "points.csv", "s.json"])

    def test_an_existing_file_is_replaced(self):
        self.write("l.txt", "old\n" * 1000)
        self.run_program("cluster", "points.csv", "-k", 3, "--labels", "l.txt")
        self.assertEqual(len(self.labels("l.txt")), 60)

    def test_a_failed_run_leaves_an_existing_file_alone(self):
        self.write("l.txt", "old\n")
        self.assert_rejected("cluster", "points.csv", "-k", 61, "--labels", "l.txt")
        self.assertEqual((self.folder / "l.txt").read_text(), "old\n")


if __name__ == "__main__":
    unittest.main()
