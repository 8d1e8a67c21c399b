"""R-MAT graphs, as Graph500 has them: 2^scale vertices and 16 times as many edges."""

import numpy as np


def rmat(scale: int, edges_per_vertex: int = 16, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Sources and targets, uint32; the parameters are Graph500's a = 0.57, b = c = 0.19."""
    random = np.random.default_rng(seed)
    count = edges_per_vertex << scale
    source = np.zeros(count, dtype=np.uint32)
    target = np.zeros(count, dtype=np.uint32)
    for bit in range(scale):
        down = random.random(count) > 0.57 + 0.19
        right = random.random(count) > np.where(down, 0.19 / 0.24, 0.57 / 0.76)
        source |= down.astype(np.uint32) << bit
        target |= right.astype(np.uint32) << bit
    order = random.permutation(1 << scale).astype(np.uint32)
    return order[source], order[target]
