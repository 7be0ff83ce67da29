#!/usr/bin/env python3
"""Seconds a pass of SGHMC against BlackJAX: the network 784-100-10 on 50 000 images in batches of 500, single precision.

A pass is as many gradients as there are batches, a hundred, on either side. The peer is blackjax.sghmc under jit and
lax.scan, compiled before the clock starts, on all threads that it takes. It makes several steps with each batch from a
fresh momentum, ten by default, and drops the momentum at the end; two are the least that follow the data at all. Ours
makes one with each batch on one thread, and draws the precisions after each pass.

The images are random bytes, four of five of them zero as in MNIST. BlackJAX and JAX are installed from PyPI into an
environment of their own (out/blackjax-venv). Both run in turns; the best of several rounds counts. Says so and stops when
they cannot be had.

    bench/peers/sghmc_vs_blackjax.py [--quasar ./quasar] [--passes 10] [--rounds 3]
"""

import argparse
import os
import random
import struct
import tempfile

from peer import QUASAR, peer_side, python_with, quasar_side

ROWS, PIXELS, HIDDEN, CLASSES, BATCH = 50_000, 784, 100, 10, 500
LEARNING_RATE, MOMENTUM_DECAY = 2e-6, 0.01
BAR = 2

PEER_SIDE = r"""
import json, sys, time
import blackjax, jax, jax.numpy as jnp, numpy as np
images, labels, passes, rounds, inner, hidden, classes, batch = sys.argv[1], sys.argv[2], *map(int, sys.argv[3:9])
rate, decay = map(float, sys.argv[9:11])
x = jnp.asarray(np.fromfile(images, np.uint8)[16:].reshape(-1, 784), jnp.float32) / 256
y = jnp.asarray(np.fromfile(labels, np.uint8)[8:], jnp.int32)
rows = len(y)

def log_density(w, rows_of_batch):
    xb, yb = rows_of_batch
    z = jax.nn.sigmoid(xb @ w["B"] + w["b"])
    p = jax.nn.log_softmax(z @ w["A"] + w["a"])
    prior = -0.5 * sum(jnp.sum(v ** 2) for v in w.values())
    return prior + rows / batch * jnp.sum(p[jnp.arange(batch), yb])

step = rate ** 0.5
sampler = blackjax.sghmc(jax.grad(log_density), inner, decay / step, 0.0)
steps = rows // batch

def one(state, key_and_ids):
    w, (key, ids) = state, key_and_ids
    return sampler.step(key, w, (x[ids], y[ids]), step), None

@jax.jit
def one_pass(w, key):
    shuffle, keys = jax.random.split(key)
    ids = jax.random.permutation(shuffle, rows)[: steps * batch].reshape(steps, batch)
    return jax.lax.scan(one, w, (jax.random.split(keys, steps), ids))[0]

keys = jax.random.split(jax.random.PRNGKey(0), 4)
start = {name: 0.01 * jax.random.normal(key, shape) for key, (name, shape) in zip(
    keys, {"B": (784, hidden), "b": (hidden,), "A": (hidden, classes), "a": (classes,)}.items())}
jax.block_until_ready(one_pass(start, jax.random.PRNGKey(1)))
best = 1e300
for seed in range(rounds):
    w = start
    began = time.perf_counter()
    for i in range(passes):
        w = one_pass(w, jax.random.PRNGKey(1000 * seed + i))
    jax.block_until_ready(w)
    best = min(best, (time.perf_counter() - began) / passes)
assert all(bool(jnp.isfinite(v).all()) for v in w.values()), "the peer has diverged"
print(json.dumps({"seconds": best, "versions": f"BlackJAX {blackjax.__version__}, JAX {jax.__version__}"}))
"""


def write_images(folder):
    """Two files in the IDX format, so that both sides read the same."""
    images, labels = os.path.join(folder, "random-images-idx3-ubyte"), os.path.join(folder, "random-labels-idx1-ubyte")
    with open(images, "wb") as out:
        pixels = random.Random(1).choices(range(1, 256), k=ROWS // 50 * PIXELS)
        shown = bytes(p if i % 5 == 0 else 0 for i, p in enumerate(pixels))
        out.write(struct.pack(">IIII", 2051, ROWS, 28, 28) + shown * 50)
    with open(labels, "wb") as out:
        out.write(struct.pack(">II", 2049, ROWS) + bytes(i % CLASSES for i in range(ROWS)))
    return images, labels


def ours_a_pass(quasar, images, passes):
    steps = passes * ROWS // BATCH
    settings = {"learning_rate": LEARNING_RATE, "momentum_decay": MOMENTUM_DECAY, "noise_variance": 0, "batch_size": BATCH,
                "batch_order": "shuffled", "model.hidden": HIDDEN}
    command = ["--model", "network", "--data", images, "--sampler", "sghmc", "--chains", 1, "--threads", 1, "--warmup", 0,
               "--draws", steps, "--thin", steps, "--variables", "precision", "--out",
               os.path.join(os.path.dirname(images), "run.nc"), "--overwrite"]
    for name, value in settings.items():
        command += ["--set", f"{name}={value}"]
    return quasar_side(quasar, *command)["sampling_seconds"] / passes


def theirs_a_pass(python, files, passes, rounds, inner):
    return peer_side(python, PEER_SIDE, *files, passes, rounds, inner, HIDDEN, CLASSES, BATCH, LEARNING_RATE, MOMENTUM_DECAY)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quasar", default=QUASAR)
    parser.add_argument("--passes", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    python = python_with("blackjax-venv", "blackjax", "jax")
    with tempfile.TemporaryDirectory() as folder:
        files = write_images(folder)
        ours = [ours_a_pass(options.quasar, files[0], options.passes) for _ in range(options.rounds)]
        theirs = {inner: theirs_a_pass(python, files, options.passes, options.rounds, inner) for inner in (2, 10)}
        ours += [ours_a_pass(options.quasar, files[0], options.passes) for _ in range(options.rounds)]
    print(f"SGHMC, {PIXELS}-{HIDDEN}-{CLASSES}, {ROWS} rows in batches of {BATCH}, single precision, one chain")
    for inner, side in theirs.items():
        report(f"{side['versions']}, {inner} steps a batch", side["seconds"], inner)
    report("Quasar, one thread", min(ours), 1)
    print(f"  ratio {theirs[10]['seconds'] / 10 / min(ours):.2f} a pass of {ROWS // BATCH} gradients   bar {BAR}")


def report(name, seconds, gradients):
    per_gradient = 1000 * seconds / (ROWS / BATCH * gradients)
    print(f"  {name:<45} {seconds:7.3f} s a pass   {per_gradient:6.2f} ms a gradient")


if __name__ == "__main__":
    main()
