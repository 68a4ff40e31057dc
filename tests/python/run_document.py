#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the blocks of a document that are fenced as ```python, one after the other, as one program.

usage: run_document.py DOCUMENT
"""
import pathlib
import re
import sys

BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


def run(path):
    text = pathlib.Path(path).read_text(encoding="utf-8")
    names = {"__name__": "__main__"}
    blocks = list(BLOCK.finditer(text))
    if not blocks:
        sys.exit(f"{path} has no block of Python")
    for block in blocks:
        line = text.count("\n", 0, block.start()) + 1
        exec(compile("\n" * line + block[1], str(path), "exec"), names)  # errors show the line of the document


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    run(sys.argv[1])
