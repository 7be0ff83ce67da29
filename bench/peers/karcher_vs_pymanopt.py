#!/usr/bin/env python3
"""Seconds for the gradient of the Karcher mean of positive definite matrices, and for the mean itself, against Pymanopt.

The peer is Pymanopt, installed from PyPI into an environment of its own (out/pymanopt-venv), with NumPy and the BLAS in its
wheel. Its gradient -2 mean_i log_x(W_i) is written in two ways: by its own SymmetricPositiveDefinite.log of the whole stack,
and by batched NumPy calls as someone would who knows that logarithms can be summed before they are brought back. The mean is
found by its ConjugateGradient with the faster of these gradients, from the log-Euclidean mean, until the gradient is 1e-6
long. Ours is `quasar optimize --problem karcher-mean`: a gradient costs what ten more iterations of steepest_descent take,
over the passes that they counted; the mean is found by lbfgs, until its gradient is as short. Both from data in memory, one after
the other on the same matrices, the best of several rounds. Matrices have random directions and eigenvalues log-uniform in 1 ..
condition, both ends taken. Says so and stops when Pymanopt cannot be had.

    bench/peers/karcher_vs_pymanopt.py [--quasar ./quasar] [--size 100] [--matrices 1000] [--conditions 10 1000] [--threads 1 2]
"""

import argparse
import collections
import json
import os
import tempfile

from peer import QUASAR, output_of, peer_side, python_with

BAR = 1.5

MAKE_MATRICES = r"""
import sys
import numpy as np
path, n, count, condition = sys.argv[1], *map(int, sys.argv[2:4]), float(sys.argv[4])
random = np.random.default_rng(1)
stack = np.empty((count, n, n))
for one in stack:
    q, _ = np.linalg.qr(random.normal(size=(n, n)))
    values = condition ** random.uniform(size=n)
    values[0], values[-1] = 1, condition
    one[:] = (q * values) @ q.T
np.save(path, (stack + stack.transpose(0, 2, 1)) / 2)
print("null")
"""

PYMANOPT_SIDE = r"""
import json, sys, time
import numpy as np
import pymanopt
from pymanopt.manifolds import SymmetricPositiveDefinite
from pymanopt.optimizers import ConjugateGradient
stack = np.load(sys.argv[1])
manifold = SymmetricPositiveDefinite(stack.shape[1])
log = lambda x: np.log(x)
values, vectors = np.linalg.eigh(stack)
middle, turn = np.linalg.eigh(((vectors * log(values)[:, None, :]) @ vectors.transpose(0, 2, 1)).mean(0))
start = (turn * np.exp(middle)) @ turn.T

def own_log(x):
    return -2 * manifold.log(x, stack).mean(0)

def batched(x):
    root = np.linalg.cholesky(x)
    inverse = np.linalg.inv(root)
    values, vectors = np.linalg.eigh(inverse @ stack @ inverse.T)
    logs = (vectors * log(values)[:, None, :]) @ vectors.transpose(0, 2, 1)
    return -2 * root @ logs.mean(0) @ root.T, (log(values) ** 2).sum() / len(stack)

def timed(work):
    began = time.perf_counter()
    work()
    return time.perf_counter() - began

@pymanopt.function.numpy(manifold)
def cost(x):
    root = np.linalg.inv(np.linalg.cholesky(x))
    return (log(np.linalg.eigvalsh(root @ stack @ root.T)) ** 2).sum() / len(stack)

@pymanopt.function.numpy(manifold)
def gradient(x):
    return batched(x)[0]

assert np.allclose(own_log(start), batched(start)[0], atol=1e-10)
problem = pymanopt.Problem(manifold, cost, riemannian_gradient=gradient)
found = None
def solve():
    global found
    found = ConjugateGradient(min_gradient_norm=1e-6, verbosity=0).run(problem, initial_point=start)
seconds = {"its own log": timed(lambda: own_log(start)), "batched NumPy": timed(lambda: batched(start)), "mean": timed(solve)}
norm = manifold.norm(found.point, gradient(found.point))
print(json.dumps({"seconds": seconds, "gradient_norm": norm, "cost": float(found.cost), "version": pymanopt.__version__}))
"""


def ours(options, path, threads, *more):
    return json.loads(output_of([options.quasar, "optimize", "--problem", "karcher-mean", "--data", path, "--set",
                                 f"threads={threads}", "--json", *more]))


def seconds_of_a_gradient(options, path, threads):
    few, many = (ours(options, path, threads, "--set", "solver=steepest_descent", "--tolerance", 1e-300, "--max-iterations", k)
                 for k in (2, 12))
    return (many["seconds"] - few["seconds"]) / (many["passes"] - few["passes"])


def compare(options, python, path, condition, threads):
    os.environ.update({"OPENBLAS_NUM_THREADS": str(threads), "OMP_NUM_THREADS": str(threads)})
    best = collections.defaultdict(lambda: float("inf"))
    for _ in range(options.rounds):
        theirs = peer_side(python, PYMANOPT_SIDE, path)
        for name, seconds in theirs["seconds"].items():
            best[name] = min(best[name], seconds)
        best["ours"] = min(best["ours"], seconds_of_a_gradient(options, path, threads))
        mean = ours(options, path, threads, "--tolerance", 1e-6)
        best["our mean"] = min(best["our mean"], mean["seconds"])
    print(f"condition {condition:g}, threads {threads}, Pymanopt {theirs['version']}: milliseconds of a gradient, over ours; bar {BAR}")
    for name in ("its own log", "batched NumPy", "ours"):
        print(f"  {name:<14} {1e3 * best[name]:9.1f}   {best[name] / best['ours']:6.2f}")
    print(f"  the mean: Pymanopt {best['mean']:.2f} s (gradient {theirs['gradient_norm']:.1g}), ours {best['our mean']:.2f} s "
          f"(gradient {mean['gradient_norm']:.1g}); {best['mean'] / best['our mean']:.1f} times as fast; "
          f"costs differ by {abs(theirs['cost'] - mean['cost']) / mean['cost']:.1g}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quasar", default=QUASAR)
    parser.add_argument("--size", type=int, default=100)
    parser.add_argument("--matrices", type=int, default=1000)
    parser.add_argument("--conditions", type=float, nargs="+", default=[10, 1000])
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    python = python_with("pymanopt-venv", "pymanopt")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "matrices.npy")
        for condition in options.conditions:
            peer_side(python, MAKE_MATRICES, path, options.size, options.matrices, condition)
            for threads in options.threads:
                compare(options, python, path, condition, threads)


if __name__ == "__main__":
    main()
