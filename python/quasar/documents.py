"""Documents as users have them, files, texts, frames or counts, as `quasar.topics` takes them."""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias, TypeGuard, cast

import numpy as np
from numpy.typing import NDArray

from quasar import _core
from quasar.checks import AnyPath, is_path, path_text
from quasar.errors import DataError, UsageError
from quasar.values import Setting, as_texts

Integers: TypeAlias = NDArray[np.int64]
Rows: TypeAlias = tuple[Integers, Integers, Integers]  # where documents begin, their words, and how often

Words: TypeAlias = list[str] | tuple[str, ...]  # of a document

MOST = 2**32 - 1  # of a word in a document


def documents_of(
    what: str,
    documents: Any,
    words: Sequence[str] | None,
    titles: Sequence[str] | None,
    reading: Mapping[str, Setting],
    topics: _core.FittedTopics | None,
) -> _core.Documents:
    """What the core reads. topics: whose words are known; None: documents to fit topics to."""
    named = [] if titles is None else [str(title) for title in titles]
    settings = as_texts(reading)
    if is_path(documents):
        refuse("words", words, "a file; vocabulary=… names a file of words")
        refuse("titles", titles, "a file")
        return _core.documents_in_file(path_text(what, cast(AnyPath, documents)), settings, topics)
    if is_frame(documents):
        refuse("words", words, "a data frame")
        return _core.documents_in_text(csv_of(documents), "csv", named, settings, topics)
    if is_counts(documents):
        if settings:
            raise UsageError(f"{next(iter(settings))} is for texts and files, and {what} are counts")
        rows, vocabulary = rows_of(what, documents)
        check_length("words", words, vocabulary, "columns of counts")
        check_length("titles", titles, len(rows[0]) - 1, "documents")
        names = [] if words is None else [str(word) for word in words]
        return _core.documents_of_counts(*rows, vocabulary, names, named, topics)
    texts = texts_in(what, documents)
    refuse("words", words, "texts; vocabulary=… names a file of words")
    check_length("titles", titles, len(texts), "documents")
    if titles is None and is_labelled(documents):
        named = [str(label) for label in documents.index]
    if is_words(texts):
        refuse_for_words(what, settings)
        return _core.documents_in_words(clean_words(texts), named, settings, topics)
    return _core.documents_in_text(lines_of(cast(list[str], texts)), "lines", named, settings, topics)


def refuse(name: str, value: object, of: str) -> None:
    if value is not None:
        raise UsageError(f"{name} is for counts, not for {of}")


def refuse_for_words(what: str, settings: Mapping[str, str]) -> None:
    for name in settings:
        if name not in ("vocabulary", "min_documents", "max_words"):
            raise UsageError(f"{name} is for texts and files, and {what} are lists of words, taken as they are")


def check_length(name: str, value: Sequence[str] | None, size: int, what: str) -> None:
    if value is not None and len(value) != size:
        raise DataError(f"{name}: there are {len(value)} of them, and {size} {what}")


def is_frame(documents: object) -> bool:
    return hasattr(documents, "columns") and hasattr(documents, "to_csv")


def is_labelled(documents: Any) -> bool:
    """A pandas Series whose index does more than to count."""
    index = getattr(documents, "index", None)
    return index is not None and not callable(index) and list(index) != list(range(len(documents)))


def is_counts(documents: Any) -> bool:
    if hasattr(documents, "tocsr"):  # of scipy.sparse
        return True
    return isinstance(documents, np.ndarray) and documents.dtype.kind in "biuf"


def csv_of(frame: Any) -> str:
    out = io.StringIO()
    frame.to_csv(out, index=False)
    return out.getvalue()


def texts_in(what: str, documents: object) -> list[str] | list[Words]:
    if isinstance(documents, (Mapping, bytes)) or not isinstance(documents, Iterable):
        raise TypeError(
            f"{what} are a path, texts, lists of words, a data frame with a column 'text', or counts of words (an "
            f"array or a sparse matrix), not {type(documents).__name__}"
        )
    texts = list(documents)
    if all(isinstance(text, str) for text in texts):
        return texts
    if all(isinstance(text, (list, tuple)) and all(isinstance(word, str) for word in text) for text in texts):
        return texts
    odd = next(text for text in texts if not isinstance(text, str))
    raise TypeError(f"{what}: each is a text, or each a list of words, not {odd!r}")


def is_words(texts: list[str] | list[Words]) -> TypeGuard[list[Words]]:
    return len(texts) > 0 and not isinstance(texts[0], str)


def clean_words(documents: list[Words]) -> list[list[str]]:
    """As they are, but for what UTF-8 cannot write."""
    return [[word.encode("utf-8", "replace").decode() for word in words] for words in documents]


def lines_of(texts: list[str]) -> str:
    """A text in each line: blanks part words as line ends do."""
    table = str.maketrans(dict.fromkeys("\n\r\x00", " "))
    return "".join(text.translate(table).encode("utf-8", "replace").decode() + "\n" for text in texts)


def rows_of(what: str, documents: Any) -> tuple[Rows, int]:
    """Documents are rows. Words of a row ascend, and each comes once."""
    if not hasattr(documents, "tocsr"):
        return rows_of_array(what, documents)
    sparse = documents.tocsr().copy()
    sparse.sum_duplicates()
    sparse.eliminate_zeros()
    sparse.sort_indices()
    counts = whole(what, sparse.data)
    return (sparse.indptr.astype(np.int64), sparse.indices.astype(np.int64), counts), int(sparse.shape[1])


def rows_of_array(what: str, documents: NDArray[Any]) -> tuple[Rows, int]:
    if documents.ndim != 2:
        raise DataError(f"{what}: counts have two axes, documents and words, not the shape {documents.shape}")
    there, words = np.nonzero(documents)
    counts = whole(what, documents[there, words])
    begin = np.concatenate([[0], np.cumsum(np.bincount(there, minlength=len(documents)))])
    return (begin.astype(np.int64), words.astype(np.int64), counts), documents.shape[1]


def whole(what: str, counts: NDArray[Any]) -> Integers:
    if not np.all((counts >= 0) & (counts <= MOST) & (counts == np.floor(counts))):
        raise DataError(f"{what}: a count is a whole number, from 0 to {MOST}")
    return np.ascontiguousarray(counts.astype(np.int64))
