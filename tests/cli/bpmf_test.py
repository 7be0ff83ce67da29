"""Matrix factorization of ratings from the command line: it runs with samplers of every kind, and says what is wrong."""

import random
import unittest

from support import CommandLine

BRIEF = ("--warmup", 30, "--draws", 30, "--chains", 2)


def ratings(users=12, items=9, rank=2, seed=5):
    """Lines user,item,rating of about two thirds of all pairs; users are words, items have holes between their numbers."""
    generate = random.Random(seed)
    factors = [[generate.gauss(0, 1) for _ in range(rank)] for _ in range(users + items)]
    lines = ["user,item,rating"]
    for i in range(users):
        for j in range(items):
            if (i + 2 * j) % 3:
                mean = 3 + sum(a * b for a, b in zip(factors[i], factors[users + j]))
                lines.append(f"user {i},{1 + 10**9 * j},{generate.gauss(mean, 0.3):.2f}")
    lines.append("once,1,4")
    return "\n".join(lines) + "\n"


class Bpmf(CommandLine):
    def setUp(self):
        super().setUp()
        self.write("ratings.csv", ratings())

    def sample(self, *arguments):
        return "sample", "--model", "bpmf", "--data", "ratings.csv", "--set", "model.rank=2", *BRIEF, *arguments

    def means(self, result):
        return {one["name"]: one["mean"] for one in result["parameters"]}

    def test_every_hyperprior(self):
        factors = ["user_factors", "item_factors"]
        of_columns = ["user_mean", "user_precision", "item_mean", "item_precision"]
        left_out = {"scalar": factors, "diagonal": of_columns + factors, "wishart": of_columns + factors, "fixed": factors}
        for hyperprior, names in left_out.items():
            with self.subTest(hyperprior):
                result = self.ok_json(*self.sample("--set", f"model.hyperprior={hyperprior}", "--overwrite"))
                means = self.means(result)
                self.assertIn("item_bias[8000000001]", means)
                self.assertIn("user_bias[once]", means)
                self.assertEqual("sigma" in means, hyperprior != "fixed")
                self.assertEqual("user_bias_precision" in means, hyperprior == "scalar")
                self.assertEqual(result["left_out"], names)
                header = self.ok("convert", result["output"], "--to", "csv").stdout.splitlines()[0]
                self.assertIn("user_factors[user 0,2]", header)

    def test_the_same_draws_on_any_number_of_threads(self):
        run = self.sample("--sampler", "sghmc", "--batch-size", 7, "--set", "learning_rate=1e-3", "--set",
                          "momentum_decay=0.05", "--set", "noise_variance=0")
        on_two = self.ok_json(*run, "--out", "two.nc", "--threads", 2)
        on_one = self.ok_json(*run, "--out", "one.nc", "--threads", 1, "--checkpoint-every", 7)
        self.assertEqual(self.means(on_two), self.means(on_one))

    def test_a_chain_that_runs_away_says_so(self):
        result = self.quasar(*self.sample("--sampler", "sghmc", "--batch-size", 7, "--set", "learning_rate=10", "--set",
                                          "momentum_decay=0.05", "--set", "noise_variance=0"))
        self.assertEqual(result.returncode, 4, result.stderr)
        self.assertRegex(result.stderr, r"chain \d, iteration \d+: the chain has diverged: step size .*Try a step_size ten times smaller")

    def test_the_mode(self):
        result = self.ok_json("optimize", "--model", "bpmf", "--data", "ratings.csv", "--set", "model.rank=2", "--set",
                              "model.hyperprior=fixed")
        self.assertEqual(result["stop"], "converged")
        by_sweeps = self.means(self.ok_json("sample", "--model", "bpmf", "--data", "ratings.csv", "--set", "model.rank=2", "--set",
                                            "model.hyperprior=fixed", "--sampler", "als", "--warmup", 500, "--draws", 1))
        for one in result["parameters"]:
            if one["name"] in by_sweeps:
                self.assertAlmostEqual(one["value"], by_sweeps[one["name"]], places=5)
        self.assertIn("user_bias[once]", by_sweeps)

    def test_duplicates(self):
        self.write("ratings.csv", ratings() + "once,1,2\n")
        lines = ratings().count("\n")
        self.fails(3, rf"ratings.csv:{lines + 1}: .*'once' has rated item '1' before, at line {lines}: set model.duplicates=last",
                   *self.sample())
        for how in ("keep", "mean", "last"):
            self.ok(*self.sample("--set", f"model.duplicates={how}", "--overwrite"))

    def test_one_rating_alone(self):
        self.write("ratings.csv", "user,item,rating\na,x,3\n")
        means = self.means(self.ok_json(*self.sample()))
        self.assertIn("user_bias[a]", means)

    def test_columns_by_name(self):
        self.write("ratings.csv", "stars,who,when,what\n3,a,7,x\n4,b,8,y\n2,a,9,y\n")
        names = ("--set", "model.user=who", "--set", "model.item=what", "--set", "model.rating=stars")
        self.assertIn("item_bias[y]", self.means(self.ok_json(*self.sample(*names))))
        self.fails(2, "ratings.csv:1: there is no column 'star' for the rating; .* stars, who, when, what", *self.sample(*names[:-1], "model.rating=star", "--out", "b.nc"))
        self.fails(2, "three different columns", *self.sample("--set", "model.item=stars", "--out", "b.nc"))

    def test_what_is_no_rating(self):
        self.write("ratings.csv", "user,item,rating\na,x,good\nb,y,bad\n")
        self.fails(3, "ratings.csv:2: .*good", *self.sample())
        self.write("ratings.csv", "user,rating\na,1\n")
        self.fails(3, "ratings.csv:1: user, item and rating are three columns, and there are 2", *self.sample())
        self.write("ratings.csv", "user,item,rating\n")
        self.fails(3, "ratings.csv", *self.sample())

    def test_parameters_out_of_range(self):
        self.fails(2, "rank", *self.sample("--set", "model.rank=0"))
        self.fails(2, "strength", *self.sample("--set", "model.strength=0"))


if __name__ == "__main__":
    unittest.main()
