"""What a run leaves behind: draws, statistics, and what to think of them."""

from __future__ import annotations

import html
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from quasar import _core
from quasar.checks import AnyPath, path_text, truth
from quasar.diagnosis import Diagnosis, diagnosis_of
from quasar.summary import COLUMNS, Summary
from quasar.wording import errors_in_python, in_python

if TYPE_CHECKING:
    import arviz
    import pandas
    import xarray

Draws: TypeAlias = NDArray[Any]

ROWS_SHOWN = 20


class Group(Mapping[str, Draws]):
    """Arrays by name, (chain, draw, …). Each is read when it is first asked for, and read-only."""

    def __init__(self, names: list[str], read: Callable[[str], Draws]) -> None:
        self._names = names
        self._read = read
        self._arrays: dict[str, Draws] = {}

    def __getitem__(self, name: str) -> Draws:
        if name not in self._arrays:
            if name not in self._names:
                raise KeyError(f"{name!r}: there is {', '.join(self._names) or 'nothing'}")
            array = self._read(name)
            array.flags.writeable = False
            self._arrays[name] = array
        return self._arrays[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        return "{" + ", ".join(f"{name}: {self[name].shape}" for name in self) + "}"


class Run:
    """The result of `quasar.sample`, or a file opened by `quasar.load`."""

    def __init__(self, core: _core.Run, *, resumable: bool) -> None:
        self._core = core
        self._resumable = resumable  # if it was stopped: in a file, from which it can go on

    @property
    def chains(self) -> int:
        """Rows of the chain axis: of an ensemble, every member is one."""
        return self._core.chains

    @property
    def draws(self) -> int:
        """Kept draws of each chain."""
        return self._core.draws

    @property
    def info(self) -> dict[str, Any]:
        """Model, sampler, seed, schedule, counts of gradients and divergences, times, versions, configuration."""
        return cast(dict[str, Any], self._core.info)

    @cached_property
    def posterior(self) -> Group:
        return self._values(warmup=False)

    @cached_property
    def sample_stats(self) -> Group:
        return self._stats(warmup=False)

    @cached_property
    def warmup_posterior(self) -> Group:
        """Empty unless the run was made with `save_warmup=True`."""
        return self._values(warmup=True)

    @cached_property
    def warmup_sample_stats(self) -> Group:
        return self._stats(warmup=True)

    @cached_property
    def constant_data(self) -> dict[str, Draws]:
        """What the model has kept of its data: the scales of the columns, for instance."""
        return dict(self._core.constants)

    @property
    def dims(self) -> dict[str, list[str]]:
        """The names of each variable's axes after (chain, draw)."""
        return {name: dims_of(name, shape, dims) for name, shape, dims in self._core.variables}

    @property
    def coords(self) -> dict[str, list[str]]:
        """Labels along those axes that have any."""
        return dict(self._core.coords)

    @property
    def tuning(self) -> list[tuple[float, Draws]]:
        """Step size and inverse metric of each chain after warm-up."""
        return list(self._core.tuning)

    @property
    def warnings(self) -> list[str]:
        """What is wrong with the run, in one line each; `diagnose` says it at length."""
        return [self._worded(text) for text in self._facts["warnings"]]

    def summary(self) -> pandas.DataFrame:
        """Mean, sd, quantiles, Monte Carlo error, effective draws and R-hat of every parameter.

        A data frame where pandas is installed; otherwise a `Summary`, which prints as on the command line.
        """
        parameters = self._facts["parameters"]
        try:
            import pandas
        except ImportError:
            text = self._core.summary_text(len(parameters)).rstrip()
            return cast("pandas.DataFrame", Summary(parameters, self._worded(text)))
        frame = pandas.DataFrame(parameters).set_index("name")
        return frame[[*COLUMNS, *(column for column in frame.columns if column not in COLUMNS)]].astype(float)

    def diagnose(self) -> Diagnosis:
        """Every problem of the run, the gravest first, with the parameters it concerns and what to try."""
        return diagnosis_of(self._core.diagnose(), self._worded)

    def to_arviz(self) -> arviz.InferenceData | xarray.DataTree:
        """The run as ArviZ has it: InferenceData of ArviZ 0.x, an xarray DataTree of ArviZ 1.x."""
        from quasar.to_arviz import to_arviz

        return to_arviz(self._core)

    @errors_in_python()
    def report(self, path: AnyPath, *, overwrite: bool = False) -> None:
        """Writes tables and pictures of the run as one HTML file, which loads nothing from elsewhere."""
        self._core.report(path_text("a report", path), truth("overwrite", overwrite))

    @errors_in_python()
    def save(self, path: AnyPath, *, overwrite: bool = False) -> None:
        """Writes the run as a netCDF file that `quasar.load`, ArviZ and the command line read."""
        self._core.save(path_text("a run file", path), truth("overwrite", overwrite))

    def __repr__(self) -> str:
        info = self.info
        return (
            f"<quasar.Run: {info['model']} by {info['sampler']}, {self.chains} chains of {self.draws} draws, "
            f"{info['divergences']} divergences: {', '.join(self.posterior)}>"
        )

    def __str__(self) -> str:
        """The table that the command line prints."""
        return self._worded(self._core.summary_text(ROWS_SHOWN).rstrip())

    def _repr_html_(self) -> str:
        parameters = self._facts["parameters"]
        rows = "".join(html_row(one["name"], [one[column] for column in COLUMNS]) for one in parameters[:ROWS_SHOWN])
        more = len(parameters) - ROWS_SHOWN
        return (
            f"<p>{html.escape(repr(self)[1:-1])}</p>"
            f"<table><thead><tr><th></th>{''.join(f'<th>{column}</th>' for column in COLUMNS)}</tr></thead>"
            f"<tbody>{rows}</tbody></table>"
            + (f"<p>… and {more} more: <code>summary()</code></p>" if more > 0 else "")
            + "".join(f"<p>⚠ {html.escape(text)}</p>" for text in self.warnings)
        )

    def _worded(self, text: str) -> str:
        info = self.info
        model = f'"{info["model"]}"' + (", data" if info["data_source"] else "")
        return in_python(text, model, resumable=self._resumable)

    @cached_property
    def _facts(self) -> dict[str, Any]:
        return cast(dict[str, Any], json.loads(self._core.summary()))

    def _values(self, *, warmup: bool) -> Group:
        names = [name for name, _, _ in self._core.variables] if self._has(warmup) else []
        core = self._core  # not `self`, which holds the group: large arrays would wait for the garbage collector
        return Group(names, lambda name: cast(Draws, core.values(name, warmup)))

    def _stats(self, *, warmup: bool) -> Group:
        names = [name for name, _ in self._core.stats] if self._has(warmup) else []
        core = self._core
        return Group(names, lambda name: cast(Draws, core.stat(name, warmup)))

    def _has(self, warmup: bool) -> bool:
        return not warmup or self._core.warmup_draws > 0


def dims_of(name: str, shape: Sequence[int], dims: Sequence[str]) -> list[str]:
    """The names that a variable has for its axes, or else ArviZ's."""
    return list(dims) or [f"{name}_dim_{axis}" for axis in range(len(shape))]


def html_row(name: str, numbers: list[float | None]) -> str:
    cells = "".join(f"<td>{'-' if number is None else format(np.float64(number), '.4g')}</td>" for number in numbers)
    return f"<tr><th>{html.escape(name)}</th>{cells}</tr>"


@errors_in_python()
def load(path: AnyPath) -> Run:
    """Opens a run file, or the folder `run.nc.part` of a run that is still going on."""
    text = path_text("a run file", path)
    core = _core.load(text)
    return Run(core, resumable=any(Path(folder).is_dir() for folder in (text, f"{text}.part")))
