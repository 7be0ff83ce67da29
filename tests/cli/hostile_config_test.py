"""Configuration files that are not what they should be: refused with file, line and, where it is syntax, column."""

import re
import unittest

from support import CommandLine

GAUSSIAN = '[run]\nmodel = "gaussian"\n'


class BadConfigurations(CommandLine):
    def refuses(self, code, content, message, *more):
        self.write("c.toml", content)
        self.fails(code, "^quasar: " + re.escape(message), "sample", "c.toml", *more)

    def test_files(self):
        self.fails(3, "^quasar: nowhere.toml: cannot be opened: No such file", "sample", "nowhere.toml")
        self.fails(3, r"^quasar: \.: is a folder, not a file", "sample", ".")
        self.refuses(2, "", "which model?")

    def test_syntax(self):
        for content, line in (
            ("[run]\nmodel = \n", 2),
            ("[run]\nmodel = gaussian\n", 2),
            ("[run\nmodel = 'x'\n", 1),
            ("[run]\nmodel 'gaussian'\n", 2),
            ("[run]\nmodel = 'gaussian\n", 2),
            ("[run]\ndraws = 01\n", 2),
            ("[run]\ndraws = 99999999999999999999\n", 2),
            (GAUSSIAN + "draws = 3\ndraws = 4\n", 4),
            (GAUSSIAN + "[run]\n", 3),
            ("[run]\nseed = [" + "[" * 100_000, 2),
        ):
            with self.subTest(content=content[:40]):
                self.write("c.toml", content)
                self.fails(3, rf"^quasar: c\.toml:{line}:\d+: ", "sample", "c.toml")

    def test_binary(self):
        self.refuses(3, b"\0\1\2", "c.toml:1:1: ")
        self.refuses(3, b"[run]\nmodel = '\xff'\n", "c.toml:2:")
        self.refuses(3, GAUSSIAN.encode("utf-16"), "c.toml:1:1: ")
        self.refuses(3, b"\x1f\x8b\x08\0\0\0", "c.toml: the gzip data break off early")

    def test_keys_nested_without_end(self):
        self.refuses(3, f"[{'a.' * 1_000_000}a]\n", "c.toml:1: a key with too many dots")
        self.refuses(3, f"[run]\n'='.{'a.' * 1_000_000}a = 1\n", "c.toml:2: a key with too many dots")
        self.refuses(3, f'[run]\nx = """\n\\""" # """\ny.{"a . " * 1_000_000}a = 1\n', "c.toml:4: a key with too many dots")

    def test_names(self):
        self.refuses(2, '[rum]\nmodel = "gaussian"\n', "c.toml:1: unknown table 'rum'; did you mean 'run'?")
        self.refuses(2, 'model = "gaussian"\n', "c.toml:1: 'model' stands outside the tables [run], [model] and [sampler]")
        self.refuses(2, GAUSSIAN + "drawz = 3\n", "c.toml:3: unknown parameter of the run 'drawz'; did you mean 'draws'?")
        self.refuses(2, '[run]\nmodel = "gausian"\n', "c.toml:2: unknown model 'gausian'; did you mean 'gaussian'?")
        self.refuses(2, GAUSSIAN + "sampler = 'nut'\n", "c.toml:3: unknown sampler 'nut'; did you mean 'nuts'?")
        self.refuses(2, GAUSSIAN + "[model]\ndims = 3\n", "c.toml:4: unknown parameter of model gaussian 'dims'; did you mean 'dim'?")
        self.refuses(2, GAUSSIAN + "[sampler]\nstepsize = 3\n", "c.toml:4: unknown parameter of sampler nuts 'stepsize'; did you mean")
        self.refuses(2, GAUSSIAN + '"a\\n\\u001b[2J" = 1\n', "c.toml:3: unknown parameter of the run 'a??[2J'; there are model")
        self.refuses(2, GAUSSIAN + "k" * 5_000_000 + " = 1\n", "c.toml:3: unknown parameter of the run 'kkk")

    def test_values(self):
        for line, message in (
            ("draws = 'many'", "draws = 'many': is not a whole number; must be at least 1"),
            ("draws = 2.5", "draws = '2.5': is not a whole number"),
            ("draws = true", "draws = 'true': is not a whole number"),
            ("draws = -1", "draws = '-1': must be at least 1"),
            ("draws = inf", "draws = 'inf': is not a whole number"),
            ("draws = 1e300", "draws = '1e+300': is not a whole number"),
            ("draws = 2020-01-01", "'draws' must be a number, true or false, a string, or an array of these"),
            ("draws = {a = 1}", "'draws' must be a number"),
            ("draws = [[1]]", "'draws' must be a number"),
            ("quiet = 3", "quiet = '3': must be true or false"),
            ("variables = ['a,b']", "an entry of 'variables' holds a comma"),
        ):
            with self.subTest(line=line):
                self.refuses(2, GAUSSIAN + line + "\n", "c.toml:3: " + message)
        self.refuses(2, GAUSSIAN + "[sampler]\nstep_size = -1\n", "c.toml:4: step_size = '-1': must be at least 0")
        self.refuses(2, GAUSSIAN + "[sampler]\nstep_size = nan\n", "c.toml:4: step_size = 'nan': must be finite")
        self.refuses(2, GAUSSIAN + "[sampler]\nmetric = 'welfrd'\n", "c.toml:4: metric = 'welfrd': did you mean 'welford'?")

    def test_files_it_names(self):
        data = "[run]\nmodel = 'logistic'\ndata = 'nowhere.csv'\n"
        self.refuses(3, data, "nowhere.csv: cannot be opened: No such file")
        self.refuses(3, GAUSSIAN + "init = 'nowhere.json'\n", "nowhere.json: cannot be opened: No such file")
        self.refuses(3, GAUSSIAN + "out = 'nowhere/run.nc'\n", "nowhere/run.nc: there is no folder 'nowhere'")


class PlainConfigurations(CommandLine):
    def test_dialects(self):
        plain = GAUSSIAN + "draws = 70\n[sampler]\nstep_size = 0.25\n"
        effective = self.ok("sample", self.write("c.toml", plain), "--dry-run").stdout
        self.assertIn('"draws": 70', effective)
        for content in (
            plain.replace("\n", "\r\n"),
            "\ufeff" + plain,
            plain.replace("70", "7_0"),
            "run = {model = 'gaussian', draws = 70}\nsampler.step_size = 25e-2\n",
        ):
            with self.subTest(content=content):
                self.assertEqual(self.ok("sample", self.write("c.toml", content), "--dry-run").stdout, effective)


if __name__ == "__main__":
    unittest.main()
