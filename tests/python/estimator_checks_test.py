# SPDX-License-Identifier: Apache-2.0
"""scikit-learn's own checks of an estimator. None is expected to fail."""
from sklearn.utils.estimator_checks import parametrize_with_checks

from mbsc import MiniBatchSpectralClustering

# The default, a method that only estimates the eigenvalues, and a graph.
ESTIMATORS = [
    MiniBatchSpectralClustering(),
    MiniBatchSpectralClustering(n_clusters=3, method="minibatch", passes=1.0, embedding_scale="none"),
    MiniBatchSpectralClustering(n_clusters=3, affinity="nearest_neighbors"),
]


@parametrize_with_checks(ESTIMATORS)
def test_check_of_scikit_learn(estimator, check):
    check(estimator)
