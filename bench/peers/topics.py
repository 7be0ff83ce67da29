"""Documents and their evaluation for the comparisons of topic models: the same words, parts and perplexity for all sides.

Document completion: of each test document a fifth of the tokens, chosen at random, is held out; its shares of topics theta are
inferred from the rest, by each side in its own way, and with the side's words of topics phi the perplexity is

    exp(-sum over held-out tokens of log(sum_k theta_dk phi_kw) / their number).

How theta is inferred matters, whatever phi is. So the last state of each side is evaluated a second time
with one way for all, the fixed point of theta_k ~ a_k + sum_w n_w theta_k phi_kw / sum_l theta_l phi_lw for the side's weights a_k.

Words that no training document has are left out everywhere, so that all sides have one vocabulary.
"""

import gzip
import os
import pathlib
import random

from peer import peer_side

DATA_SETS = ("20news", "kos")
TEST_SHARE_OF_KOS = 0.1
HELD_OUT = 0.2

# How a peer's script begins: parts written by write_parts, in folder sys.argv[1], and the common perplexity.
READ = r"""
import os
os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", MKL_NUM_THREADS="1")
import json, sys, time
import numpy as np
def read(part):
    with open(f"{sys.argv[1]}/{part}.txt") as lines:
        documents, words, _ = (int(next(lines)) for _ in range(3))
        rows = np.loadtxt(lines, dtype=int, ndmin=2).reshape(-1, 3)
    return documents, words, rows[:, 0] - 1, rows[:, 1] - 1, rows[:, 2]
def predictions(theta, phi):
    # of each held-out word; theta: documents x topics, phi: topics x words. A part at a time: all at once are gigabytes
    document, word = held_out[2:4]
    parts = [slice(begin, begin + (1 << 14)) for begin in range(0, len(document), 1 << 14)]
    return np.concatenate([np.einsum("ik,ki->i", theta[document[part]], phi[:, word[part]]) for part in parts])
def perplexity(probability):
    return float(np.exp(-(held_out[4] @ np.log(probability)) / held_out[4].sum()))
def shares_by(phi, weights):
    # theta by the common fixed point
    order = np.argsort(seen[2], kind="stable")
    ends = np.searchsorted(seen[2][order], np.arange(seen[0] + 1))
    theta = np.tile(weights / weights.sum(), (seen[0], 1))
    for d in np.unique(held_out[2]):
        rows = order[ends[d]:ends[d + 1]]
        likelihood, count = phi[:, seen[3][rows]], seen[4][rows]
        for _ in range(100):
            share = theta[d][:, None] * likelihood
            theta[d] = weights + share @ (count / share.sum(0))
        theta[d] /= theta[d].sum()
    return theta
def common(phi, weights):
    # the perplexity of phi with such shares; of several draws of them, of the mean of their predictions
    draws = zip(np.atleast_3d(phi.T).T, np.atleast_2d(weights))
    return perplexity(np.mean([predictions(shares_by(p, w), p) for p, w in draws], axis=0))
class Clock:
    # runs inside "with" alone
    seconds = 0.0
    def __enter__(self):
        self.began = time.perf_counter()
    def __exit__(self, *_):
        self.seconds += time.perf_counter() - self.began
train, seen, held_out = read("train"), read("seen"), read("held_out")
def simple_lines():
    share = np.bincount(train[3], train[4], train[1]) + 0.01
    return {"uniform": float(train[1]), "unigram": perplexity((share / share.sum())[held_out[3]])}
"""


# Predictions of several draws are averaged: sum_k theta_dk phi_kw by each, with theta of the document by that draw.
QUASAR_SIDE = READ + r"""
import h5py, subprocess
folder, quasar, method, topics, draws, grid = *sys.argv[1:4], int(sys.argv[4]), int(sys.argv[5]), list(map(int, sys.argv[6:]))
file, shares = f"{folder}/{method}.nc", f"{folder}/{method}.csv"
def call(*arguments):
    return json.loads(subprocess.run([quasar, "topics", *map(str, arguments), "--json"], check=True, capture_output=True).stdout)
def fitted(sweeps):
    burn_in = sweeps - 1 if draws == 1 else sweeps // 2
    found = call("fit", f"{folder}/train.txt", "--method", method, "--topics", topics, "--sweeps", sweeps, "--burn-in", burn_in,
                 "--draws", min(draws, sweeps - burn_in), "--threads", 1, "--shares", "no", "--out", file, "--overwrite", "--quiet")
    with h5py.File(file) as all:
        phi, weights = np.array(all["topics/phi"], float), np.array(all["topics/weights"])
    return found, phi, weights
def own_shares():
    call("infer", file, f"{folder}/seen.txt", "--threads", 1, "--out", shares, "--overwrite")
    return np.loadtxt(shares, delimiter=",", skiprows=1, ndmin=2, usecols=range(1, topics + 1))
curve = []
for end in grid:
    found, phi, weights = fitted(end)
    value = common(phi, weights) if len(phi) > 1 else perplexity(predictions(own_shares(), phi[0]))
    curve.append([end, found["seconds"], value])
    print(curve[-1], file=sys.stderr)
name = f"quasar {method}" + (f", {draws} draws" if draws > 1 else "")
print(json.dumps({"name": name, "curve": curve, "common": common(phi, weights),
                  "lines": simple_lines(), "facts": {"topics": found["topics_in_use"]}}))
"""


