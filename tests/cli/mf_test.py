"""Matrix factorization with given noise and priors from the command line: what predicts by bpmf predicts by mf."""

import unittest

from bpmf_test import ratings
from support import CommandLine


class Mf(CommandLine):
    def setUp(self):
        super().setUp()
        header, *lines = ratings().splitlines()
        held_out = lines[3::7]  # all of users and items that others have rated too
        self.write("train.csv", "\n".join([header, *(line for line in lines if line not in held_out)]) + "\n")
        self.write("test.csv", "\n".join([header, *held_out]) + "\n")

    def sample(self, *arguments, sampler="gibbs", noise_sd=0.3, warmup=30, draws=40):
        return ("sample", "--model", "mf", "--data", "train.csv", "--sampler", sampler, "--set", "model.rank=2", "--set", f"model.noise_sd={noise_sd}",
                "--warmup", warmup, "--draws", draws, "--chains", 2, "--out", f"{sampler}.nc", *arguments)

    def test_predictions(self):
        run = self.ok_json(*self.sample("--held-out", "test.csv", "--log-likelihood"))
        scores = self.ok_json("predict", "gibbs.nc", "--data", "test.csv", "--out", "test_out.csv")["scores"]
        self.assertAlmostEqual(run["held_out"]["rmse"], scores["rmse"], places=9)
        rows = (self.folder / "test_out.csv").read_text().splitlines()
        sd = rows[0].split(",").index("sd")
        self.assertTrue(all(float(row.split(",")[sd]) >= 0.3 for row in rows[1:]))  # the noise, and more
        best = self.ok_json("recommend", "gibbs.nc", "--user", "user 3", "--top", 2)["recommendations"]
        self.assertEqual([one["rank"] for one in best], [1, 2])

    def test_the_order_of_the_file_does_not_matter(self):
        header, *lines = (self.folder / "train.csv").read_text().splitlines()
        for sampler, more in (("gibbs", ()), ("sghmc", ("--batch-size", 7, "--set", "step_size=1e-3"))):
            with self.subTest(sampler):
                self.write("train.csv", "\n".join([header, *lines]) + "\n")
                self.ok(*self.sample(*more, sampler=sampler))
                draws = self.ok("convert", f"{sampler}.nc", "--to", "csv").stdout
                self.write("train.csv", "\n".join([header, *reversed(lines)]) + "\n")
                self.ok(*self.sample(*more, "--overwrite", sampler=sampler))
                self.assertEqual(self.ok("convert", f"{sampler}.nc", "--to", "csv").stdout, draws)

    def predicted(self, sampler, **lengths):
        """Means and variances of w'h for every rating that was fitted."""
        self.ok(*self.sample("--thin", 10, sampler=sampler, noise_sd=1, **lengths))
        self.ok("predict", f"{sampler}.nc", "--data", "train.csv", "--out", f"{sampler}.csv")
        rows = [line.split(",") for line in (self.folder / f"{sampler}.csv").read_text().splitlines()]
        mean, sd = rows[0].index("mean"), rows[0].index("sd")
        return [float(row[mean]) for row in rows[1:]], [float(row[sd]) ** 2 - 1 for row in rows[1:]]

    # Rows recorded in another order than they are read, or a default that heats (by 1.3 and more), would be seen.
    def test_blocked_samplers_agree_with_gibbs(self):
        means, variances = self.predicted("gibbs", draws=20000)
        for sampler in ("dsgld", "dsghmc"):
            with self.subTest(sampler):
                found, spread = self.predicted(sampler, warmup=4000, draws=40000)
                apart = sum((a - b) ** 2 for a, b in zip(found, means)) / len(means)
                self.assertLess(apart, 0.1 * sum(variances) / len(variances))
                self.assertAlmostEqual(sum(spread) / sum(variances), 1, delta=0.12)

    def test_a_pair_rated_twice(self):
        self.write("train.csv", "user,item,rating\na,1,3\nb,2,4\na,1,5\n")
        self.fails(3, "train.csv:4: .*has rated item '1' before, at line 2: set model.duplicates=last", *self.sample())
        self.ok(*self.sample("--set", "model.duplicates=keep"))

    def test_batch_size_of_blocks(self):
        self.fails(2, "dsgld takes a part of the ratings at a time, one of model.blocks", *self.sample("--batch-size", 5, sampler="dsgld"))


if __name__ == "__main__":
    unittest.main()
