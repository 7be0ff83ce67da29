"""Sums over data that ranks share: the draws of one process, bit for bit, whatever the sampler and whoever goes on."""

import unittest

from mpi_support import HEART, ManyRanks

ON_HEART = ("sample", "--model", "logistic", "--data", HEART, "--quiet", "--shards", 8)
SHORT = ("--chains", 2, "--warmup", 40, "--draws", 20, "--overwrite")
SAMPLERS = {("nuts",): (1, 2, 4), ("hmc",): (4,), ("qnhmc",): (4,), ("sghmc", "--batch-size", 30): (2, 4)}


class Shards(ManyRanks):
    def test_the_draws_of_one_process(self):
        for sampler, numbers in SAMPLERS.items():
            run = (*ON_HEART, *SHORT, "--sampler", *sampler)
            self.expect_draws_of_one_process(run, numbers)

    def test_a_run_that_is_stopped_goes_on_with_another_number_of_ranks(self):
        long = (*ON_HEART, "--chains", 2, "--warmup", 100, "--draws", 600, "--checkpoint-every", 50)
        self.expect_to_go_on_with(2, long, ranks=4, chain=1)

    def test_ranks_that_do_not_divide_the_shards(self):
        result = self.ranks(3, *ON_HEART, *SHORT)
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertEqual(self.said(result), ["quasar: --shards 8 cannot be shared by 3 ranks: their number must divide it"])

    def test_the_times_of_every_rank(self):
        result = self.ranks_ok(2, *ON_HEART[:-3], *ON_HEART[-2:], *SHORT, "--profile")
        self.assertIn("gradient", result.stdout + result.stderr)


if __name__ == "__main__":
    unittest.main()
