"""How far the chains are: bars in a terminal or a notebook, four lines a chain elsewhere."""

from __future__ import annotations

import html
import os
import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    from collections.abc import Sequence

BAR_WIDTH = 24
LEAST_COLUMNS = 80


@dataclass(frozen=True)
class ChainProgress:
    iterations: int
    total: int
    divergences: int
    step_size: float | None  # None: the sampler has none, or has not settled on one
    what: str = ""  # is counted; empty: iterations of one chain of several

    @property
    def fraction(self) -> float:
        return self.iterations / self.total if self.total else 1.0


class Display:
    """Shows nothing."""

    def show(self, chains: Sequence[ChainProgress]) -> None:
        return

    def clear(self) -> None:
        """Makes room for a message."""
        return


def display_for(progress: bool | None, chains: int) -> Display:
    """True: always; None: where it can be drawn in place; False: never."""
    if progress is False:
        return Display()
    if in_notebook():
        return NotebookBars()
    if has_room(sys.stderr, chains):
        return TerminalBars(sys.stderr)
    return Quarters(sys.stderr, chains) if progress else Display()


def in_notebook() -> bool:
    """IPython's kernel runs the program: Jupyter, and Colab, whose shell is a class of its own."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    return getattr(shell, "kernel", None) is not None


def size_of(stream: TextIO) -> os.terminal_size | None:
    try:
        return os.get_terminal_size(stream.fileno())
    except (OSError, ValueError, AttributeError):  # not a terminal, or no file at all
        return None


def has_room(stream: TextIO, chains: int) -> bool:
    size = size_of(stream)
    return size is not None and size.columns >= LEAST_COLUMNS and size.lines > chains


def columns_of(stream: TextIO) -> int:
    """Of the terminal as it is now: users change its width."""
    size = size_of(stream)
    return LEAST_COLUMNS if size is None else size.columns


class TerminalBars(Display):
    """One line a chain, drawn over the last ones."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._began = time.monotonic()
        self._drawn = 0  # lines

    def show(self, chains: Sequence[ChainProgress]) -> None:
        columns = columns_of(self._stream)
        lines = [self._line(number, chain)[:columns] for number, chain in enumerate(chains, start=1)]
        up = f"\033[{self._drawn}A" if self._drawn else ""
        self._stream.write(up + "".join(f"\033[2K{line}\n" for line in lines))
        self._stream.flush()
        self._drawn = len(lines)

    def clear(self) -> None:
        if self._drawn:
            self._stream.write(f"\033[{self._drawn}A\033[J")
            self._stream.flush()
            self._drawn = 0

    def _line(self, number: int, chain: ChainProgress) -> str:
        filled = int(BAR_WIDTH * chain.fraction)
        bar = "█" * filled + "░" * (BAR_WIDTH - filled)
        left = time_left(chain, time.monotonic() - self._began)
        count = f"{chain.iterations:>{len(str(chain.total))}}/{chain.total}"
        return f"{chain.what or f'chain {number:<2}'} {bar} {count} {left:>7}  {details(chain)}"


class NotebookBars(Display):
    """A table that is replaced in place; it needs IPython alone."""

    def __init__(self) -> None:
        self._handle: Any = None
        self._last = ""

    def show(self, chains: Sequence[ChainProgress]) -> None:
        from IPython import display

        table = "<table>" + "".join(notebook_row(n, chain) for n, chain in enumerate(chains, start=1)) + "</table>"
        if self._handle is None:
            self._handle = display.display({"text/html": table}, raw=True, display_id=True)  # type: ignore[no-untyped-call]
        elif table != self._last:
            self._handle.update({"text/html": table}, raw=True)
        self._last = table


class Quarters(Display):
    def __init__(self, stream: TextIO, chains: int) -> None:
        self._stream = stream
        self._shown = [0] * chains

    def show(self, chains: Sequence[ChainProgress]) -> None:
        for i, chain in enumerate(chains):
            quarter = int(4 * chain.fraction)
            if quarter > self._shown[i]:
                self._shown[i] = quarter
                percent = int(100 * chain.fraction)
                name = "" if chain.what else f"chain {i + 1}: "
                counted = f"{chain.iterations}/{chain.total} {chain.what or 'iterations'}"
                line = f"{name}{counted} ({percent} %)  {details(chain)}"
                self._stream.write(f"{line.rstrip()}\n")
        self._stream.flush()


def details(chain: ChainProgress) -> str:
    step = "" if chain.step_size is None else f"step {chain.step_size:.3g}"
    return step + (f"  {chain.divergences} divergences" if chain.divergences else "")


def time_left(chain: ChainProgress, spent: float) -> str:
    if chain.iterations >= chain.total:
        return "done"
    if chain.iterations == 0:
        return "waiting"
    left = spent * (chain.total - chain.iterations) / chain.iterations
    if left < 60:
        return f"{left:.0f} s"
    return f"{left / 60:.0f} min" if left < 3600 else f"{left / 3600:.1f} h"


def notebook_row(number: int, chain: ChainProgress) -> str:
    return (
        f"<tr><td>{html.escape(chain.what) or f'chain {number}'}</td>"
        f"<td><progress value='{chain.iterations}' max='{chain.total}'></progress></td>"
        f"<td>{chain.iterations}/{chain.total}</td><td>{html.escape(details(chain))}</td></tr>"
    )
