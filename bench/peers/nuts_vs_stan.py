#!/usr/bin/env python3
"""Gradient evaluations per effective draw: Quasar's NUTS against Stan's, same targets, ratio of medians over seeds.

The statistic of one seed is (gradient calls of all chains, warm-up included) / (smallest bulk ESS of any quantity).
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from stan_side import BenchmarkError, HERE, Settings, load_or_measure, spread

ROOT = HERE.parent.parent
METRICS = ("welford", "fisher_diag")


def quasar_models(heart):
    """How Quasar names the targets of stan_gradients.R."""
    return {
        "gaussian-condition-1000": ["--model", "gaussian", "--set", "model.dim=50", "--set", "model.condition=1000"],
        "gaussian-correlation-0.5": ["--model", "gaussian", "--set", "model.dim=20", "--set", "model.correlation=0.5"],
        "eight-schools": ["--model", "eight-schools"],
        "logistic-heart": ["--model", "logistic", "--data", str(heart)],
    }


def sample(binary, model, metric, seed, settings):
    """One `quasar sample`, its JSON summary."""
    with tempfile.TemporaryDirectory() as folder:
        command = [str(binary), "sample", *model, "--sampler", "nuts", "--set", f"metric={metric}"]
        command += ["--chains", str(settings.chains), "--warmup", str(settings.warmup), "--draws", str(settings.draws)]
        command += ["--seed", str(seed), "--threads", "1", "--out", str(Path(folder) / "run.nc"), "--json"]
        done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise BenchmarkError(f"{' '.join(command)} exited with {done.returncode}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def gradients_per_effective_draw(summary, quantities):
    ess = {parameter["name"]: parameter["ess_bulk"] for parameter in summary["parameters"]}
    if len(ess) != quantities:
        raise BenchmarkError(f"Stan was measured on {quantities} quantities, Quasar reports {sorted(ess)}")
    undefined = [name for name, value in ess.items() if value is None]
    if undefined:
        raise BenchmarkError(f"the effective sample size of {undefined} is undefined")
    return summary["gradient_evaluations"] / min(ess.values())


def quasar_side(binary, model, metric, quantities, settings):
    ratios = []
    for seed in range(1, settings.seeds + 1):
        print(f"quasar: {' '.join(model)}, {metric}, seed {seed} of {settings.seeds}", file=sys.stderr)
        ratios.append(gradients_per_effective_draw(sample(binary, model, metric, seed, settings), quantities))
    return spread(ratios)


def cell(values):
    return f"{values['median']:.2f} [{values['lower_quartile']:.2f}, {values['upper_quartile']:.2f}]"


def print_stan_table(stan):
    print(f"{'target':<26}{'Stan':>24}{'Stan, sampling only':>24}")
    for target, row in stan.items():
        whole, sampling = row["gradients_per_effective_draw"], row["sampling_gradients_per_effective_draw"]
        print(f"{target:<26}{cell(whole):>24}{cell(sampling):>24}")


def print_comparison(stan, binary, settings):
    print(f"{'target':<26}{'Stan':>24}{'welford':>24}{'/ Stan':>8}{'fisher_diag':>24}{'/ welford':>11}")
    for target, model in quasar_models(settings.heart).items():
        peer = stan[target]["gradients_per_effective_draw"]
        quantities = stan[target]["quantities"]
        welford, fisher = (quasar_side(binary, model, metric, quantities, settings) for metric in METRICS)
        print(
            f"{target:<26}{cell(peer):>24}{cell(welford):>24}{welford['median'] / peer['median']:>8.3f}"
            f"{cell(fisher):>24}{fisher['median'] / welford['median']:>11.3f}",
            flush=True,
        )


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    length = parser.add_mutually_exclusive_group()
    length.add_argument("--seeds", type=int, default=20, metavar="N", help="seeds 1 to N, at least 2 (default 20)")
    length.add_argument("--quick", action="store_true", help="3 seeds, Stan's result in a file of its own")
    parser.add_argument("--stan", type=Path, metavar="FILE", help="Stan's result; measured when the file is missing")
    parser.add_argument("--stan-only", action="store_true", help="measure and show Stan alone")
    parser.add_argument("--quasar", type=Path, default=ROOT / "quasar", metavar="BINARY", help="default: ./quasar")
    parser.add_argument("--heart", type=Path, default=ROOT / "examples" / "heart.csv", metavar="CSV")
    arguments = parser.parse_args()
    if arguments.seeds < 2:
        parser.error("--seeds must be at least 2: quartiles need them")
    return arguments


def compare(arguments):
    settings = Settings(seeds=3 if arguments.quick else arguments.seeds, heart=arguments.heart)
    if not settings.heart.is_file():
        raise BenchmarkError(f"{settings.heart} is missing; name the heart data with --heart")
    if not arguments.stan_only and not arguments.quasar.is_file():
        raise BenchmarkError(f"{arguments.quasar} is missing; name the program with --quasar")
    default_name = "stan-quick.json" if arguments.quick else "stan.json"
    stan = load_or_measure(arguments.stan or HERE / "out" / default_name, settings)
    if arguments.stan_only:
        print_stan_table(stan)
    else:
        print_comparison(stan, arguments.quasar.resolve(), settings)


if __name__ == "__main__":
    try:
        compare(parse_arguments())
    except BenchmarkError as error:
        sys.exit(f"nuts_vs_stan: {error}")
