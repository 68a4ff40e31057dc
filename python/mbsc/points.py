# SPDX-License-Identifier: Apache-2.0
"""Arrays in the form that the library accepts: float32 or float64, without a copy."""
from __future__ import annotations

import numpy as np

FLOATS = (np.float64, np.float32)


def as_they_lie(X: np.ndarray) -> np.ndarray:
    """The array itself. A copy only if its byte order is not native, its elements are not aligned, or its strides are
    not multiples of the item size."""
    if not X.dtype.isnative:
        return X.astype(X.dtype.newbyteorder("="))
    if X.flags.aligned and all(stride % X.itemsize == 0 for stride in X.strides):
        return X
    return np.ascontiguousarray(X)


def rows_of(X, name: str = "X") -> np.ndarray:
    """A checked matrix of points; copied only if necessary."""
    from sklearn.utils import check_array

    return as_they_lie(check_array(X, dtype=FLOATS, order=None, input_name=name))
