# SPDX-License-Identifier: Apache-2.0
"""Functions that the benchmarks share. They describe the machine and the commit, which are stored with every result;
build programs; write documents and figures; find data; and install Python packages."""
import os
import pathlib
import platform
import subprocess
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parents[1]
ENVIRONMENT = ["OMP_NUM_THREADS", "OMP_WAIT_POLICY", "OMP_PROC_BIND", "MBSC_SIMD"]


def output_of(*command):
    """The output of a command that runs in ROOT; empty if the command fails."""
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else ""


def commit(*sources):
    """The commit that the programs are built from, followed by a + if the sources differ from it."""
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
    """Builds a program in build/release and returns its path."""
    if not (ROOT / "build/release/build.ninja").exists():
        subprocess.run(["cmake", "--preset", "release"], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", "--preset", "release", "--target", f"bin/{target}"], cwd=ROOT, check=True,
                   stdout=subprocess.DEVNULL)
    return ROOT / "build/release/bin" / target


def continue_with(packages, optional=(), folder="build/python"):
    """Restarts this script with a Python that has the packages, unless this Python has them."""
    python = python_with(packages, optional, folder=folder)
    if not pathlib.Path(sys.executable).parent.samefile(pathlib.Path(python).parent):
        os.execv(python, [str(python), "-B", *sys.argv])


def wrap(text, width=120):
    """Wraps paragraphs and list items of Markdown text, but not tables, code, headings, comments and figures."""
    lines, paragraph, is_code = [], [], False

    def end_paragraph():
        if paragraph:
            indent = "  " if paragraph[0].startswith("- ") else ""
            lines.append(textwrap.fill(" ".join(paragraph), width, subsequent_indent=indent, break_on_hyphens=False,
                                       break_long_words=False))
            paragraph.clear()
    for line in text.splitlines():
        is_fence = line.startswith("```")
        is_text = line.strip() and not (is_code or is_fence or line.startswith(("|", "#", "    ", "<!", "![")))
        if not is_text or line.startswith("- "):
            end_paragraph()
        (paragraph if is_text else lines).append(line.strip() if is_text else line)
        is_code ^= is_fence
    end_paragraph()
    return "\n".join(lines) + "\n"


def write_document(path, text):
    path.write_text(wrap(text), encoding="utf-8")


def new_figure(name, rows, columns, size):
    """A figure and its panels. The same numbers give the same bytes of SVG, and text is stored as text."""
    import matplotlib
    matplotlib.use("svg")
    import matplotlib.pyplot as plt
    plt.rcParams.update({"svg.hashsalt": name, "svg.fonttype": "none", "font.family": "sans-serif"})
    return plt.subplots(rows, columns, figsize=size, squeeze=False, layout="constrained")


def save_figure(figure, path):
    """Writes an SVG file without a date and without trailing spaces."""
    figure.savefig(path, metadata={"Date": None, "Creator": None})
    path = pathlib.Path(path)
    lines = [line.rstrip() for line in path.read_text(encoding="utf-8").splitlines()]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def data_folder():
    return pathlib.Path(os.environ.get("MBSC_DATA") or ROOT / "data").resolve()


def has_data(name):
    """Whether the file of a data set exists. The part of the name after a hyphen is not part of the file name."""
    return (data_folder() / f"{name.split('-')[0]}.csv.gz").exists()


def python_with(packages, optional=(), may_install=True, folder="build/python"):
    """Returns a Python that has the packages: this one, or that of the virtual environment `folder`, which is created
    if it does not exist. Returns None if there is no such Python and nothing may be installed. Optional packages that
    cannot be installed are left out."""
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
            print(f"{name} is left out, because it does not install here", file=sys.stderr)
    return local
