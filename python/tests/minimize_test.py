"""Minima on manifolds: against answers of linear algebra, for costs in NumPy and in JAX, and in all that goes wrong."""

import signal
import time
import unittest
from typing import Any

import jax.numpy as jnp
import numpy as np

import quasar
from quasar.manifolds import SPD, Grassmann, Product, Rotations, Sphere, Stiefel, check_gradient, check_hessian
from quasar.values import numbers_in
from support import WITHOUT_EXTRAS, PackageTest

NUMBERS = np.random.default_rng(1)
ROWS = NUMBERS.normal(size=(300, 5)) * [1, 2, 3, 1.5, 4]
MOMENTS = ROWS.T @ ROWS / len(ROWS)
LEADING = np.linalg.eigh(MOMENTS)[1][:, -1]
A, B = np.array([[2.0, 1], [1, 3]]), np.array([[4.0, -1], [-1, 1]])
ALL_TERMS = ("trust_region", "lbfgs", "conjugate_gradient", "steepest_descent")


def rayleigh(x: Any) -> Any:
    return -x @ MOMENTS @ x


def slope_of_rayleigh(x: Any) -> Any:
    return -2 * MOMENTS @ x


def mean_square(x: Any, rows: Any) -> Any:
    return -((rows @ x) ** 2).mean()


class Found(PackageTest):
    def assert_leading(self, found: quasar.Minimum, places: float = 1e-6) -> None:
        self.assertLess(1 - abs(found.x @ LEADING), places, found)

    def test_leading_eigenvector_by_jax(self) -> None:
        for solver in ALL_TERMS:
            found = quasar.minimize(rayleigh, Sphere(5), solver=solver, tolerance=1e-6)  # type: ignore[arg-type]
            self.assertTrue(found.converged, found)
            self.assert_leading(found, 1e-12)
            self.assertAlmostEqual(found.value, -np.linalg.eigvalsh(MOMENTS)[-1], 9)

    def test_numpy_costs_take_the_same_steps(self) -> None:
        for settings in ({"solver": "lbfgs"}, {"solver": "trust_region", "hessian": lambda x, u: -2 * MOMENTS @ u}):
            ours: Any = settings
            theirs: Any = {"solver": settings["solver"]}
            one = quasar.minimize(rayleigh, Sphere(5), gradient=slope_of_rayleigh, **ours)
            other = quasar.minimize(rayleigh, Sphere(5), **theirs)
            self.assertEqual(one.steps, other.steps)
            np.testing.assert_allclose(one.x, other.x, atol=1e-8)

    def test_gradients_of_the_manifold(self) -> None:
        def gradient(x: Any) -> Any:
            return Sphere(5).gradient(x, slope_of_rayleigh(x))

        found = quasar.minimize(rayleigh, Sphere(5), gradient=gradient, riemannian=True, tolerance=1e-6)
        self.assertTrue(found.converged, found)
        self.assert_leading(found, 1e-12)

    def test_a_start_at_the_minimum(self) -> None:
        def gradient(x: Any) -> Any:
            return Sphere(5).gradient(x, slope_of_rayleigh(x))

        lowest = rayleigh(LEADING)
        found = quasar.minimize(lambda x: rayleigh(x) - lowest, Sphere(5), LEADING, gradient=gradient, riemannian=True)
        self.assertEqual((found.stop, found.steps), ("converged", 0))
        with self.assertRaisesRegex(quasar.DataError, "out of the tangent space"):
            quasar.minimize(lambda x: rayleigh(x) + 1e7, Sphere(5), gradient=slope_of_rayleigh, riemannian=True)

    def test_batches(self) -> None:
        for solver in ("svrg", "sv_lbfgs"):
            found = quasar.minimize(
                mean_square,
                Sphere(5),
                data=ROWS,
                solver=solver,  # type: ignore[arg-type]
                step_size=0.01,
                batch_size=20,
                tolerance=1e-6,
                max_iterations=300,
            )
            self.assertTrue(found.converged, found)
            self.assert_leading(found, 1e-10)

    def test_batches_of_a_numpy_cost_and_of_a_tuple(self) -> None:
        def cost(x: Any, part: Any) -> Any:
            return -(part[1] * (part[0] @ x) ** 2).mean()

        def gradient(x: Any, part: Any) -> Any:
            return -2 * part[0].T @ (part[1] * (part[0] @ x)) / len(part[0])

        data = (ROWS, np.ones(len(ROWS)))
        found = quasar.minimize(cost, Sphere(5), gradient=gradient, data=data, step_size=0.01, batch_size=20)
        self.assert_leading(found, 1e-10)

    def test_matrices_have_rows_and_columns(self) -> None:
        """Not symmetric, and not square: a transposed point would have another cost."""
        goal = NUMBERS.normal(size=(4, 2))
        found = quasar.minimize(lambda x: -(x * goal).sum(), Stiefel(4, 2), tolerance=1e-7)
        u, _, vt = np.linalg.svd(goal, full_matrices=False)
        np.testing.assert_allclose(found.x, u @ vt, atol=1e-6)
        turn = Rotations(3).random_point(seed=7)
        start = Rotations(3).random_point(seed=8)
        nearest = quasar.minimize(lambda x: ((x - turn) ** 2).sum(), Rotations(3), start, tolerance=1e-7)
        np.testing.assert_allclose(nearest.x, turn, atol=1e-6)

    def test_products(self) -> None:
        def cost(point: Any) -> Any:
            x, s = point
            return rayleigh(x) + jnp.trace(A @ s) - jnp.log(jnp.linalg.det(s))

        found = quasar.minimize(cost, Product(Sphere(5), SPD(2)), tolerance=1e-6)
        self.assertLess(1 - abs(found.x[0] @ LEADING), 1e-10)
        np.testing.assert_allclose(found.x[1], np.linalg.inv(A), atol=1e-6)

    def test_subspace(self) -> None:
        found = quasar.minimize(lambda x: -jnp.trace(x.T @ MOMENTS @ x), Grassmann(5, 2), tolerance=1e-6)
        top = np.linalg.eigh(MOMENTS)[1][:, -2:]
        self.assertAlmostEqual(np.linalg.norm(top.T @ found.x), np.sqrt(2), 10)

    def test_history_and_callback(self) -> None:
        seen: list[Any] = []
        found = quasar.minimize(rayleigh, Sphere(5), solver="lbfgs", callback=seen.append)
        self.assertEqual(len(found.history.value), found.steps + 1)
        self.assertEqual([one.steps for one in seen], list(range(found.steps)))
        np.testing.assert_array_equal([one.value for one in seen], found.history.value[:-1])
        self.assertEqual(found.history.value[-1], found.value)
        self.assertTrue(np.all(np.diff(found.history.value) <= 1e-12))
        self.assertIn("sphere(5) by lbfgs", repr(found))

    def test_steps_that_take_long_are_told_once(self) -> None:
        def slow(x: Any, u: Any) -> Any:
            time.sleep(0.06)  # a step of several products is asked within whether to go on
            return -2 * MOMENTS @ u

        seen: list[Any] = []
        found = quasar.minimize(rayleigh, Sphere(5), gradient=slope_of_rayleigh, hessian=slow, callback=seen.append)
        self.assertEqual([one.steps for one in seen], list(range(found.steps)))
        self.assertEqual(len(found.history.value), found.steps + 1)

    def test_limits(self) -> None:
        found = quasar.minimize(rayleigh, Sphere(5), solver="steepest_descent", max_iterations=2)
        self.assertEqual((found.stop, found.steps), ("iteration_limit", 2))
        self.assertFalse(found.converged)


