#!/usr/bin/env python3
"""Effective draws per second of every exact sampler on real data, beside nuts.

    bench/exact_samplers.py FOLDER [--quasar build/release/quasar] [--seeds 3] [--draws 1000]

FOLDER has australian.csv, german.csv and heart.csv, the last column 0 or 1. Logistic regression, default settings, two
chains on one thread. The number is the smallest bulk ESS of all parameters over the seconds of sampling (warm-up not
counted), the median over seeds; in brackets its ratio to nuts in the same run. A dash: R-hat above 1.05, so there is no
number to give.
"""

import argparse
import json
import math
import pathlib
import statistics
import subprocess
import sys
import tempfile

DATA = ("australian", "german", "heart")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--quasar", default="build/release/quasar")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--draws", type=int, default=1000)
    return parser.parse_args()


def call(quasar, *command):
    """What it prints as JSON; none where it failed, which it has said itself."""
    result = subprocess.run([quasar, *map(str, command)], stdout=subprocess.PIPE, text=True)
    return json.loads(result.stdout) if result.returncode == 0 else None


def exact_samplers(quasar):
    return [s["name"] for s in call(quasar, "list", "samplers", "--json") if s["exact"]]


def ess_per_second(options, data, sampler, seed, folder):
    summary = call(
        options.quasar, "sample", "--model", "logistic", "--data", options.folder / f"{data}.csv", "--sampler", sampler,
        "--chains", 2, "--threads", 1, "--seed", seed, "--draws", options.draws, "--out", folder / "run.nc", "--overwrite", "--quiet",
        "--json")
    if summary is None:
        return None
    parameters = summary["parameters"]
    if max(p["rhat"] or math.inf for p in parameters) > 1.05:
        return None
    return min(p["ess_bulk"] for p in parameters) / summary["sampling_seconds"]


def median(values):
    return statistics.median(values) if None not in values else None


def cell(value, reference):
    if value is None:
        return "-"
    return f"{value:,.0f}" if reference is None else f"{value:,.0f} ({value / reference:.2g})"


def main():
    options = arguments()
    missing = [name for name in DATA if not (options.folder / f"{name}.csv").exists()]
    if missing:
        sys.exit(f"{options.folder}: there is no {missing[0]}.csv")
    samplers = exact_samplers(options.quasar)
    print("| sampler |", " | ".join(DATA), "|")
    print("|---|" + "---|" * len(DATA), flush=True)
    nuts = {}
    with tempfile.TemporaryDirectory() as folder:
        for sampler in samplers:  # nuts is the first
            found = {}
            for data in DATA:
                seeds = range(1, options.seeds + 1)
                found[data] = median([ess_per_second(options, data, sampler, seed, pathlib.Path(folder)) for seed in seeds])
            nuts = nuts or found
            print(f"| `{sampler}` |", " | ".join(cell(found[d], nuts[d]) for d in DATA), "|", flush=True)


if __name__ == "__main__":
    main()
