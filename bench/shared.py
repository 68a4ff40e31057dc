# SPDX-License-Identifier: Apache-2.0
"""What the benchmarks share: the machine and the commit beside every figure, building, data, Python packages."""
import os
import pathlib
import platform
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
ENVIRONMENT = ["OMP_NUM_THREADS", "OMP_WAIT_POLICY", "OMP_PROC_BIND", "MBSC_SIMD"]


def output_of(*command):
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else ""


def commit(*sources):
    """The commit the programs are built from, with a + where the sources differ from it."""
    name = output_of("git", "rev-parse", "--short=12", "HEAD") or "unknown"
    paths = ["mbsc", "cmake", "CMakeLists.txt", "CMakePresets.json", *sources]
    return name + ("+" if output_of("git", "status", "--porcelain", "--", *paths) else "")


def machine():
    def first_value(path, key):
        try:
            for line in pathlib.Path(path).read_text(encoding="utf-8").splitlines():
                if line.startswith(key):
                    return line.split(":", 1)[1].strip()
        except OSError:
            pass
        return ""
    memory = first_value("/proc/meminfo", "MemTotal").split()
    return {
        "cpu": first_value("/proc/cpuinfo", "model name") or platform.machine(),
        "cpus": len(os.sched_getaffinity(0)),
        "memory_gib": round(int(memory[0]) / 2**20) if memory else None,
        "system": f"{platform.system()} {platform.release()}",
        "environment": {name: os.environ[name] for name in ENVIRONMENT if name in os.environ},
    }


def build(target):
    """Builds a program of build/release and gives its path."""
    if not (ROOT / "build/release/build.ninja").exists():
        subprocess.run(["cmake", "--preset", "release"], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", "--preset", "release", "--target", f"bin/{target}"], cwd=ROOT, check=True,
                   stdout=subprocess.DEVNULL)
    return ROOT / "build/release/bin" / target


def continue_with(packages, optional=(), folder="build/python"):
    """Goes on with this script under a Python that has the packages."""
    python = python_with(packages, optional, folder=folder)
    if not pathlib.Path(sys.executable).parent.samefile(pathlib.Path(python).parent):
        os.execv(python, [str(python), "-B", *sys.argv])


def new_figure(name, rows, columns, size):
    """A figure and its panels; the same numbers give the same bits, and text stays text."""
    import matplotlib
    matplotlib.use("svg")
    import matplotlib.pyplot as plt
    plt.rcParams.update({"svg.hashsalt": name, "svg.fonttype": "none", "font.family": "sans-serif"})
    return plt.subplots(rows, columns, figsize=size, squeeze=False, layout="constrained")


def save_figure(figure, path):
    """As SVG without a date and without blanks at the ends of lines."""
    figure.savefig(path, metadata={"Date": None, "Creator": None})
    path = pathlib.Path(path)
    lines = [line.rstrip() for line in path.read_text(encoding="utf-8").splitlines()]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def data_folder():
    return pathlib.Path(os.environ.get("MBSC_DATA") or ROOT / "data").resolve()


def has_data(name):
    return (data_folder() / f"{name.split('-')[0]}.csv.gz").exists()


def python_with(packages, optional=(), may_install=True, folder="build/python"):
    """A Python that has the packages: this one, or that of the virtual environment `folder`, made where need be; None
    where there is none. What is optional and does not install is left out."""
    local = ROOT / folder / "bin/python"

    def has(python, names):
        return subprocess.run([python, "-c", f"import {', '.join(names)}"], capture_output=True,
                              check=False).returncode == 0
    if not optional and has(sys.executable, packages):
        return sys.executable
    if local.exists() and has(local, packages) and all(has(local, [name]) for name in optional):
        return local
    if not may_install:
        return None
    pip = {"sklearn": "scikit-learn", "dask_ml": "dask-ml"}
    if not local.exists():
        subprocess.run([sys.executable, "-m", "venv", ROOT / folder], check=True)
    install = [local, "-m", "pip", "install", "--quiet"]
    subprocess.run([*install, *(pip.get(name, name) for name in packages)], check=True)
    for name in optional:
        if not has(local, [name]) and subprocess.run([*install, pip.get(name, name)], check=False).returncode != 0:
            print(f"{name} does not install here: left out", file=sys.stderr)
    return local
