"""Curved spaces to optimize on: positive definite matrices, directions, subspaces, rotations …

>>> from quasar.manifolds import SPD
>>> m = SPD(2)
>>> m.distance([[2, 1], [1, 3]], [[4, -1], [-1, 1]])

Points and tangent vectors are arrays of the manifold's shape, a tangent vector in the coordinates of the space around
it. What is no point, or no tangent vector at its point, is refused. `quasar.minimize` descends costs on them;
`check_gradient`, `check_hessian` and `check_retraction` find the faults of one's own derivatives.
"""

from __future__ import annotations

from typing import Literal

from quasar import _core
from quasar.checks import seed_number, whole_number
from quasar.errors import UsageError
from quasar.points import ArrayLayout, Layout, Point, TupleLayout
from quasar.slope_checks import SlopeCheck, check_gradient, check_hessian, check_retraction
from quasar.values import Floats

__all__ = [
    "SPD",
    "Euclidean",
    "Grassmann",
    "Hyperbolic",
    "Manifold",
    "Oblique",
    "Power",
    "Product",
    "Rotations",
    "SlopeCheck",
    "Sphere",
    "Stiefel",
    "check_gradient",
    "check_hessian",
    "check_retraction",
]


class Manifold:
    """What all of them have. Points are arrays; those of a product are tuples of points."""

    def __init__(self, core: _core.Manifold, layout: Layout) -> None:
        self._core = core
        self._layout = layout

    @property
    def name(self) -> str:
        """With its size: `sphere(3)`."""
        return self._core.name

    @property
    def dim(self) -> int:
        """Of a tangent space; less than the numbers of a point where there are constraints."""
        return self._core.dim

    @property
    def shape(self) -> tuple[int, ...]:
        """Of a point; of a product, those of its parts."""
        return self._layout.shape

    def __repr__(self) -> str:
        return f"<quasar.manifolds: {self.name}>"

    def inner(self, x: Point, u: Point, v: Point) -> float:
        """The inner product of two tangent vectors at x."""
        return self._core.inner(self._flat_point(x), self._flat_tangent(u), self._flat_tangent(v))

    def norm(self, x: Point, u: Point) -> float:
        return self._core.norm(self._flat_point(x), self._flat_tangent(u))

    def distance(self, x: Point, y: Point) -> float:
        """Along the shortest geodesic."""
        return self._core.distance(self._flat_point(x), self._flat_point(y))

    def project(self, x: Point, matrix: Point) -> Point:
        """The tangent vector at x that is nearest to any matrix."""
        return self._shaped(self._core.project(self._flat_point(x), self._flat_matrix(matrix)))

    def gradient(self, x: Point, partials: Point) -> Point:
        """The gradient of a cost on the manifold, from its partial derivatives."""
        return self._shaped(self._core.gradient(self._flat_point(x), self._flat_matrix(partials)))

    def hessian(self, x: Point, partials: Point, second: Point, u: Point) -> Point:
        """The Hessian along u; `second` is the derivative along u of the partial derivatives."""
        first_and_second = self._flat_matrix(partials), self._flat_matrix(second)
        return self._shaped(self._core.hessian(self._flat_point(x), *first_and_second, self._flat_tangent(u)))

    def exp(self, x: Point, u: Point) -> Point:
        """The end of the geodesic that leaves x with velocity u."""
        return self._shaped(self._core.exp(self._flat_point(x), self._flat_tangent(u)))

    def log(self, x: Point, y: Point) -> Point:
        """The tangent vector at x that leads to y: exp(x, log(x, y)) is y."""
        return self._shaped(self._core.log(self._flat_point(x), self._flat_point(y)))

    def retract(self, x: Point, u: Point) -> Point:
        """exp up to an error of third order, at less cost."""
        return self._shaped(self._core.retract(self._flat_point(x), self._flat_tangent(u)))

    def parallel_transport(self, x: Point, y: Point, u: Point) -> Point:
        """A tangent vector at x to one at y, turned as little as the curvature allows."""
        found = self._core.parallel_transport(self._flat_point(x), self._flat_point(y), self._flat_tangent(u))
        return self._shaped(found)

    def transport(self, x: Point, y: Point, u: Point) -> Point:
        """The cheapest such map; it may twist vectors about the way."""
        return self._shaped(self._core.transport(self._flat_point(x), self._flat_point(y), self._flat_tangent(u)))

    def random_point(self, *, seed: int = 1) -> Point:
        return self._shaped(self._core.random_point(seed_number(seed)))

    def random_tangent(self, x: Point, *, seed: int = 1) -> Point:
        """Standard normal in the metric at x."""
        return self._shaped(self._core.random_tangent(self._flat_point(x), seed_number(seed)))

    def check(self, x: Point) -> None:
        """DataError: x is no point, and why."""
        self._core.check(self._flat_point(x))

    def _flat_point(self, x: Point) -> Floats:
        return self._layout.flat(f"a point of {self.name}", x)

    def _flat_tangent(self, u: Point) -> Floats:
        return self._layout.flat(f"a tangent vector of {self.name}", u)

    def _flat_matrix(self, matrix: Point) -> Floats:
        return self._layout.flat(f"a matrix for {self.name}", matrix)

    def _shaped(self, flat: Floats) -> Point:
        return self._layout.point(flat)


