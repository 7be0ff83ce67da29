"""The regimes of a time series: how many there are, where they change, what comes next."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from quasar import _core
from quasar.checks import AnyPath, path_text, truth
from quasar.errors import ConvergenceWarning, UsageError
from quasar.predictions import given_settings
from quasar.series import Series, series_of
from quasar.values import Floats
from quasar.waiting import interruptible
from quasar.wording import errors_in_python, in_python

if TYPE_CHECKING:
    import pandas

Method: TypeAlias = Literal["asymp-ihmm", "asymp-hmm", "hmm-em", "ihmm-beam"]
Emission: TypeAlias = Literal["normal", "poisson", "categorical"]
Integers = NDArray[np.int64]


class Segmentation:
    """The result of `quasar.segment`; prints as `quasar segment` does.

    Arrays count states and points from 0, so that `means[states]` is the level of every point; the text and `to_dict`,
    which are those of the command line, count from 1. Of several sequences, `states`, `change_points` and the forecasts
    are lists with an array for each. `to_pandas()` has the index of the series that was segmented.
    """

    def __init__(self, core: _core.Segmented, method: Method, series: Series) -> None:
        self._core = core
        self._series = series
        several, flat = series.several, series.flat
        found = core.states()
        parts: list[Integers] = np.split(found, series.starts[1:])
        changes = [np.flatnonzero(np.diff(part)) + 1 for part in parts]
        self.method: str = method
        self.columns: tuple[str, ...] = tuple(series.columns)
        self.categories: tuple[str, ...] = tuple(series.categories)
        self.states: Any = parts if several else found
        self.change_points: Any = changes if several else changes[0]  # the first points of new segments
        means, sds = core.means(), core.sds()
        self.means: Floats = means[:, 0] if flat else means  # of the states; of categories, their probabilities
        self.sds: Floats = sds[:, 0] if flat else sds
        self.transition: Floats = core.transition()  # from the state of a row to that of a column
        ahead = [(core.forecast_mean(s), core.forecast_sd(s)) for s in range(len(parts))]
        shaped = [(mean[:, 0], sd[:, 0]) if flat else (mean, sd) for mean, sd in ahead]
        self.forecast: Any = [mean for mean, _ in shaped] if several else shaped[0][0]
        self.forecast_sd: Any = [sd for _, sd in shaped] if several else shaped[0][1]
        self.states_probability: Floats = core.states_probability()  # of ihmm-beam: element k, of k + 1 states
        self.change_probability: Floats = core.change_probability()  # likewise: of every point
        self.warnings = tuple(in_python(warning) for warning in core.warnings())

    def __len__(self) -> int:
        """The number of states."""
        return len(self.transition)

    @property
    def penalties(self) -> dict[str, float] | None:
        return self.to_dict().get("penalties")

    @property
    def window(self) -> dict[str, Any] | None:
        """What sliding windows forecast, and their errors."""
        return self.to_dict().get("window")

    def to_dict(self) -> dict[str, Any]:
        """What `quasar segment --json` prints."""
        return cast(dict[str, Any], json.loads(self._core.json()))

    def to_pandas(self) -> pandas.DataFrame:
        """The state of every point, and the means of that state, with the index or the dates of the series.

        Of several sequences, the first level of the index is the place of the sequence, from 0.
        """
        import pandas

        states, means = self._core.states(), self._core.means()
        names = self.categories or self.columns
        table = pandas.DataFrame(
            {"state": states, **{f"mean[{name}]": means[states, i] for i, name in enumerate(names)}}
        )
        parts = np.split(np.arange(len(states)), self._series.starts[1:])
        frames = [
            table.iloc[part].set_axis(range(len(part)) if index is None else index, axis=0)
            for part, index in zip(parts, self._series.indices, strict=True)
        ]
        return pandas.concat(dict(enumerate(frames)), names=["sequence"]) if self._series.several else frames[0]

    @errors_in_python()
    def plot(self, path: AnyPath, *, overwrite: bool = False) -> None:
        """Writes the picture: NAME.svg, or a page NAME.html with the tables below it."""
        target = Path(path_text("a picture", path))
        if target.suffix not in (".svg", ".html", ".htm"):
            raise UsageError(
                f"{target}: a picture is NAME.svg or a page NAME.html; `rsvg-convert NAME.svg -o NAME.png` makes others"
            )
        text = self._core.svg() if target.suffix == ".svg" else self._core.page()
        _core.write_page(str(target), text, truth("overwrite", overwrite))

    def __repr__(self) -> str:
        return self._core.text().rstrip()

    def _repr_svg_(self) -> str:
        return self._core.svg()


@errors_in_python()
def segment(
    x: Any,
    method: Method = "asymp-ihmm",
    *,
    emission: Emission = "normal",
    states: int = 0,
    lambda_: float | None = None,
    lambda1: float | None = None,
    lambda2: float | None = None,
    selector: Literal["bic", "fewest_states"] = "bic",
    covariance: Literal["shared", "state", "full"] = "shared",
    restarts: int = 10,
    chains: int = 4,
    warmup: int = 200,
    sweeps: int = 500,
    standardize: bool | None = None,
    ahead: int = 1,
    window: int = 0,
    seed: int = 1,
    threads: int = 0,
) -> Segmentation:
    """The regimes of a time series: how many there are, where they change, what comes next.

    >>> found = quasar.segment(x)
    >>> found.change_points, found.means, found.forecast

    x            an array with a point in every element, or in every row; a pandas Series or DataFrame, whose index
                 or column of dates is the time; several sequences that share their states: a list of such, and so is a
                 list of lists. NaN, NA and masked values are gaps
    method       "asymp-ihmm" finds the number of states in a moment; "ihmm-beam" samples the same model, with
                 probabilities; "asymp-hmm" and "hmm-em" need `states`
    emission     "normal", "poisson" for counts, "categorical" for labels
    lambda_, lambda1, lambda2    penalties of improbable transitions, of kinds of transitions, of states; None: chosen
                 by the data, as `selector` says
    covariance   of hmm-em: "shared", one variance for each "state", or a "full" matrix for each
    restarts     of asymp-hmm and hmm-em; the best counts
    chains, warmup, sweeps    of ihmm-beam; sweeps of each chain
    standardize  columns in units of their standard deviations; None: where there are several
    ahead        steps to forecast behind the end
    window       also forecast every point by the so many points before it
    seed, threads    the result is the same for any number of threads
    """
    penalties = {"lambda": lambda_, "lambda1": lambda1, "lambda2": lambda2}
    settings = given_settings(
        "segment",
        {
            "method": method,
            "emission": emission,
            "states": states,
            **{name: "auto" if value is None else str(float(value)) for name, value in penalties.items()},
            "selector": selector,
            "covariance": covariance,
            "restarts": restarts,
            "chains": chains,
            "warmup": warmup,
            "sweeps": sweeps,
            "standardize": "auto" if standardize is None else "yes" if truth("standardize", standardize) else "no",
            "ahead": ahead,
            "window": window,
            "seed": seed,
            "threads": threads,
        },
    )
    series = series_of(x, categorical=emission == "categorical")
    core = interruptible(
        _core.segment,
        np.concatenate(series.arrays),
        series.starts,
        series.columns,
        series.categories,
        series.time_name,
        series.times(),
        settings,
    )
    found = Segmentation(core, method, series)
    for warning in found.warnings:
        warnings.warn(warning, ConvergenceWarning, stacklevel=3)
    return found
