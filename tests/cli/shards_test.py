"""sample --shards: sums over data in parts."""

import unittest

from support import HEART, CommandLine

QUIET = ("--data", HEART, "--chains", 2, "--quiet")
SHORT = ("--warmup", 60, "--draws", 60)


class Shards(CommandLine):
    def means(self, *arguments):
        self.ok("sample", "--model", "logistic", *QUIET, "--overwrite", *arguments)
        return {row["name"]: row["mean"] for row in self.ok_json("summary", "run.nc")["parameters"]}

    def test_the_draws_depend_on_the_shards_by_rounding_alone(self):
        """The first steps of hmc, before rounding has grown."""
        steps = ("--sampler", "hmc", "--set", "step_size=0.01", "--set", "leapfrog_steps=5", "--warmup", 0, "--draws", 5)
        plain = self.means(*steps)
        for shards in (1, 8, 1024):
            sharded = self.means(*steps, "--shards", shards)
            for name, mean in plain.items():
                self.assertAlmostEqual(sharded[name], mean, delta=1e-9 * (1 + abs(mean)), msg=f"{name} {shards}")

    def test_the_number_of_threads_does_not_matter(self):
        draws = set()
        for threads in (1, 2):
            self.means(*SHORT, "--shards", 8, "--threads", threads)
            draws.add(self.ok("convert", "run.nc", "--to", "csv").stdout)
        self.assertEqual(len(draws), 1)

    def test_every_kind_of_sampler_takes_it(self):
        for sampler in (("sghmc", "--batch-size", 30), ("qnhmc",), ("sgld", "--batch-size", 30), ("rhmc",)):
            self.means("--warmup", 20, "--draws", 10, "--shards", 4, "--sampler", *sampler)

    def test_it_is_part_of_the_configuration(self):
        run = ("sample", "--model", "logistic", *QUIET, *SHORT)
        self.ok(*run, "--shards", 4)
        self.fails(2, "shards", *run, "--shards", 8, "--resume")
        self.ok(*run, "--shards", 4, "--resume")

    def test_wrong_usage(self):
        run = ("sample", "--model", "logistic", *QUIET, "--shards")
        self.fails(2, "--shards 3: must be a power of two", *run, 3)
        self.fails(2, "shards", *run, 2048)
        self.fails(2, "shards", *run, -1)
        self.fails(2, "--shards: --prior-only leaves no sum", *run, 4, "--prior-only")
        bpmf = ("sample", "--model", "bpmf", "--data", "synthetic:9x9x30", "--set", "model.rank=1", "--shards", 4)
        self.fails(2, "though not with --prior-only or --shards", *bpmf, "--sampler", "gibbs")
        self.fails(2, "this model is no sum over data", "sample", "--model", "funnel", "--shards", 4)


if __name__ == "__main__":
    unittest.main()
