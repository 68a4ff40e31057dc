#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks rules of the source tree that no compiler checks: every source and script has the license line and at most 400
lines, no file has an empty name such as "utils", and no text contains a path of one particular machine.

usage: check_tree.py ROOT    prints one line per violation; exit code 1 if there is any
"""
import os
import pathlib
import re
import subprocess
import sys

LICENSE_LINE = "SPDX-License-Identifier: Apache-2.0"
LONGEST = 400
SOURCES = {".h", ".hpp", ".cpp", ".cc", ".inc", ".py", ".cmake", ".in", ".sh"}
DATA = {".csv", ".npy", ".gz", ".svm", ".png", ".pdf", ".svg", ".json", ".sha256"}
NOT_SOURCE = {".git", "build", "data", "__pycache__"}
EMPTY_NAMES = {"utils", "util", "helpers", "helper", "common", "misc", "manager"}
# The paths are written in pieces, so that this file passes its own check.
MACHINE_PATHS = re.compile("|".join([
    "(?<![\\w.])/" + "work/", "/tmp/" + "wt", "(?<![\\w.])/" + "home/\\w", r"\.\./" + "shared"]))
MAY_NAME_MACHINE_PATHS = {".ci/run"}


def tracked_files(root):
    """The files that git tracks or does not ignore; without git, all files that are not in a folder of NOT_SOURCE."""
    command = ["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        names = subprocess.run(command, check=True, capture_output=True).stdout.decode().split("\0")
        return sorted({name for name in names if name and (root / name).is_file()})
    except (OSError, subprocess.CalledProcessError):
        found = []
        for folder, folders, files in os.walk(root):
            folders[:] = [name for name in folders if name not in NOT_SOURCE]
            found += [(pathlib.Path(folder) / file).relative_to(root).as_posix() for file in files]
        return sorted(found)


def is_source(path, text):
    return path.suffix in SOURCES or path.name == "CMakeLists.txt" or text.startswith("#!")


def violations_of_file(name, text):
    path = pathlib.PurePosixPath(name)
    lines = text.splitlines()
    if is_source(path, text) and not any(LICENSE_LINE in line for line in lines[:5]):
        yield f"{name}: its first five lines lack '{LICENSE_LINE}'"
    if is_source(path, text) and len(lines) > LONGEST:
        yield f"{name}: {len(lines)} lines; the longest allowed is {LONGEST}"
    if path.stem in EMPTY_NAMES:
        yield f"{name}: name the file after what is in it"
    if name in MAY_NAME_MACHINE_PATHS:
        return
    for number, line in enumerate(lines, 1):
        match = MACHINE_PATHS.search(line)
        if match:
            yield f"{name}:{number}: a path of one machine ({match[0]})"


def violations(root):
    root = pathlib.Path(root)
    found = []
    for name in tracked_files(root):
        if pathlib.PurePosixPath(name).suffix in DATA:
            continue
        try:
            text = (root / name).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            found.append(f"{name}: is not UTF-8 text")
            continue
        found += violations_of_file(name, text)
    return found


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    found = violations(sys.argv[1])
    print("\n".join(found) if found else "tree: no violation")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
