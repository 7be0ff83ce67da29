#!/usr/bin/env python3
"""Seconds of a fit by asymp-hmm against EM by hmmlearn, and how well either path agrees with the truth.

States on a line, 3 apart, that are passed one after another: z + 1 with probability 0.8, else z + 2, mod K; noise of variance
0.9; the number of states is known to both. The peer is GaussianHMM.fit of hmmlearn with its defaults, one start and at most
ten iterations, and once more with as many as it needs; it is installed from PyPI into an environment of its own
(out/hmmlearn-venv). Ours is `quasar segment --method asymp-hmm` with its ten starts, lambda = 2 s^2 given or, in another
row, found from the data; and with one start, as theirs. Both are timed from data in memory to the end of the fit, on one thread each, one after the other on
the same series; medians over the series. Says so and stops when hmmlearn cannot be had.

    bench/peers/segment_vs_hmmlearn.py [--quasar ./quasar] [--points 3000 100000] [--states 5 10] [--series 3]
"""

import argparse
import collections
import json
import math
import os
import random
import statistics
import tempfile

from peer import QUASAR, output_of, peer_side, python_with

BAR = 10
SPREAD, VARIANCE = 3, 0.9
MOST_POINTS_UNTIL_CONVERGED = 10_000  # hmmlearn would take minutes for more

HMMLEARN_SIDE = r"""
import json, sys, time
import numpy as np
import hmmlearn
from hmmlearn.hmm import GaussianHMM
path, states, seed, iterations = sys.argv[1], *map(int, sys.argv[2:5])
x = np.loadtxt(path, skiprows=1)[:, None]
model = GaussianHMM(states, random_state=seed, **({"n_iter": iterations} if iterations else {}))
began = time.perf_counter()
model.fit(x)
seconds = time.perf_counter() - began
print(json.dumps({"seconds": seconds, "states": model.predict(x).tolist(), "version": hmmlearn.__version__,
                  "iterations": model.monitor_.iter}))
"""


def write_series(path, points, states, seed):
    """The true state of every point."""
    stream, z, truth = random.Random(seed), 0, []
    with open(path, "w") as out:
        out.write("x\n")
        for _ in range(points):
            truth.append(z)
            out.write(f"{SPREAD * (z + 1) + stream.gauss(0, math.sqrt(VARIANCE)):.9f}\n")
            z = (z + (1 if stream.random() < 0.8 else 2)) % states
    return truth


def agreement(a, b):
    """Normalised mutual information: I(A; B) / sqrt(H(A) H(B))."""
    def entropy(labels):
        return -sum(n / len(a) * math.log(n / len(a)) for n in collections.Counter(labels).values())
    of_a, of_b = entropy(a), entropy(b)
    return (of_a + of_b - entropy(list(zip(a, b)))) / math.sqrt(of_a * of_b) if of_a > 0 and of_b > 0 else 0


def ours(quasar, path, states, seed, *more):
    found = json.loads(output_of([quasar, "segment", path, "--method", "asymp-hmm", "--states", states, "--seed", seed,
                                  "--threads", 1, "--json", *more]))
    return {"seconds": found["seconds"], "states": found["state_of_row"]}


def sides(options, python, path, points, states, seed):
    theirs = {"hmmlearn, its defaults": lambda: peer_side(python, HMMLEARN_SIDE, path, states, seed, 0)}
    if points <= MOST_POINTS_UNTIL_CONVERGED:
        theirs["hmmlearn, until it converges"] = lambda: peer_side(python, HMMLEARN_SIDE, path, states, seed, 1000)
    return {**theirs,
            "asymp-hmm, one start": lambda: ours(options.quasar, path, states, seed, "--lambda", 2 * VARIANCE, "--restarts", 1),
            "asymp-hmm, lambda = 2 s^2": lambda: ours(options.quasar, path, states, seed, "--lambda", 2 * VARIANCE),
            "asymp-hmm, lambda found": lambda: ours(options.quasar, path, states, seed)}


def compare(options, python, folder, points, states):
    seconds, agreements = collections.defaultdict(list), collections.defaultdict(list)
    for seed in range(options.series):
        path = os.path.join(folder, "series.csv")
        truth = write_series(path, points, states, seed)
        for name, fit in sides(options, python, path, points, states, seed).items():
            result = fit()
            seconds[name].append(result["seconds"])
            agreements[name].append(agreement(result["states"], truth))
    print(f"N = {points}, K = {states}, {options.series} series")
    reference = statistics.median(seconds["hmmlearn, its defaults"])
    for name, all_seconds in seconds.items():
        median = statistics.median(all_seconds)
        print(f"  {name:<29} {median:9.4f} s   {reference / median:6.1f} times as fast   "
              f"NMI {statistics.mean(agreements[name]):.3f}")
    print(f"  bar: {BAR} times as fast as the defaults of hmmlearn, at no smaller NMI", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quasar", default=QUASAR)
    parser.add_argument("--points", type=int, nargs="+", default=[3000, 100_000])
    parser.add_argument("--states", type=int, nargs="+", default=[5, 10])
    parser.add_argument("--series", type=int, default=3)
    options = parser.parse_args()
    python = python_with("hmmlearn-venv", "hmmlearn")
    os.environ.update({"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"})
    with tempfile.TemporaryDirectory() as folder:
        for points in options.points:
            for states in options.states:
                compare(options, python, folder, points, states)


if __name__ == "__main__":
    main()
