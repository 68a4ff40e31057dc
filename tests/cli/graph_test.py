# SPDX-License-Identifier: Apache-2.0
"""`mbsc cluster` and `mbsc info` on a graph of the user's own."""
import gzip
import unittest

import graph_files as files
from program import ProgramTest

EDGES, CLASSES = files.blocks((60, 50, 40), inside=0.3, between=0.01)
NODES = len(CLASSES)
WEIGHTED = [(a, b, 1 + (a * 7 + b) % 5 / 4) for a, b, _ in EDGES]


class GivenGraph(ProgramTest):
    def test_every_format_gives_the_same_bits(self):
        both = files.both_directions(WEIGHTED)
        lines = [f"{a},{b},{weight}" for a, b, weight in WEIGHTED]
        contents = {
            "symmetric.mtx": files.mtx(NODES, WEIGHTED, symmetry="symmetric"),
            "general.mtx": files.mtx(NODES, both),
            "packed.mtx.gz": gzip.compress(files.mtx(NODES, both[::-1]).encode()),
            "csr.npz": files.npz(NODES, both),
            "csc.npz": files.npz(NODES, both, "csc", index="<i8"),
            "coo.npz": files.npz(NODES, both[::-1], "coo", compressed=False),
            "float32.npz": files.npz(NODES, both, value="<f4", compressed=False),
            "commas.edges": "# from, to, weight\n" + "\n".join(lines) + "\n",
            "tabs.edgelist": "\n".join(lines).replace(",", "\t"),
            "blanks.edges.gz": gzip.compress(("% a comment\n\n" + "\n".join(lines).replace(",", "  ")).encode()),
        }
        expected = None
        for name, content in contents.items():
            with self.subTest(name=name):
                self.write(name, content)
                self.run_program("cluster", name, "-k", 3, "--labels", "labels.txt", "--embedding", "embedding.npy",
                                 "--summary", "summary.json")
                labels = [int(line.split()[-1]) for line in (self.folder / "labels.txt").read_text().splitlines()]
                self.assert_same_partition(labels, CLASSES)
                summary = self.summary("summary.json")
                self.assertEqual(summary["format"], name.split(".", 1)[1].replace("edgelist", "edges"))
                self.assertEqual(summary["graph"], {"edges": len(EDGES), "components": 1, "speck_points": 0, "loops": 0})
                found = labels, (self.folder / "embedding.npy").read_bytes()
                expected = expected or found
                self.assertEqual(found, expected)

    def test_the_summary_and_the_report_say_what_was_given(self):
        self.write("karate.mtx", files.mtx(34, files.KARATE_EDGES, "pattern", "symmetric"))
        _, report = self.run_program("cluster", "karate.mtx", "-k", 2, "--labels", "labels.txt", "--summary", "s.json")
        self.assertIn("karate.mtx: 34 nodes, 78 edges, 1 component\n", report)
        summary = self.summary("s.json")
        self.assertEqual((summary["n"], summary["d"]), (34, None))
        self.assertEqual((summary["affinity"], summary["method"], summary["regularization"]),
                         ("precomputed", "chebyshev", 0))
        self.assertIsNone(summary["gamma"])

    def test_methods_and_threads(self):
        self.write("g.mtx", files.mtx(NODES, EDGES, "pattern", "symmetric"))
        for options in (("chebyshev",), ("exact",), ("power", "--iterations", 200)):
            with self.subTest(options=options):
                labels, summary = self.cluster("g.mtx", 3, "--method", *options)
                self.assert_same_partition(labels, CLASSES)
                self.assertEqual(summary["method"], options[0])
        bits = []
        for threads in (1, 2, 3):
            self.run_program("cluster", "g.mtx", "-k", 3, "--threads", threads, "--labels", "labels.txt", "--embedding",
                             "embedding.npy")
            bits.append((self.folder / "embedding.npy").read_bytes())
        self.assertEqual(bits[0], bits[1])
        self.assertEqual(bits[0], bits[2])

    def test_dense_array_format(self):
        matrix = [[0.0] * 6 for _ in range(6)]
        for a, b in ((0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5), (2, 3)):
            matrix[a][b] = matrix[b][a] = 0.1 if (a, b) == (2, 3) else 1.0
        values = [f"{matrix[row][column]}" for column in range(6) for row in range(6)]
        self.write("a.mtx", "\n".join(["%%MatrixMarket matrix array real general", "6 6", *values]))
        self.assert_same_partition(self.cluster("a.mtx", 2)[0], [0, 0, 0, 1, 1, 1])
        lower = [f"{matrix[row][column]}" for column in range(6) for row in range(column, 6)]
        self.write("b.mtx", "\n".join(["%%MatrixMarket matrix array real symmetric", "6 6", *lower]))
        self.assert_same_partition(self.cluster("b.mtx", 2)[0], [0, 0, 0, 1, 1, 1])

    def ids_of(self, text, clusters, *options):
        """Clusters an edge list and returns id -> label."""
        self.write("list.txt", text)
        self.run_program("cluster", "list.txt", "-k", clusters, "--format", "edges", *options, "--labels", "labels.txt")
        pairs = [line.split("\t") for line in (self.folder / "labels.txt").read_text().splitlines()]
        return {name: int(label) for name, label in pairs}

    def test_ids_come_back_with_the_labels(self):
        labels = self.ids_of("ann bob\nbob cy\ncy ann\ndora eve\neve flo\nflo dora\n", 2)
        self.assertEqual(list(labels), ["ann", "bob", "cy", "dora", "eve", "flo"])
        self.assertEqual(list(labels.values()), [0, 0, 0, 1, 1, 1])
        labels = self.ids_of("new york, rome\nrome, oslo\noslo, new york\n7,8\n8,9\n9,7\n", 2)
        self.assertEqual(labels["new york"], labels["oslo"])
        labels = self.ids_of("900 10\n10 30\n30 900\n-5 2\n2 4\n4 -5\n", 2)
        self.assertEqual(list(labels), ["-5", "2", "4", "10", "30", "900"], "integers ascend")
        self.assertEqual(list(labels.values()), [0, 0, 0, 1, 1, 1])

    def test_repeated_edges_are_added_in_either_direction(self):
        # Two triangles of weight 1, joined by the edge 3-4. Each edge of the first triangle is in two lines.
        triangles = "1 2 .5\n2 1 .5\n2 3 .5\n3 2 .5\n1 3 .5\n1 3 .5\n4 5 1\n5 6 1\n6 4 1\n"
        self.write("twice.edges", triangles + "3 4 .01\n")
        self.write("once.edges", "1 2 1\n2 3 1\n1 3 1\n4 5 1\n5 6 1\n6 4 1\n3 4 .01\n")
        values = []
        for name in ("twice.edges", "once.edges"):
            self.run_program("cluster", name, "-k", 2, "--labels", "labels.txt", "--summary", "s.json")
            values.append(self.summary("s.json")["eigenvalues"])
        self.assertEqual(values[0], values[1])

    def test_loops_are_ignored_and_counted(self):
        loops = [(i, i, 5) for i in range(7)]
        self.write("with.mtx", files.mtx(NODES, EDGES + loops, symmetry="symmetric"))
        self.write("without.mtx", files.mtx(NODES, EDGES, symmetry="symmetric"))
        labels, summary = self.cluster("with.mtx", 3)
        plain, expected = self.cluster("without.mtx", 3)
        self.assertEqual(summary["graph"]["loops"], 7)
        self.assertEqual(expected["graph"]["loops"], 0)
        self.assertEqual((labels, summary["eigenvalues"]), (plain, expected["eigenvalues"]))

    def test_symmetrize(self):
        # Directed edges inside two groups, and one pair of nodes (2, 3) with both directions between them.
        inside = [(0, 1, 4), (1, 2, 4), (2, 0, 4), (3, 4, 4), (4, 5, 4), (5, 3, 4)]
        self.write("g.mtx", files.mtx(6, [*inside, (2, 3, 1), (3, 2, 3)]))
        message = self.assert_rejected("cluster", "g.mtx", "-k", 2, words=["g.mtx", "symmetric", "symmetrize"], line=4)
        self.assertIn("(1, 2) is 4 and the one at (2, 1) is 0", message)
        cuts = {}
        for how in ("mean", "max"):
            labels, summary = self.cluster("g.mtx", 2, "--symmetrize", how)
            self.assert_same_partition(labels, [0, 0, 0, 1, 1, 1])
            self.assertEqual((summary["graph"]["edges"], summary["symmetrize"]), (7, how))
            cuts[how] = summary["normalized_cut"]
        self.assertAlmostEqual(cuts["mean"], 2 * 2 / (6 * 2 + 2), places=5)  # weights 2 inside and 2 between
        self.assertAlmostEqual(cuts["max"], 2 * 3 / (6 * 4 + 3), places=5)  # weights 4 and 3
        self.assert_rejected("cluster", "g.mtx", "-k", 3, "--symmetrize", "mutual", words=["2 of 6"])
        labels, summary = self.cluster("g.mtx", 2, "--symmetrize", "mutual")
        self.assertEqual((summary["graph"]["edges"], summary["isolated_points"]), (1, 4))

    def test_rounding_is_not_asymmetry(self):
        both = [(a, b, weight * (1 + 1e-6 * (a > b))) for a, b, weight in files.both_directions(EDGES)]
        self.write("g.mtx", files.mtx(NODES, both))
        self.assert_same_partition(self.cluster("g.mtx", 3)[0], CLASSES)

    def test_isolated_nodes_and_specks_join_the_largest_cluster(self):
        edges, classes = files.blocks((400, 300), inside=0.05, between=0.001)
        n = len(classes)
        specks = [(n + 2 * i, n + 2 * i + 1, 1) for i in range(3)]
        self.write("g.mtx", files.mtx(n + 10, edges + specks, "pattern", "symmetric"))
        labels, summary = self.cluster("g.mtx", 2)
        self.assert_same_partition(labels[:n], classes)
        self.assertEqual(set(labels[n:]), {0})
        self.assertEqual(summary["graph"]["components"], 1 + 3 + 4)
        self.assertEqual((summary["isolated_points"], summary["graph"]["speck_points"]), (10, 10))
        _, report = self.run_program("cluster", "g.mtx", "-k", 2, "--labels", "labels.txt")
        self.assertIn("10 nodes were left out of k-means and got the label of the largest cluster", report)

    def test_components(self):
        def cliques(*sizes):
            edges, first = [], 0
            for size in sizes:
                edges += [(first + a, first + b, 1) for a in range(size) for b in range(a)]
                first += size
            return edges, [c for c, size in enumerate(sizes) for _ in range(size)]
        edges, classes = cliques(9, 8, 7, 6)
        self.write("g.mtx", files.mtx(30, edges, "pattern", "symmetric"))
        self.assert_same_partition(self.cluster("g.mtx", 4)[0], classes)
        labels, summary = self.cluster("g.mtx", 3)  # more components than clusters: the smallest joins the largest
        self.assert_same_partition(labels, [c % 3 for c in classes])
        self.assertEqual(summary["graph"]["components"], 4)
        self.assertEqual(len(set(self.cluster("g.mtx", 6)[0])), 6)  # fewer components than clusters

    def test_standard_input(self):
        text = files.mtx(NODES, EDGES, "pattern", "symmetric").encode()
        stdout, _ = self.run_program("cluster", "-", "-k", 3, stdin=text)
        self.assert_same_partition([int(line) for line in stdout.split()], CLASSES)
        text = "\n".join(f"{a} {b}" for a, b, _ in EDGES).encode()
        stdout, _ = self.run_program("cluster", "-", "-k", 3, "--format", "edges", stdin=text)
        self.assertEqual(len(stdout.splitlines()), NODES)

    def test_info(self):
        self.write("karate.mtx", files.mtx(34, files.KARATE_EDGES, "pattern", "symmetric"))
        text, _ = self.run_program("info", "karate.mtx")
        for words in ("nodes       34\n", "edges       78\n", "components  1 "):
            self.assertIn(words, text)
        self.write("g.txt", "a b 2\nb c 3\nd d\n".replace("d d", "d d 1"))
        text, _ = self.run_program("info", "g.txt", "--format", "edges", "--json")
        for words in ('"nodes": 4', '"edges": 2', '"components": 2', '"loops": 1', '"isolated_nodes": 1',
                      '"maximum": 3.0', '"symmetric": true'):
            self.assertIn(words, text)
        self.write("directed.mtx", files.mtx(3, [(0, 1, 1), (1, 2, 1)]))
        self.assertIn("not symmetric", self.run_program("info", "directed.mtx")[0])

    def test_options_that_do_not_apply_are_refused_by_name(self):
        self.write("g.mtx", files.mtx(NODES, EDGES, "pattern", "symmetric"))
        for options, words in ((("--label-column", "last"), ["label-column", "graph"]),
                               (("--scale", "unit"), ["scale"]),
                               (("--gamma", "1"), ["gamma"]),
                               (("--sigma", "1"), ["gamma"]),
                               (("--neighbors", "5"), ["neighbors"]),
                               (("--recall", "0.5"), ["recall"]),
                               (("--edge-weights", "binary"), ["edge-weights"]),
                               (("--affinity", "rbf"), ["affinity", "graph"]),
                               (("--affinity", "neighbors"), ["affinity", "graph"]),
                               (("--method", "nystrom"), ["nystrom", "given graph"]),
                               (("--method", "minibatch"), ["minibatch", "given graph"]),
                               (("--degrees", "sampled"), ["degrees must be exact"]),
                               (("--preset", "paper"), ["minibatch", "given graph"]),
                               (("-k", NODES + 1), ["clusters"])):
            with self.subTest(options=options):
                self.assert_rejected("cluster", "g.mtx", *(() if "-k" in options else ("-k", 3)), *options, words=words)
        self.write("points.csv", "1,2\n3,4\n5,6\n")
        self.assert_rejected("cluster", "points.csv", "-k", 2, "--symmetrize", "mean", words=["symmetrize", "graph"])


if __name__ == "__main__":
    unittest.main()
