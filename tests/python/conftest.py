# SPDX-License-Identifier: Apache-2.0
"""Fixtures that the tests of the Python package share: the command-line program, and the data of the paper."""
import gzip
import os
import pathlib

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def program():
    """The path of the command-line program of the same build."""
    path = pathlib.Path(os.environ.get("MBSC_BIN", ROOT / "build/release/bin/mbsc"))
    if not path.exists():
        pytest.skip("the program mbsc is not built")
    return str(path)


@pytest.fixture(scope="session")
def pendigits():
    """The points and the classes of Pendigits."""
    path = pathlib.Path(os.environ.get("MBSC_DATA", ROOT / "data")) / "pendigits.csv.gz"
    if not path.exists():
        pytest.skip("no data set pendigits (scripts/get-data)")
    with gzip.open(path) as file:
        table = np.loadtxt(file, delimiter=",")
    return np.ascontiguousarray(table[:, :-1]), table[:, -1].astype(int)
