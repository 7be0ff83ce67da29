#!/usr/bin/env python3
"""Gibbs sampling of topics against tomotopy: perplexity over time, and tokens a second.

The peers are tomotopy's LDAModel with K topics and its HDPModel, both with their defaults (LDA learns alpha every ten
iterations), installed from PyPI into an environment of their own (out/tomotopy-venv); one thread on either side. Documents are
20 Newsgroups and KOS, evaluated as topics.py says, shares of topics by tomotopy's infer with its 100 iterations, from the state of
the last sweep. Ours are gamma-nb and gamma-gp, of which a draw is inferred by `quasar topics infer`, and gamma-nb with the
predictions of ten draws averaged. The clock stands while a model is evaluated. Says so and stops when tomotopy cannot be had.

    QUASAR_DATA=FOLDER bench/peers/topics_vs_tomotopy.py [--quasar ./quasar] [--data 20news kos] [--topics 100] [--iterations 1000]
"""

import argparse
import os
import tempfile

from peer import QUASAR, peer_side, python_with, stop
from topics import DATA_SETS, READ, compare, quasar_side

GRID = (10, 20, 50, 100, 200, 300, 500, 700, 1000, 1500, 2000)

TOMOTOPY_SIDE = READ + r"""
import tomotopy as tp
kind, topics, grid = sys.argv[2], int(sys.argv[3]), list(map(int, sys.argv[4:]))
def documents(part):
    tokens = [[] for _ in range(part[0])]
    for document, word, count in zip(*part[2:]):
        tokens[document] += [str(word)] * count
    return tokens
model = tp.LDAModel(k=topics, seed=1) if kind == "lda" else tp.HDPModel(seed=1)
for words in documents(train):
    if words: model.add_doc(words)
model.train(0)
column = np.array([int(word) for word in model.used_vocabs])
seen_words = documents(seen)
def shares():
    theta = np.full((len(seen_words), model.k), 1.0 / model.k)
    there = [d for d, words in enumerate(seen_words) if words]
    inferred, _ = model.infer([model.make_doc(seen_words[d]) for d in there], workers=1)
    theta[there] = inferred
    return theta
def topics_alive():
    alive = [k for k in range(model.k) if kind == "lda" or model.is_live_topic(k)]
    phi = np.zeros((len(alive), train[1]))
    phi[:, column] = [model.get_topic_word_dist(k) for k in alive]
    return alive, phi
def evaluate():
    alive, phi = topics_alive()
    theta = shares()[:, alive] + 1e-12
    return perplexity(predictions(theta / theta.sum(1, keepdims=True), phi))
def evaluate_as_all():
    alive, phi = topics_alive()
    tokens = np.array(model.get_count_by_topics())[alive]
    return common(phi, np.array(model.alpha) if kind == "lda" else model.alpha * tokens / tokens.sum() + 1e-12)
clock, curve, done = Clock(), [], 0
for end in grid:
    with clock:
        model.train(end - done, workers=1)
    done = end
    curve.append([end, clock.seconds, evaluate()])
    print(curve[-1], file=sys.stderr)
facts = {"topics": int(model.k if kind == "lda" else model.live_k), "version": tp.__version__, "instructions": tp.isa}
print(json.dumps({"name": f"tomotopy {kind}", "curve": curve, "common": evaluate_as_all(),
                  "lines": simple_lines(), "facts": facts}))
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quasar", default=QUASAR)
    parser.add_argument("--data", nargs="+", choices=DATA_SETS, default=DATA_SETS)
    parser.add_argument("--models", nargs="+", choices=("lda", "hdp"), default=("lda", "hdp"))
    parser.add_argument("--topics", type=int, default=100)
    parser.add_argument("--iterations", type=int, default=1000)
    options = parser.parse_args()
    if "QUASAR_DATA" not in os.environ:
        stop("QUASAR_DATA has to name the folder of 20newsgroups and uci-bow-kos")
    python = python_with("tomotopy-venv", "tomotopy", "numpy", "h5py")
    grid = [iterations for iterations in GRID if iterations <= options.iterations]
    peers = [lambda folder, kind=kind: peer_side(python, TOMOTOPY_SIDE, folder, kind, options.topics, *grid) for kind in options.models]
    few = [iterations for iterations in grid if iterations in (100, 300, 1000)]  # common shares of ten draws take minutes
    ours = [lambda folder, arguments=arguments: quasar_side(python, options.quasar, folder, *arguments)
            for arguments in (("gamma-nb", grid, options.topics), ("gamma-gp", grid, options.topics), ("gamma-nb", few, options.topics, 10))]
    for name in options.data:
        with tempfile.TemporaryDirectory() as folder:
            compare(name, folder, peers, ours)


if __name__ == "__main__":
    main()
