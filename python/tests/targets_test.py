"""Densities written in Python, as finite sums, and compiled."""

import ctypes
import traceback
import unittest
from typing import Any

import numpy as np

import quasar
from support import PackageTest, gaussian

QUICK = {"draws": 100, "warmup": 100, "warn": False}


def plain(x: Any) -> tuple[float, Any]:
    """In two dimensions, what the built-in model computes: there is one order of adding two numbers."""
    return -0.5 * (x[0] * x[0] + x[1] * x[1]), -x


class Functions(PackageTest):
    def test_draws_are_those_of_the_built_in_model(self) -> None:
        for sampler in ("nuts", "mala", "rwm", "hmc-bfgs"):
            with self.subTest(sampler):
                model = quasar.sample("gaussian", sampler, dim=2, **QUICK)
                self.assert_same_draws(quasar.sample(plain, sampler, dim=2, **QUICK), model)

    def test_variables_have_their_names_and_shapes(self) -> None:
        run = quasar.sample(gaussian, shapes={"mu": (), "theta": (2, 3)}, **QUICK)
        flat = quasar.sample(gaussian, dim=7, **QUICK).posterior["x"]
        self.assertEqual(run.posterior["mu"].shape, (4, 100))
        np.testing.assert_array_equal(run.posterior["mu"], flat[:, :, 0])
        np.testing.assert_array_equal(run.posterior["theta"].reshape(4, 100, 6), flat[:, :, 1:])

    def test_any_number_of_threads(self) -> None:
        one, four = (quasar.sample(gaussian, dim=3, threads=threads, **QUICK) for threads in (1, 4))
        self.assert_same_draws(one, four)

    def test_points_that_are_kept_do_not_change(self) -> None:
        points: list[Any] = []

        def keeps(x: Any) -> tuple[float, Any]:
            points.append((x, x.copy()))
            return gaussian(x)

        quasar.sample(keeps, dim=2, chains=1, draws=10, warmup=10, warn=False)
        self.assertTrue(all(np.array_equal(kept, copy) for kept, copy in points))

    def test_rejected_points(self) -> None:
        def positive(x: Any) -> tuple[float, Any]:
            if x[0] <= 0:
                raise quasar.Reject("not positive")
            return gaussian(x)

        def minus_infinity(x: Any) -> tuple[float, Any]:
            return (-np.inf, x) if x[0] <= 0 else gaussian(x)

        run = quasar.sample(positive, dim=2, **QUICK)
        self.assertGreater(run.posterior["x"][:, :, 0].min(), 0)
        self.assert_same_draws(run, quasar.sample(minus_infinity, dim=2, **QUICK))
        self.assertEqual(quasar.function(positive, dim=2).logp_grad([-1.0, 0.0])[0], -np.inf)

    def test_exceptions_are_the_functions_own(self) -> None:
        def divides(x: Any) -> tuple[float, Any]:
            return 1 / 0, x

        for target in (quasar.function(divides, dim=2), quasar.finite_sum(lambda x, i: divides(x), 10, dim=2)):
            try:
                quasar.sample(target, **QUICK)
                self.fail("nothing was raised")
            except ZeroDivisionError as error:
                self.assertEqual(traceback.extract_tb(error.__traceback__)[-1].name, "divides")

    def test_what_a_function_must_return(self) -> None:
        wrong = {
            "tuple": (TypeError, lambda x: -0.5 * x @ x),
            r"shape \(1,\) instead of 2": (ValueError, lambda x: (0.0, x[:1])),
            r"shape \(2, 1\)": (ValueError, lambda x: (0.0, x.reshape(2, 1))),
            "not a number": (TypeError, lambda x: ("one", x)),
            "log density is nan": (quasar.RunError, lambda x: (np.nan, x)),
            "gradient component 1 is nan": (quasar.RunError, lambda x: (0.0, x * np.nan)),
        }
        for message, (error, function) in wrong.items():
            with self.subTest(message), self.assertRaisesRegex(error, message):
                quasar.sample(function, dim=2, **QUICK)

    def test_lists_and_other_types_of_numbers_serve_as_gradients(self) -> None:
        def listed(x: Any) -> tuple[Any, Any]:
            return np.float64(-0.5 * x @ x), [-one for one in x]

        self.assert_same_draws(
            quasar.sample(listed, dim=2, **QUICK),
            quasar.sample(lambda x: (-0.5 * x @ x, -x[::-1].copy()[::-1]), dim=2, **QUICK),
        )

    def test_logp_grad_of_a_target(self) -> None:
        logp, gradient = quasar.function(gaussian, dim=2).logp_grad([1, 2])
        self.assertEqual(logp, -2.5)
        np.testing.assert_array_equal(gradient, [-1, -2])


