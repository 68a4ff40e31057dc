# SPDX-License-Identifier: Apache-2.0
"""check_layers.py must report each kind of violation, and nothing else."""
import pathlib
import tempfile
import unittest

import check_layers


class CheckLayers(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)

    def write(self, path, text):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def violations_of(self, path, text):
        self.write(path, text)
        return check_layers.violations(self.root)

    def assert_one(self, path, text, *words):
        found = self.violations_of(path, text)
        self.assertEqual(len(found), 1, found)
        for word in (path, *words):
            self.assertIn(word, found[0])

    def test_an_empty_tree_has_no_violation(self):
        self.assertEqual(check_layers.violations(self.root), [])

    def test_includes_to_the_left_are_allowed(self):
        self.write("mbsc/base/a.h", "#pragma once\n#include <vector>\n")
        self.write("mbsc/comm/b.h", '#include "mbsc/base/a.h"\n#include "mbsc/base/version.h"\n')
        self.write("mbsc/comm/mpi_comm.cpp", '#include <mpi.h>\n#include "mbsc/comm/b.h"\n')
        self.write("mbsc/simd/tile.cpp", "#include <hwy/highway.h>\n")
        self.write("mbsc/solvers/c.cpp", '#include "mbsc/affinity/x.h"\n#include "mbsc/io/y.h"\n')
        self.write("mbsc/cluster.cpp", '#include "mbsc/flow/k.h"\n#include "mbsc/cluster.h"\n')
        self.write("mbsc/cluster.h", '#include <vector>\n#include "mbsc/input.h"\n')
        self.write("mbsc/solvers/d.cpp", '#include "mbsc/options/row.h"\n#include "mbsc/comm.h"\n')
        self.write("cli/main.cpp", '#include "mbsc/cluster.h"\n#include "cli/progress.h"\n')
        self.assertEqual(check_layers.violations(self.root), [])

    def test_each_include_to_the_right_is_reported(self):
        order = ["base", "simd", "linalg", "kmeans", "affinity", "solvers", "metrics", "options", "flow", "report"]
        for left, right in zip(order, order[1:]):
            with self.subTest(left=left, right=right):
                path = f"mbsc/{left}/a.cpp"
                self.assert_one(path, f'\n#include "mbsc/{right}/b.h"\n', ":2:", left, right)
                (self.root / path).unlink()

    def test_siblings_must_not_include_each_other(self):
        for left, right in (("simd", "comm"), ("comm", "simd"), ("io", "kmeans"), ("kmeans", "io"), ("model", "flow"),
                            ("flow", "model")):
            with self.subTest(left=left, right=right):
                path = f"mbsc/{left}/a.h"
                self.assert_one(path, f"#include <mbsc/{right}/b.h>\n", left, right)
                (self.root / path).unlink()

    def test_the_library_must_not_include_its_front_doors(self):
        self.assert_one("mbsc/cluster.cpp", '#include "cli/progress.h"\n', "cluster", "cli")

    def test_the_front_doors_must_not_include_each_other(self):
        self.assert_one("python/module.cpp", '#include "cli/progress.h"\n', "python", "cli")

    def test_a_layer_must_not_include_the_public_flow(self):
        self.assert_one("mbsc/metrics/a.cpp", '#include "mbsc/cluster.h"\n', "metrics", "options")

    def test_a_public_header_must_not_include_an_internal_one_or_a_library(self):
        self.assert_one("mbsc/model.h", '#include "mbsc/base/aligned.h"\n', "public header")
        (self.root / "mbsc/model.h").unlink()
        self.assert_one("mbsc/model.h", "#include <Eigen/Core>\n", "public header")

    def test_the_rows_of_the_option_table_are_vocabulary_but_the_table_is_not(self):
        self.assert_one("mbsc/solvers/a.cpp", '#include "mbsc/options/table.h"\n', "solvers", "options")

    def test_a_path_relative_to_the_file_is_resolved(self):
        self.write("mbsc/solvers/b.h", "")
        self.assert_one("mbsc/linalg/a.cpp", '#include "../solvers/b.h"\n', "linalg", "solvers")

    def test_a_folder_that_is_no_layer_is_reported(self):
        self.assert_one("mbsc/stray/a.cpp", "", "no known layer")

    def test_mpi_outside_its_corner_is_reported(self):
        self.assert_one("mbsc/comm/thread_comm.cpp", "#include <mpi.h>\n", "mpi.h")

    def test_highway_outside_simd_is_reported(self):
        self.assert_one("mbsc/affinity/rbf.cpp", '#include "hwy/highway.h"\n', "hwy/highway.h")

    def test_printing_and_ending_the_process_are_reported(self):
        for line in ("std::cout << 1;", "std::cerr << 1;", 'printf("x");', 'std::printf("x");', "std::puts(text);",
                     'std::fprintf(stderr, "x");', 'fmt::print("x");', "exit(1);", "std::exit(1);", "std::abort();",
                     "abort();"):
            with self.subTest(line=line):
                self.assert_one("mbsc/base/a.cpp", f"int x;\n  {line}\n", ":2:", "must not print")

    def test_harmless_words_are_not_reported(self):
        text = ('// exit(1), std::cout\n/* abort()\n printf("x") */\nconst char* s = "std::cerr exit(1)";\n'
                'std::snprintf(buffer, size, "%d", 1); comm.abort(); on_exit(1); std::fputs(text, file);\n')
        self.assertEqual(self.violations_of("mbsc/base/a.cpp", text), [])

    def test_the_command_line_may_print(self):
        self.assertEqual(self.violations_of("cli/main.cpp", 'fmt::print("x"); std::exit(2);\n'), [])


if __name__ == "__main__":
    unittest.main()
