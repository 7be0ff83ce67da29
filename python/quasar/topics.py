"""Topics of documents: what they are about, and new documents read by them.

>>> found = quasar.topics.fit("notes.csv")
>>> found.top_words(5)
>>> found.infer(["a new text"])
"""

from __future__ import annotations

import json
import threading
import warnings
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, wait
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from quasar import _core
from quasar.checks import AnyPath, path_text, truth, whole_number
from quasar.documents import documents_of
from quasar.errors import ConvergenceWarning, PredictionWarning, StoppedEarly, UsageError
from quasar.predictions import given_settings
from quasar.progress import ChainProgress, display_for
from quasar.registry import Parameter, parameters_of, registry
from quasar.values import Floats, Setting, as_texts
from quasar.waiting import POLL_SECONDS, interruptible
from quasar.wording import errors_in_python, in_python

if TYPE_CHECKING:
    import pandas

__all__ = ["Method", "Score", "Topics", "fit", "load", "methods"]

Singles: TypeAlias = NDArray[np.float32]
Format: TypeAlias = Literal["auto", "uci", "matrix-market", "csv", "lines"]

EVERYTHING = 2**31 - 1


@dataclass(frozen=True)
class Method:
    """A way to fit topics."""

    name: str
    doc: str
    kind: str  # sampler, stochastic or variational
    law: str  # exact, consistent or biased
    why: str  # it has that law
    topic_count: str  # fixed, bounded (learned, with room for `topics`) or open (learned, without bound)
    parameters: dict[str, Parameter]


def methods() -> dict[str, Method]:
    """The ways to fit topics, by name, with the parameters that each takes."""
    return {
        one["name"]: Method(
            one["name"], one["doc"], one["kind"], one["law"], one["why"], one["topic_count"], parameters_of(one)
        )
        for one in registry()["topic_methods"]
    }


@dataclass(frozen=True)
class Score:
    """How well topics tell words that were kept back: perplexities, the lower the better."""

    perplexity: float
    unigram: float  # of the words' frequencies alone
    uniform: float  # of words that are all as likely
    log_likelihood_per_token: float
    tokens: int  # that were kept back
    unknown_tokens: int = field(default=0)  # of words that the topics do not have, left out


