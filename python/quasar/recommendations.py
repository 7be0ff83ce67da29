"""The best items for users by a model of their ratings, and how good such lists are."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from quasar import _core
from quasar.checks import AnyPath
from quasar.errors import PredictionWarning, UsageError
from quasar.new_rows import as_new_rows
from quasar.predictions import core_of, given_settings
from quasar.run import Run
from quasar.values import Data, Floats, Table, as_label
from quasar.waiting import interruptible
from quasar.wording import errors_in_python, in_python

if TYPE_CHECKING:
    import pandas

Label: TypeAlias = str | int
Labels: TypeAlias = Label | Iterable[Label]
RankBy: TypeAlias = Literal["mean", "lower", "upper", "probability"]

NUMBERS = ("mean", "sd", "lower", "upper", "probability")


@dataclass(frozen=True)
class RecommendedItems:
    """The best items for one user, the best first. The numbers are those of the expected rating over the draws."""

    items: tuple[str, ...]
    mean: Floats = field(repr=False)
    sd: Floats = field(repr=False)
    lower: Floats = field(repr=False)  # end of the central interval
    upper: Floats = field(repr=False)
    probability: Floats = field(repr=False)  # to be among the best, so many as were asked for


class Recommendations(Mapping[str, RecommendedItems]):
    """recommendations["Ann"].items; in the order of the users who were asked for."""

    def __init__(self, lists: dict[str, RecommendedItems], draws: int, interval: float) -> None:
        self._lists = lists
        self.draws = draws  # that were used
        self.interval = interval

    def __getitem__(self, user: Label) -> RecommendedItems:
        return self._lists[_core.plain_label(str(user))]

    def __iter__(self) -> Iterator[str]:
        return iter(self._lists)

    def __len__(self) -> int:
        return len(self._lists)

    def __repr__(self) -> str:
        return f"<quasar.Recommendations: {len(self)} users, {self.draws} draws>"

    def to_pandas(self) -> pandas.DataFrame:
        """The table that the command line writes."""
        import pandas

        tail = 50 * (1 - self.interval)
        titles = ("mean", "sd", f"q{tail:g}", f"q{100 - tail:g}", "probability")
        rows = [
            (user, rank, item, *(getattr(best, name)[rank - 1] for name in NUMBERS))
            for user, best in self.items()
            for rank, item in enumerate(best.items, start=1)
        ]
        return pandas.DataFrame(rows, columns=["user", "rank", "item", *titles])


@dataclass(frozen=True)
class RecommendationScores:
    scores: dict[str, float]  # precision@10, recall@10, ndcg@10 of the lists; rmse, coverage_90 … of the ratings
    users: int  # who like anything
    users_not_fitted: int  # left out
    ratings: int
    draws: int


@errors_in_python()
def recommend(
    run: Run | AnyPath,
    users: Labels | None = None,
    *,
    top: int = 10,
    rated: Data | None = None,
    fold_in: Data | None = None,
    items: Iterable[Label] | None = None,
    rank_by: RankBy = "mean",
    interval: float = 0.9,
    draws: int = 0,
    seed: int = 1,
    threads: int = 0,
) -> Recommendations:
    """The best items for each user, by a run of ratings (`bpmf`).

    >>> quasar.recommend(run, "Ann", rated=ratings)["Ann"].items

    run         a `quasar.Run`, or the path of its file
    users       a user or several, by the labels that the ratings have; None: all new ones of `fold_in`
    top         how many items for each
    rated       leave out what users have rated there; as a rule the ratings that were fitted
    fold_in     ratings of new users, who are recommended to by them, and of new items, which are recommended too
    items       choose from these only
    rank_by     "mean", "lower" or "upper" end of the interval of the expected rating, or "probability" to be among the
                best
    interval    level of the central interval of the expected rating
    draws       use at most so many draws, evenly spread; 0: all
    seed        of the rows of new users; the same for any number of threads
    threads     0: one per core

    Ratings are a data frame, a dict of columns, a pair (names, array) or a path, with the columns that were fitted.
    """
    core = core_of(run)
    _core.require_recommender(core)
    if users is None and fold_in is None:
        raise UsageError("recommend to whom? Give users, or fold_in with ratings of new users")
    labels = [] if users is None else as_labels("users", users)
    if users is not None and not labels:
        raise UsageError("recommend to whom? users is empty")
    settings = given_settings(
        "recommend",
        {"top": top, "rank_by": rank_by, "interval": interval, "draws": draws, "seed": seed, "threads": threads},
    )
    notes, found_for, lengths, found, numbers, used = interruptible(
        _core.recommend,
        core,
        labels,
        None if items is None else as_labels("items", items),
        ratings_of("fold_in", core, fold_in),
        ratings_of("rated", core, rated),
        settings,
    )
    warn_of(core, notes)
    return as_recommendations(found_for, lengths, found, numbers, used, interval=interval)


@errors_in_python()
def judge_recommendations(
    run: Run | AnyPath,
    ratings: Data,
    *,
    relevant: float = 4.0,
    top: int = 10,
    rated: Data | None = None,
    items: Iterable[Label] | None = None,
    rank_by: RankBy = "mean",
    interval: float = 0.9,
    draws: int = 0,
    seed: int = 1,
    threads: int = 0,
) -> RecommendationScores:
    """How good lists of `top` items are, judged by ratings that were not fitted; and how well these are predicted.

    A user likes an item that is rated `relevant` or more. The other arguments are those of `quasar.recommend`.
    """
    core = core_of(run)
    _core.require_recommender(core)
    given = {"top": top, "rank_by": rank_by, "interval": interval, "relevant": relevant}
    settings = given_settings("recommend", {**given, "draws": draws, "seed": seed, "threads": threads})
    notes, scores, *counts = interruptible(
        _core.judge_recommendations,
        core,
        as_new_rows("ratings", core, ratings),
        None if items is None else as_labels("items", items),
        ratings_of("rated", core, rated),
        settings,
    )
    warn_of(core, notes)
    return RecommendationScores(dict(scores), *counts)


def as_labels(what: str, labels: Labels) -> list[str]:
    several = [labels] if isinstance(labels, (str, int, np.integer)) else labels
    if not isinstance(several, Iterable) or isinstance(several, (bytes, Mapping)):
        raise TypeError(f"{what} is a label or several, not {labels!r}")
    return [as_label(what, label) for label in several]


def ratings_of(what: str, core: _core.Run, ratings: Data | None) -> str | Table | None:
    return None if ratings is None else as_new_rows(what, core, ratings)


def warn_of(core: _core.Run, notes: Sequence[str]) -> None:
    for note in notes:
        warnings.warn(in_python(note), PredictionWarning, stacklevel=4)
    if _core.weights_vary(core):
        text = "the step size of the run changes, and draws should weigh as it does: here all weigh the same"
        warnings.warn(text, PredictionWarning, stacklevel=4)


def as_recommendations(
    users: Sequence[str],
    lengths: Sequence[int],
    items: Sequence[str],
    numbers: Floats,
    draws: int,
    *,
    interval: float,
) -> Recommendations:
    lists = {}
    begin = 0
    for user, length in zip(users, lengths, strict=True):
        end = begin + length
        lists[user] = RecommendedItems(tuple(items[begin:end]), *numbers[begin:end].T)
        begin = end
    return Recommendations(lists, draws, interval)
