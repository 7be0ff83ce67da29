"""What Stan programs print, passed on to where Python's own complaints go."""

import sys
from contextlib import suppress

from quasar import _core


def take_messages() -> str:
    """Everything since the last call. A program may print in any encoding, and a character in two parts."""
    return b"".join(_core.take_messages()).decode(errors="replace")


def write_messages(text: str) -> None:
    """To sys.stderr, where it can be written: it may be closed, a broken pipe, or missing."""
    with suppress(OSError, ValueError, AttributeError):
        sys.stderr.write(text)
        sys.stderr.flush()


def show_messages() -> None:
    if text := take_messages():
        write_messages(text)
