"""Do a cost, its gradient and its Hessian belong together? For authors of costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from quasar import _core
from quasar.checks import seed_number
from quasar.costs import Function, functions_of
from quasar.points import Point

if TYPE_CHECKING:
    from quasar.manifolds import Manifold


@dataclass(frozen=True)
class SlopeCheck:
    """How fast the error of a Taylor expansion falls with the step."""

    ok: bool
    slope: float  # the power of the step; NaN: no error above rounding
    defect: float  # what else must vanish: the part that is not tangent, or not symmetric
    message: str


def check_gradient(
    cost: Function,
    manifold: Manifold,
    x: Point,
    gradient: Function | None = None,
    *,
    riemannian: bool = False,
    seed: int = 1,
) -> SlopeCheck:
    """With the right gradient the error falls with the square of the step: the slope is 2.

    >>> check_gradient(cost, Sphere(3), x, gradient).message
    """
    at = manifold._flat_point(x)
    functions = functions_of(manifold, at, cost, gradient, None, riemannian)
    return SlopeCheck(*_core.check_gradient(manifold._core, functions, at, seed_number(seed)))


def check_hessian(
    cost: Function,
    manifold: Manifold,
    x: Point,
    gradient: Function | None = None,
    hessian: Function | None = None,
    *,
    riemannian: bool = False,
    seed: int = 1,
) -> SlopeCheck:
    """With the right gradient and Hessian the error falls with the third power of the step."""
    at = manifold._flat_point(x)
    functions = functions_of(manifold, at, cost, gradient, hessian, riemannian)
    return SlopeCheck(*_core.check_hessian(manifold._core, functions, at, seed_number(seed)))


def check_retraction(manifold: Manifold, x: Point, *, seed: int = 1) -> SlopeCheck:
    """Whether `retract` follows `exp`: to second order at least."""
    found = _core.check_retraction(manifold._core, manifold._flat_point(x), seed_number(seed))
    return SlopeCheck(*found)
