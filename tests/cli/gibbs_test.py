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

    def test_als_and_optimize_find_the_same_mode(self):
        model = ("--model", "bpmf", "--data", "train.csv", "--set", "model.rank=2", "--set", "model.hyperprior=fixed")
        als = self.ok_json("sample", *model, "--sampler", "als", "--warmup", 500, "--draws", 1, "--chains", 1, "--out", "als.nc")
        modes = {one["name"]: one["value"] for one in self.ok_json("optimize", *model)["parameters"]}
        self.assertIn("user_bias[u1]", modes)
        for one in als["parameters"]:  # biases, which do not turn as the factors can
            self.assertAlmostEqual(one["mean"], modes[one["name"]], places=5)

    def test_a_mode_is_a_start_where_precisions_are_given(self):
        given = ("--set", "model.hyperprior=fixed")
        self.run_of("als", *given, "--out", "als.nc")
        self.run_of("gibbs", *given, "--init", "als.nc", "--out", "gibbs.nc")
        self.fails(3, "als.nc: .*no value for 'sigma'", "sample", "--model", "bpmf", "--data", "train.csv", "--set", "model.rank=2",
                   "--sampler", "gibbs", "--chains", 2, "--init", "als.nc", "--out", "other.nc")


if __name__ == "__main__":
    unittest.main()
