#!/usr/bin/env python3
"""Writes examples/ratings*.csv: ratings of 40 dishes by 60 guests, by a model of rank 2 with biases, in half points from 1 to 5."""

import csv
import pathlib
import random

FIRST = ["lentil", "mushroom", "salmon", "chicken", "tofu", "pumpkin", "bean", "beef"]
SECOND = ["soup", "curry", "salad", "pie", "stew"]
EXAMPLES = pathlib.Path(__file__).resolve().parents[1] / "examples"


def write(name, rows):
    with open(EXAMPLES / name, "w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([("guest", "dish", "rating"), *rows])


def main():
    source = random.Random(2024)
    dishes = [f"{a} {b}" for a in FIRST for b in SECOND]
    taste = {dish: ([source.gauss(0, 0.7), source.gauss(0, 0.7)], source.gauss(0, 0.4)) for dish in dishes}

    def rated(mood, bias, dish):
        (x, y), liked = taste[dish]
        rating = 3.2 + mood[0] * x + mood[1] * y + bias + liked + source.gauss(0, 0.4)
        return min(5.0, max(1.0, round(2 * rating) / 2))

    rows = []
    for guest in range(1, 61):
        mood, bias = [source.gauss(0, 1), source.gauss(0, 1)], source.gauss(0, 0.3)
        rows += [(f"g{guest:02}", dish, rated(mood, bias, dish)) for dish in source.sample(dishes, source.randint(12, 28))]
    source.shuffle(rows)
    cut = len(rows) * 4 // 5
    write("ratings.csv", rows[:cut])
    write("ratings-test.csv", rows[cut:])
    write("ratings-newcomer.csv", [("newcomer", dish, rated([1.5, -1], 0, dish)) for dish in source.sample(dishes, 8)])


if __name__ == "__main__":
    main()
