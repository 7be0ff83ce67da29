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
import csv
import gzip
import json
import math
import os
import pathlib
import random
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
VENV = HERE / "out" / "smurff-venv"
RANK, BURN_IN, AVERAGED = 20, 10, 30
USERS, ITEMS, RATINGS = 6040, 3706, 1_000_000
BAR = 1

READ = r"""
import os
os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", MKL_NUM_THREADS="1")
import json, sys, time
import numpy as np, scipy.sparse as sp
def read(file):
    user, item, rating = np.loadtxt(file, delimiter=",", skiprows=1, unpack=True)
    return user.astype(int), item.astype(int), rating
train, test = read(sys.argv[1]), read(sys.argv[2])
rank, sweeps, burn_in, averaged = map(int, sys.argv[3:7])
shape = [max(a.max(), b.max()) + 1 for a, b in zip(train[:2], test[:2])]
mean = train[2].mean()
"""

SMURFF_SIDE = READ + r"""
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

IMPLICIT_SIDE = READ + r"""
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


def stop(message):
    print(f"gibbs_vs_smurff: {message}", file=sys.stderr)
    sys.exit(3)


def peer_python():
    python = VENV / "bin" / "python"
    if not python.exists():
        print("installing smurff and implicit from PyPI ...", file=sys.stderr)
        subprocess.run([sys.executable, "-m", "venv", VENV], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", "smurff", "implicit"], check=False)
    if subprocess.run([python, "-c", "import smurff, implicit"], capture_output=True).returncode != 0:
        stop("SMURFF and implicit cannot be installed or imported here; nothing was compared")
    return python


def movielens(folder):
    with gzip.open(pathlib.Path(folder) / "movielens-1m" / "ratings.csv.gz", "rt") as text:
        return [(int(user), int(item), float(rating)) for user, item, rating in list(csv.reader(text))[1:]]


def synthetic():
    """Popular items are rated often; factors of rank 3."""
    draw = random.Random(1)
    factors = [[draw.gauss(0, 0.6) for _ in range(3)] for _ in range(USERS + ITEMS)]
    seen = {}
    while len(seen) < RATINGS:
        user, item = int(USERS * draw.random()), int(ITEMS * draw.random() ** 2)
        mean = 3.5 + sum(a * b for a, b in zip(factors[user], factors[USERS + item]))
        seen[user, item] = mean + draw.gauss(0, 0.8)
    return [(*pair, rating) for pair, rating in seen.items()]


def write_parts(folder, ratings):
    random.Random(2).shuffle(ratings)
    cut = len(ratings) // 5
    files = os.path.join(folder, "train.csv"), os.path.join(folder, "test.csv")
    for file, part in zip(files, (ratings[cut:], ratings[:cut])):
        with open(file, "w", newline="") as out:
            csv.writer(out).writerows([("user", "item", "rating"), *part])
    return files


def quasar(program, files, sweeps, burn_in=0, held_out=False):
    command = [program, "sample", "--model", "bpmf", "--data", files[0], "--sampler", "gibbs", "--chains", "1", "--threads",
               "1", "--warmup", str(burn_in), "--draws", str(sweeps), "--thin", "1" if held_out else str(sweeps),
               "--keep", "moments", "--out", os.path.join(os.path.dirname(files[0]), "run.nc"), "--overwrite", "--json"]
    for setting in (f"model.rank={RANK}", "model.hyperprior=wishart", "model.biases=false"):
        command += ["--set", setting]
    if held_out:
        command += ["--held-out", files[1]]
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode != 0:
        stop(result.stderr)
    return json.loads(result.stdout)


def peer(python, side, files, sweeps, averaged=0):
    arguments = [*files, RANK, sweeps, BURN_IN, averaged]
    result = subprocess.run([python, "-c", side, *map(str, arguments)], capture_output=True, text=True)
    if result.returncode != 0:
        stop(result.stderr)
    return json.loads(result.stdout.splitlines()[-1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quasar", default=str(HERE.parent.parent / "quasar"))
    parser.add_argument("--sweeps", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    python = peer_python()
    data = os.environ.get("QUASAR_DATA")
    ratings = movielens(data) if data else synthetic()
    ours, theirs, als = math.inf, math.inf, math.inf
    with tempfile.TemporaryDirectory() as folder:
        files = write_parts(folder, ratings)
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
