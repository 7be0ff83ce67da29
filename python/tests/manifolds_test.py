"""Manifolds from Python are those of the library, whatever the layout of their points."""

import unittest
from typing import Any

import numpy as np

import quasar
from quasar.manifolds import (
    SPD,
    Euclidean,
    Grassmann,
    Hyperbolic,
    Manifold,
    Oblique,
    Power,
    Product,
    Rotations,
    Sphere,
    Stiefel,
    check_retraction,
)
from support import PackageTest

A, B = np.array([[2.0, 1], [1, 3]]), np.array([[4.0, -1], [-1, 1]])
WITH_LOG: list[Manifold] = [
    Euclidean(3),
    Euclidean(3, 2),
    Sphere(4),
    Sphere(3, 2),
    Oblique(3, 5),
    SPD(3),
    SPD(3, metric="log-euclidean"),
    Grassmann(5, 2),
    Rotations(3),
    Hyperbolic(3),
    Power(Sphere(3), 4),
    Power(Power(SPD(2), 3), 2),
    Product(Sphere(3), SPD(2), Power(Rotations(3), 2)),
]
ALL = [*WITH_LOG, Stiefel(5, 2)]


def flat(point: Any) -> Any:
    return np.concatenate([np.ravel(part) for part in point]) if isinstance(point, tuple) else np.ravel(point)


class Geometry(PackageTest):
    def test_sphere(self) -> None:
        x, y = [1, 0, 0], [0.6, 0.8, 0]
        np.testing.assert_allclose(Sphere(3).log(x, y), [0, 0.9272952180016122, 0], atol=1e-15)
        self.assertAlmostEqual(Sphere(3).distance(x, y), 0.9272952180016122, 14)

    def test_positive_definite_matrices(self) -> None:
        self.assertAlmostEqual(SPD(2).distance(A, B), 1.948650649755573, 13)
        (one, q), (other, p) = np.linalg.eigh(A), np.linalg.eigh(B)
        logs = q @ np.diag(np.log(one)) @ q.T - p @ np.diag(np.log(other)) @ p.T
        self.assertAlmostEqual(SPD(2, metric="log-euclidean").distance(A, B), np.linalg.norm(logs), 13)

    def test_rows_are_rows(self) -> None:
        turn = np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]])
        velocity = Rotations(3).log(np.eye(3), turn)
        np.testing.assert_allclose(velocity, np.pi / 2 * np.array([[0, -1, 0], [1, 0, 0], [0, 0, 0]]), atol=1e-14)
        basis = np.eye(4)[:, :2]
        other = np.column_stack([basis[:, 0], np.cos(0.3) * basis[:, 1] + np.sin(0.3) * np.eye(4)[:, 3]])
        self.assertAlmostEqual(Grassmann(4, 2).distance(basis, other), 0.3, 14)

    def test_exp_and_log_are_inverse(self) -> None:
        for m in WITH_LOG:
            x, y = m.random_point(seed=1), m.random_point(seed=2)
            u = m.log(x, y)
            self.assertAlmostEqual(m.norm(x, u), m.distance(x, y), 7, m.name)
            self.assertAlmostEqual(m.distance(m.exp(x, u), y), 0, 6, m.name)
            moved = m.parallel_transport(x, y, u)
            self.assertAlmostEqual(m.norm(y, moved), m.norm(x, u), 7, m.name)

    def test_points_and_tangents(self) -> None:
        for m in ALL:
            x = m.random_point(seed=3)
            m.check(x)
            u, v = m.random_tangent(x, seed=4), m.random_tangent(x, seed=5)
            np.testing.assert_allclose(flat(m.project(x, u)), flat(u), atol=1e-12, err_msg=m.name)
            self.assertAlmostEqual(m.inner(x, u, u), m.norm(x, u) ** 2, 9, m.name)
            self.assertAlmostEqual(m.inner(x, u, v), m.inner(x, v, u), 9, m.name)
            m.check(m.retract(x, u))
            moved = m.transport(x, m.retract(x, u), v)
            self.assertTrue(np.all(np.isfinite(flat(moved))), m.name)
            self.assertTrue(check_retraction(m, x).ok, m.name)
            np.testing.assert_array_equal(flat(m.random_point(seed=3)), flat(x))

    def test_shapes(self) -> None:
        self.assertEqual((Sphere(3).shape, Sphere(3).dim), ((3,), 2))
        self.assertEqual((Power(SPD(2), 5).shape, Power(SPD(2), 5).dim), ((5, 2, 2), 15))
        product = Product(Sphere(3), Stiefel(4, 2))
        self.assertEqual((product.shape, product.dim), (((3,), (4, 2)), 7))

    def test_copies_of_a_power_are_apart(self) -> None:
        power, base = Power(SPD(2), 2), SPD(2)
        x, y = np.stack([A, B]), np.stack([B, np.eye(2)])
        self.assertAlmostEqual(power.distance(x, y) ** 2, base.distance(A, B) ** 2 + base.distance(B, np.eye(2)) ** 2)

    def test_derivatives(self) -> None:
        """tr(C X) on positive definite matrices has the gradient X C X."""
        c = np.array([[1.0, 0.5], [0.5, 2]])
        np.testing.assert_allclose(SPD(2).gradient(A, c), A @ c @ A, rtol=1e-13)
        u = B
        expected = (u @ c @ A + A @ c @ u) / 2
        np.testing.assert_allclose(SPD(2).hessian(A, c, np.zeros((2, 2)), u), expected, rtol=1e-12)


