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

    def sample(self, *arguments, sampler="gibbs"):
        return ("sample", "--model", "mf", "--data", "train.csv", "--sampler", sampler, "--set", "model.rank=2", "--set", "model.noise_sd=0.3",
                "--warmup", 30, "--draws", 40, "--chains", 2, "--out", f"{sampler}.nc", *arguments)

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

    def test_a_pair_rated_twice(self):
        self.write("train.csv", "user,item,rating\na,1,3\nb,2,4\na,1,5\n")
        self.fails(3, "train.csv:4: .*has rated item '1' before, at line 2: set model.duplicates=last", *self.sample())
        self.ok(*self.sample("--set", "model.duplicates=keep"))


if __name__ == "__main__":
    unittest.main()
