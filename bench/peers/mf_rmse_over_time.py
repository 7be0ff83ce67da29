#!/usr/bin/env python3
"""Held-out error of factorizations of MovieLens-1M against wall time: blocked samplers, Gibbs sampling, SMURFF.

The same tenth of the ratings is held out for all, the rank is the same, and all have two cores: dsgld, dhamcmc and dsghmc run on
two ranks, Gibbs sampling and SMURFF on two threads. The models are not the same: `mf` has fixed standard deviations, `bpmf` and
SMURFF draw their priors (ours the noise too). Those standard deviations and the steps of
dsgld and dsghmc were tried by hand on another tenth; dhamcmc has one setting, which was not tuned.
Each run takes about --seconds, a tenth of it burn-in. The clock of a run stands while its data are read, and runs while its
held-out ratings are predicted.

SMURFF is installed from PyPI into an environment of its own (out/smurff-venv); where it cannot be had its line is missing.

    QUASAR_DATA=DATA bench/peers/mf_rmse_over_time.py [--quasar build/release/quasar] [--seconds 60] [--rank 10] [--json curves.json]
"""

import argparse
import json
import math
import os
import pathlib
import sys
import tempfile

from peer import QUASAR, find_python, output_of, peer_side, quasar_side, ranks, stop
from ratings import READ, movielens, write_parts

CORES = 2
BLOCKS = 4
MF = {"model.noise_sd": 0.8, "model.user_sd": 0.35, "model.item_sd": 0.35, "model.blocks": BLOCKS}
# Steps near the largest that the items with most ratings bear.
BLOCKED = {
    "dsgld": {"step_size": 4e-4},
    "dhamcmc": {"step_size": 4e-4, "memory": 2, "initial_scale": 1, "shift": 100},
    "dsghmc": {"learning_rate": 1e-4, "momentum_decay": 0.1},
}
GIBBS = {"threads": CORES, "model.hyperprior": "wishart", "model.biases": "false"}
DRAWS = 100  # points of a curve
SHOWN = (1, 2, 5, 10, 20, 40, 60, 120, 300)
LEVELS = (0.95, 0.90, 0.88, 0.87, 0.86, 0.85)

SMURFF_SIDE = READ + r"""
import smurff
rank, threads, seconds = int(sys.argv[3]), int(sys.argv[4]), float(sys.argv[5])
matrix = lambda t: sp.coo_matrix((t[2] - mean, t[:2]), shape).tocsr()
def session(sweeps):
    one = smurff.TrainSession(priors=["normal", "normal"], num_latent=rank, burnin=sweeps // 10, nsamples=sweeps - sweeps // 10,
                              verbose=0, seed=1, num_threads=threads)
    one.addTrainAndTest(matrix(train), matrix(test), smurff.FixedNoise(1.4))
    one.init()
    return one
def timed(one):
    curve, began = [], time.perf_counter()
    while one.step():
        curve.append((time.perf_counter() - began, one.getStatus().rmse_avg))
    return curve
sweeps = max(20, int(seconds / timed(session(10))[-1][0] * 10))
curve = timed(session(sweeps))[sweeps // 10:]
print(json.dumps({"name": "SMURFF " + smurff.version, "curve": curve}))
"""


class Ours:
    def __init__(self, options, files, folder):
        self.options, self.files, self.out = options, files, pathlib.Path(folder) / "run.nc"

    def curve(self, model, sampler, settings, launcher):
        """(seconds, RMSE of the average so far) of a run as long as wanted, which a short one tells the length of."""
        short = self.sample(model, sampler, settings, launcher, warmup=0, draws=20, thin=20)
        iterations = max(20, int(20 * self.options.seconds / short["sampling_seconds"]))
        warmup = iterations // 10
        self.sample(model, sampler, settings, launcher, warmup=warmup, draws=iterations - warmup,
                    thin=math.ceil((iterations - warmup) / DRAWS))
        trace = json.loads(output_of([self.options.quasar, "convert", self.out, "--to", "json"]))["held_out_trace"]
        return list(zip(trace["seconds"][0], trace["rmse"][0]))

    def sample(self, model, sampler, settings, launcher, warmup, draws, thin):
        command = ["--model", model, "--data", self.files[0], "--held-out", self.files[1], "--sampler", sampler, "--chains", 1,
                   "--threads", 1, "--warmup", warmup, "--draws", draws, "--thin", thin, "--keep", "moments", "--out", self.out,
                   "--overwrite", "--quiet"]
        for name, value in {"model.rank": self.options.rank, **settings}.items():
            command += ["--set", f"{name}={value}"]
        return quasar_side(self.options.quasar, *command, launcher=launcher)


def all_curves(options, files, folder):
    ours = Ours(options, files, folder)
    for sampler, settings in BLOCKED.items():
        yield f"mf, {sampler}, {CORES} ranks", ours.curve("mf", sampler, {**MF, **settings}, ranks(CORES))
    yield f"bpmf, gibbs, {CORES} threads", ours.curve("bpmf", "gibbs", GIBBS, ())
    python = find_python("smurff-venv", "smurff")
    if python:
        side = peer_side(python, SMURFF_SIDE, *files, options.rank, CORES, options.seconds)
        yield f"{side['name']}, {CORES} threads", [tuple(point) for point in side["curve"]]
    else:
        print("SMURFF cannot be installed or imported here: it is left out", file=sys.stderr)


def error_at(curve, seconds):
    before = [rmse for at, rmse in curve if at <= seconds]
    return f"{before[-1]:.4f}" if before and curve[-1][0] >= 0.9 * seconds else "-"


def seconds_to(curve, level):
    reached = [at for at, rmse in curve if rmse <= level]
    return f"{reached[0]:.1f}" if reached else "-"


def print_table(title, head, rows):
    print(f"\n{title}\n")
    print(f"{'':<28}" + "".join(f"{name:>9}" for name in head))
    for name, cells in rows:
        print(f"{name:<28}" + "".join(f"{cell:>9}" for cell in cells))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quasar", default=QUASAR)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--rank", type=int, default=10)
    parser.add_argument("--json", type=pathlib.Path, help="where the curves go")
    options = parser.parse_args()
    data = os.environ.get("QUASAR_DATA")
    if not data:
        stop("QUASAR_DATA has to name the folder that has movielens-1m/ratings.csv.gz")
    with tempfile.TemporaryDirectory() as folder:
        files = write_parts(folder, movielens(data), 10, seed=3)
        curves = dict(all_curves(options, files, folder))
    if options.json:
        options.json.write_text(json.dumps(curves))
    shown = [seconds for seconds in SHOWN if seconds <= options.seconds]
    print(f"MovieLens-1M, a tenth held out, rank {options.rank}, {CORES} cores")
    print_table("RMSE of the averaged prediction after so many seconds", [f"{s} s" for s in shown],
                [(name, [error_at(curve, s) for s in shown]) for name, curve in curves.items()])
    print_table("seconds until the RMSE is", LEVELS,
                [(name, [seconds_to(curve, level) for level in LEVELS]) for name, curve in curves.items()])


if __name__ == "__main__":
    main()
