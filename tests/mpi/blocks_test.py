"""Factorizations whose blocks ranks share: the draws of one process, bit for bit, whoever goes on with them."""

import json
import unittest

from mpi_support import RATINGS, ManyRanks

RUN = ("sample", "--model", "mf", "--data", RATINGS, "--set", "model.rank=3", "--set", "model.blocks=4", "--chains", 2,
       "--quiet", "--overwrite")
SAMPLERS = {"dsgld": (1, 2, 3, 4), "dpsgld": (2, 4), "dsghmc": (2, 4), "dhamcmc": (2, 4)}


class Blocks(ManyRanks):
    def test_the_draws_of_one_process(self):
        for sampler, numbers in SAMPLERS.items():
            run = (*RUN, "--sampler", sampler, "--warmup", 100, "--draws", 200, "--thin", 10)
            self.expect_draws_of_one_process(run, numbers)

    def test_a_run_that_is_stopped_goes_on_with_another_number_of_ranks(self):
        run = (*RUN, "--sampler", "dhamcmc", "--warmup", 100, "--draws", 4000, "--thin", 50, "--checkpoint-every", 50)
        self.expect_to_go_on_with(2, run, ranks=3, chain=2)

    def test_a_chain_that_diverges_is_told_once(self):
        result = self.ranks(4, *RUN, "--sampler", "dsgld", "--set", "step_size=0.06")
        self.assertEqual(result.returncode, 4, result.stderr)
        self.assertEqual(len(self.said(result)), 1, result.stderr)
        self.assertNotIn("rank ", self.said(result)[0])
        self.assertNotIn("MPI_ABORT", result.stderr)

    def test_more_ranks_than_blocks_are_refused_before_the_run(self):
        result = self.ranks(5, *RUN, "--sampler", "dsgld", "--dry-run")
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertRegex(self.said(result)[0], "5 ranks for 4 blocks")

    def test_the_times_of_every_rank(self):
        run = (*RUN, "--sampler", "dsgld", "--warmup", 0, "--draws", 2000, "--thin", 100, "--profile", "--json")
        for ranks in (0, 1, 2):
            profile = json.loads(self.ranks_ok(ranks, *run).stdout)["profile"]
            self.assertEqual([entry["rank"] for entry in profile], list(range(max(ranks, 1))))
            for entry in profile:
                parts = ("gradient", "noise", "communication", "waiting", "other")
                self.assertAlmostEqual(sum(entry[part] for part in parts), entry["total"], places=6)
                self.assertGreater(entry["gradient"], 0)
                self.assertGreater(entry["noise"], 0)
                self.assertGreaterEqual(entry["other"], 0)
                self.assertEqual(entry["communication"] + entry["waiting"] > 0, ranks > 1)
        self.assertIn("seconds of each rank", self.ranks_ok(2, *run[:-1]).stdout)  # --quiet or not
        self.assertEqual(self.ranks_ok(2, *run[:-2]).stdout, "")


if __name__ == "__main__":
    unittest.main()
