"""A density in JAX: no gradient to write, variables as in the pytree."""

import jax.numpy as jnp
import numpy as np
from jax import Array

import quasar

EFFECTS = np.array([28.0, 8.0, -3.0, 7.0, -1.0, 1.0, 18.0, 12.0])
ERRORS = np.array([15.0, 10.0, 16.0, 11.0, 9.0, 11.0, 10.0, 18.0])


def eight_schools(p: dict[str, Array]) -> Array:
    """Non-centred: theta = mu + tau z. Half-Cauchy prior on tau = exp(log_tau), with its Jacobian."""
    tau = jnp.exp(p["log_tau"])
    theta = p["mu"] + tau * p["z"]
    prior = -0.5 * (p["mu"] / 5) ** 2 - jnp.log1p((tau / 5) ** 2) + p["log_tau"] - 0.5 * jnp.sum(p["z"] ** 2)
    return prior - 0.5 * jnp.sum(((EFFECTS - theta) / ERRORS) ** 2)


target = quasar.jax(eight_schools, example={"mu": 0.0, "log_tau": 0.0, "z": np.zeros(8)})
run = quasar.sample(target, draws=1000, seed=1)
mu, tau, z = run.posterior["mu"], np.exp(run.posterior["log_tau"]), run.posterior["z"]
theta = mu[:, :, None] + tau[:, :, None] * z
print(repr(run))
for school in range(8):
    print(f"theta[{school}]: {theta[:, :, school].mean():.2f} ± {theta[:, :, school].std():.2f}")