class Topics:
    """The result of `quasar.topics.fit`; prints as `quasar topics show` does. Topics count from 0, the largest first.

    phi          (topics, words): probabilities of the words; means over the draws that were kept
    weights      (topics,): how readily a new document takes a topic up
    prevalence   (topics,): the share of all tokens
    shares       (documents, topics): of the documents that were fitted; empty where they were not kept
    trace        arrays by name: "sweeps", "seconds", "objective", "topics_in_use" and the hyperparameters
    """

    def __init__(self, core: _core.FittedTopics) -> None:
        self._core = core
        self.warnings = tuple(in_python(warning) for warning in core.warnings())

    @cached_property
    def phi(self) -> Singles:
        return self._core.phi()

    @cached_property
    def weights(self) -> Floats:
        return self._core.weights()

    @cached_property
    def phi_draws(self) -> Singles:
        """(draws, topics, words)"""
        return self._core.phi_of_draws()

    @cached_property
    def weight_draws(self) -> Floats:
        """(draws, topics)"""
        return self._core.weights_of_draws()

    @cached_property
    def prevalence(self) -> Floats:
        return self._core.prevalence()

    @cached_property
    def words(self) -> tuple[str, ...]:
        return tuple(self._core.words())

    @cached_property
    def documents(self) -> tuple[str, ...]:
        """Titles; none where the documents had none, or their shares were not kept."""
        return tuple(self._core.documents())

    @cached_property
    def shares(self) -> Singles:
        return self._core.shares()

    @cached_property
    def trace(self) -> dict[str, Floats]:
        return dict(self._core.trace())

    @property
    def in_use(self) -> int:
        """How many topics have words, the first of all."""
        return self._core.topics_in_use()

    @cached_property
    def held_out(self) -> dict[str, Any] | None:
        """Perplexity of the words that were held out, "unigram" and "uniform" beside it, and its "curve"."""
        return self.to_dict().get("held_out")

    def __len__(self) -> int:
        """The number of topics, in use or not."""
        return len(self.prevalence)

    def top_words(self, n: int = 10) -> list[list[str]]:
        """The likeliest words of each topic in use, the likeliest first."""
        order = np.argsort(-self.phi[: self.in_use], axis=1, kind="stable")[:, : whole_number("n", n)]
        return [[self.words[word] for word in row] for row in order]

    def to_dict(self, words: int = 10) -> dict[str, Any]:
        """What `quasar topics show --json` prints, of all topics."""
        return cast(dict[str, Any], json.loads(self._core.json(EVERYTHING, whole_number("words", words))))

    def to_pandas(self, n: int = 10) -> pandas.DataFrame:
        """A row for each topic in use: its share, its weight and its likeliest words."""
        import pandas

        used = self.in_use
        return pandas.DataFrame(
            {
                "share": self.prevalence[:used],
                "weight": self.weights[:used],
                "words": [" ".join(words) for words in self.top_words(n)],
            }
        )

    @errors_in_python()
    def infer(
        self,
        documents: Any,
        *,
        words: Sequence[str] | None = None,
        seed: int = 1,
        threads: int = 0,
        **reading: Setting,
    ) -> Singles:
        """(documents, topics): the shares of the topics in new documents, which may be what `fit` takes.

        Texts are cut into words as for the fit; `reading` says otherwise.
        """
        read = self._read(documents, words, reading)
        numbers = whole_number("seed", seed), whole_number("threads", threads)
        return interruptible(_core.infer_topics, self._core, read, *numbers)

    @errors_in_python()
    def score(
        self,
        documents: Any,
        *,
        held_out: float = 0.2,
        words: Sequence[str] | None = None,
        seed: int = 1,
        threads: int = 0,
        **reading: Setting,
    ) -> Score:
        """How well words of new documents are told by the others: `held_out` of their tokens are kept back."""
        if not 0 < held_out < 1:
            raise UsageError(f"held_out={held_out}: a share of the tokens is between 0 and 1")
        read = self._read(documents, words, reading)
        numbers = whole_number("seed", seed), whole_number("threads", threads)
        found = interruptible(_core.score_topics, self._core, read, float(held_out), *numbers)
        return Score(*found, unknown_tokens=read.unknown())

    def _read(self, documents: Any, words: Sequence[str] | None, reading: Mapping[str, Setting]) -> _core.Documents:
        read = documents_of("documents", documents, words, None, checked(reading), self._core)
        if note := read.note():
            warnings.warn(note, PredictionWarning, stacklevel=4)
        return read

    @errors_in_python()
    def save(self, path: AnyPath, *, overwrite: bool = False) -> None:
        """Writes a file of topics, which `quasar.topics.load` and `quasar topics show` read."""
        self._core.save(path_text("path", path), truth("overwrite", overwrite))

    @errors_in_python()
    def report(self, path: AnyPath, *, overwrite: bool = False) -> None:
        """Writes a page, one HTML file that loads nothing: words, shares, similar topics, curves, search."""
        _core.write_page(path_text("path", path), self._core.page(), truth("overwrite", overwrite))

    def __repr__(self) -> str:
        return self._core.text(20, 10).rstrip()


@errors_in_python()
def load(path: AnyPath) -> Topics:
    """Opens a file of topics that `fit` or `quasar topics fit` has written."""
    return Topics(_core.read_topics(path_text("path", path)))


