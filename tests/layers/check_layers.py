#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Enforces the layers of the source tree from its #include lines.

    vocabulary < base < {simd, comm} < linalg < {kmeans, io} < affinity < solvers < metrics < options
               < {model, flow} < cluster < report < {cli, python}

A layer may include itself and the layers to its left. Siblings in braces must not include each other. A layer is a
folder of mbsc/; LAYER_OF_FILE lists the layers of the public headers mbsc/*.h and other exceptions. cluster.h counts as
part of options, so the layers from options on may include it.
There are four more rules. Public headers include only each other and the standard library. Only mbsc/comm/mpi* includes
<mpi.h>. Only mbsc/simd includes hwy/. Nothing in mbsc/ prints or ends the process.

usage: check_layers.py ROOT    prints one line per violation; exit code 1 if there is any
"""
import pathlib
import re
import sys

LEVELS = [
    {"vocabulary"},
    {"base"},
    {"simd", "comm"},
    {"linalg"},
    {"kmeans", "io"},
    {"affinity"},
    {"solvers"},
    {"metrics"},
    {"options"},
    {"model", "flow"},
    {"cluster"},
    {"report"},
    {"cli", "python"},
]
#: Files whose layer is not given by their folder.
LAYER_OF_FILE = {
    "mbsc/input.h": "vocabulary",
    "mbsc/options.h": "vocabulary",
    "mbsc/result.h": "vocabulary",
    "mbsc/comm.h": "vocabulary",
    "mbsc/options/row.h": "vocabulary",
    "mbsc/options/words.h": "vocabulary",
    "mbsc/read.h": "io",
    "mbsc/metrics.h": "metrics",
    "mbsc/cluster.h": "options",
    "mbsc/model.h": "model",
}
LEVEL_OF = {layer: level for level, layers in enumerate(LEVELS) for layer in layers}
SOURCES = {".h", ".hpp", ".cpp", ".cc", ".inc"}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
COMMENTS_AND_STRINGS = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.DOTALL)
PRINTS = [
    re.compile(r"\bstd::(?:cout|cerr|clog)\b"),
    re.compile(r"\b(?:v?printf|puts|putchar|perror)\s*\("),
    re.compile(r"\b(?:v?fprintf|fputs|fputc|putc)\s*\([^;]*\b(?:stdout|stderr)\b"),
    re.compile(r"\b(?:fmt|std)::print(?:ln)?\s*\("),
    re.compile(r"(?<![\w.>])(?:exit|_exit|_Exit|quick_exit|abort|terminate)\s*\("),
]


def layer_of(path):
    """The layer of a path relative to the root; None if it is not in mbsc/, cli/ or python/."""
    parts = pathlib.PurePosixPath(path).parts
    if parts[0] in ("cli", "python"):
        return parts[0]
    if parts[0] != "mbsc":
        return None
    if path in LAYER_OF_FILE:
        return LAYER_OF_FILE[path]
    return "cluster" if len(parts) == 2 else parts[1]


def included_path(root, path, name):
    """The file that an #include names, relative to the root; None if it does not belong to this project."""
    if layer_of(name) is not None and "/" in name:
        return name
    beside = (root / path).parent / name
    if beside.exists():
        return beside.resolve().relative_to(root.resolve()).as_posix()
    return None


def may_include(layer, other):
    return layer == other or LEVEL_OF[other] < LEVEL_OF[layer]


def without_comments_and_strings(text):
    def blank(match):
        return '""' if match[0].startswith('"') else re.sub(r"[^\n]", " ", match[0])

    return COMMENTS_AND_STRINGS.sub(blank, text)


def violations_of_includes(root, path, text):
    layer = layer_of(path)
    for number, line in enumerate(text.splitlines(), 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        name = match[2]
        where = f"{path}:{number}"
        if name == "mpi.h" and not path.startswith("mbsc/comm/mpi"):
            yield f"{where}: only mbsc/comm/mpi* may include <mpi.h>"
        if name.startswith("hwy/") and layer != "simd":
            yield f"{where}: only mbsc/simd may include {name}"
        is_public = re.fullmatch(r"mbsc/\w+\.h", path) is not None
        if is_public and not (match[1] == "<" and "/" not in name) and not re.fullmatch(r"mbsc/\w+\.h", name):
            yield f"{where}: a public header may include only public headers and the standard library, not {name}"
        ours = included_path(root, path, name)
        other = layer_of(ours) if ours else None
        if other is None:
            continue
        if other not in LEVEL_OF:
            yield f"{where}: {name} is in no known layer"
        elif not may_include(layer, other):
            yield f"{where}: layer {layer} must not include layer {other} ({name})"


def violations_of_silence(path, text):
    for number, line in enumerate(without_comments_and_strings(text).splitlines(), 1):
        for pattern in PRINTS:
            match = pattern.search(line)
            if match:
                yield f"{path}:{number}: the library must not print or end the process ({match[0].strip()})"


def violations(root):
    root = pathlib.Path(root)
    found = []
    for top in ("mbsc", "cli", "python"):
        for file in sorted((root / top).rglob("*")):
            if file.suffix not in SOURCES or not file.is_file():
                continue
            path = file.relative_to(root).as_posix()
            if layer_of(path) not in LEVEL_OF:
                found.append(f"{path}: is in no known layer")
                continue
            text = file.read_text(encoding="utf-8")
            found += violations_of_includes(root, path, text)
            if top == "mbsc":
                found += violations_of_silence(path, text)
    return found


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    found = violations(sys.argv[1])
    print("\n".join(found) if found else "layers: no violation")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
