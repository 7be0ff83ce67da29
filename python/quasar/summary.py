"""The summary of a run where pandas is not installed."""

from collections.abc import Iterator, Mapping
from typing import Any

COLUMNS = ("mean", "sd", "q5", "q50", "q95", "mcse_mean", "ess_bulk", "ess_tail", "rhat")


class Summary(Mapping[str, Mapping[str, float | None]]):
    """summary["mu"]["mean"]; prints as `quasar summary` does."""

    def __init__(self, parameters: list[dict[str, Any]], text: str) -> None:
        self._rows = {one["name"]: {key: one[key] for key in one if key != "name"} for one in parameters}
        self._text = text

    def __getitem__(self, name: str) -> Mapping[str, float | None]:
        return self._rows[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def __repr__(self) -> str:
        return self._text
