"""A disk that fills up, during sampling and while the run file is written: exit 3, and nothing is lost."""

import os
import pathlib
import resource
import subprocess
import unittest

from support import BIN, CommandLine

# 2 chains x 4000 draws x (20 values + 13 other numbers) x 8 bytes: 2.1 MB of records, then 2 MB of run file.
RUN = ("sample", "--model", "gaussian", "--set", "model.dim=20", "--chains", "2", "--draws", "4000", "--quiet")
IN_A_SMALL_DISK = """
set -u
mount -t tmpfs -o size=$1 none disk && cd disk || exit 99
shift
"$@" 2>../stderr
code=$?
mount -o remount,size=64m . || exit 99
"$@" --resume || exit 98
cp run.nc ..
ls -A > ../left
exit $code
"""


def may_mount():
    check = subprocess.run(["unshare", "-rm", "mount", "-t", "tmpfs", "none", "/mnt"], capture_output=True)
    return check.returncode == 0


class FullDisk(CommandLine):
    def expect_complete(self, file):
        self.ok(*RUN, "--out", "whole.nc", "--overwrite")
        draws = [self.ok_json("summary", name)["parameters"] for name in ("whole.nc", file)]
        self.assertEqual(*draws)

    @unittest.skipUnless(may_mount(), "needs user namespaces to mount a small disk")
    def test_a_small_disk(self):
        for size, phase in (("1m", "chain-[12].draws: cannot be written: No space left on device"), ("3m", "run.nc: cannot .*: No space left on device")):
            with self.subTest(size):
                (self.folder / "disk").mkdir(exist_ok=True)
                result = subprocess.run(
                    ["unshare", "-rm", "sh", "-c", IN_A_SMALL_DISK, "sh", size, BIN, *RUN],
                    cwd=self.folder, capture_output=True, text=True, timeout=120,
                )
                stderr = (self.folder / "stderr").read_text()
                self.assertEqual(result.returncode, 3, result.stderr + stderr)
                self.assertRegex(stderr, phase)
                self.assertRegex(stderr, "No draw is lost: when that is mended, --resume goes on with run.nc.part")
                self.assertEqual((self.folder / "left").read_text(), "run.nc\n")
                self.expect_complete("run.nc")

    def test_a_limit_on_the_size_of_files(self):
        for limit, phase in ((300_000, "chain-[12].draws: cannot be written: File too large"), (1_200_000, "limited.nc: cannot .*: File too large")):
            with self.subTest(limit):
                result = subprocess.run(
                    [BIN, *RUN, "--out", "limited.nc"], cwd=self.folder, capture_output=True, text=True, timeout=120,
                    preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
                )
                self.assertEqual(result.returncode, 3, result.stderr)
                self.assertRegex(result.stderr, phase)
                self.assertFalse((self.folder / "limited.nc").exists())
                self.ok(*RUN, "--out", "limited.nc", "--resume")
                self.expect_complete("limited.nc")
                os.remove(self.folder / "limited.nc")


if __name__ == "__main__":
    unittest.main()
