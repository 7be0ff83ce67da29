"""Stochastic gradients on your own finite sum: a mean of many numbers, a few at a time."""

import numpy as np
from numpy.typing import NDArray

import quasar

DATA = np.random.default_rng(1).normal(loc=2.0, size=10_000)
Floats = NDArray[np.float64]


def terms(x: Floats, indices: NDArray[np.int64]) -> tuple[float, Floats]:
    differences = DATA[indices] - x[0]
    return -0.5 * float(differences @ differences), np.array([differences.sum()])


def prior(x: Floats) -> tuple[float, Floats]:
    return -0.5 * float(x @ x) / 100, -x / 100


target = quasar.finite_sum(terms, len(DATA), prior=prior, shapes={"mu": ()})
run = quasar.sample(target, "sgld", batch_size=100, step_size=2e-6, draws=5000, seed=1, warn=False)
print(f"{run.info['gradient_evaluations']} gradients of 100 terms")
print(f"mu = {run.posterior['mu'].mean():.4f} ± {run.posterior['mu'].std():.4f}; exactly {DATA.mean():.4f} ± 0.0100")
for warning in run.warnings:
    print(warning)
