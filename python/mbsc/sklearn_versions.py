# SPDX-License-Identifier: Apache-2.0
"""Names that differ between versions of scikit-learn from 1.4 on."""
from __future__ import annotations

try:
    from sklearn.utils.validation import validate_data  # from 1.6 on
except ImportError:

    def validate_data(estimator, X, **options):
        return estimator._validate_data(X, **options)


__all__ = ["validate_data"]
