#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the commands that the documents show.

The script runs every block of README.md and docs/*.md that is fenced as ```sh, and every command after a `$ ` prompt in
a block fenced as ```console, under `bash -euo pipefail`. The blocks of a document run one after the other, in a fresh
copy of the tracked files. The build folder is linked into the copy, and its programs come first in PATH. The expected
output in a console block is compared by its words: the words without a digit must appear in the output, in this order;
`...` stands for anything.

    <!-- not run: reason -->         before a block: skips the block
    <!-- needs: path -->             before a block: skips the block if that path (data/...) does not exist

usage: run_readme.py ROOT BUILD_DIR [DOCUMENT...]
"""
import dataclasses
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

TIMEOUT_SECONDS = 300
FENCE = re.compile(r"^ *```+ *(\w*)")
NOT_RUN = re.compile(r"<!--\s*not run:\s*(.*?)\s*-->")
NEEDS = re.compile(r"<!--\s*needs:\s*(\S+)\s*-->")
MARK = "----- next command of this document -----"


@dataclasses.dataclass
class Block:
    line: int
    kind: str  # sh or console
    text: list
    not_run: str = ""
    needs: str = ""


def blocks_of(text):
    """The runnable blocks of a Markdown text, in order."""
    found, comment, block, kind = [], "", None, None
    for number, line in enumerate(text.splitlines(), 1):
        fence = FENCE.match(line)
        if kind is not None:  # inside a block
            if fence and not fence[1]:
                block, kind = None, None
            elif block:
                block.text.append(line)
        elif fence:
            kind = fence[1]
            if kind in ("sh", "console"):
                not_run, needs = NOT_RUN.search(comment), NEEDS.search(comment)
                block = Block(number, kind, [], not_run[1] if not_run else "", needs[1] if needs else "")
                found.append(block)
            comment = ""
        elif line.strip().startswith("<!--"):
            comment += line
        elif line.strip():
            comment = ""
    return found


def commands_of(block):
    """Returns [(command, expected output lines)]. A sh block is one command without expected output."""
    if block.kind == "sh":
        return [("\n".join(block.text), [])]
    commands, continued = [], False
    for line in block.text:
        if line.lstrip().startswith("$ "):
            commands.append((line.lstrip()[2:], []))
        elif continued:
            command, expected = commands.pop()
            commands.append((command + "\n" + re.sub(r"^\s*> ", "", line), expected))
        elif commands:
            commands[-1][1].append(line)
        continued = bool(commands) and not commands[-1][1] and commands[-1][0].endswith("\\")
    return commands


def first_missing_word(expected_lines, output):
    """The first expected word that the output lacks, in this order; None if all words are there."""
    words = iter(output.split())
    for word in " ".join(expected_lines).split():
        if word == "..." or any(character.isdigit() for character in word):
            continue
        if not any(word == found for found in words):
            return word
    return None


def run_block(block, folder, environment):
    """Runs a block; returns an error text, or None."""
    commands = commands_of(block)
    script = "\n".join(f"printf '%s\\n' {shlex.quote(MARK)}\n{command}" for command, _ in commands)
    try:
        done = subprocess.run(["bash", "-euo", "pipefail", "-c", script], cwd=folder, env=environment, text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=TIMEOUT_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return f"took more than {TIMEOUT_SECONDS} s"
    outputs = done.stdout.split(MARK + "\n")[1:]
    if done.returncode != 0:
        command = commands[max(len(outputs) - 1, 0)][0]
        return f"exit code {done.returncode} of\n{command}\n{outputs[-1] if outputs else done.stdout}"
    for (command, expected), output in zip(commands, outputs):
        missing = first_missing_word(expected, output)
        if missing is not None:
            return f"the output lacks '{missing}' (in this order); command\n{command}\nprinted\n{output}"
    return None


def copy_of_tracked_files(root, folder):
    listing = subprocess.run(["git", "-C", str(root), "ls-files", "-z"], capture_output=True, check=False)
    if listing.returncode != 0:  # not a git checkout
        shutil.copytree(root, folder, dirs_exist_ok=True,
                        ignore=shutil.ignore_patterns(".git", "build", "data", "__pycache__"))
        return
    for name in filter(None, listing.stdout.decode().split("\0")):
        if (root / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(root / name, folder / name)


def run_document(document, root, build):
    """Runs the blocks of a document; returns the number of failed blocks."""
    failed = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        copy_of_tracked_files(root, folder)
        (folder / "build").mkdir(exist_ok=True)
        (folder / "build" / "release").symlink_to(build)
        data = pathlib.Path(os.environ.get("MBSC_DATA", root / "data"))
        if data.is_dir():
            (folder / "data").symlink_to(data.resolve())
        environment = dict(os.environ, PATH=f"{build / 'bin'}{os.pathsep}{os.environ['PATH']}")
        for block in blocks_of(document.read_text(encoding="utf-8")):
            where = f"{document.relative_to(root)}:{block.line}"
            if block.not_run:
                print(f"{where}: not run: {block.not_run}")
            elif block.needs and not (folder / block.needs).exists():
                print(f"{where}: skipped: no {block.needs}")
            else:
                error = run_block(block, folder, environment)
                failed += error is not None
                print(f"{where}: " + (f"FAILED: {error}" if error else "ok"), flush=True)
    return failed


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    root, build = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
    documents = [pathlib.Path(argument).resolve() for argument in sys.argv[3:]]
    if not documents:
        documents = [root / "README.md", *sorted((root / "docs").glob("*.md"))]
    failed = sum(run_document(document, root, build) for document in documents if document.exists())
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