class Refused(PackageTest):
    def test_points(self) -> None:
        cases: list[tuple[Manifold, Any, str]] = [
            (Sphere(3), [1, 0], r"a point of sphere\(3\) has the shape \(3,\), not \(2,\)"),
            (Sphere(3), [1, 1, 0], "sphere"),
            (Sphere(3), [np.nan, 0, 0], r"entry \(1, 1\) is nan"),
            (Sphere(2), ["a", "b"], "not numeric"),
            (SPD(2), [[1, 2], [2, 1]], "eigenvalue"),
            (SPD(2), [[1, 2], [0, 1]], "symmetric"),
            (SPD(2), np.ones((3, 2, 2)), r"not \(3, 2, 2\)"),
            (Product(Sphere(2), Sphere(3)), [1, 0, 0], "has 2 parts, not 3"),
            (Product(Sphere(2), Sphere(3)), np.ones(5), "tuple of 2 parts, not ndarray"),
            (Product(Sphere(2), Sphere(3)), ([1, 0], [1, 0]), "part 2 of a point"),
        ]
        for manifold, x, words in cases:
            with self.assertRaisesRegex(quasar.DataError, words):
                manifold.check(x)

    def test_tangent_vectors(self) -> None:
        with self.assertRaisesRegex(quasar.DataError, "tangent"):
            Sphere(3).exp([1, 0, 0], [1, 0, 0])
        with self.assertRaisesRegex(quasar.DataError, r"a tangent vector of sphere\(3\) has the shape"):
            Sphere(3).exp([1, 0, 0], [0, 1])

    def test_vectors_that_are_too_long(self) -> None:
        ways: list[tuple[Any, Any, Any]] = [
            (SPD(2).exp, A, 1e3 * A),
            (SPD(2).retract, A, 1e200 * A),
            (Hyperbolic(2).exp, [1, 0, 0], [0, 1e3, 0]),
            (Sphere(3).retract, [1, 0, 0], [0, 1e200, 0]),
            (Stiefel(3, 2).retract, np.eye(3)[:, :2], 1e200 * np.eye(3)[:, [2, 2]]),
            (Power(SPD(2), 2).exp, [A, B], [A, 1e3 * B]),
        ]
        for go, x, u in ways:
            with self.assertRaisesRegex(quasar.DataError, "the vector is too long: it leads to no point of", msg=go):
                go(x, u)

    def test_where_no_geodesic_is_shortest(self) -> None:
        with self.assertRaises(quasar.DataError):
            Sphere(3).log([1, 0, 0], [-1, 0, 0])
        with self.assertRaises(quasar.UsageError):
            Stiefel(3, 2).distance(np.eye(3)[:, :2], np.eye(3)[:, 1:])

    def test_sizes(self) -> None:
        for make in (lambda: Sphere(0), lambda: SPD(-1), lambda: Stiefel(2, 3), lambda: Power(Sphere(2), 0), Product):
            with self.assertRaises(quasar.UsageError):
                make()
        with self.assertRaisesRegex(quasar.UsageError, "not 'flat'"):
            SPD(2, metric="flat")  # type: ignore[arg-type]
        with self.assertRaisesRegex(TypeError, "whole number"):
            Sphere(2.5)  # type: ignore[arg-type]
        with self.assertRaisesRegex(TypeError, "one of quasar.manifolds"):
            Power("sphere", 2)  # type: ignore[arg-type]
        with self.assertRaisesRegex(quasar.UsageError, "seed"):
            Sphere(3).random_point(seed=-1)
        with self.assertRaisesRegex(quasar.UsageError, "product of powers"):
            Power(Product(Sphere(2)), 2)


if __name__ == "__main__":
    unittest.main()
