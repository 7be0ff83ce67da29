#!/usr/bin/env python3
"""Time a rating and sweep of Gibbs sampling against SMURFF, rank 20, one thread each.

MovieLens-1M where QUASAR_DATA names the folder that has movielens-1m/ratings.csv.gz, a fifth of it for the test; else
synthetic ratings of about its size. Both sides have normal rows with Wishart priors and no biases, in double precision;
the noise is fixed for SMURFF and drawn by ours, which is a pass over the ratings more. Sweeps are timed without a test,
the error is that of averaged predictions in a second run. For scale, implicit's alternating least squares, exact solves,
which is another model: it has a term for every pair that was not rated.

SMURFF and implicit are installed from PyPI into an environment of their own (out/smurff-venv). The sides run in turns; the
best of several rounds counts. Says so and stops when they cannot be had.

    bench/peers/gibbs_vs_smurff.py [--quasar ./quasar] [--sweeps 10] [--rounds 3]
"""

import argparse
import math
import os
import tempfile

from peer import QUASAR, peer_side, python_with, quasar_side
from ratings import READ, movielens, synthetic, write_parts

RANK, BURN_IN, AVERAGED = 20, 10, 30
BAR = 1

BEGIN = READ + "rank, sweeps, burn_in, averaged = map(int, sys.argv[3:7])\n"

SMURFF_SIDE = BEGIN + r"""
import smurff
matrix = lambda t: sp.coo_matrix((t[2] - mean, t[:2]), shape).tocsr()
def session(burnin, nsamples, test):
    one = smurff.TrainSession(priors=["normal", "normal"], num_latent=rank, burnin=burnin, nsamples=nsamples, verbose=0,
                              seed=1, num_threads=1)
    one.addTrainAndTest(matrix(train), matrix(test) if test else None, smurff.FixedNoise(1.4))
    one.init()
    return one
timed = session(1 + sweeps, 0, None)
timed.step()
began = time.perf_counter()
for _ in range(sweeps):
    timed.step()
seconds = (time.perf_counter() - began) / sweeps
rmse = None
if averaged:
    full = session(burn_in, averaged, test)
    while full.step():
        pass
    rmse = full.getStatus().rmse_avg
print(json.dumps({"seconds": seconds, "rmse": rmse, "version": "SMURFF " + smurff.version}))
"""

IMPLICIT_SIDE = BEGIN + r"""
import implicit
from implicit.cpu.als import AlternatingLeastSquares
model = AlternatingLeastSquares(factors=rank, iterations=1, use_cg=False, num_threads=1, dtype=np.float64, random_state=1)
ratings = sp.coo_matrix((train[2], train[:2]), shape).tocsr()
model.fit(ratings, show_progress=False)
model.iterations = sweeps
began = time.perf_counter()
model.fit(ratings, show_progress=False)
print(json.dumps({"seconds": (time.perf_counter() - began) / sweeps, "version": "implicit " + implicit.__version__}))
"""


def quasar(program, files, sweeps, burn_in=0, held_out=False):
    command = ["--model", "bpmf", "--data", files[0], "--sampler", "gibbs", "--chains", 1, "--threads", 1, "--warmup", burn_in,
               "--draws", sweeps, "--thin", 1 if held_out else sweeps, "--keep", "moments", "--out", files[0].with_name("run.nc"),
               "--overwrite"]
    for setting in (f"model.rank={RANK}", "model.hyperprior=wishart", "model.biases=false"):
        command += ["--set", setting]
    if held_out:
        command += ["--held-out", files[1]]
    return quasar_side(program, *command)


def peer(python, side, files, sweeps, averaged=0):
    return peer_side(python, side, *files, RANK, sweeps, BURN_IN, averaged)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quasar", default=QUASAR)
    parser.add_argument("--sweeps", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    python = python_with("smurff-venv", "smurff", "implicit")
    data = os.environ.get("QUASAR_DATA")
    ratings = movielens(data) if data else synthetic()
    ours, theirs, als = math.inf, math.inf, math.inf
    with tempfile.TemporaryDirectory() as folder:
        files = write_parts(folder, ratings, 5)
        for _ in range(options.rounds):
            ours = min(ours, quasar(options.quasar, files, options.sweeps)["sampling_seconds"] / options.sweeps)
            theirs = min(theirs, peer(python, SMURFF_SIDE, files, options.sweeps)["seconds"])
            als = min(als, peer(python, IMPLICIT_SIDE, files, options.sweeps)["seconds"])
        our_error = quasar(options.quasar, files, AVERAGED, BURN_IN, held_out=True)["held_out"]["rmse"]
        smurff = peer(python, SMURFF_SIDE, files, 1, AVERAGED)
    trained = len(ratings) - len(ratings) // 5
    print(f"Gibbs sampling, {'MovieLens-1M' if data else 'synthetic'}, {trained} ratings, rank {RANK}, one thread")
    for name, seconds, error in ((smurff["version"], theirs, smurff["rmse"]), ("Quasar", ours, our_error),
                                 ("implicit ALS", als, None)):
        print(f"  {name:<20} {1e9 * seconds / trained:7.1f} ns a rating and sweep" + (f"   RMSE {error:.4f}" if error else ""))
    print(f"  ratio {theirs / ours:.2f}   bar {BAR}")


if __name__ == "__main__":
    main()
