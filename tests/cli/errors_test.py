"""Wrong usage: one clear line, the right exit code, nothing written."""

import os
import shlex
import subprocess
import unittest

from support import BIN, HEART, CommandLine


class WrongUsage(CommandLine):
    def tearDown(self):
        self.assertEqual([f for f in os.listdir(self.folder) if f.endswith(".nc")], [])
        super().tearDown()

    def test_unknown_names(self):
        self.fails(2, "unknown command 'sampel'; did you mean 'sample'", "sampel")
        self.fails(2, "unknown option of sample '--chain'; did you mean '--chains'", "sample", "--chain", 3)
        self.fails(2, "unknown option '--versoin'; did you mean '--version'", "--versoin")
        self.fails(2, "unknown sampler 'nut'; did you mean 'nuts'", "sample", "--model", "gaussian", "--sampler", "nut")
        self.fails(2, "unknown model 'gausian'; did you mean 'gaussian'", "sample", "--model", "gausian")
        self.fails(2, "unknown experiment", "reproduce", "sghmc-doublewell")
        self.fails(2, "unknown list 'sampler'; did you mean 'samplers'", "list", "sampler")
        self.fails(2, "unknown variable 'thta'; did you mean 'theta'", "sample", "--model", "eight-schools", "--variables", "thta")

    def test_what_is_no_configuration(self):
        self.fails(2, "own.csv is no configuration .TOML.; a table goes to --data, with --model", "sample", "own.csv")
        self.fails(2, "own.nc is no configuration .TOML. but a run; quasar summary, ", "sample", "own.nc")

    def test_unknown_and_bad_parameters(self):
        model = ("sample", "--model", "gaussian")
        self.fails(2, "unknown parameter of sampler nuts 'stepsize'; did you mean 'step_size'", *model, "--set", "stepsize=1")
        self.fails(2, "unknown parameter of model gaussian 'dims'; did you mean 'dim'", *model, "--set", "model.dims=1")
        self.fails(2, "step_size = '-1': must be at least 0", *model, "--set", "step_size=-1")
        self.fails(2, "step_size = 'nan': must be", *model, "--set", "step_size=nan")
        self.fails(2, "max_depth = '2.5': is not a whole number", *model, "--set", "max_depth=2.5")
        self.fails(2, "metric = 'welfrd': did you mean 'welford'", *model, "--set", "metric=welfrd")
        self.fails(2, "expected name=value", *model, "--set", "step_size")
        self.fails(2, "step_size is given twice", *model, "--set", "step_size=1", "--set", "step_size=2")
        self.fails(2, "dim = '0': must be at least 1", *model, "--set", "model.dim=0")

    def test_parameters_of_quasi_newton_samplers(self):
        model = ("sample", "--model", "gaussian", "--sampler")
        self.fails(2, "memory = '-1': must be at least 0 and at most 1000", *model, "qnhmc", "--set", "memory=-1")
        self.fails(2, "memory = '0': must be at least 1 and at most 1000", *model, "nuts", "--set", "memory=0")
        self.fails(2, "members = '2': must be at least 3 and at most 1000", *model, "hmc-bfgs", "--set", "members=2")
        self.fails(2, "qnhmc: members has no meaning with adapt=warmup", *model, "qnhmc", "--set", "members=7")
        self.fails(2, "qnhmc: memory has no meaning with adapt=ensemble", *model, "qnhmc", "--set", "adapt=ensemble",
                   "--set", "memory=3")
        self.fails(2, "adapt = 'foo': must be one of warmup, ensemble, printed", *model, "qnhmc", "--set", "adapt=foo")
        self.fails(2, "adapt = 'warm-up': did you mean 'warmup'", *model, "qnhmc", "--set", "adapt=warm-up")
        self.fails(2, "metric = 'lbgfs': did you mean 'lbfgs'", *model, "hmc", "--set", "metric=lbgfs")
        self.fails(2, "metric = 'fisher_low_rank': did you mean 'fisher_lowrank'",
                   *model, "rwm", "--set", "metric=fisher_low_rank")
        self.fails(2, "step_size = '0': must be greater than 0", *model, "qnhmc-naive", "--set", "step_size=0")
        self.fails(2, "unknown sampler 'hmc_bfgs'; did you mean 'hmc-bfgs'", *model, "hmc_bfgs")
        self.fails(2, "unknown parameter of sampler hmc-bfgs 'member'; did you mean 'members'",
                   *model, "hmc-bfgs", "--set", "member=5")

    def test_counts(self):
        model = ("sample", "--model", "gaussian")
        whole = "is not a whole number; must be at least 1 and at most 1000000000000"
        for value in ("many", "", "1e400", "-1e400", "nan", "2.5", "0x10", "1__0", "1 0", "99999999999999999999"):
            self.fails(2, f"^quasar: draws = '{value}': {whole}", *model, "--draws", value)
        for value in ("0", "-1", "-5", "1e13"):
            self.fails(2, f"^quasar: draws = '{value}': must be at least 1", *model, "--draws", value)
        self.fails(2, "^quasar: chains = '0': must be at least 1", *model, "--chains", 0)
        self.fails(2, "^quasar: thin = '0': must be at least 1", *model, "--thin", 0)
        self.fails(2, "^quasar: threads = '1e9': must be at least 0 and at most 4096", *model, "--threads", "1e9")
        self.fails(2, "^quasar: step_size = '1e400': is outside the range of a double", *model, "--set", "step_size=1e400")

    def test_how_options_are_given(self):
        model = ("sample", "--model", "gaussian")
        self.fails(2, "^quasar: --draws needs a value\n", *model, "--draws")
        self.fails(2, "^quasar: --set needs a value\n", *model, "--set")
        self.fails(2, "^quasar: --draws is given more than once\n", *model, "--draws", 5, "--draws", 6)
        self.fails(2, "^quasar: --quiet is given more than once\n", *model, "--quiet", "--quiet")
        self.fails(2, "^quasar: --overwrite takes no value\n", *model, "--overwrite=false")
        self.fails(2, "^quasar: --json takes no value\n", *model, "--json=no")
        self.fails(2, "^quasar: sample takes no further argument 'b.toml'\n", "sample", "a.toml", "b.toml")
        self.fails(2, r"^quasar: summary needs an argument: file, a run file \(netCDF\), or the folder run.nc.part of a run in progress\n", "summary")
        self.fails(2, "^quasar: list needs an argument: kind, samplers, models, topics \\(the methods that fit them\\), problems \\(on manifolds\\) or experiments\n", "list")
        self.fails(2, "^quasar: reproduce needs an argument: experiment, its name", "reproduce", "--quick")

    def test_bad_run_options(self):
        model = ("sample", "--model", "gaussian")
        self.fails(2, "which model", "sample")
        self.fails(2, "needs --data", "sample", "--model", "logistic")
        self.fails(2, "takes no --data", *model, "--data", HEART)
        self.fails(2, "a name is missing", *model, "--variables", ",")
        self.fails(2, "seed = '-1'", "reproduce", "sghmc-double-well", "--seed=-1")
        self.fails(3, "no such folder", "reproduce", "sghmc-double-well", "--data-dir", "nowhere")
        self.fails(2, "--data-dir names the folder", "reproduce", "qnhmc-logistic")
        self.fails(3, "idx.-ubyte.gz: cannot be opened", "reproduce", "qnhmc-logistic", "--data-dir", ".")
        self.fails(2, "no likelihood to leave out", *model, "--prior-only")
        self.fails(2, "improper", "sample", "--model", "normal", "--data", HEART, "--prior-only")
        self.fails(2, "unknown column 'yy'", "sample", "--model", "logistic", "--data", HEART, "--set", "model.target=yy")


class Streams(CommandLine):
    """A reader that leaves, or a full disk behind standard output or error, never costs the run."""

    SAMPLE = ("sample", "--model", "gaussian", "--draws", 100, "--warmup", 100)

    def shell(self, redirection, *arguments):
        words = " ".join(shlex.quote(str(a)) for a in (BIN, *arguments))
        return subprocess.run(["bash", "-c", f"{words} {redirection}"], cwd=self.folder, capture_output=True, text=True)

    def test_standard_error(self):
        for redirection in ("2>/dev/full", "2>&-", "2> >(exit 0)"):
            result = self.shell(redirection, *self.SAMPLE, "--overwrite")
            self.assertEqual(result.returncode, 0, redirection)
            self.assertTrue((self.folder / "run.nc").exists())
            (self.folder / "run.nc").unlink()

    def test_standard_output(self):
        result = self.shell(">/dev/full", "list", "models")
        self.assertEqual(result.returncode, 3)
        self.assertIn("standard output", result.stderr)
        result = self.shell(">/dev/full", *self.SAMPLE)
        self.assertEqual(result.returncode, 3)
        self.assertTrue((self.folder / "run.nc").exists())


if __name__ == "__main__":
    unittest.main()