class Checks(PackageTest):
    def test_right(self) -> None:
        x = Sphere(5).random_point()
        self.assertTrue(check_gradient(rayleigh, Sphere(5), x).ok)
        self.assertTrue(check_gradient(rayleigh, Sphere(5), x, slope_of_rayleigh).ok)
        self.assertTrue(check_hessian(rayleigh, Sphere(5), x).ok)

    def test_wrong(self) -> None:
        x = Sphere(5).random_point()
        self.assertFalse(check_gradient(rayleigh, Sphere(5), x, lambda x: -MOMENTS @ x).ok)
        wrong = check_hessian(rayleigh, Sphere(5), x, slope_of_rayleigh, lambda x, u: -MOMENTS @ u)
        self.assertFalse(wrong.ok, wrong.message)


class Trouble(PackageTest):
    def test_what_functions_raise(self) -> None:
        def broken(x: Any) -> Any:
            raise LookupError("not today")

        def halfway(progress: Any) -> None:
            if progress.steps == 2:
                raise LookupError("not today")

        calls: list[dict[str, Any]] = [
            {"cost": broken},
            {"cost": broken, "gradient": slope_of_rayleigh},
            {"cost": rayleigh, "gradient": broken},
            {"cost": rayleigh, "gradient": slope_of_rayleigh, "hessian": lambda x, u: broken(x)},
            {"cost": rayleigh, "callback": halfway},
        ]
        for call in calls:
            with self.assertRaisesRegex(LookupError, "not today"):
                quasar.minimize(manifold=Sphere(5), **call)

    def test_interrupt(self) -> None:
        def interrupt(progress: Any) -> None:
            if progress.steps == 1:
                signal.raise_signal(signal.SIGINT)

        with self.assertRaises(KeyboardInterrupt):
            quasar.minimize(rayleigh, Sphere(5), solver="steepest_descent", callback=interrupt)

    def test_not_finite(self) -> None:
        with self.assertRaisesRegex(quasar.DataError, "the cost is nan"):
            quasar.minimize(lambda x: jnp.nan * x[0], Sphere(3))
        with self.assertRaisesRegex(quasar.DataError, "gradient has entries that are not finite"):
            quasar.minimize(lambda x: x[0], Sphere(3), gradient=lambda x: [np.inf, 0, 0])
        with self.assertRaisesRegex(quasar.DataError, "Hessian has entries that are not finite"):
            quasar.minimize(rayleigh, Sphere(5), gradient=slope_of_rayleigh, hessian=lambda x, u: np.nan * u)

    def test_wrong_arguments(self) -> None:
        calls: list[tuple[dict[str, Any], type[Exception], str]] = [
            ({"gradient": lambda x: [1, 2]}, quasar.DataError, r"the gradient has the shape \(3,\), not \(2,\)"),
            ({"start": [1, 1, 1]}, quasar.DataError, "no point of sphere"),
            ({"start": [1, 0]}, quasar.DataError, "shape"),
            ({"solver": "newton"}, quasar.UsageError, "newton"),
            ({"solver": "svrg"}, quasar.UsageError, "give data="),
            (
                {"solver": "trust_region", "memory": 3},
                quasar.UsageError,
                "memory: solver trust_region does not take it",
            ),
            ({"tolerances": 3}, quasar.UsageError, "tolerances"),
            ({"max_iterations": -1}, quasar.UsageError, "max_iterations"),
            ({"manifold": 3}, TypeError, "one of quasar.manifolds"),
            ({"cost": 3}, TypeError, "cost is a function"),
            ({"cost": lambda x: x}, TypeError, "one real number"),
            ({"cost": lambda x: float(np.asarray(x)[0])}, TypeError, "pass gradient="),
            ({"hessian": lambda x, u: u}, TypeError, "without gradient"),
            ({"gradient": lambda x: [1, 0, 0], "riemannian": True}, quasar.DataError, "out of the tangent space"),
            ({"seed": -1}, quasar.UsageError, "seed"),
            ({"data": []}, quasar.DataError, "data has no row"),
            ({"data": (np.ones(3), np.ones(4))}, quasar.DataError, r"\[3, 4\]"),
            ({"data": ROWS[:, :3], "cost": lambda x, r: ((r @ x) ** 2).sum()}, quasar.DataError, "mean over the rows"),
        ]
        for call, kind, words in calls:
            with self.assertRaisesRegex(kind, words):
                quasar.minimize(**{"cost": lambda x: x[0], "manifold": Sphere(3), **call})

    def test_without_jax(self) -> None:
        script = self.folder / "plain.py"
        script.write_text(
            WITHOUT_EXTRAS + "import quasar\nfrom quasar.manifolds import Sphere\n"
            "found = quasar.minimize(lambda x: x[0], Sphere(3), gradient=lambda x: [1, 0, 0])\n"
            "print(found.x.round(6) + 0.0)\n"
            "try:\n    quasar.minimize(lambda x: x[0], Sphere(3))\nexcept TypeError as error:\n    print(error)\n"
        )
        said = self.python(script)
        self.assertIn("[-1.  0.  0.]", said)
        self.assertIn("cost has no gradient", said)


