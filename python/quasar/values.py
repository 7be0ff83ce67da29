"""Python values as the texts and tables that the core takes."""

import json
import math
import os
from collections.abc import Iterable, Mapping, Sequence
from numbers import Real
from typing import Any, Protocol, TypeAlias, cast, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quasar.checks import AnyPath, is_path, path_text, text, whole_number
from quasar.errors import DataError, UsageError

Floats: TypeAlias = NDArray[np.float64]
Setting: TypeAlias = str | bool | int | float | Sequence[float] | Sequence[str] | os.PathLike[str]
Shapes: TypeAlias = Mapping[str, tuple[int, ...]]
ShapeList: TypeAlias = list[tuple[str, tuple[int, ...]]]

MOST_COORDINATES = 2**31 - 1  # BLAS counts in 32 bits


@runtime_checkable
class Frame(Protocol):
    """What pandas and polars have in common."""

    @property
    def columns(self) -> Iterable[object]: ...

    def __getitem__(self, column: Any, /) -> Any: ...


Data: TypeAlias = Frame | Mapping[str, ArrayLike] | tuple[Sequence[str], ArrayLike] | AnyPath
Labels: TypeAlias = list[str]  # which the numbers of a column count from 0; empty: they are numbers
Coded: TypeAlias = tuple[ArrayLike, Labels]  # a column
Table: TypeAlias = tuple[list[str], Floats, list[Labels]]


def as_text(name: str, value: Setting) -> str:
    """The value as it would be written on the command line: `true`, `0.1`, `2,5`."""
    if is_listed(value):
        return ",".join(as_text_of_one(name, one) for one in cast(Sequence[float], value))
    return as_text_of_one(name, value)


def as_text_of_one(name: str, value: Setting) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, os.PathLike):
        return path_text(name, value)
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (float, np.floating)):
        return repr(float(value))
    if is_listed(value):
        raise TypeError(f"{name} is no table; what is in a file is given by the path of the file")
    raise TypeError(f"{name} is a number, a text, a path, True or False, not {type(value).__name__}")


def is_listed(value: object) -> bool:
    return isinstance(value, (Sequence, np.ndarray)) and not isinstance(value, (str, bytes, bytearray))


def as_texts(values: Mapping[str, Setting]) -> dict[str, str]:
    return {name: as_text(name, value) for name, value in values.items()}


def as_table(data: Data) -> str | Table:
    """A path as it is; columns by name, stacked."""
    if is_path(data):
        return path_text("data", cast(AnyPath, data))
    if isinstance(data, tuple):
        return of_pair(data)
    columns = columns_by_name("data", data)
    return stacked({name: column_of_labels(name, column) for name, column in columns.items()})


def columns_by_name(what: str, data: Data) -> dict[str, ArrayLike]:
    """Of anything but a path."""
    if isinstance(data, tuple):
        names, array, _ = of_pair(data)
        return {name: array[:, place] for place, name in enumerate(names)}
    if isinstance(data, Mapping):
        return dict(zip(check_names(list(data)), data.values(), strict=True))
    if isinstance(data, Frame):
        titles = check_names(list(data.columns))  # before a name that is there twice gives two columns
        return {title: data[name] for title, name in zip(titles, data.columns, strict=True)}
    raise TypeError(
        f"{what} is a data frame, a dict of columns, a pair (names, array) or the path of a file, "
        f"not {type(data).__name__}"
    )


def of_pair(pair: tuple[Any, ...]) -> Table:
    if len(pair) != 2:
        raise TypeError(f"data is a pair (names, array), not {len(pair)} things")
    names = [text("the name of a column", name) for name in pair[0]]
    array = numbers_in("data", pair[1])
    if array.ndim != 2:
        raise DataError(f"data has the shape (rows, columns), not {array.shape}")
    return check_names(names), array, []


def stacked(coded: Mapping[str, Coded]) -> Table:
    numbers = {name: column_of_numbers(name, column) for name, (column, _) in coded.items()}
    lengths = {name: column.size for name, column in numbers.items()}
    if not numbers:
        raise DataError("data has no column")
    if len(set(lengths.values())) > 1:
        raise DataError(f"columns of different length: {lengths}")
    labels = [labels for _, labels in coded.values()]
    return list(numbers), np.ascontiguousarray(np.column_stack(list(numbers.values()))), labels


def check_names(names: Sequence[object]) -> list[str]:
    titles = [str(name) for name in names]
    if twice := next((title for title in titles if titles.count(title) > 1), None):
        raise DataError(f"more than one column is called '{twice}'")
    return titles


