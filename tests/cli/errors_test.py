"""Wrong usage and bad files: one clear line, the right exit code, nothing written."""

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
        self.fails(2, "unknown option '--versoin'", "--versoin")
        self.fails(2, "unknown sampler 'nut'; did you mean 'nuts'", "sample", "--model", "gaussian", "--sampler", "nut")
        self.fails(2, "unknown model 'gausian'; did you mean 'gaussian'", "sample", "--model", "gausian")
        self.fails(2, "unknown experiment", "reproduce", "sghmc-doublewell")
        self.fails(2, "unknown list 'sampler'; did you mean 'samplers'", "list", "sampler")
        self.fails(2, "unknown variable 'thta'; did you mean 'theta'", "sample", "--model", "eight-schools", "--variables", "thta")

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

    def test_bad_run_options(self):
        model = ("sample", "--model", "gaussian")
        self.fails(2, "chains = '0'", *model, "--chains", 0)
        self.fails(2, "draws = 'many': is not a whole number", *model, "--draws", "many")
        self.fails(2, "draws = '-5'", *model, "--draws=-5")
        self.fails(2, "thin = '0'", *model, "--thin", 0)
        self.fails(2, "--draws", *model, "--draws", 5, "--draws", 6)
        self.fails(2, "which model", "sample")
        self.fails(2, "needs --data", "sample", "--model", "logistic")
        self.fails(2, "takes no --data", *model, "--data", HEART)
        self.fails(2, "overwrite", *model, "--overwrite=false")
        self.fails(2, "a name is missing", *model, "--variables", ",")
        self.fails(2, "seed = '-1'", "reproduce", "sghmc-double-well", "--seed=-1")
        self.fails(3, "no such folder", "reproduce", "sghmc-double-well", "--data-dir", "nowhere")
        self.fails(2, "no likelihood to leave out", *model, "--prior-only")
        self.fails(2, "improper", "sample", "--model", "normal", "--data", HEART, "--prior-only")
        self.fails(2, "unknown column 'yy'", "sample", "--model", "logistic", "--data", HEART, "--set", "model.target=yy")

    def test_existing_output(self):
        self.write("run.txt", "precious")
        self.fails(2, "run.txt exists; --overwrite", "sample", "--model", "gaussian", "--out", "run.txt")
        self.assertEqual((self.folder / "run.txt").read_text(), "precious")

    def test_configuration_files(self):
        self.fails(3, "nowhere.toml", "sample", "nowhere.toml")
        self.fails(3, r"bad.toml:2:", "sample", self.write("bad.toml", "[run]\nmodel = \n"))
        self.fails(2, r"key.toml:3: .*'drawz'; did you mean 'draws'", "sample",
                   self.write("key.toml", '[run]\nmodel = "gaussian"\ndrawz = 3\n'))
        self.fails(2, r"table.toml:1: ", "sample", self.write("table.toml", '[rum]\nmodel = "gaussian"\n'))
        self.fails(2, r"model.toml:2: unknown model", "sample", self.write("model.toml", '[run]\nmodel = "gausian"\n'))
        self.fails(2, r"range.toml:4: step_size", "sample",
                   self.write("range.toml", '[run]\nmodel = "gaussian"\n[sampler]\nstep_size = -1\n'))


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


class BadFiles(CommandLine):
    def logistic(self, text, name="d.csv"):
        return ("sample", "--model", "logistic", "--data", self.write(name, text))

    def test_data(self):
        self.fails(3, "nowhere.csv", "sample", "--model", "logistic", "--data", "nowhere.csv")
        self.fails(3, r"d.csv", *self.logistic(""))
        self.fails(3, r"d.csv", *self.logistic("a,y\n"))
        self.fails(3, r"d.csv:3: .*2 .*'b'.*'oops'", *self.logistic("a,b,y\n1,2,0\n1,oops,1\n"))
        self.fails(3, r"d.csv:3: ", *self.logistic("a,b,y\n1,2,0\n1,1\n"))
        self.fails(3, r"d.csv:2: .*nan", *self.logistic("a,y\nnan,0\n1,1\n"))
        self.fails(3, r"d.csv:3: .*'y'", *self.logistic("a,y\n1,0\n2,3\n"))
        self.fails(3, r"'a'.*every value is the same", *self.logistic("a,y\n1,0\n1,1\n"))
        self.fails(3, r"d.csv", *self.logistic(b"\x00\x01\x02"))
        self.fails(3, r"d.csv:1: .*semicolons", *self.logistic("a;y\n1;0\n2;1\n"))

    def test_inits(self):
        model = ("sample", "--model", "normal-loggamma", "--init")
        self.fails(3, "nowhere.json", *model, "nowhere.json")
        self.fails(3, r"i.json:1:", *model, self.write("i.json", "{"))
        self.fails(3, "'z'", *model, self.write("i.json", '{"x": 1, "z": 2}'))
        self.fails(3, "'y'|y", *model, self.write("i.json", '{"x": 1}'))
        self.fails(3, "i.json", *model, self.write("i.json", '{"x": [1, 2], "y": 1}'))
        self.fails(3, "i.json.*no value for 'theta', 'tau'", "sample", "--model", "eight-schools", "--init",
                   self.write("i.json", '{"mu": 1}'))

    def test_run_files(self):
        self.fails(3, "nowhere.nc", "summary", "nowhere.nc")
        self.fails(3, "text.nc", "summary", self.write("text.nc", "not a netCDF file"))
        self.ok("sample", "--model", "gaussian", "--quiet", "--draws", 50, "--warmup", 50)
        whole = (self.folder / "run.nc").read_bytes()
        for size in (10, 1000, len(whole) // 2, len(whole) - 1):
            result = self.quasar("summary", self.write("cut.nc", whole[:size]))
            self.assertEqual(result.returncode, 3, (size, result.stderr))

    def test_output_folders(self):
        model = ("sample", "--model", "gaussian", "--out")
        self.fails(3, "there is no folder 'nowhere'", *model, "nowhere/run.nc")
        self.fails(3, "names no file", *model, "")
        self.fails(3, "folder", *model, self.folder, "--overwrite")
        self.fails(3, "not a regular file", *model, "/dev/full", "--overwrite")


if __name__ == "__main__":
    unittest.main()
