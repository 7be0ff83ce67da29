"""Your own density in NumPy: a banana, with the names and shapes you want in the result."""

import numpy as np
from numpy.typing import NDArray

import quasar


def banana(x: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
    """log N(u | 0, 10^2) + log N(v | 3 - 0.03 u^2, 1), and its gradient."""
    u, v = x
    bend = v - 3 + 0.03 * u**2
    return -0.5 * (u / 10) ** 2 - 0.5 * bend**2, np.array([-u / 100 - 0.06 * u * bend, -bend])


run = quasar.sample(banana, shapes={"u": (), "v": ()}, draws=4000, target_accept=0.95, seed=1)
print(run)
