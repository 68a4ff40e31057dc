# SPDX-License-Identifier: Apache-2.0
"""The runs of bench/bits/run, and their input files. A run is one line: `[ranks=N] INPUT OPTIONS...`, with the option
names of the new program. A part in braces stands for several runs: `a {b,c d}` means `a b` and `a c d`. An input whose
name begins with `-` is read from standard input."""
import array
import gzip
import math
import re
import subprocess

#: Points made by `mbsc generate`; the class is in the last column.
GENERATED = {
    "rings60.csv": "rings --n 60 --seed 1",
    "rings.csv": "rings --n 500",
    "moons.csv": "moons --n 1000 --noise 0.08",
    "spirals.csv": "spirals --n 900 --clusters 3",
    "blobs.csv": "blobs --n 800 --features 16 --clusters 5 --noise 2",
    "blobs5000.npy": "blobs --n 5000 --features 16 --clusters 8 --noise 2",
    "rings20000.npy": "rings --n 20000 --clusters 3",
}

EXACT = """
{rings60.csv -k 2,rings.csv -k 2,moons.csv -k 2,spirals.csv -k 3,blobs.csv -k 5,example.csv -k 2} --method exact
moons.csv -k 2 --method exact {--tolerance 1e-3,--tolerance 1e-6,--passes 3.2,--iterations 4,--seed 1,--seed 7}
blobs.csv -k 5 --method exact {--start random,--start nystrom,--start nystrom --landmarks 50}
blobs.csv -k 5 --method exact {--block-size 2,--block-size 9,--basis-size 40,--block-size 6 --basis-size 30}
blobs5000.npy -k 8 --method exact {--cache 1M,--cache 100M,--cache 100M --tolerance 1e-3,--cache 100M --tolerance 1e-7}
blobs5000.npy -k 8 --method exact --gamma 0.005 {--basis-size 60,--tolerance 1e-7 --passes 6}
"""
RITZ = """
{rings60.csv -k 2,rings.csv -k 2,moons.csv -k 2,spirals.csv -k 3,example.csv -k 2} --method minibatch
{moons.csv -k 2,blobs5000.npy -k 8} --method minibatch --passes {0.25,0.5,1,1.5,2,3.2}
blobs5000.npy -k 8 --method minibatch --passes {0.05,0.1}
blobs5000.npy -k 8 --gamma {0.0005,0.005,0.05} --method minibatch --passes {0.1,1,2}
{moons.csv -k 2,blobs5000.npy -k 8} --method minibatch --start {random,nystrom,neighbors}
blobs5000.npy -k 8 --method minibatch --passes 0.5 --start {random,nystrom,neighbors}
blobs5000.npy -k 8 --method minibatch {--no-control-variate,--no-control-variate --passes 0.3,--columns uniform}
blobs5000.npy -k 8 --method minibatch --passes 2.5 {--no-polish,--no-polish --no-control-variate,--columns uniform}
blobs5000.npy -k 8 --method minibatch {--guards 0,--guards 3,--batch-size 50,--batch-size 700,--landmarks 30}
blobs5000.npy -k 8 --method minibatch {--landmarks 300 --passes 0.2,--iterations 5,--iterations 40 --batch-size 100}
blobs5000.npy -k 8 --method minibatch {--stall 0.01,--stall 0.2,--tolerance 1e-4,--tolerance 1e-2}
blobs5000.npy -k 8 --method minibatch {--tolerance 1e-7 --passes 4,--cache 60M --passes 3,--seed 3 --passes 0.4}
rings20000.npy -k 3 --method minibatch {--passes 0.05,--passes 0.3,--passes 0.1 --start random}
"""
ADAGRAD = """
{rings60.csv -k 2,moons.csv -k 2,blobs.csv -k 5} --method minibatch --step-rule adagrad
{rings60.csv -k 2,moons.csv -k 2,blobs5000.npy -k 8} --method minibatch --preset paper
blobs.csv -k 5 --method minibatch --preset paper {--passes 0.5,--passes 3.2,--iterations 30,--start random,--guards 2}
blobs.csv -k 5 --method minibatch --preset paper {--landmarks 40,--step 0.1,--epsilon 1e-3,--batch-size 20,--seed 2}
blobs.csv -k 5 --method minibatch --preset paper --estimator signed {--nonzeros 1,--nonzeros 5,--sampling independent}
blobs.csv -k 5 --method minibatch --preset paper --estimator signed --probability 0.02 {--seed 0,--batch-size 32}
blobs.csv -k 5 --method minibatch --step-rule adagrad --estimator signed {--vectors 20,--vectors 9 --nonzeros 3}
blobs.csv -k 5 --method minibatch --step-rule adagrad --estimator signed --probability 0.01 --vectors 4
blobs.csv -k 5 --method minibatch --step-rule adagrad --sampling independent {--start nystrom,--start random}
blobs.csv -k 5 --method minibatch --step-rule adagrad {--tolerance 1e-2,--tolerance 1e-4 --passes 5,--stall 0.02}
blobs.csv -k 5 --preset paper
"""
OTHERS = """
{rings60.csv -k 2,moons.csv -k 2,blobs5000.npy -k 8} --method nystrom
blobs5000.npy -k 8 --method nystrom {--landmarks 20,--landmarks 1000,--block-size 20,--degrees nystrom,--tolerance 0.01}
blobs5000.npy -k 8 --method nystrom --degrees nystrom --landmarks 100 --seed {1,2}
{rings60.csv -k 2,moons.csv -k 2,blobs5000.npy -k 8} --method power {--power-operator plain,--power-operator shifted}
blobs5000.npy -k 8 --method power {--iterations 1,--iterations 6,--passes 2.5,--block-size 20,--tolerance 1e-3}
blobs5000.npy -k 8 --method power --iterations 4 --cache 60M {--block-size 12,--power-operator shifted}
blobs.csv -k 5 --method {exact,minibatch,minibatch --step-rule adagrad,nystrom,power} --degrees sampled
blobs5000.npy -k 8 --method {exact,minibatch,minibatch --passes 0.5,nystrom} --degrees sampled --degree-columns 300
rings20000.npy -k 3 --method minibatch --degrees sampled --passes {0.1,0.5}
{rings60.csv -k 2,rings.csv -k 2,spirals.csv -k 3,blobs5000.npy -k 8,rings20000.npy -k 3}
blobs5000.npy -k 8 {--passes 0.5,--iterations 3,--tolerance 1e-4,--cache 60M,--passes 2 --seed 4}
"""
PROBLEM = """
blobs.csv -k 5 --method {exact,minibatch} --affinity {exponential,exponential --gamma 0.1,cosine}
blobs.csv -k 5 --method {exact,minibatch,nystrom,power} {--gamma 0.01,--sigma 4}
matrix.npy -k 3 --affinity precomputed --method {exact,minibatch,nystrom,power,minibatch --step-rule adagrad}
matrix.csv -k 3 --affinity precomputed
{blobs.tsv,blobs.svm,blobs.csv.gz,blobs.npy,blobs64.npy,fortran.npy,fortran64.npy,blobs.npy.gz} -k 5
{-,-.gz,-.npy} -k 5 --method minibatch --passes 0.5
moons.csv -k 2 --scale {unit,symmetric,standard,unit --scale-rows 100,standard --scale-rows 500}
blobs.csv -k 5 --scale {unit,symmetric,standard} --method minibatch
blobs.csv -k 5 --method {exact,minibatch,nystrom} --embedding-scale {none,degree} --regularization {0,0.001}
moons.csv -k 2 --regularization {0,0.1} --restarts {1,3}
far.csv -k 2 --gamma 40 --method {exact,minibatch,nystrom} --regularization {0,0.001}
far.csv -k 2 --gamma 40 --embedding-scale degree
twice.csv -k 2 --method {exact,minibatch,nystrom}
"""
PROCESSES = """
blobs5000.npy -k 8 --method {exact,minibatch,nystrom,power} --threads {1,3}
blobs.csv -k 5 --preset paper --threads {1,2,3}
ranks={1,2,3,4} blobs5000.npy -k 8 --threads 1 --method {exact,minibatch}
ranks={2,3} blobs5000.npy -k 8 --threads 1 --method {minibatch --passes 0.3,nystrom,power,exact --cache 60M}
ranks={2,3} moons.csv -k 2 --threads 1 --method minibatch {--preset paper,--degrees sampled,--start neighbors}
ranks=2 {blobs.tsv,blobs.svm,blobs.csv.gz,fortran64.npy} -k 5 --threads 1
ranks=3 matrix.npy -k 3 --affinity precomputed --threads 1
"""
DATA = """
pendigits.csv.gz -k 10 {--method exact,--method minibatch,--method minibatch --passes 0.1,--preset paper}
pendigits.csv.gz -k 10 --sigma 223.61 --regularization 0 {--method minibatch --passes 2,--tolerance 1e-4}
shuttle.csv.gz -k 7 --scale symmetric --scale-rows 43500 --sigma 0.45 --method {nystrom,minibatch --passes 0.1}
shuttle.csv.gz -k 7 --scale standard --method minibatch --passes 0.05
mnist.csv.gz -k 10 --passes 0.02 --degrees sampled
"""