class Problems(PackageTest):
    def test_karcher_mean(self) -> None:
        expected = [[2.54636075, -0.10343092], [-0.10343092, 1.52518896]]
        found = quasar.karcher_mean([A, B])
        np.testing.assert_allclose(found.mean, expected, atol=1e-8)
        self.assertAlmostEqual(found.variance, (SPD(2).distance(A, B) / 2) ** 2, 12)
        self.assertTrue(found.search.converged)
        by_cost = quasar.karcher_mean([A, B], solver="trust_region", start="arithmetic", tolerance=1e-10)
        np.testing.assert_allclose(by_cost.mean, found.mean, atol=1e-8)

    def test_pca(self) -> None:
        values, vectors = np.linalg.eigh(np.cov(ROWS.T))
        for solver in ("auto", "krylov", "lbfgs"):
            found = quasar.pca(ROWS, components=3, solver=solver)  # type: ignore[arg-type]
            np.testing.assert_allclose(found.variances, values[::-1][:3], rtol=1e-9)
            np.testing.assert_allclose(abs(found.components @ vectors[:, ::-1][:, :3]), np.eye(3), atol=1e-6)
            np.testing.assert_allclose(found.mean, ROWS.mean(axis=0), atol=1e-12)
            self.assertAlmostEqual(found.total_variance, values.sum(), 9)
            np.testing.assert_allclose(found.transform(ROWS).var(axis=0, ddof=1), found.variances, rtol=1e-9)

    def test_pca_of_files(self) -> None:
        in_memory = quasar.pca(ROWS, components=3)
        np.save(self.folder / "rows.npy", ROWS)
        np.savetxt(self.folder / "rows.csv", ROWS, delimiter=",", header="a,b,c,d,e", comments="", fmt="%.17g")
        for name in ("rows.npy", "rows.csv"):
            found = quasar.pca(self.folder / name, components=3)
            np.testing.assert_array_equal(found.components, in_memory.components)
            np.testing.assert_array_equal(found.mean, in_memory.mean)
        np.save(self.folder / "bad.npy", [[1, 2], [3, np.nan]])
        with self.assertRaisesRegex(quasar.DataError, r"bad\.npy: row 2, column 2: nan"):
            quasar.pca(self.folder / "bad.npy")
        with self.assertRaisesRegex(quasar.UsageError, "newton"):
            quasar.pca("missing.csv", solver="newton")  # type: ignore[call-overload, arg-type, unused-ignore]
        with self.assertRaisesRegex(quasar.DataError, "missing.csv"):
            quasar.pca("missing.csv")

    def test_pca_leaves_rows_as_they_are(self) -> None:
        rows = ROWS.copy()
        self.assertIs(numbers_in("rows", rows, copy=False), rows)
        quasar.pca(rows, scale=True)
        np.testing.assert_array_equal(rows, ROWS)

    def test_rank_of_pca(self) -> None:
        line = np.outer(np.arange(5.0), [1, 2, 3])
        self.assertEqual(quasar.pca(line).rank, 1)
        self.assertEqual(quasar.pca(np.full((10000, 3), 0.1)).rank, 0)
        with self.assertRaisesRegex(quasar.DataError, "column 1 is constant"):
            quasar.pca(np.full((10000, 3), 0.1), scale=True)

    def test_settings_of_solvers(self) -> None:
        one = quasar.karcher_mean([A, B], threads=1)
        np.testing.assert_array_equal(quasar.karcher_mean([A, B], threads=2).mean, one.mean)
        found = quasar.pca(ROWS, components=1, solver="krylov", oversampling=0, threads=2)
        self.assertTrue(found.search.converged)
        loops = {"solver": "sv_lbfgs", "pairs": "snapshots", "step_size": 1.0, "inner_steps": 1, "max_iterations": 5}
        by_pairs: Any = quasar.pca(ROWS, **loops)  # type: ignore[arg-type]
        without: Any = quasar.pca(ROWS, **loops, least_curvature=1e9)  # type: ignore[arg-type]
        self.assertFalse(np.array_equal(by_pairs.components, without.components))

    def test_procrustes(self) -> None:
        q = Stiefel(5, 3).random_point(seed=2)
        found = quasar.procrustes(ROWS, ROWS @ q)
        np.testing.assert_allclose(found.q, q, atol=1e-6)
        self.assertLess(found.residual, 1e-4)
        mirror = np.diag([1.0, 1, 1, 1, -1])
        np.testing.assert_allclose(quasar.procrustes(ROWS, ROWS @ mirror).q, mirror, atol=1e-12)
        turned = quasar.procrustes(ROWS, ROWS @ mirror, rotation=True)
        self.assertAlmostEqual(np.linalg.det(turned.q), 1, 12)

    def test_refused(self) -> None:
        with self.assertRaisesRegex(quasar.DataError, r"\(how many, n, n\), not \(2, 2\)"):
            quasar.karcher_mean(A)
        with self.assertRaises(quasar.DataError):
            quasar.karcher_mean(np.empty((0, 2, 2)))
        with self.assertRaises(quasar.DataError):
            quasar.karcher_mean([A, -B])
        with self.assertRaisesRegex(quasar.UsageError, "newton"):
            quasar.karcher_mean([A, B], solver="newton")  # type: ignore[arg-type]
        with self.assertRaisesRegex(quasar.UsageError, "the data has 5 columns"):
            quasar.pca(ROWS, components=6)
        with self.assertRaises(quasar.DataError):
            quasar.pca(np.full((3, 2), np.nan))
        with self.assertRaises(quasar.DataError):
            quasar.procrustes(ROWS, ROWS[1:])
        with self.assertRaisesRegex(quasar.DataError, r"rows have 5 columns, not 2"):
            quasar.pca(ROWS).transform(A)


if __name__ == "__main__":
    unittest.main()
