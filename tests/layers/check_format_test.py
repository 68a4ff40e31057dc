# SPDX-License-Identifier: Apache-2.0
"""check_format.py must report a file that is not formatted, and no other file."""
import pathlib
import tempfile
import unittest

import check_format


@unittest.skipIf(check_format.find_program() is None, "no clang-format")
class CheckFormat(unittest.TestCase):
    def violations_of(self, text):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / ".clang-format").write_text("BasedOnStyle: Google\n")
            (root / "mbsc").mkdir()
            (root / "mbsc/a.cpp").write_text(text)
            return check_format.violations(root, check_format.find_program())

    def test_a_formatted_file_is_not_reported(self):
        self.assertEqual(self.violations_of("int f() { return 1; }\n"), [])

    def test_a_file_that_is_not_formatted_is_reported(self):
        self.assertIn("mbsc/a.cpp", self.violations_of("int   f( ) {return 1;}\n")[0])


if __name__ == "__main__":
    unittest.main()
