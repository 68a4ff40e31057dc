# SPDX-License-Identifier: Apache-2.0
"""The code in the documents runs, and the documents list every argument and attribute."""
import inspect
import os
import re
import shutil
import subprocess
import sys

import pytest
from conftest import ROOT

from mbsc import MiniBatchSpectralClustering


@pytest.mark.parametrize("document", ["README.md", "docs/coming-from-sklearn.md"])
def test_blocks_of_python_run(tmp_path, document):
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    subprocess.run([sys.executable, ROOT / "tests/python/run_document.py", ROOT / document], cwd=tmp_path, check=True)


def test_the_tutorial_runs_and_draws_its_figures(tmp_path):
    pytest.importorskip("matplotlib")
    environment = dict(os.environ, MPLBACKEND="Agg")
    subprocess.run([sys.executable, ROOT / "examples/tutorial.py", tmp_path], env=environment, check=True)
    assert len(list(tmp_path.glob("*.png"))) >= 3


def test_every_argument_and_attribute_is_on_a_page_and_in_the_docstring():
    """Arguments that scikit-learn does not have may be on the generated page of options only."""
    page = "".join((ROOT / "docs" / name).read_text(encoding="utf-8") for name in ("coming-from-sklearn.md", "options.md"))
    arguments = list(inspect.signature(MiniBatchSpectralClustering).parameters)
    documented = inspect.getdoc(MiniBatchSpectralClustering)
    attributes = re.findall(r"^(\w+_) : ", documented, re.MULTILINE)
    assert "labels_" in attributes and "summary_" in attributes
    for name in arguments + attributes:
        assert f"`{name}`" in page, f"{name} is not on the page"
        assert re.search(rf"\b{name}\b.* : |\b{name}, |, {name} : ", documented), f"{name} is not in the docstring"
