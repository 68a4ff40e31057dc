# SPDX-License-Identifier: Apache-2.0
"""The program on several ranks gives the same bits as on one, for every file format.

An error is reported once, and no rank hangs.
"""
import gzip
import json
import os
import pathlib
import random
import signal
import struct
import subprocess
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
import program  # noqa: E402
from program import PROGRAM, ProgramTest  # noqa: E402

ON_RANKS = pathlib.Path(__file__).resolve().parent / "on_ranks"
RANKS = tuple(int(count) for count in os.environ.get("MBSC_RANKS", "2,3,4,7").split(","))
KILLS = int(os.environ.get("MBSC_KILLS", "4"))


def points(count, spread=1.0, seed=1):
    """Three clouds in the plane."""
    chance = random.Random(seed)
    return [[round(chance.gauss(6 * (i % 3), spread), 4), round(chance.gauss(0, spread), 4)] for i in range(count)]


class RanksTest(ProgramTest):
    def start_ranks(self, ranks, *arguments, before=(), **environment):
        command = [ON_RANKS, ranks, *before, PROGRAM, *arguments]
        return subprocess.Popen([str(word) for word in command], cwd=self.folder, start_new_session=True,
                                env=dict(os.environ, NO_COLOR="1", **environment), stdin=subprocess.PIPE,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def run_ranks(self, ranks, *arguments, code=0, stdin=b"", timeout=120, **environment):
        process = self.start_ranks(ranks, *arguments, **environment)
        try:
            stdout, stderr = (stream.decode() for stream in process.communicate(stdin, timeout=timeout))
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            self.fail(f"{ranks} ranks hang: {arguments}")
        self.assertEqual(process.returncode, code, stderr)
        return stdout, stderr

    def results(self):
        with open(self.folder / "summary.json", encoding="utf-8") as file:
            summary = json.load(file)
        told = {key: summary[key] for key in ("n", "d", "gamma", "eigenvalues", "cluster_sizes", "nmi", "passes",
                                              "classes", "normalized_cut", "normalized_cut_estimate", "scale", "graph")}
        return (self.folder / "labels").read_bytes(), (self.folder / "embedding.npy").read_bytes(), told, summary

    def assert_same_for_all(self, *arguments, stdin=b"", ranks=RANKS):
        output = ["--labels", "labels", "--embedding", "embedding.npy", "--summary", "summary.json", "--threads", 1, "-q"]
        self.run_program("cluster", *arguments, *output, stdin=stdin)
        one = self.results()
        for count in ranks:
            self.run_ranks(count, "cluster", *arguments, *output, stdin=stdin)
            many = self.results()
            self.assertEqual(many[0], one[0], f"labels, {count} ranks, {arguments}")
            self.assertEqual(many[1], one[1], f"embedding, {count} ranks, {arguments}")
            self.assertEqual(many[2], one[2], f"summary, {count} ranks, {arguments}")
            self.assertEqual(many[3]["ranks"], count)
            self.assertEqual(len(many[3]["by_rank"]["peak_memory_bytes"]), count)


class SameBitsTest(RanksTest):
    def test_every_method(self):
        name = self.write_csv("points.csv", points(1500))
        for method in ("exact", "power", "nystrom", "minibatch"):
            self.assert_same_for_all(name, "-k", 3, "--method", method)

    def test_graphs(self):
        name = self.write_csv("points.csv", points(1500))
        for affinity in ("neighbors", "landmarks"):
            self.assert_same_for_all(name, "-k", 3, "--affinity", affinity)

    def test_every_format(self):
        rows = [[*row, i % 3] for i, row in enumerate(points(700))]
        text = "".join(",".join(map(repr, row)) + "\n" for row in rows)
        # A header, blank lines, and a last line without a newline: they matter because each rank reads a share of the
        # bytes.
        self.write("points.csv", "x,y,class\n\n" + text.replace("\n", "\n\n", 5).rstrip("\n"))
        (self.folder / "points.csv.gz").write_bytes(gzip.compress(text.encode()))
        self.write("points.libsvm", "".join(f"{row[2]} 1:{row[0]} {2 + i % 2}:{row[1]}\n" for i, row in enumerate(rows)))
        header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({len(rows)}, 3), }}"
        header += " " * (63 - (10 + len(header)) % 64) + "\n"
        self.write("points.npy", b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode()
                   + b"".join(struct.pack("<3d", *row) for row in rows))
        for name in ("points.csv", "points.csv.gz", "points.npy"):
            self.assert_same_for_all(name, "-k", 3, "--label-column", "last", "--scale", "standard")
        self.assert_same_for_all("points.libsvm", "-k", 3, "--scale", "unit")
        self.assert_same_for_all("-", "-k", 3, "--label-column", "last", stdin=text.encode())

    def test_more_ranks_than_rows(self):
        self.assert_same_for_all(self.write_csv("points.csv", points(5)), "-k", 2, "--method", "exact")

    def test_other_commands_run_once(self):
        name = self.write_csv("points.csv", points(20))
        self.assertEqual(self.run_ranks(3, "info", name)[0], self.run_program("info", name)[0])
        self.assertEqual(self.run_ranks(3, "--version")[0], self.run_program("--version")[0])