@errors_in_python()
def fit(
    documents: Any,
    method: str = "gamma-gp",
    *,
    topics: int | None = None,
    words: Sequence[str] | None = None,
    titles: Sequence[str] | None = None,
    sweeps: float | None = None,
    burn_in: float | None = None,
    draws: int = 10,
    held_out: float | AnyPath | None = None,
    evaluate_every: float | None = None,
    shares: bool | None = None,
    seed: int = 1,
    threads: int = 0,
    out: AnyPath | None = None,
    overwrite: bool = False,
    resume: bool = False,
    progress: bool | None = None,
    reading: Mapping[str, Setting] | None = None,
    **parameters: Setting,
) -> Topics:
    """Finds the topics of documents.

    >>> found = quasar.topics.fit(texts, topics=50, held_out=0.1)
    >>> found.top_words(5), found.prevalence, found.infer(new_texts)

    documents    texts: a list, or a pandas Series; lists of words, which are taken as they are; counts: an array or a
                 sparse matrix with a row for each document and a column for each of `words`; a data frame with a column
                 "text", or with "document", "word" and "count"; or the path of a file or a folder
    method       `quasar.topics.methods()` lists them, and the parameters that each takes as further keyword arguments
    topics       that there is room for; None: as many as the method has by default
    titles       of the documents, where they are texts or counts
    sweeps       passes over the documents; None: as the method needs
    burn_in      of them, before the first draw is kept; None: half
    draws        to keep, evenly spaced
    held_out     words to judge the topics by: the share of the tokens that are kept back, or a path of other documents,
                 which are judged as `score` does it
    evaluate_every    passes between two points of the held-out curve
    shares       keep the topics' shares in every document; None: where they take at most 100 MB
    seed, threads    the result is the same for any number of threads
    out          a file of topics to write; killed at any moment the fit can be taken up again with `resume`
    progress     None: a bar in terminals and notebooks; True: lines elsewhere too; False: nothing
    reading      how texts and files are read: format, vocabulary, document, word, count, text, min_length, stop_words,
                 min_documents, max_words, as `quasar topics fit --help` explains them

    Ctrl-C stops the fit and returns what is there; a second one gives it up.
    """
    own = {"topics": topics} if topics is not None else {}
    settings = given_settings(
        "topics",
        {
            "method": method,
            "sweeps": or_auto(sweeps),
            "burn_in": or_auto(burn_in),
            "draws": draws,
            "evaluate_every": or_auto(evaluate_every),
            "shares": "auto" if shares is None else "yes" if truth("shares", shares) else "no",
            "seed": seed,
            "threads": threads,
        },
    )
    target = "" if out is None else path_text("out", out)
    if (overwrite or resume) and out is None:
        name = "overwrite" if overwrite else "resume"
        raise UsageError(f"{name} is for a fit that is written to a file: give out=… too")
    read = documents_of("documents", documents, words, titles, checked(reading or {}), None)
    fitting = _core.Fitting(read, held_out_text(held_out), settings, as_texts({**own, **parameters}))
    stopped = run_shown(fitting, progress, (target, truth("overwrite", overwrite), truth("resume", resume)))
    found = Topics(fitting.take())
    if stopped:
        warnings.warn("stopped early: the topics are those that were there", StoppedEarly, stacklevel=3)
    for warning in found.warnings:
        warnings.warn(warning, ConvergenceWarning, stacklevel=3)
    return found


def or_auto(value: float | None) -> str:
    return "auto" if value is None else repr(float(value))


def held_out_text(held_out: float | AnyPath | None) -> str:
    if held_out is None:
        return ""
    return str(held_out) if isinstance(held_out, (int, float)) else path_text("held_out", held_out)


def checked(reading: Mapping[str, Setting]) -> Mapping[str, Setting]:
    known = [one["name"] for one in registry()["documents"]]
    for name in reading:
        if name not in known:
            raise UsageError(f"reading: there is no '{name}'; there are {', '.join(known)}")
    return reading


def run_shown(fitting: _core.Fitting, progress: bool | None, arguments: tuple[str, bool, bool]) -> bool:
    """Waits while another thread works. True: the user has stopped it."""
    future: Future[None] = Future()

    def work() -> None:
        try:
            fitting.run(*arguments)
            future.set_result(None)
        except BaseException as error:
            future.set_exception(error)

    display = display_for(progress, 1)
    stopped = False
    threading.Thread(target=work, daemon=True).start()
    while True:
        try:
            while not wait([future], POLL_SECONDS).done:
                display.show([progress_of(fitting)])
            display.show([progress_of(fitting)])
            future.result()
            return stopped
        except KeyboardInterrupt:
            if stopped:
                raise
            stopped = True
            fitting.stop()


def progress_of(fitting: _core.Fitting) -> ChainProgress:
    done, total = fitting.progress()
    return ChainProgress(done, max(1, round(total)), 0, None, "sweeps")
