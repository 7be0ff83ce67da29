"""What arguments have to be, in words: the core, which sees them next, would speak of its own types."""

import operator
import os
from typing import SupportsIndex, TypeAlias, cast

from quasar.errors import UsageError

AnyPath: TypeAlias = str | bytes | os.PathLike[str] | os.PathLike[bytes]


def whole_number(what: str, value: object) -> int:
    try:
        return operator.index(cast(SupportsIndex, value))
    except TypeError:
        raise TypeError(f"{what} is a whole number, not {value!r}") from None


def seed_number(value: object) -> int:
    seed = whole_number("seed", value)
    if not 0 <= seed < 2**63:
        raise UsageError(f"seed is a whole number from 0 to 2^63 - 1, not {seed}")
    return seed


def truth(what: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise TypeError(f"{what} is True or False, not {value!r}")
    return value


def text(what: str, value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{what} is a text, not {value!r}")
    return value


def check_function(what: str, value: object) -> None:
    if not callable(value):
        raise TypeError(f"{what} is a function, not {value!r}")


def is_path(value: object) -> bool:
    return isinstance(value, (str, bytes, os.PathLike))


def path_text(what: str, path: AnyPath) -> str:
    if not is_path(path):
        raise TypeError(f"{what} is a path, not {path!r}")
    decoded = os.fsdecode(path)
    if "\0" in decoded:
        raise UsageError(f"{what}: no path has a NUL character: {decoded!r}")
    try:
        decoded.encode()
    except UnicodeEncodeError:
        raise UsageError(f"{what}: this path is not UTF-8: {path!r}") from None
    return decoded
