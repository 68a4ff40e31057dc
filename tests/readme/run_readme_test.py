# SPDX-License-Identifier: Apache-2.0
"""run_readme.py must find the blocks, run them, and report failures."""
import os
import pathlib
import tempfile
import textwrap
import unittest

import run_readme


def blocks_of(text):
    return run_readme.blocks_of(textwrap.dedent(text))


class Blocks(unittest.TestCase):
    def test_only_shell_blocks_are_found(self):
        blocks = blocks_of("""\
            ```cpp
            int x;
            ```
            ```sh
            echo 1
            ```
            ```
            plain
            ```
            ```console
            $ echo 2
            2
            ```
            """)
        self.assertEqual([(block.line, block.kind) for block in blocks], [(4, "sh"), (10, "console")])

    def test_a_comment_skips_only_the_next_block(self):
        blocks = blocks_of("""\
            <!-- not run: it builds -->

            ```sh
            scripts/build
            ```
            ```sh
            echo 1
            ```
            <!-- needs: data/x.csv.gz -->
            ```sh
            echo 2
            ```
            <!-- not run: no effect, because text follows -->
            Text.
            ```sh
            echo 3
            ```
            """)
        self.assertEqual([block.not_run for block in blocks], ["it builds", "", "", ""])
        self.assertEqual([block.needs for block in blocks], ["", "", "data/x.csv.gz", ""])

    def test_console_commands_keep_their_expected_output(self):
        block = blocks_of("""\
            ```console
            $ echo a \\
              b
            a b
            $ true
            ```
            """)[0]
        self.assertEqual(run_readme.commands_of(block), [("echo a \\\n  b", ["a b"]), ("true", [])])

    def test_words_must_appear_in_order_and_numbers_are_ignored(self):
        self.assertIsNone(run_readme.first_missing_word(["nmi 0.67 ari 0.5", "..."], "x nmi 0.66\ny ari 0.4"))
        self.assertEqual(run_readme.first_missing_word(["ari nmi"], "nmi ari"), "nmi")


class Running(unittest.TestCase):
    def run_text(self, text):
        with tempfile.TemporaryDirectory() as folder:
            block = blocks_of(text)[0]
            return run_readme.run_block(block, pathlib.Path(folder), dict(os.environ))

    def test_a_block_that_succeeds_has_no_error(self):
        self.assertIsNone(self.run_text("```console\n$ echo took 3 s\ntook 5 s\n$ echo b\nb\n```\n"))

    def test_a_failing_command_is_an_error_with_its_output(self):
        error = self.run_text("```sh\necho reason\nfalse\necho never\n```\n")
        self.assertIn("exit code 1", error)
        self.assertIn("reason", error)
        self.assertNotIn("never\n", error.split("echo never")[1])

    def test_a_failure_inside_a_pipe_is_an_error(self):
        self.assertIn("exit code", self.run_text("```sh\nfalse | cat\n```\n"))

    def test_an_output_that_differs_is_an_error(self):
        self.assertIn("lacks 'expected'", self.run_text("```console\n$ echo found\nexpected\n```\n"))

    def test_a_document_runs_in_a_copy(self):
        with tempfile.TemporaryDirectory() as name:
            root = pathlib.Path(name).resolve()
            (root / "README.md").write_text("```sh\ntest -e README.md\ntouch made\n```\n```sh\ntest -e made\n```\n")
            (root / "built").mkdir()
            self.assertEqual(run_readme.run_document(root / "README.md", root, root / "built"), 0)
            self.assertFalse((root / "made").exists())


if __name__ == "__main__":
    unittest.main()