def column_of_labels(name: str, column: ArrayLike) -> Coded:
    """Texts and categories as their numbers, with the labels; what is neither, as it is."""
    categories = hasattr(getattr(column, "dtype", None), "categories")  # of pandas, of numbers as well
    try:
        values = np.asarray(column)
    except ValueError:
        return column, []  # rows of different length: a table of numbers says so
    if not categories and (values.dtype.kind not in "OU" or not all(isinstance(one, str) for one in values.flat)):
        return column, []
    if values.ndim != 1 or values.size == 0:
        return column, []
    labels, codes = np.unique([as_label(name, value) for value in values], return_inverse=True)
    return codes.astype(np.float64), labels.tolist()


def as_label(name: str, value: object) -> str:
    if not isinstance(value, (str, Real)) or value != value:
        raise DataError(f"column '{name}': the label {value!r} is missing, or neither a text nor a number")
    label = str(value).strip(" \t")
    if not label:
        raise DataError(f"column '{name}': a label is empty")
    try:
        label.encode()
    except UnicodeEncodeError:
        raise DataError(f"column '{name}': the label {label!r} is not Unicode text") from None
    return label


def column_of_numbers(name: str, column: ArrayLike) -> Floats:
    numbers = numbers_in(f"column '{name}'", column)
    if numbers.ndim != 1:
        raise DataError(f"column '{name}' has {numbers.ndim} axes instead of one")
    return numbers


def numbers_in(what: str, values: ArrayLike, *, copy: bool = True) -> Floats:
    """Real numbers and truth values; no dates, texts or complex numbers, which NumPy would change into them.

    copy   False: the array itself where it is fit, for readers alone
    """
    try:
        array = np.asarray(values)
    except ValueError:
        raise DataError(f"{what} is not numeric: it has rows of different length") from None
    real = array.dtype.kind in "biuf" or (array.dtype.kind == "O" and all(isinstance(one, Real) for one in array.flat))
    if not real:
        raise DataError(f"{what} is not numeric: it has the type {array.dtype}")
    return array.astype(np.float64, order="C", copy=copy)


def as_point(what: str, values: ArrayLike, axes: int) -> Floats:
    """An array with so many axes, for the core."""
    array = as_numbers(what, values)
    if array.ndim != axes:
        raise ValueError(f"{what} has {axes} {'axis' if axes == 1 else 'axes'}, not the shape {array.shape}")
    return array


def as_numbers(what: str, values: ArrayLike) -> Floats:
    try:
        return numbers_in(what, values)
    except DataError as error:
        raise TypeError(str(error)) from None


def as_shapes(dim: int | None, shapes: Shapes | None) -> ShapeList:
    """The variables of a density: a vector `x`, or what `shapes` says."""
    if (dim is None) == (shapes is None):
        raise TypeError("say how many coordinates the density has: either dim=3 or shapes={'mu': (), 'theta': (8,)}")
    if shapes is None:
        return checked_shapes([("x", (whole_number("dim", dim),))])
    if not isinstance(shapes, Mapping):
        raise TypeError(f"shapes is a dict such as {{'mu': (), 'theta': (8,)}}, not {type(shapes).__name__}")
    return checked_shapes([(text("the name of a variable", name), as_shape(name, shapes[name])) for name in shapes])


def as_shape(name: str, shape: object) -> tuple[int, ...]:
    if not isinstance(shape, Iterable) or isinstance(shape, (str, bytes)):
        raise TypeError(f"the shape of '{name}' is a tuple such as () or (8,), not {shape!r}")
    return tuple(whole_number(f"an axis of '{name}'", axis) for axis in shape)


def checked_shapes(shapes: ShapeList) -> ShapeList:
    for name, shape in shapes:
        if any(axis < 0 for axis in shape):
            raise UsageError(f"'{name}' has the shape {shape}: no axis is shorter than 0")
    size = sum(math.prod(shape) for _, shape in shapes)
    if not 1 <= size <= MOST_COORDINATES:
        raise UsageError(f"a density needs at least one coordinate and has at most {MOST_COORDINATES}, not {size}")
    return shapes


def as_json(values: Mapping[str, object] | Sequence[Mapping[str, object]]) -> str:
    """JSON text of numbers and arrays of any kind; complex ones have a last axis (real, imaginary), as in Stan."""
    return json.dumps(values, default=as_plain)


def as_plain(value: object) -> object:
    array = np.asarray(value)
    if array.dtype.kind not in "biufc":
        raise TypeError(f"neither a number nor an array of numbers: {value!r}")
    return (np.stack([array.real, array.imag], axis=-1) if np.iscomplexobj(array) else array).tolist()
