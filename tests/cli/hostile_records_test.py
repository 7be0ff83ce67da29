"""The folder of an unfinished run when its files are cut short, damaged, someone else's or gone."""

import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

from support import BIN, CommandLine

RUN = ("sample", "--model", "funnel", "--warmup", "100", "--draws", "1e6", "--chains", "2", "--quiet",
       "--checkpoint-every", "500")


def size_of(path):
    return path.stat().st_size if path.exists() else 0


class DamagedRecords(CommandLine):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls._source = tempfile.TemporaryDirectory()
        cls.source = pathlib.Path(cls._source.name)
        for name, seed in (("mine", 1), ("other", 2)):
            (cls.source / name).mkdir()
            cls.make_unfinished_run(cls.source / name, seed)

    @classmethod
    def tearDownClass(cls):
        cls._source.cleanup()
        super().tearDownClass()

    @staticmethod
    def make_unfinished_run(folder, seed):
        process = subprocess.Popen([BIN, *RUN, "--seed", str(seed)], cwd=folder, stderr=subprocess.DEVNULL)
        while not all(size_of(folder / "run.nc.part" / f"chain-{k}.draws") > 300_000 for k in (1, 2)):
            time.sleep(0.01)  # records of several checkpoints
        process.send_signal(signal.SIGKILL)
        process.wait()
        for left in (folder / "run.nc.part").glob("*.tmp-*"):  # of a checkpoint under way; resuming removes it
            left.unlink()

    def setUp(self):
        super().setUp()
        self.part = self.folder / "run.nc.part"
        shutil.copytree(self.source / "mine" / "run.nc.part", self.part)

    def resume_fails(self, file, problem):
        """One line that names the file; every file stays as it is."""
        self.fails(3, f"^quasar: run.nc.part/{file}: .*{problem}", *RUN, "--resume")

    def change(self, name, change):
        path = self.part / name
        path.write_bytes(change(path.read_bytes()))

    def test_cut_short(self):
        for name in ("run", "chain-1.state"):
            whole = (self.part / name).read_bytes()
            for size in (0, 20, len(whole) - 1):
                (self.part / name).write_bytes(whole[:size])
                self.resume_fails(name, "cut short")
            (self.part / name).write_bytes(whole)

    def test_records_cut_behind_and_before_the_checkpoint(self):
        whole = (self.part / "chain-2.draws").read_bytes()
        self.change("chain-2.draws", lambda b: b[: len(b) // 10])
        self.resume_fails("chain-2.draws", "record [0-9]+ is damaged or missing, and the checkpoint needs")
        self.fails(3, "chain-2.draws: record [0-9]+ is damaged or missing", "summary", "run.nc.part")
        self.change("chain-2.draws", lambda _: whole + b"torn")
        self.assertGreater(self.ok_json("summary", "run.nc.part")["draws"], 0)

    def test_flipped_bits(self):
        for name in ("run", "chain-1.state"):
            whole = (self.part / name).read_bytes()
            for place in (0, 10, 30, len(whole) // 2, len(whole) - 3):
                flipped = bytearray(whole)
                flipped[place] ^= 4
                (self.part / name).write_bytes(flipped)
                self.resume_fails(name, "")
            (self.part / name).write_bytes(whole)
        self.change("chain-1.draws", lambda b: b[:1000] + bytes([b[1000] ^ 1]) + b[1001:])
        self.resume_fails("chain-1.draws", "record [0-9]+ is damaged or missing, and the checkpoint needs")

    def test_from_another_run(self):
        for name in ("chain-1.draws", "chain-1.divergences", "chain-1.state"):
            with self.subTest(name):
                mine = (self.part / name).read_bytes()
                shutil.copy(self.source / "other" / "run.nc.part" / name, self.part / name)
                self.resume_fails(name, "belongs to another run or chain")
                (self.part / name).write_bytes(mine)
        shutil.copy(self.part / "chain-1.state", self.part / "run")
        self.resume_fails("run", "another kind of file")

    def test_of_another_chain(self):
        for kind in ("draws", "divergences", "state"):
            with self.subTest(kind):
                one, two = (self.part / f"chain-{k}.{kind}" for k in (1, 2))
                bytes_of_one = one.read_bytes()
                one.write_bytes(two.read_bytes())
                self.resume_fails(one.name, "belongs to another run or chain")
                self.fails(3, f"{one.name}: belongs to another run or chain", "summary", "run.nc.part")
                one.write_bytes(bytes_of_one)

    def test_pipes_and_folders(self):
        for name in ("run", "chain-1.state", "chain-1.draws"):
            for make, problem in ((os.mkfifo, "is no regular file"), (os.mkdir, "is a folder")):
                with self.subTest(name=name, make=make.__name__):
                    shutil.move(self.part / name, self.folder / "kept")
                    make(self.part / name)
                    self.resume_fails(name, problem)
                    self.fails(3, f"{name}: {problem}", "summary", "run.nc.part")
                    os.rmdir(self.part / name) if make is os.mkdir else os.remove(self.part / name)
                    shutil.move(self.folder / "kept", self.part / name)

    def test_of_another_kind(self):
        (self.part / "chain-1.draws").write_bytes(b"a,b\n1,2\n" * 100)
        self.resume_fails("chain-1.draws", "is not a file of draws")
        (self.part / "run").write_bytes(b"{}" * 100)
        self.resume_fails("run", "was not written by")
        self.fails(3, "^quasar: run.nc.part/run: ", "summary", "run.nc.part")

    def test_gone(self):
        os.remove(self.part / "chain-1.draws")
        self.resume_fails("chain-1.draws", "cannot be opened: No such file")
        self.fails(3, "chain-1.draws: cannot be opened: No such file", "summary", "run.nc.part")
        os.remove(self.part / "run")
        self.fails(3, "^quasar: run.nc.part: is a folder without a run", "summary", "run.nc.part")

    def test_no_folder_can_be_there(self):
        shutil.rmtree(self.part)
        self.part.write_text("mine")
        self.assertEqual(self.quasar(*RUN).returncode, 3)
        self.assertEqual(self.part.read_text(), "mine")


if __name__ == "__main__":
    unittest.main()
