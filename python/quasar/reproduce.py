"""Published experiments, run again."""

import json
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from quasar import _core
from quasar.checks import AnyPath, path_text, text, truth
from quasar.registry import run_integer
from quasar.waiting import interruptible
from quasar.wording import errors_in_python


@dataclass(frozen=True)
class Row:
    method: str
    quantity: str
    value: float
    mcse: float | None  # Monte Carlo error of the value
    printed: float | None  # the number in the paper


@dataclass(frozen=True)
class Reproduction:
    experiment: str
    paper: str
    settings: dict[str, Any]
    rows: tuple[Row, ...]
    seconds: float
    figures: tuple[Path, ...] = ()  # SVG files, where a folder for them was given

    def __str__(self) -> str:
        head = ("method", "quantity", "ours", "mcse", "printed")
        lines = [head, *((r.method, r.quantity, *map(number, (r.value, r.mcse, r.printed))) for r in self.rows)]
        widths = [max(len(line[i]) for line in lines) for i in range(len(head))]
        table = ("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) for line in lines)
        return "\n".join([f"{self.experiment}: {self.paper}", *(line.rstrip() for line in table)])


def number(value: float | None) -> str:
    return "-" if value is None else f"{value:.4g}"


@errors_in_python()
def reproduce(
    name: str,
    *,
    seed: int = 1,
    quick: bool = False,
    data_dir: AnyPath | None = None,
    work_dir: AnyPath | None = None,
    plot: AnyPath | None = None,
    overwrite: bool = False,
) -> Reproduction:
    """Runs a published experiment (`quasar.experiments()`): our numbers beside the printed ones.

    `quick` takes fewer draws; `data_dir` is the folder of the data that some experiments need. `work_dir` keeps the
    finished parts of a long one, which then goes on where it was stopped. `plot` is a folder where the paper's
    figures are drawn as SVG; those that are there are replaced only with `overwrite`. Where one cannot be written in
    the end, a `RuntimeWarning` says so and the numbers are returned. Ctrl-C is heard at once.
    """
    data, work = folder_text("data_dir", data_dir), folder_text("work_dir", work_dir)
    how = (run_integer("seed", seed), truth("quick", quick))
    figures = (folder_text("plot", plot), truth("overwrite", overwrite))
    arguments = (text("an experiment", name), *how, data, work, *figures)
    found = json.loads(interruptible(_core.reproduce, *arguments))
    rows = tuple(Row(**row) for row in found["rows"])
    files = tuple(Path(file) for file in found["figures"])
    if "failure" in found:
        warnings.warn(found["failure"], RuntimeWarning, stacklevel=3)
    return Reproduction(found["experiment"], found["paper"], found["settings"], rows, found["seconds"], files)


def folder_text(what: str, folder: AnyPath | None) -> str:
    return "" if folder is None else path_text(what, folder)
