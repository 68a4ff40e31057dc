# SPDX-License-Identifier: Apache-2.0
"""Tests of check_alone.py: a file that needs an include of its neighbor is found, a complete file is not."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

CHECK = pathlib.Path(__file__).resolve().parent / "check_alone.py"


class CheckAloneTest(unittest.TestCase):
    def check(self, second):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "Unity").mkdir()
            (folder / "first.cpp").write_text("#include <numeric>\nint one() { return 1; }\n", encoding="utf-8")
            (folder / "second.cpp").write_text(second, encoding="utf-8")
            joined = folder / "Unity/unity_0_cxx.cxx"
            joined.write_text(f'#include "{folder}/first.cpp"\n#include "{folder}/second.cpp"\n', encoding="utf-8")
            entry = {"file": str(joined), "directory": name, "command": f"c++ -std=c++20 -o joined.o -c {joined}"}
            (folder / "compile_commands.json").write_text(json.dumps([entry]), encoding="utf-8")
            return subprocess.run([sys.executable, "-B", CHECK, folder], capture_output=True, text=True, check=False)

    def test_a_missing_include_is_found(self):
        done = self.check("int sum(int* a) { return std::accumulate(a, a + 2, 0); }\n")
        self.assertEqual(done.returncode, 1)
        self.assertIn("second.cpp", done.stdout)
        self.assertIn("2 files, of which 1", done.stdout)

    def test_complete_files_pass(self):
        done = self.check("#include <numeric>\nint sum(int* a) { return std::accumulate(a, a + 2, 0); }\n")
        self.assertEqual(done.returncode, 0, done.stdout)


if __name__ == "__main__":
    unittest.main()
