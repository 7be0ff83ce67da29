"""What a fitted model says of rows that it may never have seen."""

from __future__ import annotations

import json
import warnings as python_warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from quasar import _core
from quasar.checks import AnyPath
from quasar.errors import PredictionWarning
from quasar.new_rows import as_new_rows
from quasar.registry import registry
from quasar.run import Run, load
from quasar.values import Data, Floats, Setting, as_texts
from quasar.waiting import interruptible
from quasar.wording import errors_in_python, in_python

if TYPE_CHECKING:
    import pandas

Texts = NDArray[np.str_]


@dataclass(frozen=True)
class Predictions:
    """What all predictions have, whatever the response is."""

    model: str
    draws: int  # that were used
    scores: dict[str, float] | None  # None: no response is known, or one could not be predicted
    warnings: tuple[str, ...]
    rows: NDArray[np.int64] = field(repr=False)  # that were predicted, counted from 0: a file's may not be all of them


@dataclass(frozen=True)
class PredictedNumbers(Predictions):
    """Of a number or a count: the law of each row."""

    mean: Floats = field(repr=False)
    sd: Floats = field(repr=False)
    lower: Floats = field(repr=False)  # end of the central interval
    median: Floats = field(repr=False)
    upper: Floats = field(repr=False)
    interval: float  # its level
    observed: Floats | None = field(repr=False)  # NaN: not known; None: none is
    labels: dict[str, list[str]] = field(repr=False)  # of ratings: "user" and "item" of each row

    def to_pandas(self) -> pandas.DataFrame:
        """The table that the command line writes."""
        import pandas

        tail = 50 * (1 - self.interval)
        quantiles = {f"q{tail:g}": self.lower, "q50": self.median, f"q{100 - tail:g}": self.upper}
        columns = {**self.labels, **of_responses(self.observed), "mean": self.mean, "sd": self.sd, **quantiles}
        return pandas.DataFrame(columns, index=self.rows)


@dataclass(frozen=True)
class PredictedClasses(Predictions):
    """Of a class: the probability of each, and how far it varies from draw to draw."""

    classes: tuple[str, ...]
    predicted: Texts = field(repr=False)  # the most probable class; empty where no probability is a number
    probability: Floats = field(repr=False)  # (row, class)
    sd: Floats = field(repr=False)  # likewise
    observed: Texts | None = field(repr=False)  # empty: not known; None: none is

    def to_pandas(self) -> pandas.DataFrame:
        """The table that the command line writes."""
        import pandas

        columns = {
            f"{what}[{label}]": array[:, place]
            for what, array in (("probability", self.probability), ("sd", self.sd))
            for place, label in enumerate(self.classes)
        }
        return pandas.DataFrame(
            {**of_responses(self.observed), "predicted": self.predicted, **columns}, index=self.rows
        )


def of_responses(observed: NDArray[Any] | None) -> dict[str, NDArray[Any]]:
    return {} if observed is None else {"observed": observed}


@errors_in_python()
def predict(
    run: Run | AnyPath,
    data: Data,
    *,
    fold_in: Data | None = None,
    interval: float = 0.9,
    draws: int = 0,
    seed: int = 1,
    threads: int = 0,
) -> PredictedNumbers | PredictedClasses:
    """What the model of a run says of new rows, with its uncertainty: mean and interval, or probabilities of classes.

    >>> quasar.predict(run, frame).mean
    >>> quasar.predict("heart.nc", "new.csv").scores["log_score"]

    run         a `quasar.Run`, or the path of its file
    data        the rows: a data frame, a dict of columns, a pair (names, array), a path. Columns are found by name; the
                response may be missing, in some rows or in all. Where it is known there are scores
    fold_in     ratings of users or items that were not fitted, by which they are predicted
    interval    level of the central interval of a number
    draws       use at most so many draws, evenly spread; 0: all
    seed        of simulated responses, and of what was never seen; the same for any number of threads
    threads     0: one per core

    What there is to know of the numbers comes as `quasar.PredictionWarning`, and is kept in `warnings`.
    """
    core = core_of(run)
    given = {"interval": interval, "draws": draws, "seed": seed, "threads": threads}
    settings = given_settings("predict", given)
    if fold_in is not None:
        _core.require_ratings(core)
    ratings = None if fold_in is None else as_new_rows("fold_in", core, fold_in)
    rows = as_new_rows("data", core, data)
    *arrays, text = interruptible(_core.predict, core, rows, ratings, settings)
    facts = json.loads(text)
    found = tuple(in_python(warning) for warning in [facts["note"], *facts["warnings"]] if warning)
    for warning in found:
        python_warnings.warn(warning, PredictionWarning, stacklevel=3)
    common: dict[str, Any] = {name: facts[name] for name in ("model", "draws", "scores")} | {"warnings": found}
    common["rows"] = np.array(facts["row_numbers"] or range(1, facts["rows"] + 1), dtype=np.int64) - 1
    if "classes" in facts:
        return of_classes(tuple(facts["classes"]), *arrays, **common)
    return of_numbers(interval, facts["labels"], *arrays, **common)


def given_settings(command: str, settings: Mapping[str, Setting]) -> dict[str, str]:
    """Those that are not the defaults: the core knows what was asked for, as it does on the command line."""
    defaults = {one["name"]: one["default"] for one in registry()[command]}
    return as_texts({name: value for name, value in settings.items() if value != defaults[name]})


def core_of(run: Run | AnyPath) -> _core.Run:
    return (run if isinstance(run, Run) else load(run))._core


def of_numbers(
    interval: float,
    labels: dict[str, list[str]],
    mean: Floats,
    sd: Floats,
    quantiles: Floats,
    observed: Floats,
    **common: Any,
) -> PredictedNumbers:
    lower, median, upper = quantiles.T.copy()
    known = observed if observed.size else None
    return PredictedNumbers(
        **common,
        mean=mean[:, 0],
        sd=sd[:, 0],
        lower=lower,
        median=median,
        upper=upper,
        interval=interval,
        observed=known,
        labels=labels,
    )


def of_classes(
    classes: tuple[str, ...], probability: Floats, sd: Floats, _quantiles: Floats, observed: Floats, **common: Any
) -> PredictedClasses:
    labels = np.array([*classes, ""])
    best = np.where(np.isnan(probability).any(axis=1), -1, probability.argmax(axis=1))
    return PredictedClasses(
        **common,
        classes=classes,
        predicted=labels[best],
        probability=probability,
        sd=sd,
        observed=labels[np.where(np.isnan(observed), -1, observed).astype(int)] if observed.size else None,
    )