def expand(line):
    """The lines that a line with braces stands for."""
    found = re.search(r"\{([^}]*)\}", line)
    if not found:
        return [line]
    return [one for part in found[1].split(",") for one in expand(line[:found.start()] + part + line[found.end():])]


def all_cases(with_data):
    """All runs, each once."""
    text = EXACT + RITZ + ADAGRAD + OTHERS + PROBLEM + PROCESSES + (DATA if with_data else "")
    return list(dict.fromkeys(case for line in text.splitlines() if line for case in expand(line)))


def write_npy(path, rows, code="f", fortran=False):
    """Writes rows as an NPY file. `code` is a type code of the module array: f (float32) or d (float64)."""
    kind = f"'<f{array.array(code).itemsize}'"
    header = f"{{'descr': {kind}, 'fortran_order': {fortran}, 'shape': ({len(rows)}, {len(rows[0])}), }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    values = array.array(code, (x for row in (zip(*rows) if fortran else rows) for x in row))
    path.write_bytes(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode() + values.tobytes())


def make_inputs(program, folder):
    """Makes all input files. The program generates some of them; the others are made from these."""
    for name, words in GENERATED.items():
        subprocess.run([program, "generate", *words.split(), "--output", folder / name, "--quiet"], check=True)

    def rows_of(name):
        return [list(map(float, line.split(","))) for line in (folder / name).read_text().splitlines()]

    def write(name, lines):
        (folder / name).write_text("\n".join(lines) + "\n")
    blobs, rings, moons = rows_of("blobs.csv"), rows_of("rings60.csv"), rows_of("moons.csv")
    write("blobs.tsv", ("\t".join(map(repr, row)) for row in blobs))
    write("blobs.svm", (f"{row[-1]:g} " + " ".join(f"{i}:{x!r}" for i, x in enumerate(row[:-1], 1)) for row in blobs))
    for name, code, fortran in (("blobs.npy", "f", False), ("blobs64.npy", "d", False), ("fortran.npy", "f", True),
                                ("fortran64.npy", "d", True)):
        write_npy(folder / name, blobs, code, fortran)
    for name in ("blobs.csv", "blobs.npy"):
        (folder / f"{name}.gz").write_bytes(gzip.compress((folder / name).read_bytes(), mtime=0))
    for name in ("blobs.csv", "blobs.csv.gz", "blobs.npy"):
        (folder / name.replace("blobs", "-").replace("-.csv", "-")).write_bytes((folder / name).read_bytes())
    points = [row[:-1] for row in rings + moons[:140]]
    matrix = [[math.exp(-8 * math.dist(x, y) ** 2) for y in points] for x in points]
    write_npy(folder / "matrix.npy", matrix, "d")
    write("matrix.csv", (",".join(map(repr, row)) for row in matrix))
    write("far.csv", (",".join(map(repr, row)) for row in moons[:400] + [[50, 50, 0], [-60, 9, 1], [7, -80, 0]]))
    write("twice.csv", (",".join(map(repr, row)) for row in rings + rings + rings[:20]))
