"""Runs side by side: what each cost, what it is worth, and whether they agree."""

from __future__ import annotations

import html
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from quasar import _core
from quasar.checks import AnyPath, path_text, truth
from quasar.errors import UsageError
from quasar.run import Run, load
from quasar.wording import errors_in_python, in_python

if TYPE_CHECKING:
    import pandas

DIFFERENCES_SHOWN = 10
EXTREMES = ("ess_bulk_smallest", "ess_tail_smallest", "rhat_largest")


class Comparison:
    """The result of `quasar.compare`; prints as `quasar compare` does."""

    def __init__(self, facts: dict[str, Any], text: str, page: str) -> None:
        self._facts = facts
        self._text = text
        self._page = page
        self.reference: str = facts["reference"]  # the name of the run that others are measured by
        self.warnings = tuple(in_python(warning) for warning in facts["warnings"])

    @property
    def runs(self) -> pandas.DataFrame:
        """A row for each run: cost, effective draws, R-hat, law. A list of dicts where pandas is not installed."""
        return table([flat_run(run) for run in self._facts["runs"]], ["name"])

    @property
    def parameters(self) -> pandas.DataFrame:
        """A row for each parameter of each run: its estimates, and its differences from the reference.

        A list of dicts where pandas is not installed.
        """
        rows = [
            {"name": parameter["name"], "run": run, **flat_estimate(estimate)}
            for parameter in self._facts["parameters"]
            for run, estimate in parameter["runs"].items()
        ]
        return table(rows, ["name", "run"])

    def to_dict(self) -> dict[str, Any]:
        """What `quasar compare --json` prints."""
        return cast(dict[str, Any], json.loads(json.dumps(self._facts)))

    @errors_in_python()
    def page(self, path: AnyPath, *, overwrite: bool = False) -> None:
        """Writes the page with tables and pictures: one HTML file that stands alone."""
        target = Path(path_text("a page", path))
        files = [Path(run["file"]) for run in self._facts["runs"] if run["file"]]
        if target.exists() and any(file.exists() and target.samefile(file) for file in files):
            raise UsageError(f"{target} is one of the runs; give the page another name")
        _core.write_page(str(target), self._page, truth("overwrite", overwrite))

    def __repr__(self) -> str:
        return self._text.rstrip()

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self._text)}</pre>"


@errors_in_python()
def compare(
    *runs: Run | AnyPath,
    names: Sequence[str] | None = None,
    reference: str = "",
    allow_different: bool = False,
) -> Comparison:
    """Runs of one posterior side by side.

    >>> quasar.compare(run, "hmc.nc", reference="nuts")

    runs             two or more: a `quasar.Run` or the path of its file
    names            of the runs; default: their samplers, or their files without folder and ending
    reference        the run that others are measured by: its name or sampler; default: the first that is exact and has
                     converged
    allow_different  also runs of different models or data: parameters of the same name are compared
    """
    called = given_names(runs) if names is None else [str(name) for name in names]
    if len(called) != len(runs):
        raise UsageError(f"names: {len(called)} names for {len(runs)} runs")
    opened = [(run if isinstance(run, Run) else load(run))._core for run in runs]
    files = ["" if isinstance(run, Run) else path_text("a run file", run) for run in runs]
    facts, text, page = _core.compare(
        list(zip(called, files, opened, strict=True)),
        reference,
        truth("allow_different", allow_different),
        DIFFERENCES_SHOWN,
    )
    return Comparison(json.loads(facts), text, page)


def given_names(runs: Sequence[Run | AnyPath]) -> list[str]:
    """The second run of a name is called "nuts 2"."""
    names = [run.info["sampler"] if isinstance(run, Run) else Path(path_text("a run file", run)).stem for run in runs]
    seen: Counter[str] = Counter()
    unique = []
    for name in names:
        seen[name] += 1
        unique.append(name if seen[name] == 1 else f"{name} {seen[name]}")
    return unique


def flat_run(run: dict[str, Any]) -> dict[str, Any]:
    """The numbers of one run; where a parameter has the worst of them, that parameter beside it."""
    row: dict[str, Any] = {}
    for key, value in run.items():
        if key in EXTREMES:
            row[key] = value and value["value"]
            row[f"{key}_parameter"] = value and value["parameter"]
        elif key not in ("check", "notes"):
            row[key] = value
    return row


def flat_estimate(estimate: dict[str, Any]) -> dict[str, Any]:
    row = {key: value for key, value in estimate.items() if not isinstance(value, dict)}
    for of in ("mean", "sd"):
        difference = estimate.get(f"{of}_difference", {})
        row[f"{of}_difference"] = difference.get("value")
        row[f"{of}_difference_mcse"] = difference.get("mcse")
        row[f"{of}_beyond_chance"] = difference.get("beyond_chance", False)
    return row


def table(rows: list[dict[str, Any]], index: list[str]) -> pandas.DataFrame:
    try:
        import pandas
    except ImportError:
        return cast("pandas.DataFrame", rows)
    return pandas.DataFrame(rows).set_index(index)