class FiniteSums(PackageTest):
    """The mean of a normal with variance 1, prior N(0, 1)."""

    DATA = np.sin(np.arange(50.0))

    def target(self) -> quasar.Target:
        def terms(x: Any, indices: Any) -> tuple[float, Any]:
            self.assertEqual(indices.dtype, np.int64)
            differences = self.DATA[indices] - x[0]
            return -0.5 * float(differences @ differences), np.array([differences.sum()])

        return quasar.finite_sum(terms, 50, prior=gaussian, dim=1)

    def test_the_whole_sum(self) -> None:
        logp, gradient = self.target().logp_grad([0.5])
        self.assertAlmostEqual(logp, -0.5 * float(((self.DATA - 0.5) ** 2).sum()) - 0.125, delta=1e-12)
        self.assertAlmostEqual(gradient[0], float((self.DATA - 0.5).sum()) - 0.5, delta=1e-12)

    def test_full_batches_are_the_gradient_itself(self) -> None:
        settings = {"step_size": 0.001, "estimator": "full", **QUICK}
        whole = quasar.sample(lambda x: self.target().logp_grad(x), "sgld", dim=1, **settings)
        summed = quasar.sample(self.target(), "sgld", **settings)
        np.testing.assert_array_equal(whole.posterior["x"], summed.posterior["x"])

    def test_minibatches_find_the_posterior(self) -> None:
        """Mean within five of its Monte Carlo errors; no bias, for the drift is linear and its noise has mean 0."""
        run = quasar.sample(self.target(), "sgld", batch_size=10, step_size=1e-3, draws=4000, warmup=500, warn=False)
        error = float(quasar.diagnostics.mcse_mean(run.posterior["x"])[0])
        self.assertAlmostEqual(run.posterior["x"].mean(), self.DATA.sum() / 51, delta=5 * error)
        self.assertLess(error, 0.01)


def prototype(dim: int, x: Any, gradient: Any, user: Any) -> float:
    total = 0.0
    for i in range(dim):
        total += x[i] * x[i]
        gradient[i] = -x[i]
    return -0.5 * total


class Pointers(PackageTest):
    def test_ctypes(self) -> None:
        compiled = quasar.PointerType(prototype)
        self.assert_same_draws(quasar.sample(compiled, dim=2, **QUICK), quasar.sample("gaussian", dim=2, **QUICK))

    def test_addresses(self) -> None:
        compiled = quasar.PointerType(prototype)
        address = ctypes.cast(compiled, ctypes.c_void_p).value
        self.assert_same_draws(
            quasar.sample(quasar.pointer(address, dim=3), **QUICK), quasar.sample(compiled, dim=3, **QUICK)
        )

    def test_numba_with_user_data(self) -> None:
        import numba

        @numba.cfunc("float64(int64, CPointer(float64), CPointer(float64), voidptr)")  # type: ignore[untyped-decorator]
        def scaled(dim, x, gradient, user):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
            scales = numba.carray(user, (dim,), dtype=numba.float64)
            total = 0.0
            for i in range(dim):
                total += scales[i] * x[i] * x[i]
                gradient[i] = -scales[i] * x[i]
            return -0.5 * total

        target = quasar.pointer(scaled, dim=3, user_data=np.array([1.0, 4.0, 9.0]))
        logp, gradient = target.logp_grad([1.0, 1.0, 1.0])
        self.assertEqual(logp, -7.0)
        np.testing.assert_array_equal(gradient, [-1, -4, -9])
        one, two = (quasar.sample(target, threads=threads, **QUICK) for threads in (1, 2))
        self.assert_same_draws(one, two)

    def test_the_function_lives_as_long_as_its_target(self) -> None:
        target = quasar.pointer(quasar.PointerType(prototype), dim=3)
        self.assertEqual(target.logp_grad([1, 1, 1])[0], -1.5)


if __name__ == "__main__":
    unittest.main()
