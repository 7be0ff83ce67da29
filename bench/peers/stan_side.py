"""Measures Stan's NUTS through stan_gradients.R and keeps the result in a JSON file."""

import csv
import hashlib
import json
import statistics
import subprocess
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent


class BenchmarkError(Exception):
    """The benchmark cannot go on; the message says why in one line."""


@dataclass(frozen=True)
class Settings:
    seeds: int
    heart: Path
    chains: int = 4
    warmup: int = 1000
    draws: int = 1000

    def fingerprint(self):
        """What decides the numbers: the data by content, not by path."""
        digest = hashlib.sha256(self.heart.read_bytes()).hexdigest()
        return {**asdict(self), "heart": digest}


def spread(values):
    lower, median, upper = statistics.quantiles(values, n=4, method="inclusive")
    return {"lower_quartile": lower, "median": median, "upper_quartile": upper}


def load_or_measure(path, settings):
    """The rows by target; measured now unless `path` already holds them for the same settings."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(_measure(settings), indent=2) + "\n")
    result = json.loads(path.read_text())
    if result["settings"] != settings.fingerprint():
        raise BenchmarkError(f"{path} was measured with other settings; remove it or name another file with --stan")
    return {row["target"]: row for row in result["rows"]}


def _measure(settings):
    _run([HERE / "setup_stan.sh"], "rstan cannot be had")
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "stan.csv"
        counts = [settings.seeds, settings.chains, settings.warmup, settings.draws]
        _run(["Rscript", HERE / "stan_gradients.R", table, settings.heart, *counts], "the Stan side failed")
        with table.open(newline="") as lines:
            runs = list(csv.DictReader(lines))
    targets = dict.fromkeys(run["target"] for run in runs)
    return {
        "settings": settings.fingerprint(),
        "rstan": runs[0]["rstan"],
        "rows": [_row(target, [run for run in runs if run["target"] == target]) for target in targets],
    }


def _row(target, runs):
    seeds = [_per_seed(run) for run in runs]
    ratios = ("gradients_per_effective_draw", "sampling_gradients_per_effective_draw")
    return {
        "target": target,
        "quantities": int(runs[0]["quantities"]),
        **{ratio: spread([seed[ratio] for seed in seeds]) for ratio in ratios},
        "seeds": seeds,
    }


def _per_seed(run):
    counts = ("seed", "gradients", "sampling_gradients", "search_gradients", "divergences")
    values = {name: int(run[name]) for name in counts}
    ess = float(run["min_ess_bulk"])
    return {
        **values,
        "min_ess_bulk": ess,
        "gradients_per_effective_draw": values["gradients"] / ess,
        "sampling_gradients_per_effective_draw": values["sampling_gradients"] / ess,
    }


def _run(command, failure):
    try:
        subprocess.run([str(word) for word in command], check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise BenchmarkError(f"{failure}: {error}") from error