class ErrorTest(RanksTest):
    def assert_told_once(self, ranks, *arguments, words, code=2, stdin=b""):
        before = self.files()
        _, stderr = self.run_ranks(ranks, *arguments, code=code, stdin=stdin)
        told = [line for line in stderr.splitlines() if line.startswith("mbsc:")]
        self.assertEqual(len(told), 1, stderr)
        for word in words:
            self.assertIn(word, stderr)
        self.assertEqual(self.files(), before)

    def test_a_bad_line_has_its_number_whoever_reads_it(self):
        for line in (2, 150, 299):
            rows = points(300)
            rows[line - 1][1] = "nan"
            name = self.write("points.csv", "".join(f"{x},{y}\n" for x, y in rows))
            (self.folder / "points.csv.gz").write_bytes(gzip.compress((self.folder / name).read_bytes()))
            for ranks in RANKS:
                self.assert_told_once(ranks, "cluster", name, "-k", 3, words=[f"points.csv:{line}, column 2", "nan"])
            self.assert_told_once(3, "cluster", "points.csv.gz", "-k", 3, words=[f"points.csv.gz:{line}, column 2"])

    def test_files_and_options(self):
        name = self.write_csv("points.csv", points(50))
        empty = self.write("empty.csv", "")
        for ranks in (2, 7):
            self.assert_told_once(ranks, "cluster", "none.csv", "-k", 3, words=["none.csv"])
            self.assert_told_once(ranks, "cluster", empty, "-k", 3, words=["the file is empty"])
            self.assert_told_once(ranks, "cluster", name, "-k", 51, words=["51"])
            self.assert_told_once(ranks, "cluster", name, "-k", 3, "--batch-size", 0, words=["batch"])
            self.assert_told_once(ranks, "cluster", name, "-k", 3, "--no-such-flag", words=["--no-such-flag"])
            self.assert_told_once(ranks, "cluster", name, "-k", 3, "--labels", "no/such/folder", words=["no/such"])
            self.assert_told_once(ranks, "cluster", self.write_csv("same.csv", [[1, 2]] * 40), "-k", 3,
                                  words=["all 40 points are equal"])

    def test_without_the_library_it_says_what_to_do(self):
        name = self.write_csv("points.csv", points(50))
        _, stderr = self.run_ranks(2, "cluster", name, "-k", 3, code=1, MBSC_MPI_LIBRARY="/no/such/library.so")
        self.assertIn("MBSC_MPI_LIBRARY", stderr)
        # A single rank does not need the library.
        self.run_ranks(1, "cluster", name, "-k", 3, "--labels", "labels", MBSC_MPI_LIBRARY="/no/such/library.so")


class FailureTest(RanksTest):
    """If a rank dies or cannot continue, all ranks end within seconds, and no result is partly written."""

    def arguments(self):
        output = ["--labels", "labels", "--embedding", "embedding.npy", "--summary", "summary.json", "--threads", 1, "-q"]
        return ["cluster", "points.csv", "-k", 3, "--method", "exact", "--tolerance", 1e-9, *output]

    def ranks_of(self, process):
        """The process ids of the ranks that this mpirun has started."""
        found = []
        for folder in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if os.getsid(int(folder.name)) == process.pid and os.readlink(folder / "exe") == os.path.realpath(PROGRAM):
                    found.append(int(folder.name))
            except OSError:
                pass
        return sorted(found)

    def test_a_rank_that_is_killed_ends_all(self):
        self.write_csv("points.csv", points(6000, 2.0))
        chance = random.Random(7)
        for attempt in range(KILLS):
            ranks = RANKS[attempt % len(RANKS)]
            process = self.start_ranks(ranks, *self.arguments())
            end = time.monotonic() + 20
            while len(self.ranks_of(process)) < ranks and time.monotonic() < end and process.poll() is None:
                time.sleep(0.01)
            time.sleep(chance.random())
            running = self.ranks_of(process)
            if running:
                os.kill(chance.choice(running), signal.SIGKILL)
            try:
                process.communicate(timeout=20)
            except subprocess.TimeoutExpired:
                # If a rank dies while it starts, the mpirun of Open MPI 4.1 may hang in PMIx_server_finalize, waiting
                # for one of its own locks. The ranks themselves must have ended.
                left = self.ranks_of(process)
                os.killpg(process.pid, signal.SIGKILL)
                process.communicate()
                self.assertEqual(left, [], f"attempt {attempt}: of {ranks} ranks, some go on after one was killed")
            if running:
                self.assertNotEqual(process.returncode, 0)
            self.assert_results_are_whole(6000)

    def assert_results_are_whole(self, count):
        """Checks that each result file is complete or missing, and deletes it."""
        for path in self.folder.iterdir():
            if path.name == "labels":
                self.assertEqual(len(path.read_text(encoding="utf-8").splitlines()), count)
            elif path.name == "summary.json":
                json.loads(path.read_text(encoding="utf-8"))
            elif path.name == "embedding.npy":
                self.assertEqual(path.stat().st_size, 128 + count * 3 * 4)
            elif path.name != "points.csv":
                self.assertIn(".tmp.", path.name)  # left by a rank that had no time to delete it
            if path.name != "points.csv":
                path.unlink()

    def test_a_rank_without_memory_ends_all_with_its_message(self):
        self.write_csv("points.csv", points(40000))
        # Rank 1 may use less memory than its third of the cached kernel values needs.
        script = self.folder / "limited"
        script.write_text("#!/bin/sh\n[ \"${OMPI_COMM_WORLD_RANK:-$PMI_RANK}\" = 1 ] && ulimit -v 500000\n"
                          "exec \"$@\"\n", encoding="utf-8")
        script.chmod(0o755)
        process = self.start_ranks(3, *self.arguments(), "--cache", "8G", before=[script])
        try:
            _, stderr = process.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            self.fail("the others wait for the one that has failed")
        # Open MPI returns the exit code of the rank that failed, 2. MPICH returns that of the ranks it has ended.
        self.assertNotEqual(process.returncode, 0, stderr.decode())
        self.assertIn("mbsc: rank 1: out of memory", stderr.decode())
        self.assertEqual(self.files(), ["limited", "points.csv"])


if __name__ == "__main__":
    program.TIMEOUT_SECONDS = 120
    unittest.main()
