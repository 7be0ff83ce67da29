#!/usr/bin/env python3
"""Steps per second of SGLD against JAX: logistic regression, N = 100 000, D = 10, batches of 1 %.

The case of SGMCMCJax's README. The peer is a jitted lax.scan over SGLD steps, compiled before the clock starts, double
precision as ours; JAX is installed from PyPI into an environment of its own (out/jax-venv). Both run one chain in turns
in the same run; the best of several rounds counts. Says so and stops when JAX cannot be had.

    bench/peers/sgld_vs_jax.py [--quasar ./quasar] [--steps 20000] [--rounds 5]
"""

import argparse
import csv
import math
import os
import random
import tempfile

from peer import QUASAR, peer_side, python_with, quasar_side

ROWS, COLUMNS, BATCH, STEP = 100_000, 10, 1000, 1e-6
BAR = 5

JAX_SIDE = r"""
import json, sys, time
import jax, jax.numpy as jnp
from functools import partial
jax.config.update("jax_enable_x64", True)
path, steps, rounds, batch, step = sys.argv[1], *map(int, sys.argv[2:5]), float(sys.argv[5])
import numpy as np
data = np.loadtxt(path, delimiter=",", skiprows=1)
x = jnp.asarray(np.column_stack([np.ones(len(data)), (data[:, :-1] - data[:, :-1].mean(0)) / data[:, :-1].std(0)]))
y = jnp.asarray(data[:, -1])
rows = len(y)

def log_post(theta, xb, yb):
    z = xb @ theta
    return -0.5 * jnp.sum(theta ** 2) / 100 + rows / batch * jnp.sum(yb * z - jnp.logaddexp(0.0, z))

grad = jax.grad(log_post)

def one(theta, key):
    key_batch, key_noise = jax.random.split(key)
    ids = jax.random.randint(key_batch, (batch,), 0, rows)
    theta = theta + step * grad(theta, x[ids], y[ids]) + jnp.sqrt(2 * step) * jax.random.normal(key_noise, theta.shape)
    return theta, theta

@partial(jax.jit, static_argnums=1)
def run(key, steps):
    return jax.lax.scan(one, jnp.zeros(x.shape[1]), jax.random.split(key, steps))

run(jax.random.PRNGKey(0), steps)[0].block_until_ready()
best = 1e300
for seed in range(rounds):
    key = jax.random.PRNGKey(seed)
    began = time.perf_counter()
    last, draws = run(key, steps)
    last.block_until_ready()
    best = min(best, time.perf_counter() - began)
print(json.dumps({"steps_per_second": steps / best, "version": "JAX " + jax.__version__}))
"""


def write_data(path):
    stream = random.Random(1)
    truth = [stream.gauss(0, 1) for _ in range(COLUMNS)]
    with open(path, "w", newline="") as out:
        table = csv.writer(out)
        table.writerow([f"x{j}" for j in range(COLUMNS - 1)] + ["y"])
        for _ in range(ROWS):
            row = [stream.gauss(0, 1) for _ in range(COLUMNS - 1)]
            z = truth[0] + sum(b * v for b, v in zip(truth[1:], row))
            table.writerow([f"{v:.6f}" for v in row] + [int(stream.random() < 1 / (1 + math.exp(-z)))])


def steps_per_second(quasar, path, steps, seed):
    summary = quasar_side(
        quasar, "--model", "logistic", "--data", path, "--sampler", "sgld", "--chains", 1, "--threads", 1, "--warmup", 0,
        "--draws", steps, "--seed", seed, "--set", f"step_size={STEP}", "--set", f"batch_size={BATCH}", "--out",
        os.path.join(os.path.dirname(path), "run.nc"), "--overwrite")
    return steps / summary["sampling_seconds"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quasar", default=QUASAR)
    parser.add_argument("--steps", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    python = python_with("jax-venv", "jax")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "data.csv")
        write_data(path)
        ours = [steps_per_second(options.quasar, path, options.steps, seed) for seed in range(options.rounds)]
        side = peer_side(python, JAX_SIDE, path, options.steps, options.rounds, BATCH, STEP)
        ours += [steps_per_second(options.quasar, path, options.steps, seed) for seed in range(options.rounds)]
    theirs = side["steps_per_second"]
    print(f"SGLD, logistic regression, N = {ROWS}, D = {COLUMNS}, batch {BATCH}, one chain, one process each")
    print(f"  {side['version']} (lax.scan, jitted, all its threads)  {theirs:10.0f} steps/s")
    print(f"  Quasar (one thread, every draw on disk)      {max(ours):10.0f} steps/s")
    print(f"  ratio {max(ours) / theirs:.1f}   bar {BAR}")


if __name__ == "__main__":
    main()
