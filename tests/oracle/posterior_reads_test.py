"""R reads our files: rstan the Stan CSV, posterior that and the plain table, with the means we report."""

import unittest

from peers import ReaderTest, r_with


class Posterior(ReaderTest):
    def setUp(self):
        self.rscript = r_with("posterior", "rstan")
        super().setUp()

    def check(self, base, warmup):
        self.ok("convert", f"{base}.nc", "--to", "stan-csv")
        self.ok("convert", f"{base}.nc", "--to", "csv", "--out", f"{base}.csv")
        summary = self.ok_json("summary", f"{base}.nc")
        means = [f"{p['name']}={p['mean']!r}" for p in summary["parameters"]]
        self.hand_to(self.rscript, "posterior_reads.R", base, summary["chains"], summary["draws"], warmup, *means)

    def test_every_sampler(self):
        for sampler in self.SAMPLERS:
            self.sample(f"{sampler}.nc", "--model", "eight-schools", "--sampler", sampler, "--warmup", 100, "--draws", 50,
                        "--thin", 3, "--save-warmup")
            self.check(sampler, warmup=34 if sampler in ("nuts", "hmc") else 0)

    def test_without_warmup(self):
        self.sample("run.nc", "--model", "gaussian", "--set", "model.dim=3", "--draws", 60, "--chains", 2)
        self.check("run", warmup=0)


if __name__ == "__main__":
    unittest.main()
