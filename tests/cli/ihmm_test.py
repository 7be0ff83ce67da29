"""The infinite hidden Markov model from the command line: runs, cuts, gaps, what cannot be."""

import subprocess
import time
import unittest

from support import BIN, CommandLine

# Three regimes, noise that repeats, a gap, two sequences; a column of text that is no part of the series.
VALUES = [(0, 6, 3, 6)[t // 15 % 4] + ((t * 7919) % 13 - 6) / 12 for t in range(120)]
ROWS = [f"d{t},{'NA' if t == 20 else value},{'a' if t < 60 else 'b'}" for t, value in enumerate(VALUES)]
MODEL = ("--model", "ihmm", "--data", "series.csv", "--set", "model.sequence=run")
BEAM = (*MODEL, "--sampler", "ihmm-beam")


class Ihmm(CommandLine):
    def setUp(self):
        super().setUp()
        self.write("series.csv", "\n".join(["day,value,run", *ROWS, ""]))

    def test_finds_the_regimes(self):
        run = self.ok_json("sample", *BEAM, "--warmup", 300, "--draws", 300, "--set", "model.record=both", "--out", "run.nc")
        mean = {one["name"]: one["mean"] for one in run["parameters"]}
        self.assertLess(abs(mean["states"] - 3), 0.7)
        for t in (5, 21, 40, 50, 70):
            self.assertLess(abs(mean[f"level[{t}]"] - (0, 6, 3, 6)[(t - 1) // 15 % 4]), 0.5)
        self.assertEqual(run["left_out"], ["z"])
        self.assertEqual(run["gradient_evaluations"], 0)
        self.assertIn("left out: z", self.ok("summary", "run.nc").stdout)
        again = self.ok_json("sample", *BEAM, "--warmup", 0, "--draws", 5, "--init", "run.nc", "--out", "again.nc")
        self.assertLess(abs({one["name"]: one["mean"] for one in again["parameters"]}["states"] - 3), 2)

    def test_a_run_that_was_killed_goes_on(self):
        run = ("sample", *BEAM, "--warmup", 50, "--draws", 1000, "--chains", 2, "--checkpoint-every", 10, "--variables", "states,level")
        whole = self.ok_json(*run, "--out", "whole.nc")
        killed = subprocess.Popen([BIN, *map(str, run), "--out", "cut.nc", "--quiet"], cwd=self.folder, stderr=subprocess.DEVNULL)
        while not (self.folder / "cut.nc.part").exists() and killed.poll() is None:
            time.sleep(0.001)
        time.sleep(0.1)
        killed.kill()
        killed.wait()
        cut = self.ok_json(*run, "--out", "cut.nc", "--resume")
        self.assertEqual(whole["parameters"], cut["parameters"])

    def test_keeps_moments_of_long_series(self):
        run = self.ok_json("sample", *BEAM, "--warmup", 20, "--draws", 20, "--keep", "moments")
        self.assertEqual(len(run["parameters"]), 5 + 120)

    def test_what_needs_gradients_is_refused(self):
        use_beam = "its states are discrete. Use --sampler ihmm-beam"
        self.fails(2, use_beam, "sample", *MODEL)
        self.fails(2, use_beam, "optimize", *MODEL)
        self.fails(2, "--check needs gradients", "sample", *BEAM, "--check", "exact")
        self.fails(2, "--prior-only is not for this model", "sample", *BEAM, "--prior-only")
        for sampler in ("als", "rhmc", "dsgld"):
            self.fails(2, use_beam, "sample", *MODEL, "--sampler", sampler)
        self.fails(2, "ihmm-beam needs the model ihmm", "sample", "--model", "gaussian", "--sampler", "ihmm-beam")

    def test_wrong_input(self):
        self.fails(2, "unknown column 'valu'; did you mean 'value'", "sample", *BEAM, "--set", "model.columns=valu")
        self.fails(3, "series.csv:2: column 1 \\('day'\\): 'd0' is a label where a number is needed", "sample", *BEAM, "--set",
                   "model.columns=day")
        self.fails(3, "series.csv:2: .*whole number", "sample", *BEAM, "--set", "model.emission=poisson")
        self.write("series.csv", "\n".join(["value,run", "1,a", "2,b", "3,a", ""]))
        self.fails(3, "series.csv:4: column 2 \\('run'\\): the sequence goes on after another one", "sample", *BEAM)
        self.write("series.csv", "value,run\n1e200,a\n-1e200,a\n")
        self.fails(3, "too large to be squared", "sample", *BEAM)

    def test_odd_series_have_answers(self):
        for text in ("x\n4\n", "x\n2\n2\n2\n2\n", "x\n1\nNA\n", "x\n1\n1\n1e9\n1\n"):
            self.write("odd.csv", text)
            self.ok("sample", "--model", "ihmm", "--data", "odd.csv", "--sampler", "ihmm-beam", "--warmup", 20, "--draws", 20,
                    "--overwrite", "--quiet")


if __name__ == "__main__":
    unittest.main()
