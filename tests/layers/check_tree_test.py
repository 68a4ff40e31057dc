# SPDX-License-Identifier: Apache-2.0
"""check_tree.py must report each kind of violation, and nothing else."""
import pathlib
import tempfile
import unittest

import check_tree

HEAD = "// SPDX-License-Identifier: Apache-2.0\n"


class CheckTree(unittest.TestCase):
    def violations_of(self, path, text):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
            return check_tree.violations(folder)

    def assert_one(self, path, text, *words):
        found = self.violations_of(path, text)
        self.assertEqual(len(found), 1, found)
        for word in (path, *words):
            self.assertIn(word, found[0])

    def test_a_good_file_passes(self):
        self.assertEqual(self.violations_of("mbsc/base/a.h", HEAD + "#pragma once\n"), [])

    def test_a_missing_license_is_reported(self):
        for path, text in (("a.cpp", "int x;\n"), ("a.py", "\n"), ("CMakeLists.txt", ""), ("run", "#!/bin/sh\n")):
            with self.subTest(path=path):
                self.assert_one(path, text, "SPDX")

    def test_a_long_file_is_reported(self):
        self.assertEqual(self.violations_of("a.md", "x\n" * 5000), [])
        self.assert_one("a.py", "# SPDX-License-Identifier: Apache-2.0\n" * 401, "401")

    def test_data_may_be_long(self):
        self.assertEqual(self.violations_of("examples/a.csv", "1,2\n" * 5000), [])

    def test_a_name_that_says_nothing_is_reported(self):
        self.assert_one("mbsc/base/utils.h", HEAD, "name the file")

    def test_a_path_of_one_machine_is_reported(self):
        for path in ("/" + "work/main", "/tmp/" + "wt/x", "/" + "home/somebody", "../" + "shared/data"):
            with self.subTest(path=path):
                self.assert_one("a.md", f"one\nsee {path}\n", ":2:", "machine")

    def test_a_word_with_such_letters_is_not_reported(self):
        self.assertEqual(self.violations_of("a.md", "docs/work/x and example.org/home/x\n"), [])


if __name__ == "__main__":
    unittest.main()
