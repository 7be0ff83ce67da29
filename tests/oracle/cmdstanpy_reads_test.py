"""cmdstanpy reads the Stan CSV of every sampler and of a run that was stopped, number for number."""

import signal
import subprocess
import time
import unittest

from peers import ReaderTest, pythons_with
from support import BIN, HEART


class CmdStanPy(ReaderTest):
    def setUp(self):
        self.pythons = pythons_with("cmdstanpy")
        super().setUp()

    def check(self, *bases):
        for base in bases:
            self.convert(base)
        for python in self.pythons:
            self.hand_to(python, "cmdstanpy_reads.py", *bases)

    def test_every_sampler_with_its_warmup(self):
        for sampler in self.SAMPLERS:
            self.sample(f"{sampler}.nc", "--model", "eight-schools", "--sampler", sampler, "--warmup", 100, "--draws", 50,
                        "--thin", 3, "--save-warmup")
        self.check(*self.SAMPLERS)

    def test_other_metrics_and_trees_that_end_early(self):
        for metric in ("identity", "welford_dense"):
            self.sample(f"{metric}.nc", "--model", "eight-schools", "--warmup", 200, "--draws", 40,
                        "--set", f"metric={metric}", "--set", "max_depth=2")
        self.check("identity", "welford_dense")

    def test_one_chain_with_labelled_dimensions(self):
        self.sample("heart.nc", "--model", "logistic", "--data", HEART, "--draws", 40, "--chains", 1)
        self.check("heart")

    def test_a_run_that_was_stopped(self):
        command = [BIN, "sample", "--model", "eight-schools", "--draws", "1e8", "--warmup", "70", "--thin", "400",
                   "--save-warmup", "--quiet", "--out", "stopped.nc"]
        with subprocess.Popen(command, cwd=self.folder, stderr=subprocess.DEVNULL) as process:
            records = self.folder / "stopped.nc.part" / "chain-4.draws"
            deadline = time.monotonic() + 60
            while time.monotonic() < deadline and not (records.exists() and records.stat().st_size > 4096):
                time.sleep(0.02)
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.wait(60), 130)
        self.check("stopped")


if __name__ == "__main__":
    unittest.main()
