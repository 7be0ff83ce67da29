"""ArviZ, old and new, opens our files without a warning, agrees with our summary and draws its plots."""

import unittest

from peers import ReaderTest, pythons_with
from support import HEART


class ArviZ(ReaderTest):
    def setUp(self):
        self.pythons = pythons_with("arviz", "h5netcdf", "h5py", "matplotlib")
        super().setUp()

    def check(self, *bases):
        for base in bases:
            self.save_summary(base)
            self.ok("convert", f"{base}.nc", "--to", "json", "--out", f"{base}.json")
        for python in self.pythons:
            self.hand_to(python, "arviz_reads.py", *bases)

    def test_every_sampler_with_its_warmup(self):
        for sampler in self.SAMPLERS:
            self.sample(f"{sampler}.nc", "--model", "eight-schools", "--sampler", sampler, "--draws", 500, "--save-warmup")
        self.check(*self.SAMPLERS)

    def test_labels_scales_and_a_dense_metric(self):
        self.sample("heart.nc", "--model", "logistic", "--data", HEART, "--set", "metric=welford_dense")
        self.check("heart")

    def test_log_likelihood_and_predictions(self):
        self.sample("heart.nc", "--model", "logistic", "--data", HEART, "--log-likelihood", "--held-out", HEART)
        self.check("heart")


if __name__ == "__main__":
    unittest.main()
