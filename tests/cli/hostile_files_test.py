"""Run files from elsewhere, cut short or damaged; places that cannot be written; names that are not UTF-8."""

import json
import os
import random
import re
import resource
import unittest

from support import HEART, CommandLine

QUICK = ("--draws", 20, "--warmup", 20, "--quiet")
EMPTY_NETCDF = b"CDF\x01" + bytes(28)  # the classic format: no dimension, no attribute, no variable


class BadRunFiles(CommandLine):
    """The same file is refused as a run to summarise and as points to start from."""

    def setUp(self):
        super().setUp()
        self.ok("sample", "--model", "gaussian", *QUICK, "--out", "good.nc")
        self.good = (self.folder / "good.nc").read_bytes()

    def readers(self, name):
        return ("summary", name), ("sample", "--model", "gaussian", "--init", name)

    def refuses(self, content, message):
        self.write("r.nc", content)
        for reader in self.readers("r.nc"):
            with self.subTest(command=reader[0]):
                self.fails(3, "^quasar: " + message, *reader)

    def test_missing_or_a_folder(self):
        (self.folder / "folder.nc").mkdir()
        for name, problem in (("nowhere.nc", "cannot be opened: No such file"), ("folder.nc", "is a folder, not a file")):
            for reader in self.readers(name):
                self.fails(3, f"^quasar: {name}: {problem}", *reader)
        self.fails(3, "cannot be opened", "summary", "")

    def test_not_a_run(self):
        for content in (b"", b"not a netCDF file", b"a,y\n1,0\n", b"\x89HDF\r\n\x1a\n", b"CDF\x01", bytes(1000)):
            self.refuses(content, "r.nc: is not a run file of this version of Quasar, or was cut short or changed after")
        self.refuses(EMPTY_NETCDF, "r.nc: is not a run file of this version")

    def test_cut_short(self):
        size = len(self.good)
        for kept in (1, 7, 8, 100, 1000, size // 4, size // 2, 3 * size // 4, size - 1):
            self.refuses(self.good[:kept], "r.nc: ")

    def test_flipped_bits(self):
        flips = random.Random(1)
        for _ in range(30):
            damaged = bytearray(self.good)
            damaged[flips.randrange(len(damaged) - 16)] ^= 1 << flips.randrange(8)
            self.refuses(bytes(damaged), "r.nc: is damaged: its content does not fit its checksum")

    def test_a_run_of_another_model(self):
        self.fails(3, r"^quasar: good.nc: last draw of chain 1: not enough to start from, or outside the support of the model; no value for 'theta', 'mu'",
                   "sample", "--model", "eight-schools", "--init", "good.nc")
        self.fails(3, r"^quasar: good.nc: last draw of chain 1: variable 'x': expected an array of shape \(3\)",
                   "sample", "--model", "gaussian", "--set", "model.dim=3", "--init", "good.nc")


class BadOutputs(CommandLine):
    MODEL = ("sample", "--model", "gaussian", *QUICK)

    def refuses(self, code, message, out, *more):
        self.fails(code, "^quasar: " + re.escape(message), *self.MODEL, "--out", out, *more)

    def test_no_file_can_be_there(self):
        self.write("file", "x")
        (self.folder / "folder").mkdir()
        self.refuses(3, "nowhere/run.nc: there is no folder 'nowhere'", "nowhere/run.nc")
        self.refuses(3, "file/run.nc: ", "file/run.nc")
        self.refuses(3, "'': names no file", "")
        self.refuses(3, "folder: is a folder", "folder")
        self.refuses(3, "folder: is a folder", "folder", "--overwrite")
        self.refuses(3, "/dev/full: is there and not a regular file", "/dev/full", "--overwrite")
        self.refuses(3, "/proc/run.nc: cannot be written", "/proc/run.nc")
        self.refuses(3, "n" * 300, "n" * 300)

    @unittest.skipIf(os.geteuid() == 0, "root writes everywhere")
    def test_unwritable_folder(self):
        (self.folder / "locked").mkdir(mode=0o500)
        self.refuses(3, "locked/run.nc: cannot be written: Permission denied", "locked/run.nc")

    def test_an_existing_file_is_kept(self):
        self.write("run.nc", "precious")
        self.refuses(2, "run.nc exists; --overwrite replaces it, --out names another file", "run.nc")
        self.fails(2, "run.nc exists", *self.MODEL)

    def test_an_existing_file_survives_a_full_disk(self):
        """A limit on the size of files stands for the disk: writing fails half-way through."""
        self.write("run.nc", "precious")
        result = self.quasar(*self.MODEL, "--overwrite",
                             preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)))
        self.refused(result, 3, "^quasar: run.nc: cannot .*File too large. No draw is lost: when that is mended, --resume goes on with run.nc.part")
        self.assertEqual((self.folder / "run.nc").read_bytes(), b"precious")

    def test_an_existing_file_survives_every_error(self):
        self.write("run.nc", "precious")
        for code, more in (
            (2, ("--set", "stepsize=1")),
            (2, ("--variables", "z")),
            (3, ("--init", "nowhere.json")),
            (3, ("nowhere.toml",)),
        ):
            with self.subTest(more=more):
                self.fails(code, "^quasar: ", *self.MODEL, "--overwrite", *more)


class NamesThatAreNotUtf8(CommandLine):
    NAME = os.fsdecode(b"caf\xe9")

    def test_files_that_are_not_there(self):
        for arguments in (
            ("sample", self.NAME),
            ("summary", self.NAME),
            ("sample", "--model", "logistic", "--data", self.NAME),
            ("sample", "--model", "gaussian", "--init", self.NAME + ".json"),
        ):
            self.fails(3, f"^quasar: {self.NAME}.*: cannot be opened: No such file", *arguments)

    def test_other_arguments(self):
        model = ("sample", "--model", "gaussian")
        self.fails(2, f"unknown command '{self.NAME}'", self.NAME)
        self.fails(2, f"unknown option of sample '--{self.NAME}'", "sample", "--" + self.NAME)
        self.fails(2, f"unknown model '{self.NAME}'", "sample", "--model", self.NAME)
        self.fails(2, f"draws = '{self.NAME}'", *model, "--draws", self.NAME)
        self.fails(2, f"step_size = '{self.NAME}'", *model, "--set", f"step_size={self.NAME}")
        self.fails(2, f"unknown variable '{self.NAME}'", *model, "--variables", self.NAME)
        self.fails(2, r"step_size = 'a\?b\?\[2J'", *model, "--set", "step_size=a\nb\x1b[2J")

    def test_files_that_are(self):
        (self.folder / (self.NAME + ".csv")).write_bytes(HEART.read_bytes())
        model = ("sample", "--model", "logistic", "--data", self.NAME + ".csv", *QUICK[:4], "--out", self.NAME + ".nc")
        self.assertEqual(json.loads(self.ok(*model, "--dry-run").stdout)["run"]["data"], "caf\ufffd.csv")
        self.assertEqual(json.loads(self.ok(*model, "--json").stdout)["output"], "caf\ufffd.nc")
        self.assertIn("beta[age]", self.ok("summary", self.NAME + ".nc").stdout)
        self.ok("sample", "--model", "logistic", "--data", HEART, "--init", self.NAME + ".nc", *QUICK)


if __name__ == "__main__":
    unittest.main()
