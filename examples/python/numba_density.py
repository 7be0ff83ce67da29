"""A density compiled by numba: called without Python, on as many threads as there are cores."""

import numba
import numpy as np

import quasar

DEGREES = 10.0


@numba.cfunc("float64(int64, CPointer(float64), CPointer(float64), voidptr)")
def student(dim, x, gradient, user_data):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN201
    """Independent Student's t."""
    total = 0.0
    for i in range(dim):
        spread = 1 + x[i] * x[i] / DEGREES
        total -= 0.5 * (DEGREES + 1) * np.log(spread)
        gradient[i] = -(DEGREES + 1) * x[i] / (DEGREES * spread)
    return total


run = quasar.sample(student, dim=5, draws=2000, seed=1)
print(run)
