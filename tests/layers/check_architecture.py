#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks ARCHITECTURE.md: every path that it names exists, the number of files that it states for a change is the
number of paths that it names for this change, and it names every folder of mbsc/.

usage: check_architecture.py ROOT    prints one line per violation; exit code 1 if there is any
"""
import pathlib
import re
import sys

PATH = re.compile(r"`([\w./*-]+/[\w./*-]*)`")
GENERATED = "docs/options.md"


def exists(root, path, line):
    """Whether the path exists. It may be relative to the root, to mbsc/, or to a folder that the same line names."""
    bases = [root, root / "mbsc"] + [root / folder for folder in PATH.findall(line) if folder.endswith("/")]
    return any(list(base.glob(path.rstrip("/"))) for base in bases)


def violations_of_row(cells):
    """Checks the stated number of files, such as "3" or "a folder and 1". If it is 1, the paths may be alternatives."""
    what, where, stated = cells
    paths = [path for path in PATH.findall(where) if path != GENERATED]
    folders = [path for path in paths if path.endswith("/")]
    match = re.fullmatch(r"(a folder and )?(\d+)", stated)
    if match is None:
        yield f"'{what}': '{stated}' is no number of files"
    elif match[1] and (len(folders), len(paths) - len(folders)) != (1, int(match[2])):
        yield f"'{what}': states {stated}, but names {len(folders)} folders and {len(paths) - len(folders)} files"
    elif not match[1] and int(match[2]) > 1 and len(paths) != int(match[2]):
        yield f"'{what}': states {stated} files, but names {len(paths)}"


def violations(root):
    root = pathlib.Path(root)
    text = (root / "ARCHITECTURE.md").read_text(encoding="utf-8")
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        found += [f"ARCHITECTURE.md:{number}: {path} does not exist" for path in PATH.findall(line)
                  if not exists(root, path, line)]
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("| ") and len(cells) == 3 and cells[0] != "to":
            found += [f"ARCHITECTURE.md:{number}: {wrong}" for wrong in violations_of_row(cells)]
    folders = {folder.name for folder in (root / "mbsc").iterdir() if folder.is_dir()}
    named = set(re.findall(r"`mbsc/(\w+)/`", text))
    return found + [f"ARCHITECTURE.md does not name mbsc/{folder}/" for folder in sorted(folders - named)]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    found = violations(sys.argv[1])
    print("\n".join(found) if found else "architecture: no violation")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
