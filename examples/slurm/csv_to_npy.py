# SPDX-License-Identifier: Apache-2.0
"""Converts a large CSV file to NPY, which ranks read by offset: python csv_to_npy.py points.csv points.npy"""
import sys

import numpy as np

source, target = sys.argv[1:]
with open(source, encoding="utf-8") as lines:
    columns = len(next(lines).split(","))
    rows = 1 + sum(1 for line in lines if line.strip())
array = np.lib.format.open_memmap(target, mode="w+", dtype=np.float32, shape=(rows, columns))
with open(source, encoding="utf-8") as lines:
    row = 0
    for line in lines:
        if line.strip():
            array[row] = np.array(line.split(","), dtype=np.float32)
            row += 1
array.flush()
