# SPDX-License-Identifier: Apache-2.0
"""check_architecture.py must report each kind of violation, and nothing else."""
import pathlib
import tempfile
import unittest

import check_architecture


class CheckArchitecture(unittest.TestCase):
    def violations_of(self, text):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for path in ("mbsc/io/readers.cpp", "mbsc/options.h", "mbsc/io/deep/a.cpp"):
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text("")
            (root / "ARCHITECTURE.md").write_text(text)
            return check_architecture.violations(root)

    def test_true_statements_are_not_reported(self):
        self.assertEqual(self.violations_of("`mbsc/io/` has `deep/`, `io/readers.cpp` and `mbsc/*.h`\n"), [])

    def test_a_path_that_does_not_exist_is_reported(self):
        self.assertIn("mbsc/io/none.cpp", self.violations_of("`mbsc/io/` `mbsc/io/none.cpp`\n")[0])

    def test_a_folder_that_is_not_named_is_reported(self):
        self.assertIn("mbsc/io/", self.violations_of("nothing\n")[0])

    def test_a_wrong_number_of_files_is_reported(self):
        row = "`mbsc/io/`\n| add x | `mbsc/io/readers.cpp`, `mbsc/options.h` | {} |\n"
        self.assertEqual(self.violations_of(row.format(2)), [])
        self.assertEqual(self.violations_of(row.format(1)), [])  # one of the two files
        self.assertIn("names 2", self.violations_of(row.format(3))[0])
        self.assertIn("no number", self.violations_of(row.format("few"))[0])

    def test_a_folder_and_its_line_are_counted_apart(self):
        row = "| add x | `mbsc/io/`, `mbsc/options.h` | a folder and {} |\n"
        self.assertEqual(self.violations_of(row.format(1)), [])
        self.assertIn("1 folders and 1 files", self.violations_of(row.format(2))[0])


if __name__ == "__main__":
    unittest.main()
