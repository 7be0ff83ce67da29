"""What can be sampled: models by name, functions, finite sums, pointers to compiled functions."""

import ctypes
import sys
from _ctypes import CFuncPtr  # what all functions of ctypes are
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias, TypeGuard

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quasar import _core
from quasar.checks import check_function, text, whole_number
from quasar.messages import show_messages
from quasar.values import Data, Floats, Setting, ShapeList, Shapes, as_point, as_shapes, as_table, as_texts
from quasar.wording import errors_in_python

LogpGrad: TypeAlias = Callable[[Floats], tuple[float, ArrayLike]]
TermsLogpGrad: TypeAlias = Callable[[Floats, NDArray[np.int64]], tuple[float, ArrayLike]]

#: What `pointer` takes: double f(int64_t dim, const double* x, double* gradient, void* user_data)
PointerType = ctypes.CFUNCTYPE(
    ctypes.c_double, ctypes.c_int64, ctypes.POINTER(ctypes.c_double), ctypes.POINTER(ctypes.c_double), ctypes.c_void_p
)


class HasAddress(Protocol):
    """A compiled function that knows where it is, as numba's cfuncs do."""

    @property
    def address(self) -> int | None: ...


CompiledFunction: TypeAlias = HasAddress | CFuncPtr | int


@dataclass(frozen=True)
class Target:
    """A log density and its gradient, ready for `quasar.sample`."""

    name: str
    variables: ShapeList  # names and shapes, in the order of a draw
    dim: int  # of the space that is sampled
    #: The core's target for so many chains and this seed: a batch has as many rows, a Stan program may draw its data.
    for_run: Callable[[int, int], _core.Target] = field(repr=False)

    def logp_grad(self, x: ArrayLike) -> tuple[float, Floats]:
        """The log density at x and its gradient; -inf where the point is rejected."""
        point = as_point("a point", x, axes=1)
        try:
            return self.for_run(1, 1).logp_grad(point)
        finally:
            show_messages()


def variables_of(core: _core.Target) -> ShapeList:
    return [(name, tuple(shape)) for name, shape in core.variables]


def of_core(core: _core.Target) -> Target:
    return Target(core.name, variables_of(core), core.dim, lambda _chains, _seed: core)


@errors_in_python()
def model(name: str, data: Data | None = None, **parameters: Setting) -> Target:
    """A built-in model (`quasar.models()` lists them), on a data frame, a dict of columns, (names, array) or a file.

    >>> quasar.model("logistic", frame, target="sick", prior_sd=2.5)
    """
    return of_core(_core.model(text("a model", name), None if data is None else as_table(data), as_texts(parameters)))


def function(logp_grad: LogpGrad, *, dim: int | None = None, shapes: Shapes | None = None) -> Target:
    """A Python function of a vector that returns (log density, gradient).

    `shapes` names the parts of the vector, in order, for the draws: the function sees the flat vector either way. It
    raises `quasar.Reject`, or returns -inf, where the density is zero.
    """
    check_function("logp_grad", logp_grad)
    return of_core(_core.function_target(logp_grad, as_shapes(dim, shapes)))


def finite_sum(
    logp_grad: TermsLogpGrad,
    terms: int,
    *,
    prior: LogpGrad | None = None,
    dim: int | None = None,
    shapes: Shapes | None = None,
) -> Target:
    """A prior plus a sum over `terms` data points, for samplers that look at a few of them at a time.

    `logp_grad(x, indices)` returns the sum over these indices of the terms' log densities, and its gradient. Without
    `prior` it is flat.
    """
    check_function("logp_grad", logp_grad)
    if prior is not None:
        check_function("prior", prior)
    count = whole_number("terms", terms)
    return of_core(_core.finite_sum_target(logp_grad, prior, count, as_shapes(dim, shapes)))


def pointer(
    compiled: CompiledFunction,
    *,
    dim: int | None = None,
    shapes: Shapes | None = None,
    user_data: NDArray[np.generic] | int | None = None,
) -> Target:
    """A compiled function, called without Python: a numba cfunc, a ctypes function, or an address.

    Its prototype is `quasar.PointerType`; it returns the log density and writes the gradient. It must be safe to call
    from several threads. `user_data`, an array or an address, is handed to every call.
    """
    address = address_of(compiled)
    if address is None:
        raise TypeError(f"a compiled function is a numba cfunc, a ctypes function or an address, not {compiled!r}")
    keep_alive = (compiled, user_data)
    return of_core(_core.pointer_target(address, user_address(user_data), as_shapes(dim, shapes), keep_alive))


def address_of(compiled: object) -> int | None:
    """None: not a compiled function. Of what can be called from Python only numba's cfuncs have one beside."""
    if isinstance(compiled, CFuncPtr):
        return ctypes.cast(compiled, ctypes.c_void_p).value or 0
    if is_address(compiled):
        return compiled
    address = getattr(compiled, "address", None)
    is_cfunc = isinstance(getattr(compiled, "ctypes", None), CFuncPtr)
    return address if is_address(address) and (is_cfunc or not callable(compiled)) else None


def is_address(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= sys.maxsize


def user_address(user_data: object) -> int:
    if user_data is None:
        return 0
    if isinstance(user_data, np.ndarray):
        return user_data.ctypes.data
    if is_address(user_data):
        return user_data
    raise TypeError(f"user_data is an array or an address, not {user_data!r}")


def is_compiled(target: object) -> bool:
    return not isinstance(target, int) and address_of(target) is not None
