#!/usr/bin/env python3
"""Seconds for principal components at equal error, against scikit-learn's randomised SVD.

The peer is PCA(k, svd_solver="randomized") of scikit-learn with its defaults (ten more columns than components, seven power
iterations), installed from PyPI into an environment of its own (out/sklearn-venv). Ours is `quasar optimize --problem pca` with
solver=krylov, with as few passes over the data as reach the error of the peer, and once more as it comes, until its tolerance is met;
beside these the exact ways of both, from the covariance matrix. Errors are those of the subspace, by the covariance matrix
and its eigenvectors in NumPy: the share of the k largest variances that is missed, and the sine of the largest angle
between the subspaces. Both from rows in memory, centred by either, one after the other on the same rows, the best of
several rounds. Rows are normal in random directions with variances 1, 2^-p, 3^-p ... Says so and stops when scikit-learn cannot
be had.

    bench/peers/pca_vs_sklearn.py [--quasar ./quasar] [--rows 100000] [--columns 1000] [--components 10] [--power 1]
                                  [--threads 1 2] [--rounds 3]
"""

import argparse
import json
import os
import tempfile

from peer import QUASAR, output_of, peer_side, python_with

MAKE_ROWS = r"""
import sys
import numpy as np
folder, rows, columns, components, power = sys.argv[1], *map(int, sys.argv[2:5]), float(sys.argv[5])
random = np.random.default_rng(1)
q, _ = np.linalg.qr(random.normal(size=(columns, columns)))
x = random.normal(size=(rows, columns)) * np.arange(1, columns + 1) ** (-power / 2) @ q.T + 1
np.save(folder + "/rows.npy", x)
values, vectors = np.linalg.eigh(np.cov(x, rowvar=False))
np.save(folder + "/covariance.npy", np.cov(x, rowvar=False))
np.save(folder + "/exact.npy", vectors[:, ::-1][:, :components].T)
print("null")
"""

ERRORS = r"""
import json, sys, time
import numpy as np
def errors(folder, found):
    covariance, exact = np.load(folder + "/covariance.npy"), np.load(folder + "/exact.npy")
    variance = lambda v: np.trace(v @ covariance @ v.T)
    outside = found.T - exact.T @ (exact @ found.T)
    return {"missed": 1 - variance(found) / variance(exact), "sine": np.linalg.norm(outside, 2)}
"""

SKLEARN_SIDE = ERRORS + r"""
import sklearn
from sklearn.decomposition import PCA
folder, components, solver = sys.argv[1], int(sys.argv[2]), sys.argv[3]
x = np.load(folder + "/rows.npy")
model = PCA(components, svd_solver=solver, random_state=1)
began = time.perf_counter()
model.fit(x)
seconds = time.perf_counter() - began
print(json.dumps({"seconds": seconds, "version": sklearn.__version__, **errors(folder, model.components_)}))
"""

OUR_ERRORS = ERRORS + r"""
print(json.dumps(errors(sys.argv[1], np.load(sys.argv[1] + "/found.npy"))))
"""


def ours(options, python, folder, threads, *more):
    found = json.loads(output_of([options.quasar, "optimize", "--problem", "pca", "--data", f"{folder}/rows.npy", "--set",
                                  f"components={options.components}", "--set", f"threads={threads}", "--json", "--out", f"{folder}/found.npy",
                                  "--overwrite", *more]))
    return {"seconds": found["seconds"], "passes": found["passes"], **peer_side(python, OUR_ERRORS, folder)}


def krylov(options, python, folder, threads, passes):
    limit = ["--set", f"max_passes={passes}"] if passes else []
    return ours(options, python, folder, threads, "--set", "solver=krylov", *limit)


def best_of(runs):
    return min(runs, key=lambda run: run["seconds"])


def compare(options, python, folder, threads):
    os.environ.update({"OPENBLAS_NUM_THREADS": str(threads), "OMP_NUM_THREADS": str(threads)})
    theirs = [peer_side(python, SKLEARN_SIDE, folder, options.components, "randomized")]
    passes = 2
    while krylov(options, python, folder, threads, passes)["sine"] > theirs[0]["sine"]:
        passes += 1
    sides = {
        "scikit-learn, randomized": lambda: peer_side(python, SKLEARN_SIDE, folder, options.components, "randomized"),
        f"krylov, {passes} passes": lambda: krylov(options, python, folder, threads, passes),
        "krylov, to its tolerance": lambda: krylov(options, python, folder, threads, 0),
        "scikit-learn, covariance_eigh": lambda: peer_side(python, SKLEARN_SIDE, folder, options.components, "covariance_eigh"),
        "exact": lambda: ours(options, python, folder, threads, "--set", "solver=exact"),
    }
    runs = {name: [] for name in sides}
    for _ in range(options.rounds):
        for name, run in sides.items():
            runs[name].append(run())
    reference = best_of(runs["scikit-learn, randomized"])
    print(f"threads {threads}, scikit-learn {reference['version']}")
    for name, all_runs in runs.items():
        best = best_of(all_runs)
        print(f"  {name:<30} {best['seconds']:7.2f} s   {reference['seconds'] / best['seconds']:6.2f} times as fast   variance missed "
              f"{best['missed']:8.1e}   sine {best['sine']:8.1e}" + (f"   {best['passes']:g} passes" if "passes" in best else ""), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quasar", default=QUASAR)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--columns", type=int, default=1000)
    parser.add_argument("--components", type=int, default=10)
    parser.add_argument("--power", type=float, default=1)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    python = python_with("sklearn-venv", "scikit-learn")
    with tempfile.TemporaryDirectory() as folder:
        peer_side(python, MAKE_ROWS, folder, options.rows, options.columns, options.components, options.power)
        for threads in options.threads:
            compare(options, python, folder, threads)


if __name__ == "__main__":
    main()