def read_uci(path):
    """Documents, each as {word: count}, words from 0."""
    with gzip.open(path, "rt") as lines:
        documents = [{} for _ in range(int(next(lines)))]
        next(lines), next(lines)
        for line in lines:
            document, word, count = map(int, line.split())
            documents[document - 1][word - 1] = count
    return documents


def parts_of(name, data):
    """Training and test documents, each in an order that a fixed shuffle makes."""
    data, shuffle = pathlib.Path(data), random.Random(1).shuffle
    if name == "20news":
        parts = [read_uci(data / "20newsgroups" / f"docword.20news.{part}.txt.gz") for part in ("train", "test")]
        for part in parts:
            shuffle(part)
        return parts
    documents = read_uci(data / "uci-bow-kos" / "docword.kos.txt.gz")
    shuffle(documents)
    cut = len(documents) - round(TEST_SHARE_OF_KOS * len(documents))
    return documents[:cut], documents[cut:]


def split_tokens(documents, seed=2):
    """Four fifths of each document's tokens, and the rest."""
    draw, seen, held_out = random.Random(seed), [], []
    for document in documents:
        tokens = [word for word, count in sorted(document.items()) for _ in range(count)]
        draw.shuffle(tokens)
        cut = len(tokens) - int(HELD_OUT * len(tokens))
        for part, chosen in ((seen, tokens[:cut]), (held_out, tokens[cut:])):
            part.append({word: chosen.count(word) for word in set(chosen)})
    return seen, held_out


def write_uci(path, documents, vocabulary):
    with open(path, "w") as out:
        out.write(f"{len(documents)}\n{vocabulary}\n{sum(map(len, documents))}\n")
        for number, document in enumerate(documents, 1):
            out.writelines(f"{number} {word + 1} {count}\n" for word, count in sorted(document.items()))


def write_parts(folder, name, data):
    """train.txt, seen.txt and held_out.txt in the UCI format; how many tokens they have."""
    train, test = parts_of(name, data)
    number = {word: i for i, word in enumerate(sorted(set().union(*train)))}
    renamed = [[{number[w]: n for w, n in document.items() if w in number} for document in part] for part in (train, test)]
    parts = {"train": renamed[0], **dict(zip(("seen", "held_out"), split_tokens(renamed[1])))}
    for part, documents in parts.items():
        write_uci(pathlib.Path(folder) / f"{part}.txt", documents, len(number))
    return {part: sum(sum(d.values()) for d in documents) for part, documents in parts.items()}


def quasar_side(python, quasar, folder, method, grid, topics, draws=1):
    """The curve of Quasar on the parts in the folder, as the peers' scripts print theirs: a fit for every point of the grid, since
    all with one seed begin alike. draws: whose predictions are averaged, evenly spaced over the second half of the sweeps."""
    return peer_side(python, QUASAR_SIDE, folder, quasar, method, topics, draws, *grid)


def reached(curve, perplexity):
    """Seconds until a curve is at this perplexity or below, by the line between the two points around it."""
    before = None
    for _, seconds, value in curve:
        if value <= perplexity:
            if before is None or before[1] == value:
                return seconds
            return before[0] + (seconds - before[0]) * (before[1] - perplexity) / (before[1] - value)
        before = seconds, value
    return None


def show(side, tokens, targets=()):
    curve = side["curve"]
    iterations, seconds, perplexity = curve[-1]
    print(f"  {side['name']}: perplexity {perplexity:.1f} ({side['common']:.1f} with common shares) after {iterations} iterations, "
          f"{seconds:.1f} s; "
          f"{seconds / iterations:.4f} s an iteration, {tokens * iterations / seconds / 1e6:.2f} million tokens a second"
          + "".join(f"; {key} {value}" for key, value in side.get("facts", {}).items()))
    for iterations, seconds, perplexity in curve:
        print(f"    {iterations:6d} iterations  {seconds:9.2f} s  {perplexity:9.1f}")
    for name, target in targets:
        when = reached(curve, target)
        print(f"    at {target:.1f}, the last of {name}: " + ("never" if when is None else f"{when:.2f} s"))


def compare(name, folder, peers, ours):
    """peers, ours: functions from the folder of the parts to a side."""
    data = os.environ.get("QUASAR_DATA")
    tokens = write_parts(folder, name, data)
    print(f"{name}: {tokens['train']} tokens to fit, {tokens['held_out']} held out", flush=True)
    sides = []
    for peer in peers:
        sides.append(peer(folder))
        if len(sides) == 1:
            print("  " + ", ".join(f"{line} {value:.1f}" for line, value in sides[0]["lines"].items()))
        show(sides[-1], tokens["train"])
        print(end="", flush=True)
    for side in filter(None, (one(folder) for one in ours)):
        show(side, tokens["train"], [(peer["name"], peer["curve"][-1][2]) for peer in sides])
