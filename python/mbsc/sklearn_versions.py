# SPDX-License-Identifier: Apache-2.0
"""What scikit-learn's versions from 1.4 on spell differently."""
from __future__ import annotations

try:
    from sklearn.utils.validation import validate_data  # from 1.6 on
except ImportError:

    def validate_data(estimator, X, **options):
        return estimator._validate_data(X, **options)


__all__ = ["validate_data"]
