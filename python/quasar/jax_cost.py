"""JAX costs: value, gradient and products with the Hessian compiled here, in double precision."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from quasar import _core
from quasar.costs import NO_GRADIENT, Function, Indices, Rows, check_mean
from quasar.points import Layout
from quasar.values import Floats


def of_jax(layout: Layout, at: Floats, cost: Function, rows: Rows | None) -> _core.CostFunctions:
    everything = () if rows is None else (rows.take(slice(None)),)

    def of_column(x: jax.Array, *batch: Any) -> Any:
        return cost(layout.shaped(x), *batch)

    check_traceable(of_column, at, *everything)
    value = in_double_precision(of_column)
    both = in_double_precision(jax.value_and_grad(of_column))
    gradient = in_double_precision(jax.grad(of_column))

    def derivative_along(x: jax.Array, u: jax.Array, *batch: Any) -> Any:
        return jax.jvp(lambda y: jax.grad(of_column)(y, *batch), (x,), (u,))[1]

    along = in_double_precision(derivative_along)

    def value_and_gradient(x: Floats) -> tuple[float, Floats]:
        cost_there, gradient_there = both(x, *everything)
        return float(cost_there), np.asarray(gradient_there)

    def of_batch(x: Floats, places: Indices) -> Floats:
        assert rows is not None
        return np.asarray(gradient(x, rows.take(places)))

    if rows is not None:
        check_mean(rows, lambda part: float(value(at, part)))
    return _core.CostFunctions(
        lambda x: float(value(x, *everything)),
        value_and_gradient,
        lambda x, u: np.asarray(along(x, u, *everything)),
        None if rows is None else of_batch,
        1 if rows is None else len(rows),
        False,
    )


def in_double_precision(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compiled once for every shape of its arguments: all batches have the same."""
    compiled = jax.jit(function)

    def call(*arguments: Any) -> Any:
        with jax.enable_x64(True):
            return compiled(*arguments)

    return call


def check_traceable(of_column: Callable[..., jax.Array], *arguments: Any) -> None:
    try:
        with jax.enable_x64(True):
            result = jax.eval_shape(of_column, *arguments)
    except (jax.errors.ConcretizationTypeError, jax.errors.TracerArrayConversionError) as error:
        raise TypeError(NO_GRADIENT) from error
    if getattr(result, "shape", None) != () or not np.issubdtype(result.dtype, np.floating):
        raise TypeError(f"cost returns one real number, not {result}")
