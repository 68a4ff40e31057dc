# SPDX-License-Identifier: Apache-2.0
"""Small sets of points with obvious clusters."""
import math
import random


def blobs(centers, sizes, spread=0.1, seed=0):
    """Returns (rows, classes): Gaussian groups around the centers, in random order."""
    source = random.Random(seed)
    points = [([x + source.gauss(0, spread) for x in center], label)
              for label, (center, size) in enumerate(zip(centers, sizes)) for _ in range(size)]
    source.shuffle(points)
    return [row for row, _ in points], [label for _, label in points]


def three_blobs(sizes=(30, 20, 10)):
    """Returns (rows, classes): three separate groups; their centers are at least 4 apart, their spread is 0.3."""
    return blobs([(0.0, 0.0), (4.0, 0.0), (0.0, 4.0)], sizes, spread=0.3)


def rings(n, radii=(1.0, 3.0), seed=0):
    """Returns (rows, classes): slightly noisy circles around the origin, each with the same number of points."""
    source = random.Random(seed)
    rows, classes = [], []
    for i in range(n):
        label = i % len(radii)
        angle, radius = source.uniform(0, 2 * math.pi), radii[label] + source.gauss(0, 0.05)
        rows.append([radius * math.cos(angle), radius * math.sin(angle)])
        classes.append(label)
    return rows, classes