def array_layout(core: _core.Manifold, *, vector: bool = False) -> ArrayLayout:
    rows, cols = core.shape
    return ArrayLayout((rows,), False) if vector else ArrayLayout((rows, cols), True)


def rows_and_cols(rows: int, cols: int | None) -> tuple[int, int]:
    return whole_number("rows", rows), 1 if cols is None else whole_number("cols", cols)


class Euclidean(Manifold):
    """All vectors of length `rows`, or all matrices."""

    def __init__(self, rows: int, cols: int | None = None) -> None:
        core = _core.euclidean(*rows_and_cols(rows, cols))
        super().__init__(core, array_layout(core, vector=cols is None))


class Sphere(Manifold):
    """Vectors of length one, or matrices of Frobenius norm one."""

    def __init__(self, rows: int, cols: int | None = None) -> None:
        core = _core.sphere(*rows_and_cols(rows, cols))
        super().__init__(core, array_layout(core, vector=cols is None))


class Oblique(Manifold):
    """Matrices whose columns have length one."""

    def __init__(self, rows: int, cols: int) -> None:
        core = _core.oblique(whole_number("rows", rows), whole_number("cols", cols))
        super().__init__(core, array_layout(core))


class SPD(Manifold):
    """Symmetric positive definite matrices.

    "affine": the affine-invariant metric, tr(X⁻¹UX⁻¹V), in which congruences and the inverse keep distances;
    "log-euclidean": flat, distances between logarithms.
    """

    def __init__(self, n: int, *, metric: Literal["affine", "log-euclidean"] = "affine") -> None:
        if metric not in ("affine", "log-euclidean"):
            raise UsageError(f"the metric of SPD is 'affine' or 'log-euclidean', not {metric!r}")
        core = (_core.spd if metric == "affine" else _core.spd_log_euclidean)(whole_number("n", n))
        super().__init__(core, array_layout(core))


class Stiefel(Manifold):
    """n by p matrices with orthonormal columns. There is no closed form of log, distance and parallel transport."""

    def __init__(self, n: int, p: int) -> None:
        core = _core.stiefel(whole_number("n", n), whole_number("p", p))
        super().__init__(core, array_layout(core))


class Grassmann(Manifold):
    """Subspaces of dimension p, each given by an orthonormal basis, n by p."""

    def __init__(self, n: int, p: int) -> None:
        core = _core.grassmann(whole_number("n", n), whole_number("p", p))
        super().__init__(core, array_layout(core))


class Rotations(Manifold):
    """SO(n): orthogonal n by n matrices with determinant one."""

    def __init__(self, n: int) -> None:
        core = _core.rotations(whole_number("n", n))
        super().__init__(core, array_layout(core))


class Hyperbolic(Manifold):
    """n + 1 numbers with -x₀² + x₁² + … = -1 and x₀ > 0 (the model of Lorentz)."""

    def __init__(self, n: int) -> None:
        core = _core.hyperbolic(whole_number("n", n))
        super().__init__(core, array_layout(core, vector=True))


class Power(Manifold):
    """Copies of one manifold: the points are stacked along a first axis."""

    def __init__(self, base: Manifold, copies: int) -> None:
        layout = check_manifold(base)._layout
        if isinstance(layout, TupleLayout):
            raise UsageError("points of a product are tuples, which cannot be stacked: make a product of powers")
        core = _core.power(base._core, whole_number("copies", copies))
        super().__init__(core, ArrayLayout((copies, *layout.shape), layout.matrix))


class Product(Manifold):
    """Points of several manifolds at once, as a tuple."""

    def __init__(self, *parts: Manifold) -> None:
        core = _core.product([check_manifold(part)._core for part in parts])
        super().__init__(core, TupleLayout(tuple(part._layout for part in parts)))


def check_manifold(value: object) -> Manifold:
    if not isinstance(value, Manifold):
        raise TypeError(f"a manifold is one of quasar.manifolds, such as Sphere(3), not {value!r}")
    return value
