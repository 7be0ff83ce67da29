"""gibbs, als and the mode of a factorization from the command line."""

import unittest

from support import CommandLine

RATINGS = [f"u{i},{j},{3 + (i % 3 - 1) * (j % 2)}" for i in range(12) for j in range(8) if (i + 2 * j) % 3]


class GibbsSampler(CommandLine):
    def setUp(self):
        super().setUp()
        self.write("train.csv", "\n".join(["user,item,rating", *RATINGS[8:], ""]))
        self.write("test.csv", "\n".join(["user,item,rating", *RATINGS[:8], ""]))

    def run_of(self, sampler, *arguments):
        return self.ok_json("sample", "--model", "bpmf", "--data", "train.csv", "--sampler", sampler, "--set", "model.rank=2",
                            "--warmup", 50, "--draws", 100, "--chains", 2, "--overwrite", *arguments)

    def test_draws_do_not_depend_on_threads(self):
        runs = [self.run_of("gibbs", "--set", f"threads={n}", "--set", "model.hyperprior=wishart") for n in (1, 3)]
        self.assertEqual(runs[0]["parameters"], runs[1]["parameters"])

    def test_predicts_while_sampling(self):
        for keep in ("all", "moments"):
            run = self.run_of("gibbs", "--held-out", "test.csv", "--keep", keep)
            self.assertLess(run["held_out"]["rmse"], 0.7)  # the ratings are 2, 3 and 4
            self.assertGreater(run["held_out"]["coverage_90"], 0.5)

    def test_als_wants_given_precisions(self):
        self.fails(2, "als seeks a mode of all coordinates together.*model.hyperprior=fixed", "sample", "--model", "bpmf", "--data",
                   "train.csv", "--sampler", "als")

    def test_als_and_optimize_find_a_mode(self):
        fixed = ("--set", "model.hyperprior=fixed")
        als = self.run_of("als", *fixed, "--held-out", "test.csv")
        self.assertLess(als["held_out"]["rmse"], 0.7)
        self.ok("optimize", "--model", "bpmf", "--data", "train.csv", "--set", "model.rank=2", *fixed)


if __name__ == "__main__":
    unittest.main()
