"""JAX densities: names, precision, and chains that never change each other's bits."""

import unittest
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import quasar
from support import PackageTest

QUICK = {"draws": 50, "warmup": 50, "warn": False}
MATRIX = np.random.default_rng(1).normal(size=(40, 5))


def regression(x: Any) -> Any:
    return -jnp.sum(jnp.logaddexp(0.0, MATRIX @ x)) - 0.5 * jnp.sum(x**2)


class JaxTargets(PackageTest):
    def test_value_and_gradient_in_double_precision(self) -> None:
        x = np.linspace(-1, 1, 5)
        logp, gradient = quasar.jax(regression, dim=5).logp_grad(x)
        products = MATRIX @ x
        self.assertAlmostEqual(logp, -np.logaddexp(0, products).sum() - 0.5 * x @ x, delta=1e-12)
        expected = -MATRIX.T @ (1 / (1 + np.exp(-products))) - x
        np.testing.assert_allclose(gradient, expected, rtol=0, atol=1e-12)

    def test_the_users_precision_stays_as_it_was(self) -> None:
        quasar.sample(quasar.jax(regression, dim=5), **QUICK)
        self.assertEqual(jnp.ones(1).dtype, jnp.float32)
        self.assertFalse(jax.config.jax_enable_x64)

    def test_leaves_become_variables(self) -> None:
        def log_density(p: Any) -> Any:
            return -0.5 * (p["mu"] ** 2 + jnp.sum(p["b"]["w"] ** 2) + jnp.sum(p["c"][0] ** 2))

        example = {"mu": 0.0, "b": {"w": np.zeros((2, 3))}, "c": [np.zeros(2)]}
        run = quasar.sample(quasar.jax(log_density, example=example), **QUICK)
        shapes = {name: draws.shape for name, draws in run.posterior.items()}
        self.assertEqual(shapes, {"b.w": (4, 50, 2, 3), "c.0": (4, 50, 2), "mu": (4, 50)})

    def test_a_run_can_be_repeated(self) -> None:
        one, two = (quasar.sample(quasar.jax(regression, dim=5), **QUICK) for _ in range(2))
        self.assert_same_draws(one, two)

    def test_neighbours_never_change_a_chains_bits(self) -> None:
        """Chain 1 starts at the same point; the others start elsewhere, are stuck, or fall behind."""
        target = quasar.jax(lambda x: jnp.where(x[0] > 50, -jnp.inf, regression(x)), dim=5)
        here = np.full(5, 0.1)
        starts = {
            "together": np.tile(here, (4, 1)),
            "elsewhere": np.array([here, here + 3, here - 2, here * 7]),
            "far away": np.array([here, here + 40, here - 40, here + 30]),
        }
        settings = {"step_size": 0.2, "init": None, **QUICK}
        first = [quasar.sample(target, **{**settings, "init": start}).posterior["x"] for start in starts.values()]
        for draws in first[1:]:
            np.testing.assert_array_equal(draws[0], first[0][0])
            self.assertFalse(np.array_equal(draws[1], first[0][1]))

    def test_neighbours_that_are_stuck_and_end_early(self) -> None:
        """On the spike every path ends at its first gradient: those chains end long before the first does."""
        target = quasar.jax(lambda x: jnp.where(x[0] > 50, -1e12 * jnp.sum((x - 1000) ** 2), regression(x)), dim=5)
        here, spike = np.full(5, 0.1), np.full(5, 1000.0)
        settings = {"step_size": 0.2, "draws": 200, "warmup": 0, "warn": False}
        together = quasar.sample(target, init=here, **settings)
        apart = quasar.sample(target, init=np.array([here, spike, spike, spike]), **settings)
        np.testing.assert_array_equal(apart.posterior["x"][0], together.posterior["x"][0])
        self.assertTrue((apart.posterior["x"][1:] == 1000).all())
        steps = apart.sample_stats["n_steps"].sum(axis=1)
        self.assertGreater(steps[0], 3 * steps[1:].max())

    def test_all_are_stopped(self) -> None:
        """What was drawn until then is what a run of that length draws."""
        target = quasar.jax(regression, dim=5)
        job = quasar.start(target, draws=10**6, warmup=50)
        while min(chain.iterations for chain in job.progress) < 100:
            self.assertFalse(job.wait(0.01))
        job.stop()
        run = job.result()
        self.assertTrue(run.info["stopped_early"])
        self.assertGreaterEqual(run.draws, 50)
        self.assert_same_draws(run, quasar.sample(target, draws=run.draws, warmup=50, warn=False))

    def test_what_the_function_must_return(self) -> None:
        with self.assertRaisesRegex(TypeError, "one real number"):
            quasar.jax(lambda x: x, dim=3)
        with self.assertRaisesRegex(TypeError, "either dim=3 or example"):
            quasar.jax(regression)
        with self.assertRaisesRegex(TypeError, "either dim=3 or example"):
            quasar.jax(regression, dim=5, example=np.zeros(5))

    def test_exceptions_while_tracing_are_the_functions_own(self) -> None:
        def fails(x: Any) -> Any:
            raise LookupError("no such thing")

        with self.assertRaisesRegex(LookupError, "no such thing"):
            quasar.jax(fails, dim=3)


if __name__ == "__main__":
    unittest.main()
