# SPDX-License-Identifier: Apache-2.0
"""Runs the program under test (environment variable MBSC_BIN), each test in its own folder."""
import json
import math
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("MBSC_BIN", str(ROOT / "build" / "release" / "bin" / "mbsc"))
TIMEOUT_SECONDS = 60
SIGNS_OF_A_CRASH = ("terminate called", "Segmentation", "Traceback", "Aborted", "runtime error", "Sanitizer",
                    "what():")


class ProgramTest(unittest.TestCase):
    """Each test has an empty folder, `self.folder`, which is also the program's working directory."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, content):
        """Writes text or bytes to a file in the test's folder and returns its name."""
        data = content if isinstance(content, bytes) else content.encode()
        (self.folder / name).write_bytes(data)
        return name

    def write_csv(self, name, rows):
        return self.write(name, "".join(",".join(map(repr, row)) + "\n" for row in rows))

    def files(self):
        return sorted(path.name for path in self.folder.iterdir())

    def start(self, *arguments, **options):
        environment = dict(os.environ, NO_COLOR="1")
        return subprocess.Popen([PROGRAM, *map(str, arguments)], cwd=self.folder, env=environment,
                                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)

    def run_program(self, *arguments, stdin=b"", code=0, timeout=TIMEOUT_SECONDS):
        """Runs the program to its end, checks the exit code, and returns (stdout, stderr) as text."""
        process = self.start(*arguments)
        try:
            stdout, stderr = (stream.decode() for stream in process.communicate(stdin, timeout=timeout))
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            self.fail(f"mbsc {' '.join(map(str, arguments))}: took more than {timeout} s")
        self.assertEqual(process.returncode, code, f"mbsc {' '.join(map(str, arguments))}\n{stderr}")
        for sign in SIGNS_OF_A_CRASH:
            self.assertNotIn(sign, stderr)
        return stdout, stderr

    def assert_rejected(self, *arguments, words=(), line=None, stdin=b""):
        """Checks that the program refuses the arguments, and returns its message.

        The exit code must be 2, the message must contain these words (and this line number), and there must be nothing
        on stdout and no new file. The message may spell an option like the flag (label-column) or like the field of the
        library (label_column).
        """
        before = self.files()
        stdout, stderr = self.run_program(*arguments, stdin=stdin, code=2)
        self.assertEqual(stdout, "")
        self.assertTrue(stderr.strip(), "no message")
        for word in words:
            self.assertIn(str(word).replace("_", "-"), stderr.replace("_", "-"))
        if line is not None:
            self.assertRegex(stderr, rf"(line |:){line}\b")
        self.assertEqual(self.files(), before, "a file was left behind")
        return stderr

    def cluster(self, file, clusters, *arguments, code=0, stdin=b""):
        """Clusters a file, checks what holds for every clustering, and returns (labels, summary)."""
        self.run_program("cluster", file, "-k", clusters, *arguments, "--labels", "labels.txt",
                         "--summary", "summary.json", code=code, stdin=stdin)
        labels = self.labels("labels.txt")
        summary = self.summary("summary.json")
        self.assertEqual(sorted(set(labels)), list(range(clusters)), "labels are 0..k-1, none empty")
        sizes = [labels.count(label) for label in range(clusters)]
        self.assertEqual(sizes, sorted(sizes, reverse=True), "labels are ordered by cluster size")
        self.assertEqual(summary["cluster_sizes"], sizes)
        self.assertEqual(summary["n"], len(labels))
        return labels, summary

    def labels(self, name):
        text = (self.folder / name).read_text()
        self.assertRegex(text, re.compile(r"\A(\d+\n)+\Z"), "one label a line, nothing else")
        return [int(line) for line in text.splitlines()]

    def summary(self, name):
        """Reads a summary. Fails if it contains NaN or infinity, which JSON does not have."""
        def refuse(constant):
            raise AssertionError(f"{constant} in {name}")
        return json.loads((self.folder / name).read_text(), parse_constant=refuse)

    def assert_same_partition(self, labels, classes):
        """Checks that labels and classes are equal up to the names of the clusters."""
        self.assertEqual(len(labels), len(classes))
        pairs = set(zip(labels, classes))
        self.assertEqual(len(pairs), len(set(labels)), "a cluster has points of two classes")
        self.assertEqual(len(pairs), len(set(classes)), "a class has points of two clusters")

    def assert_orthonormal(self, columns, tolerance):
        for i, left in enumerate(columns):
            for j, right in enumerate(columns[:i + 1]):
                product = math.fsum(x * y for x, y in zip(left, right))
                self.assertAlmostEqual(product, float(i == j), delta=tolerance)
