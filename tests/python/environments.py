#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds the wheel and tests it in virtual environments.

    wheel    builds the sdist, and the wheel with the library of the build folder; checks that both are complete
    newest   runs the tests of this folder (the tutorial too) with the newest scikit-learn, except those of `manners`
    manners  runs the tests that measure time, with the newest scikit-learn
    oldest   runs the tests in TESTS_OF_OLDEST with scikit-learn 1.4
    clean    runs the Python code of README.md with only the wheel and what it requires, also as on older processors

The environment of `clean` is temporary. The others are beside the build folder and are reused.

usage: environments.py ROOT BUILD_DIR wheel|newest|manners|oldest|clean
If pip cannot install what is needed, this script prints the reason, and its exit code is 77.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile

SKIPPED = 77
PACKAGES = {
    "wheel": ["scikit-build-core", "nanobind", "ninja"],
    "newest": ["scikit-learn", "pytest", "pandas", "polars", "matplotlib", "tqdm", "mpi4py", "networkx"],
    "oldest": ["scikit-learn==1.4.*", "numpy<2", "pytest", "pandas<3"],
}
MANNERS = "tests/python/manners_test.py"
TESTS_OF_OLDEST = ["estimator_checks", "behavior", "composition", "input", "predict"]
IN_THE_SDIST = ["pyproject.toml", "VERSION", "README.md", "LICENSE", "CMakeLists.txt", "mbsc/cluster.cpp",
                "mbsc/simd/tile-inl.h", "cmake/version.h.in", "python/src/module.cpp", "python/mbsc/py.typed"]
IN_THE_WHEEL = ["mbsc/__init__.py", "mbsc/py.typed", "mbsc/_core.pyi", "mbsc/libhwy"]


class Environments:
    def __init__(self, root, build):
        self.root, self.build = pathlib.Path(root).resolve(), pathlib.Path(build).resolve()
        self.wheels = self.build / "python" / "wheels"

    def python(self, name, packages=()):
        """The interpreter of an environment with these packages. Ends this script if pip cannot install them."""
        folder = self.build.parent / ("python" if name in ("wheel", "newest") else f"python-{name}")
        python = folder / "bin/python"
        if not python.exists():
            subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
        self.install(python, packages)
        return python

    def install(self, python, packages):
        if not packages:
            return
        done = subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages],
                              capture_output=True, text=True, check=False)
        if done.returncode != 0:
            print(f"skipped: pip cannot install {' '.join(map(str, packages))} here:\n{done.stderr[-2000:]}")
            sys.exit(SKIPPED)

    def wheel(self):
        found = sorted(self.wheels.glob("mbsc-*.whl"))
        if not found:
            print("skipped: there is no wheel (python.wheel was skipped)")
            sys.exit(SKIPPED)
        return found[-1]

    def install_wheel(self, python):
        subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps",
                        "--force-reinstall", self.wheel()], check=True)

    def run_tests(self, python, files):
        environment = dict(os.environ, MPLBACKEND="Agg")
        done = subprocess.run([python, "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider", "--durations=5", *files],
                              cwd=self.root, env=environment, check=False)
        return done.returncode


def build_wheel(e):
    python = e.python("wheel", PACKAGES["wheel"])
    shutil.rmtree(e.wheels, ignore_errors=True)
    script = "import sys; from scikit_build_core.build import build_sdist; print(build_sdist(sys.argv[1]))"
    subprocess.run([python, "-c", script, e.wheels], cwd=e.root, check=True)
    with tarfile.open(next(e.wheels.glob("mbsc-*.tar.gz"))) as archive:
        names = {name.split("/", 1)[-1] for name in archive.getnames()}
    missing = [name for name in IN_THE_SDIST if name not in names]
    subprocess.run([python, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-deps",
                    "--no-build-isolation", "--wheel-dir", e.wheels, "-C", f"build-dir={e.build / 'python/module'}",
                    "-C", f"cmake.define.MBSC_PREBUILT={e.build}", e.root], check=True)
    listing = subprocess.run([python, "-m", "zipfile", "-l", e.wheel()], capture_output=True, text=True, check=True)
    missing += [name for name in IN_THE_WHEEL if name not in listing.stdout]
    print(f"{e.wheel().name}: " + (f"MISSING {', '.join(missing)}" if missing else "complete, and so is the sdist"))
    return 1 if missing else 0


def test_newest(e):
    python = e.python("newest", PACKAGES["newest"])
    e.install_wheel(python)
    return e.run_tests(python, [e.root / "tests/python", f"--ignore={e.root / MANNERS}"])


def test_manners(e):
    return e.run_tests(e.python("newest", PACKAGES["newest"]), [e.root / MANNERS])


def test_oldest(e):
    python = e.python("oldest", PACKAGES["oldest"])
    e.install_wheel(python)
    return e.run_tests(python, [e.root / f"tests/python/{name}_test.py" for name in TESTS_OF_OLDEST])


def test_clean(e):
    wheel = e.wheel()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        subprocess.run([sys.executable, "-m", "venv", folder / "python"], check=True)
        python = folder / "python/bin/python"
        e.install(python, [wheel])
        shutil.copytree(e.root / "examples", folder / "examples")
        for level in ("", "SSSE3", "SCALAR"):  # the level of this processor, a level of 2006, and no SIMD
            environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
            if level:
                environment["MBSC_SIMD"] = level
            subprocess.run([python, "-c", "import mbsc; print('SIMD level', mbsc.simd_level())"], cwd=folder,
                           env=environment, check=True)
            subprocess.run([python, e.root / "tests/python/run_document.py", e.root / "README.md"], cwd=folder,
                           env=environment, check=True)
    return 0


STEPS = {"wheel": build_wheel, "newest": test_newest, "manners": test_manners, "oldest": test_oldest, "clean": test_clean}

if __name__ == "__main__":
    if len(sys.argv) != 4 or sys.argv[3] not in STEPS:
        sys.exit(__doc__)
    sys.exit(STEPS[sys.argv[3]](Environments(*sys.argv[1:3])))
