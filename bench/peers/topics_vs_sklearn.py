#!/usr/bin/env python3
"""Variational inference of topics against scikit-learn's online LDA: perplexity over time.

The peer is LatentDirichletAllocation(K, learning_method="online") with its defaults (batches of 128 documents; it stops after ten
passes unless told otherwise), pass after pass by partial_fit with the number of training documents as total_samples, which
is what fit does, installed from PyPI into an environment of its own (out/sklearn-venv); one thread on either side. Documents are 20
Newsgroups and KOS, evaluated as topics.py says, shares of topics by transform. The clock stands while a model is evaluated. Says so
and stops when scikit-learn cannot be had.

    QUASAR_DATA=FOLDER bench/peers/topics_vs_sklearn.py [--quasar ./quasar] [--data 20news kos] [--topics 100] [--passes 20]
"""

import argparse
import os
import tempfile

from peer import QUASAR, peer_side, python_with, stop
from topics import DATA_SETS, READ, compare, quasar_side

GRID = (1, 2, 3, 5, 7, 10, 15, 20, 30, 50)

SKLEARN_SIDE = READ + r"""
import scipy.sparse as sp, sklearn
from sklearn.decomposition import LatentDirichletAllocation
topics, grid = int(sys.argv[2]), list(map(int, sys.argv[3:]))
def counts(part):
    return sp.csr_matrix((part[4], (part[2], part[3])), shape=part[:2])
documents, seen_counts = counts(train), counts(seen)
model = LatentDirichletAllocation(topics, learning_method="online", total_samples=train[0], random_state=1, n_jobs=1)
clock, curve, done = Clock(), [], 0
for end in grid:
    with clock:
        for _ in range(end - done): model.partial_fit(documents)
    done = end
    phi = model.components_ / model.components_.sum(1, keepdims=True)
    curve.append([end, clock.seconds, perplexity(predictions(model.transform(seen_counts), phi))])
    print(curve[-1], file=sys.stderr)
print(json.dumps({"name": "scikit-learn online", "curve": curve,
                  "common": common(phi, np.full(topics, model.doc_topic_prior_)),
                  "lines": simple_lines(), "facts": {"version": sklearn.__version__}}))
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quasar", default=QUASAR)
    parser.add_argument("--data", nargs="+", choices=DATA_SETS, default=DATA_SETS)
    parser.add_argument("--topics", type=int, default=100)
    parser.add_argument("--passes", type=int, default=20)
    options = parser.parse_args()
    if "QUASAR_DATA" not in os.environ:
        stop("QUASAR_DATA has to name the folder of 20newsgroups and uci-bow-kos")
    python = python_with("sklearn-venv", "scikit-learn", "h5py")
    grid = [passes for passes in GRID if passes <= options.passes]
    peers = [lambda folder: peer_side(python, SKLEARN_SIDE, folder, options.topics, *grid)]
    ours = [lambda folder, method=method: quasar_side(python, options.quasar, folder, method, grid, options.topics)
            for method in ("vgp-svi", "vgp", "gamma-nb")]
    for name in options.data:
        with tempfile.TemporaryDirectory() as folder:
            compare(name, folder, peers, ours)


if __name__ == "__main__":
    main()
