"""Rows for a model that has been fitted: its columns, found by name; what else there is may be anything."""

from typing import cast

import numpy as np
from numpy.typing import ArrayLike

from quasar import _core
from quasar.checks import AnyPath, is_path, path_text
from quasar.errors import DataError
from quasar.values import Coded, Data, Table, as_label, columns_by_name, stacked


def as_new_rows(what: str, run: _core.Run, data: Data) -> str | Table:
    """A path as it is; of columns in memory those that the model was fitted to, labels as labels."""
    if is_path(data):
        return path_text(what, cast(AnyPath, data))
    columns = columns_by_name(what, data)
    labels, numbers, response = _core.columns_of_new_rows(run, what, list(columns))
    if response in columns and all(map(is_missing, np.asarray(columns[response]).flat)):
        labels, numbers = without(response, labels), without(response, numbers)
    coded = {name: as_labels(name, columns[name], may_be_missing=name == response) for name in labels}
    for name in numbers:
        coded[name] = (nan_where_missing(columns[name]) if name == response else columns[name], [])
    table = stacked(coded)
    if len(table[1]) == 0:
        raise DataError(f"{what} has no rows")
    return table


def without(name: str, names: list[str]) -> list[str]:
    return [one for one in names if one != name]


def is_missing(value: object) -> bool:
    """None, NaN, and pandas' own two."""
    return value is None or type(value).__name__ in ("NAType", "NaTType") or value != value


def nan_where_missing(column: ArrayLike) -> ArrayLike:
    values = np.asarray(column)
    return [np.nan if is_missing(value) else value for value in values] if values.dtype.kind == "O" else values


def as_labels(name: str, column: ArrayLike, *, may_be_missing: bool) -> Coded:
    """Numbers too: what was fitted as a label is one. NaN where it is not known."""
    values = np.asarray(column)
    if values.ndim != 1:
        raise DataError(f"column '{name}' has {values.ndim} axes instead of one")
    if values.dtype.kind == "b":
        values = values.astype(int)  # as they are fitted
    known = np.array([not (may_be_missing and is_missing(value)) for value in values], dtype=bool)
    there = values[known] if values.dtype.kind in "iuf" else [as_label(name, value) for value in values[known]]
    distinct, places = np.unique(there, return_inverse=True)
    codes = np.full(len(values), np.nan)
    codes[known] = places
    return codes, [as_label(name, one) for one in distinct.tolist()]
