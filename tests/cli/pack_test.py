"""quasar pack, and sampling from what it writes: the draws of the CSV file, in memory that does not grow with the data."""

import gzip
import os
import signal
import struct
import subprocess
import time
import unittest
import zlib

from support import BIN, HEART, CommandLine

SHORT = ("--chains", 2, "--warmup", 60, "--draws", 60, "--quiet")


def zeros(path, rows, columns):
    """A packed table of zeros, written from the description of the format. It takes no room on disk."""
    names = "".join(f"x{j}" for j in range(columns)).encode()
    records = b"".join(struct.pack("<4dQQ", 0, 0, 0, 0, rows, len(f"x{j}")) for j in range(columns))
    begin = -(-(96 + len(records) + len(names)) // 4096) * 4096
    size = begin + 8 * rows * columns

    def head(checksum):
        return struct.pack("<8sII5Q32sII", b"QSRPACK", 1, checksum, rows, columns, len(names), begin, size, b"", 0, 0)

    with open(path, "wb") as file:
        file.write(head(zlib.crc32(head(0) + records + names)) + records + names)
        file.truncate(size)


class Pack(CommandLine):
    def setUp(self):
        super().setUp()
        self.heart = self.write("heart.csv", HEART.read_bytes())

    def test_says_what_it_wrote(self):
        self.assertEqual(self.ok("pack", "heart.csv").stdout, "heart.qpk written: 270 rows of 14 columns, 34336 bytes\n")
        self.assertEqual((self.folder / "heart.qpk").stat().st_size, 34336)
        self.assertEqual(
            self.ok_json("pack", "heart.csv", "--out", "other"),
            {"output": "other", "rows": 270, "columns": 14, "bytes": 34336, "data_hash": "fnv1a64:cded37f6c8987895"},
        )
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["heart.csv", "heart.qpk", "other"])

    def test_gzip_and_pipes_pack_alike(self):
        self.ok("pack", "heart.csv")
        self.write("zipped.csv.gz", gzip.compress(self.heart.read_bytes()))
        self.ok("pack", "zipped.csv.gz")
        self.quasar("pack", "/dev/stdin", "--out", "piped.qpk", input=self.heart.read_text())
        packed = (self.folder / "heart.qpk").read_bytes()
        for name in ("zipped.qpk", "piped.qpk"):
            self.assertEqual((self.folder / name).read_bytes(), packed, name)

    def test_draws_are_those_of_the_csv_file(self):
        self.ok("pack", "heart.csv")
        os.rename(self.folder / "heart.qpk", self.folder / "renamed")
        for model, sampler in (("logistic", "nuts"), ("logistic", "rhmc"), ("linear", "nuts"), ("normal", "nuts")):
            draws = set()
            for data in ("heart.csv", "renamed"):
                settings = ("--model", model, "--sampler", sampler, "--data", data, "--out", "run.nc", "--overwrite")
                self.ok("sample", *settings, *SHORT)
                draws.add(self.ok("convert", "run.nc", "--to", "csv").stdout)
            self.assertEqual(len(draws), 1, (model, sampler))
        modes = {self.ok("optimize", "--model", "logistic", "--data", data, "--json").stdout for data in ("heart.csv", "renamed")}
        self.assertEqual(len(modes), 1)

    def test_a_run_on_the_csv_file_goes_on_with_the_packed_one(self):
        self.ok("pack", "heart.csv")
        self.ok("sample", "--model", "logistic", "--data", "heart.csv", *SHORT)
        self.ok("sample", "--model", "logistic", "--data", "heart.qpk", *SHORT, "--resume")

    def test_wrong_usage(self):
        self.ok("pack", "heart.csv")
        self.fails(2, "heart.qpk exists; --overwrite", "pack", "heart.csv")
        self.fails(2, "heart.csv is the table itself", "pack", "heart.csv", "--out", "heart.csv", "--overwrite")
        self.fails(2, "pack needs an argument", "pack")
        self.fails(2, "/dev/stdin is no regular file, so --out", "pack", "/dev/stdin", stdin=subprocess.PIPE)
        self.ok("pack", "heart.csv", "--overwrite")

    def test_bad_tables_are_refused_as_by_sample_and_leave_nothing(self):
        for name, text in (
            ("empty.csv", ""),
            ("header.csv", "a,b\n"),
            ("value.csv", "a,b\n1,2\n3,oops\n"),
            ("ragged.csv", "a,b\n1,2\n3\n"),
            ("infinite.csv", "a,b\n1,inf\n"),
            ("gap.csv", "a,b\n1,2\n\n3,4\n"),
            ("broken.csv.gz", gzip.compress(HEART.read_bytes())[:-30]),
        ):
            self.write(name, text)
            expected = self.quasar("sample", "--model", "linear", "--data", name)
            self.assertEqual(expected.returncode, 3)
            before = self.contents()
            result = self.quasar("pack", name)
            self.assertEqual(result.returncode, 3, name)
            self.assertTrue(expected.stderr.startswith(result.stderr.rstrip("\n")), name)  # and says what would help
            self.assertEqual(self.contents(), before)
        self.fails(3, "missing.csv: cannot be opened", "pack", "missing.csv")
        self.fails(3, "there is no folder", "pack", "heart.csv", "--out", "missing/heart.qpk")

    def test_bad_packed_tables_are_refused(self):
        self.ok("pack", "heart.csv")
        packed = (self.folder / "heart.qpk").read_bytes()
        self.fails(3, "heart.qpk: is packed already", "pack", "heart.qpk", "--out", "again")
        sample = ("sample", "--model", "logistic", "--data")
        self.write("cut", packed[:-8])
        self.fails(3, "cut: is cut short: 34328 of 34336 bytes are there", *sample, "cut")
        self.write("long", packed + b"\n")
        self.fails(3, "long: is too long", *sample, "long")
        self.write("damaged", packed[:100] + b"?" + packed[101:])
        self.fails(3, "damaged: is damaged", *sample, "damaged")
        self.write("newer", packed[:8] + b"\2" + packed[9:])
        self.fails(3, "newer: .* version 2", *sample, "newer")
        self.fails(3, r"heart.qpk, row 1: column 1 \('age'\): the target of a logistic", *sample, "heart.qpk", "--set", "model.target=age")

    def test_verify_reads_all_of_it(self):
        self.ok("pack", "heart.csv")
        self.assertEqual(self.ok("pack", "heart.qpk", "--verify").stdout, "heart.qpk is sound: 270 rows of 14 columns, 34336 bytes\n")
        packed = bytearray((self.folder / "heart.qpk").read_bytes())
        packed[-1] ^= 1
        self.write("damaged", bytes(packed))
        self.fails(3, "damaged: is damaged: its rows", "pack", "damaged", "--verify")
        self.fails(3, "heart.csv: is not a packed table", "pack", "heart.csv", "--verify")

    def test_an_interrupt_leaves_nothing(self):
        before = self.contents()
        command = [BIN, "pack", "/dev/stdin", "--out", "never.qpk"]
        with subprocess.Popen(command, cwd=self.folder, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            process.stdin.write("a,b\n" + "3,4\n" * 100000)
            process.stdin.flush()
            while not any(self.folder.glob("never.qpk.tmp-*")):
                time.sleep(0.01)
            while process.poll() is None:  # more than once: the first may come just before waiting for input begins
                process.send_signal(signal.SIGINT)
                time.sleep(0.1)
            self.assertEqual(process.returncode, 130)
            self.assertIn("nothing was written", process.stderr.read())
        self.assertEqual(self.contents(), before)

    def peak_memory(self, data):
        """In bytes, of a few steps on this table."""
        command = [BIN, "sample", "--model", "logistic", "--sampler", "rwm", "--data", data, "--set", "model.standardize=false"]
        command += ["--chains", "1", "--warmup", "0", "--draws", "3", "--quiet", "--overwrite", "--out", "run.nc"]
        process = subprocess.Popen(command, cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(process.returncode, 0)
        return usage.ru_maxrss * 1024

    def test_memory_does_not_grow_with_the_table(self):
        zeros(self.folder / "small.qpk", 1000, 20)
        zeros(self.folder / "large.qpk", 1_600_000, 20)
        large = (self.folder / "large.qpk").stat().st_size
        self.assertGreater(large, 250e6)
        self.assertLess(self.peak_memory("large.qpk") - self.peak_memory("small.qpk"), large / 10)


if __name__ == "__main__":
    unittest.main()
