"""Ratings for the comparisons of factorizations: MovieLens-1M, or made up where it is not at hand."""

import csv
import gzip
import pathlib
import random

USERS, ITEMS, RATINGS = 6040, 3706, 1_000_000


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


def write_parts(folder, ratings, share, seed=2):
    """train.csv and test.csv: one of `share` ratings is in the test."""
    random.Random(seed).shuffle(ratings)
    cut = len(ratings) // share
    files = pathlib.Path(folder) / "train.csv", pathlib.Path(folder) / "test.csv"
    for file, part in zip(files, (ratings[cut:], ratings[:cut])):
        with open(file, "w", newline="") as out:
            csv.writer(out).writerows([("user", "item", "rating"), *part])
    return files


# How a peer's script begins: train and test are (users, items, ratings) of the files that are its first arguments.
READ = r"""
import os
os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", MKL_NUM_THREADS="1")
import json, sys, time
import numpy as np, scipy.sparse as sp
def read(file):
    user, item, rating = np.loadtxt(file, delimiter=",", skiprows=1, unpack=True)
    return user.astype(int), item.astype(int), rating
train, test = read(sys.argv[1]), read(sys.argv[2])
shape = [max(a.max(), b.max()) + 1 for a, b in zip(train[:2], test[:2])]
mean = train[2].mean()
"""
