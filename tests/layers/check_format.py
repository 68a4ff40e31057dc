#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that clang-format would not change any C++ file. Versions differ in details, so only version 14 is accepted.

usage: check_format.py ROOT    prints the files that differ; exit code 1 if there are any, 77 if there is no version 14
"""
import pathlib
import re
import shutil
import subprocess
import sys

VERSION = "14"
SKIPPED = 77


def find_program():
    for name in (f"clang-format-{VERSION}", "clang-format"):
        program = shutil.which(name)
        if program is None:
            continue
        shown = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout
        if re.search(rf"version {VERSION}\.", shown):
            return program
    return None


def sources(root):
    return sorted(path for top in ("mbsc", "cli", "python", "tests", "bench") for path in (root / top).rglob("*")
                  if path.suffix in (".cpp", ".h") and "build" not in path.parts)


def violations(root, program):
    root = pathlib.Path(root)
    found = []
    for path in sources(root):
        formatted = subprocess.run([program, str(path)], capture_output=True, check=True, cwd=root).stdout
        if formatted != path.read_bytes():
            found.append(f"{path.relative_to(root).as_posix()}: run clang-format -i")
    return found


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    program = find_program()
    if program is None:
        print(f"skipped: no clang-format {VERSION}")
        return SKIPPED
    found = violations(sys.argv[1], program)
    print("\n".join(found) if found else "format: no violation")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
