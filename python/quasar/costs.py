"""A user's cost and its derivatives as functions of columns of numbers, which the core calls."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from quasar import _core
from quasar.checks import check_function, truth
from quasar.errors import DataError
from quasar.points import Layout
from quasar.values import Floats

if TYPE_CHECKING:
    from quasar.manifolds import Manifold

Function: TypeAlias = Callable[..., Any]
Indices: TypeAlias = NDArray[np.int64]

NO_GRADIENT = (
    "cost has no gradient: pass gradient=…, a function that returns the partial derivatives, or write cost with "
    "jax.numpy, and JAX finds them"
)


@dataclass(frozen=True)
class Rows:
    """Data, one term of a sum in every row: an array, or a tuple of arrays with as many rows."""

    arrays: tuple[NDArray[Any], ...]
    single: bool

    def __len__(self) -> int:
        return len(self.arrays[0])

    def take(self, places: Indices | slice) -> Any:
        taken = tuple(array[places] for array in self.arrays)
        return taken[0] if self.single else taken


def rows_of(data: object) -> Rows:
    single = not isinstance(data, tuple)
    arrays = tuple(np.asarray(one) for one in (data if isinstance(data, tuple) else (data,)))
    if not arrays or any(array.ndim == 0 for array in arrays):
        raise DataError("data is an array with a row for every term of the sum, or a tuple of such arrays")
    lengths = [len(array) for array in arrays]
    if len(set(lengths)) > 1:
        raise DataError(f"the arrays of data have different numbers of rows: {lengths}")
    if lengths[0] == 0:
        raise DataError("data has no row")
    return Rows(arrays, single)


def functions_of(
    manifold: Manifold,
    at: Floats,
    cost: Function,
    gradient: Function | None,
    hessian: Function | None,
    riemannian: bool,
    data: object = None,
) -> _core.CostFunctions:
    """For the core: by JAX where there is no gradient. `at`: a point to try them at."""
    check_function("cost", cost)
    truth("riemannian", riemannian)
    rows = None if data is None else rows_of(data)
    if gradient is not None:
        check_function("gradient", gradient)
        if hessian is not None:
            check_function("hessian", hessian)
        return of_functions(manifold._layout, at, cost, gradient, hessian, riemannian, rows)
    if hessian is not None or riemannian:
        raise TypeError(f"{'hessian' if hessian is not None else 'riemannian'} says nothing without gradient=…")
    try:
        from quasar.jax_cost import of_jax
    except ImportError:
        raise TypeError(NO_GRADIENT) from None
    return of_jax(manifold._layout, at, cost, rows)


def of_functions(
    layout: Layout,
    at: Floats,
    cost: Function,
    gradient: Function,
    hessian: Function | None,
    riemannian: bool,
    rows: Rows | None,
) -> _core.CostFunctions:
    everything = () if rows is None else (rows.take(slice(None)),)

    def value(x: Floats) -> float:
        return as_cost(cost(layout.point(x), *everything))

    def value_and_gradient(x: Floats) -> tuple[float, Floats]:
        return value(x), layout.flat("the gradient", gradient(layout.point(x), *everything))

    def along(x: Floats, u: Floats) -> Floats:
        assert hessian is not None
        return layout.flat("the Hessian along u", hessian(layout.point(x), layout.point(u), *everything))

    def of_batch(x: Floats, places: Indices) -> Floats:
        assert rows is not None
        return layout.flat("the gradient", gradient(layout.point(x), rows.take(places)))

    if rows is not None:
        check_mean(rows, lambda part: as_cost(cost(layout.point(at), part)))
    return _core.CostFunctions(
        value,
        value_and_gradient,
        None if hessian is None else along,
        None if rows is None else of_batch,
        1 if rows is None else len(rows),
        riemannian,
    )


def as_cost(value: object) -> float:
    """One real number, whatever array it comes in."""
    array = np.asarray(value)
    if array.size != 1 or array.dtype.kind not in "biuf":
        raise TypeError(f"cost returns one real number, not {value!r}")
    return float(array.reshape(()))


def check_mean(rows: Rows, cost_of: Callable[[Any], float]) -> None:
    """A sum over the rows, which a mean should be, would go wrong in silence."""
    half = len(rows) // 2
    if half == 0:
        return
    first, second, both = (cost_of(rows.take(part)) for part in (slice(half), slice(half, None), slice(None)))
    mean = (half * first + (len(rows) - half) * second) / len(rows)
    if abs(mean - both) > 1e-6 * (abs(first) + abs(second)):  # which NaN is not: the solver says so
        raise DataError(
            f"cost(x, rows) is the mean over the rows: it cannot be {both:.6g} of all of them with {first:.6g} and "
            f"{second:.6g} of two halves"
        )
