"""Points of manifolds as arrays, and as the columns of numbers that the core sees: matrices column by column."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from quasar.errors import DataError
from quasar.values import Floats, numbers_in

Point: TypeAlias = Any  # an array; of a product, a tuple of points


@dataclass(frozen=True)
class ArrayLayout:
    """An array; with `matrix` its last two axes are those of matrices, else its last one is that of vectors."""

    shape: tuple[int, ...]
    matrix: bool

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    def flat(self, what: str, point: Point) -> Floats:
        array = numbers_in(what, point)
        if array.shape != self.shape:
            raise DataError(f"{what} has the shape {self.shape}, not {array.shape}")
        return np.ascontiguousarray(array.swapaxes(-1, -2)).reshape(-1) if self.matrix else array.reshape(-1)

    def shaped(self, flat: Any) -> Any:
        """Of NumPy or of JAX."""
        if not self.matrix:
            return flat.reshape(self.shape)
        *copies, rows, cols = self.shape
        return flat.reshape((*copies, cols, rows)).swapaxes(-1, -2)

    def point(self, flat: Floats) -> Point:
        return np.ascontiguousarray(self.shaped(flat))


@dataclass(frozen=True)
class TupleLayout:
    """A tuple of points, one below the other."""

    parts: tuple[Layout, ...]

    @property
    def shape(self) -> tuple[Any, ...]:
        return tuple(part.shape for part in self.parts)

    @property
    def size(self) -> int:
        return sum(part.size for part in self.parts)

    def flat(self, what: str, point: Point) -> Floats:
        if not isinstance(point, (tuple, list)):
            raise DataError(f"{what} is a tuple of {len(self.parts)} parts, not {type(point).__name__}")
        if len(point) != len(self.parts):
            raise DataError(f"{what} has {len(self.parts)} parts, not {len(point)}")
        numbered = enumerate(zip(self.parts, point, strict=True), start=1)
        return np.concatenate([part.flat(f"part {k} of {what}", one) for k, (part, one) in numbered])

    def pieces(self, flat: Any) -> list[Any]:
        ends = np.cumsum([part.size for part in self.parts])
        return [flat[end - part.size : end] for part, end in zip(self.parts, ends, strict=True)]

    def shaped(self, flat: Any) -> Any:
        return tuple(part.shaped(piece) for part, piece in zip(self.parts, self.pieces(flat), strict=True))

    def point(self, flat: Floats) -> Point:
        return tuple(part.point(piece) for part, piece in zip(self.parts, self.pieces(flat), strict=True))


Layout: TypeAlias = ArrayLayout | TupleLayout
