# SPDX-License-Identifier: Apache-2.0
"""If an option is wrong: exit code 2, a message that names the rule and the value, and no new file."""
import unittest

from point_sets import three_blobs
from program import ROOT, ProgramTest

OUTPUTS = ("--labels", "labels.txt", "--embedding", "embedding.npy", "--summary", "summary.json")


class BadOption(ProgramTest):
    def setUp(self):
        super().setUp()
        rows, classes = three_blobs()
        self.write_csv("points.csv", [[*row, label] for row, label in zip(rows, classes)])

    def assert_options_rejected(self, *options, words=()):
        return self.assert_rejected("cluster", "points.csv", *options, *OUTPUTS, words=words)

    def test_no_clusters(self):
        self.assert_options_rejected("-k", 0, words=["clusters", "0"])

    def test_negative_number_of_clusters(self):
        self.assert_options_rejected("-k", -3, words=["-3"])

    def test_more_clusters_than_points(self):
        self.assert_options_rejected("-k", 61, words=["clusters", "60", "61"])

    def test_clusters_missing(self):
        self.assert_options_rejected(words=["-k"])

    def test_clusters_not_a_number(self):
        self.assert_options_rejected("-k", "three", words=["three"])

    def test_sigma_must_be_positive(self):
        for value in ("-1.5", "0", "nan"):
            with self.subTest(value=value):
                self.assert_options_rejected("-k", 3, "--sigma", value, words=["sigma", value])

    def test_gamma_must_be_positive(self):
        for value in ("-2", "0", "nan", "inf", "wide"):
            with self.subTest(value=value):
                self.assert_options_rejected("-k", 3, "--gamma", value, words=["gamma", value])

    def test_gamma_and_sigma_exclude_each_other(self):
        self.assert_options_rejected("-k", 3, "--gamma", 1, "--sigma", 1, words=["gamma", "sigma"])

    def test_unknown_option(self):
        self.assert_options_rejected("-k", 3, "--sigmoid", 1, words=["--sigmoid"])

    def test_unknown_words_of_a_choice(self):
        for option in ("--method", "--affinity", "--scale", "--embedding-scale", "--preset", "--start"):
            with self.subTest(option=option):
                self.assert_options_rejected("-k", 3, option, "unheard", words=[option.lstrip("-"), "unheard"])

    def test_label_column_out_of_range(self):
        for value in ("4", "0", "-1", "middle"):
            with self.subTest(value=value):
                self.assert_options_rejected("-k", 3, "--label-column", value, words=["label-column", value])

    def test_numbers_out_of_range(self):
        for option, value in (("--threads", -1), ("--passes", -1), ("--iterations", -5), ("--seconds", -1),
                              ("--tolerance", -1e-3), ("--batch-size", 0), ("--regularization", -0.5),
                              ("--scale-rows", 61), ("--seed", -1), ("--degree-columns", 0)):
            with self.subTest(option=option):
                self.assert_options_rejected("-k", 3, option, value, words=[value])

    def test_degree_columns_out_of_range_or_out_of_place(self):
        self.assert_options_rejected("-k", 3, "--degrees", "sampled", "--degree-columns", 61, words=["60", "61"])
        self.assert_options_rejected("-k", 3, "--degree-columns", 60, words=["degree-columns", "sampled"])
        self.assert_options_rejected("-k", 3, "--degrees", "sampled", "--passes", 0.5, words=["60", "0.5", "30"])
        self.assert_options_rejected("-k", 3, "--degrees", "guessed", words=["degrees", "guessed"])

    def test_tolerance_without_the_products_that_tell_it(self):
        self.assert_options_rejected("-k", 3, "--method", "minibatch", "--tolerance", 1e-4, "--no-polish",
                                     words=["tolerance", "polish"])

    def test_an_option_that_the_method_does_not_have(self):
        for method, option, value in (("power", "--guards", 3), ("exact", "--batch-size", 10), ("nystrom", "--start", "random"),
                                      ("exact", "--step-rule", "adagrad"), ("minibatch", "--basis-size", 50),
                                      ("minibatch", "--epsilon", 1e-3), ("power", "--stall", 1e-3),
                                      ("nystrom", "--iterations", 5), ("nystrom", "--seconds", 5)):
            with self.subTest(method=method, option=option):
                self.assert_options_rejected("-k", 3, "--method", method, option, value,
                                             words=[option.lstrip("-"), method, "does not apply"])

    def test_without_a_method_the_options_choose_one_that_has_them(self):
        for option, value, method in (("--guards", 3, "minibatch"), ("--basis-size", 50, "exact")):
            with self.subTest(option=option):
                _, summary = self.cluster("points.csv", 3, option, value)
                self.assertEqual(summary["method"], method)
        self.assert_options_rejected("-k", 3, "--guards", 3, "--basis-size", 50, words=["does not apply"])

    def test_unknown_command(self):
        self.assert_rejected("clutser", "points.csv", words=["clutser"])

    def test_no_command(self):
        self.assert_rejected()


class Documents(ProgramTest):
    def test_the_page_of_options_is_that_of_the_program(self):
        stdout, _ = self.run_program("options")
        self.assertEqual((ROOT / "docs/options.md").read_text(), stdout, "run: mbsc options > docs/options.md")


class Help(ProgramTest):
    def test_version_is_that_of_the_file_version(self):
        stdout, _ = self.run_program("--version")
        self.assertIn((ROOT / "VERSION").read_text().strip(), stdout)

    def test_help_names_the_commands(self):
        stdout, _ = self.run_program("--help")
        for command in ("cluster", "generate", "score", "info"):
            self.assertIn(command, stdout)

    def test_help_of_a_command_names_its_options(self):
        stdout, _ = self.run_program("cluster", "--help")
        for option in ("--label-column", "--sigma", "--gamma", "--method", "--labels", "--embedding", "--summary",
                       "--threads", "--seed", "--quiet", "--tolerance", "--passes", "--preset", "--degrees",
                       "--degree-columns"):
            self.assertIn(option, stdout)


if __name__ == "__main__":
    unittest.main()
