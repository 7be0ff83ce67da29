"""JAX log densities: value and gradient compiled here, all chains in one batch.

The batch has the shape (chains, dim) from the first to the last call, and a chain always has the same row of it. So
one compiled program computes everything, and what a chain gets does not depend on what the others ask for.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from quasar import _core
from quasar.checks import check_function
from quasar.targets import Target
from quasar.values import Floats, ShapeList, as_shapes, checked_shapes

if TYPE_CHECKING:
    import jax

PyTree: TypeAlias = Any


def jax_target(log_density: Callable[[PyTree], jax.Array], *, dim: int | None = None, example: PyTree = None) -> Target:
    """A JAX function that returns the log density, of a vector (dim=3) or of anything shaped like `example`.

    It is differentiated, compiled and run in double precision, whatever JAX's own setting is. The leaves of `example`
    (a dict of arrays, say) become variables with their names, `a.b` where they are nested, and their shapes.

    >>> quasar.jax(lambda p: -jnp.cosh(p["mu"]) - jnp.sum(p["theta"] ** 2), example={"mu": 0.0, "theta": np.zeros(8)})
    """
    import jax

    check_function("log_density", log_density)
    if (dim is None) == (example is None):
        raise TypeError("say what the function takes: either dim=3 or example=…, a pytree of arrays")
    tree = example if dim is None else np.zeros(as_shapes(dim, None)[0][1])
    leaves, structure = jax.tree_util.tree_flatten_with_path(tree)
    variables = checked_shapes([(name_of_path(path), np.shape(leaf)) for path, leaf in leaves])

    def of_vector(x: jax.Array) -> jax.Array:
        return log_density(jax.tree_util.tree_unflatten(structure, pieces(x, variables)))

    size = sum(math.prod(shape) for _, shape in variables)
    check_scalar(of_vector, size)
    batched = jax.jit(jax.vmap(jax.value_and_grad(of_vector)))

    def in_double_precision(points: Floats) -> tuple[Floats, Floats]:
        with jax.enable_x64(True):
            values, gradients = batched(points)
            return np.asarray(values), np.asarray(gradients)

    in_double_precision.__name__ = getattr(log_density, "__name__", "function")
    return Target(
        in_double_precision.__name__,
        variables,
        size,
        lambda chains, _seed: _core.batched_target(in_double_precision, chains, variables),
    )


def name_of_path(path: Sequence[object]) -> str:
    """`a.b` of example["a"]["b"], `a.0` of example["a"][0]; `x` where there is one array only."""
    keys = [getattr(key, "key", getattr(key, "idx", getattr(key, "name", key))) for key in path]
    return ".".join(map(str, keys)) or "x"


def pieces(x: jax.Array, variables: ShapeList) -> list[jax.Array]:
    ends = np.cumsum([math.prod(shape) for _, shape in variables])
    return [x[end - math.prod(shape) : end].reshape(shape) for end, (_, shape) in zip(ends, variables, strict=True)]


def check_scalar(of_vector: Callable[[jax.Array], jax.Array], size: int) -> None:
    import jax

    with jax.enable_x64(True):
        result = jax.eval_shape(of_vector, np.zeros(size))
    if getattr(result, "shape", None) != () or not np.issubdtype(result.dtype, np.floating):
        raise TypeError(f"the function must return one real number, the log density; it returns {result}")
