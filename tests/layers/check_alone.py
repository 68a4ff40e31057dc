# SPDX-License-Identifier: Apache-2.0
"""Checks that every source file that CMake joins with others also compiles alone, so that it includes what it uses.

usage: check_alone.py BUILD_DIR
It reads compile_commands.json of the build folder, and checks only the syntax, without the precompiled header.
"""
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys


def joined_files(build):
    """Pairs of a source file and the command, without file names, that compiles it as a part of a joined file."""
    for entry in json.loads((build / "compile_commands.json").read_text(encoding="utf-8")):
        if "/Unity/" not in entry["file"]:
            continue
        words = shlex.split(entry["command"])
        if "-include" in words:  # the precompiled header
            at = words.index("-include")
            del words[at:at + 2]
        command = words[:words.index("-o")]
        text = pathlib.Path(entry["file"]).read_text(encoding="utf-8")
        for name in re.findall(r'#include "(.*\.cpp)"', text):
            yield name, command


def errors_of(job):
    name, command = job
    done = subprocess.run([*command, "-fsyntax-only", name], capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else done.stderr


def main():
    jobs = list(joined_files(pathlib.Path(sys.argv[1])))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        errors = [text for text in pool.map(errors_of, jobs) if text]
    print("".join(errors) + f"{len(jobs)} files, of which {len(errors)} do not compile alone")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
