"""A time series as users have it, array, frame or list of such, as `quasar.segment` takes it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from quasar.errors import DataError
from quasar.new_rows import is_missing
from quasar.values import Floats


@dataclass(frozen=True)
class Series:
    columns: list[str]
    categories: list[str]  # what the columns of `arrays` stand for, where points are categories
    arrays: list[Floats]  # (points, columns) of every sequence; NaN where a value is missing
    indices: list[Any]  # of every sequence: a pandas index that says when, or None
    several: bool
    flat: bool  # one column without a name

    @property
    def starts(self) -> list[int]:
        return [int(start) for start in np.cumsum([0, *(len(array) for array in self.arrays[:-1])])]

    @property
    def time_name(self) -> str:
        names = ["time" if index.name is None else str(index.name) for index in self.indices if index is not None]
        return names[0] if names else ""

    def times(self) -> list[str]:
        """Of every point; none where there is no index."""
        if all(index is None for index in self.indices):
            return []
        parts = zip(self.indices, self.arrays, strict=True)
        return [text for index, array in parts for text in texts_of(range(len(array)) if index is None else index)]


def texts_of(index: Any) -> list[str]:
    days = hasattr(index, "strftime")  # astype leaves out a time of day that is always midnight
    return [str(label) for label in (index.astype(str) if days else index)]


def series_of(x: Any, *, categorical: bool) -> Series:
    several = isinstance(x, (list, tuple)) and len(x) > 0 and all(np.ndim(part) > 0 for part in x)
    given = list(x) if several else [x]
    flat = not categorical and all(np.ndim(part) == 1 for part in given)
    parts = in_one_order([by_time(part) for part in given])
    columns, categories, arrays = as_categories(parts) if categorical else as_numbers(parts)
    if any(len(array) == 0 for array in arrays):
        raise DataError("x: a series needs at least one point")
    return Series(columns, categories, arrays, [index_of(part) for part in parts], several, flat)


def is_pandas(part: Any) -> bool:
    return hasattr(part, "iloc")


def is_frame(part: Any) -> bool:
    return is_pandas(part) and hasattr(part, "columns")


def is_date(dtype: Any) -> bool:
    return getattr(dtype, "kind", None) in ("M", "m") or str(dtype).startswith("period")


def by_time(part: Any) -> Any:
    """A column of dates says when: it becomes the index of the frame."""
    if not is_frame(part):
        return part
    dates = [name for name, dtype in zip(part.columns, part.dtypes, strict=True) if is_date(dtype)]
    if len(dates) > 1:
        raise DataError(f"x: the columns {dates} hold dates: leave all out but the one that is the time")
    part = part.set_index(dates[0]) if dates else part
    if len(part.columns) == 0:
        raise DataError("x: there is no column of values")
    return part


def index_of(part: Any) -> Any:
    """None: the index counts the rows and tells nothing."""
    if not is_pandas(part):
        return None
    counts = part.index.dtype.kind in "iu" and np.array_equal(part.index, np.arange(len(part)))
    return None if counts else part.index


def in_one_order(parts: list[Any]) -> list[Any]:
    """Frames have the columns of the first one, by name."""
    frames = [part for part in parts if is_frame(part)]
    for frame in frames:
        if set(frame.columns) != set(frames[0].columns):
            names = [list(one.columns) for one in (frames[0], frame)]
            raise DataError(f"x: sequences have the same columns, not {names[0]} and {names[1]}")
    return [part[list(frames[0].columns)] if is_frame(part) and part is not frames[0] else part for part in parts]


def as_numbers(parts: Sequence[Any]) -> tuple[list[str], list[str], list[Floats]]:
    """The names of the columns, no categories, and (points, columns) of every sequence."""
    arrays = []
    for part in parts:
        array = numbers_in(part)
        if array.ndim not in (1, 2):
            raise DataError(f"x: a series has one or two axes, not the shape {array.shape}")
        arrays.append(np.ascontiguousarray(array[:, None] if array.ndim == 1 else array))
    widths = {array.shape[1] for array in arrays}
    if len(widths) > 1:
        raise DataError(f"x: sequences have the same columns, not {sorted(widths)} of them")
    return names_of(parts[0], widths.pop()), [], arrays


def numbers_in(part: Any) -> Floats:
    if is_frame(part):
        return np.stack([numbers_in(part.iloc[:, i]) for i in range(part.shape[1])], axis=1)
    what = f"column '{part.name}'" if is_pandas(part) and part.name is not None else "x"
    try:
        dtype = part.dtype if is_pandas(part) else np.ma.asarray(part).dtype
        if is_date(dtype):
            raise DataError(f"{what} holds dates: values are segmented, and the index or a column of dates says when")
        if getattr(dtype, "kind", None) == "c":
            raise DataError(f"{what} holds complex numbers: give real and imaginary parts as two columns")
        plain = part.to_numpy(dtype=np.float64, na_value=np.nan) if is_pandas(part) else part
        return np.ma.filled(np.ma.asarray(plain, dtype=np.float64), np.nan)
    except DataError:
        raise
    except (TypeError, ValueError):
        raise DataError(f"{what} does not hold numbers only; labels are segmented by emission='categorical'") from None


def names_of(part: Any, width: int) -> list[str]:
    if hasattr(part, "columns"):
        return [str(name) for name in part.columns]
    if width == 1:
        name = getattr(part, "name", None)
        return ["x" if name is None else str(name)]
    return [f"x{i + 1}" for i in range(width)]


def as_categories(parts: Sequence[Any]) -> tuple[list[str], list[str], list[Floats]]:
    """Indicators of the labels, which come in their order."""
    plain = [labels_in(part) for part in parts]
    known = [np.array([not is_missing(label) for label in part], dtype=bool) for part in plain]
    labels = {label for part, there in zip(plain, known, strict=True) for label in part[there]}
    try:
        ordered = sorted(labels)
    except TypeError:
        ordered = sorted(labels, key=str)
    place = {label: i for i, label in enumerate(ordered)}
    arrays = []
    for part, there in zip(plain, known, strict=True):
        indicators = np.zeros((len(part), len(ordered)))
        indicators[~there] = np.nan
        rows = np.flatnonzero(there)
        indicators[rows, [place[part[row]] for row in rows]] = 1
        arrays.append(indicators)
    return names_of(parts[0], 1), [str(label) for label in ordered], arrays


def labels_in(part: Any) -> Any:
    if is_frame(part) and part.shape[1] == 1:
        part = part.iloc[:, 0]
    labels: Any = np.ma.filled(np.ma.asarray(part, dtype=object), None)
    if labels.ndim != 1:
        raise DataError("x: of categories, a series has one column")
    return labels
