"""The minimum of a cost on a manifold."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeAlias, Unpack

import numpy as np

from quasar import _core
from quasar.checks import check_function, seed_number, text
from quasar.costs import Function, functions_of
from quasar.manifolds import Manifold, check_manifold
from quasar.points import Point
from quasar.solver_settings import SolverSettings, settings_with
from quasar.values import Floats

SolverName: TypeAlias = Literal[
    "trust_region", "lbfgs", "conjugate_gradient", "steepest_descent", "svrg", "sv_lbfgs", "sgd"
]


class Progress(NamedTuple):
    """Where a solver is. One on batches knows cost and gradient at its last look at all rows."""

    steps: int
    value: float
    gradient_norm: float
    passes: float  # over the data


class History(NamedTuple):
    """Element k: after k steps, as the solver knew it then."""

    value: Floats
    gradient_norm: Floats
    passes: Floats
    seconds: Floats


@dataclass(frozen=True, repr=False)
class Minimum:
    """What `quasar.minimize` found."""

    x: Point
    value: float
    gradient_norm: float
    steps: int
    passes: float
    halvings: int  # of steps that led out of the manifold
    stop: str  # "converged", "iteration_limit", "no_decrease" or "not_finite"
    seconds: float
    solver: str
    manifold: Manifold = field(compare=False)
    history: History

    @property
    def converged(self) -> bool:
        return self.stop == "converged"

    def __repr__(self) -> str:
        end = "converged" if self.converged else f"not converged ({self.stop.replace('_', ' ')})"
        return (
            f"<quasar.Minimum: {self.manifold.name} by {self.solver}, {end} after {self.steps} steps: "
            f"cost {self.value:.6g}, gradient norm {self.gradient_norm:.2g}>"
        )


class Watch:
    """Writes the history and tells the user's function."""

    def __init__(self, callback: Callable[[Progress], object] | None) -> None:
        self._callback = callback
        self._began = time.perf_counter()
        self._rows: list[tuple[float, float, float, float]] = []

    def __call__(self, steps: int, value: float, gradient_norm: float, passes: float) -> None:
        self.note(value, gradient_norm, passes)
        if self._callback is not None:
            self._callback(Progress(steps, value, gradient_norm, passes))

    def note(self, value: float, gradient_norm: float, passes: float) -> None:
        self._rows.append((value, gradient_norm, passes, time.perf_counter() - self._began))

    def history(self) -> History:
        return History(*np.array(self._rows).T.copy())


def minimize(
    cost: Function,
    manifold: Manifold,
    start: Point | None = None,
    *,
    gradient: Function | None = None,
    hessian: Function | None = None,
    riemannian: bool = False,
    data: object = None,
    solver: SolverName | None = None,
    seed: int = 1,
    callback: Callable[[Progress], object] | None = None,
    **settings: Unpack[SolverSettings],
) -> Minimum:
    """The point of a manifold where a cost is least, near the start.

    >>> quasar.minimize(lambda x: -x @ A @ x, Sphere(3)).x

    cost         of a point, an array (of a Product, a tuple of arrays), as if any array were one. Written with JAX, or
                 with what JAX understands, it is differentiated and compiled in double precision
    start        a point of the manifold; None: a random one
    gradient     gradient(x): the partial derivatives, an array of the shape of x, where JAX is not to find them
    hessian      hessian(x, u): their derivative along u; None: differences of gradients
    riemannian   gradient and hessian are those of the manifold, tangent vectors
    data         an array, or a tuple of arrays, with a row for every term of a sum: the functions are then
                 cost(x, rows), the mean over those rows, gradient(x, rows) and hessian(x, u, rows)
    solver       "trust_region", the default, "lbfgs", "conjugate_gradient" or "steepest_descent"; on batches of data
                 "svrg", the default with data, "sv_lbfgs" or "sgd"
    seed         of the random start and of the batches
    callback     callback(progress) before every step; what it raises ends the search
    settings     tolerance, max_iterations …: those of `SolverSettings`
    """
    check_manifold(manifold)
    if callback is not None:
        check_function("callback", callback)
    name = text("solver", solver or ("trust_region" if data is None else "svrg"))
    at = manifold._flat_point(manifold.random_point(seed=seed_number(seed)) if start is None else start)
    manifold._core.check(at)
    functions = functions_of(manifold, at, cost, gradient, hessian, riemannian, data)
    given = settings_with({"solver": name, "seed": seed_number(seed)}, settings)
    watch = Watch(callback)
    x, value, gradient_norm, steps, passes, halvings, stop = _core.minimize(manifold._core, functions, given, at, watch)
    watch.note(value, gradient_norm, passes)
    history = watch.history()
    seconds = float(history.seconds[-1])
    return Minimum(
        manifold._shaped(x), value, gradient_norm, steps, passes, halvings, stop, seconds, name, manifold, history
    )
