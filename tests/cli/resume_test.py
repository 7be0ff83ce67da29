"""kill -9 at any moment, then --resume: the draws and statistics of an uninterrupted run, bit for bit.

QUASAR_KILLS=200 sets how many processes are killed (10 unless said otherwise), QUASAR_KILL_SEED when.
"""

import collections
import itertools
import json
import os
import pathlib
import random
import signal
import subprocess
import time
import unittest

from support import BIN, HEART, CommandLine

KILLS = int(os.environ.get("QUASAR_KILLS", 10))
SEED = int(os.environ.get("QUASAR_KILL_SEED", 1))

RUNS = {
    "nuts": ("--model", "banana", "--sampler", "nuts", "--warmup", 2000, "--draws", 20000, "--thin", 2),
    "hmc": ("--data", HEART, "--model", "logistic", "--sampler", "hmc", "--set", "metric=welford_dense", "--warmup", 300,
            "--draws", 1200),
    "rwm": ("--model", "gaussian", "--set", "model.dim=40", "--sampler", "rwm", "--warmup", 5000, "--draws", 20000,
            "--thin", 4),
}
COMMON = ("--chains", 3, "--save-warmup", "--quiet", "--checkpoint-every", 100)


def with_prefix(folder, prefix):
    try:
        return any(name.startswith(prefix) for name in os.listdir(folder))
    except FileNotFoundError:
        return False


class Killer:
    """Starts a run and kills it, at a random time or in a phase that is too short for chance."""

    def __init__(self, folder, duration, random_source):
        self.folder, self.part = folder, folder / "run.nc.part"
        self.duration, self.random = duration, random_source
        self.phases = itertools.cycle(["any time", "checkpoint", "any time", "final file", "any time", "tidying up"])

    def moment(self):
        phase = next(self.phases)
        after = self.random.uniform(0, self.duration)
        tests = {
            "any time": lambda elapsed: elapsed > after,
            "checkpoint": lambda elapsed: elapsed > after and with_prefix(self.part, "chain-1.state.tmp-"),
            "final file": lambda elapsed: with_prefix(self.part, "run.nc.tmp-"),
            "tidying up": lambda elapsed: (self.folder / "run.nc").exists(),
        }
        return phase, tests[phase]

    def run_and_kill(self, command):
        """The phase in which the process was killed; None when it was faster."""
        phase, now = self.moment()
        process = subprocess.Popen(command, cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        began = time.monotonic()
        while process.poll() is None and not now(time.monotonic() - began):
            time.sleep(0.0005)
        if phase == "final file":
            time.sleep(self.random.uniform(0, 0.02))
        process.send_signal(signal.SIGKILL)
        return phase if process.wait() == -signal.SIGKILL else None


class Resume(CommandLine):
    def draws(self, file):
        """Everything but times, as text: shortest digits that give the bits back."""
        run = json.loads(self.ok("convert", file, "--to", "json").stdout)
        return {name: group for name, group in run.items() if "posterior" in name or "sample_stats" in name}

    def test_killed_at_any_moment(self):
        killed = collections.Counter()
        source = random.Random(SEED)
        for index, (name, arguments) in enumerate(RUNS.items()):
            began = time.monotonic()
            self.ok("sample", *arguments, *COMMON, "--out", f"{name}.nc")
            duration = time.monotonic() - began
            whole = self.draws(f"{name}.nc")
            kills = KILLS // len(RUNS) + (index < KILLS % len(RUNS))
            killer = Killer(self.folder, duration, source)
            while sum(n for (which, _), n in killed.items() if which == name) < kills:
                self.one_run(name, arguments, killer, killed, whole)
        print(f"seed {SEED}, {sum(killed.values())} kills:", dict(killed))

    def one_run(self, name, arguments, killer, killed, whole):
        """Killed up to three times, then to the end."""
        command = [BIN, "sample", *map(str, arguments), *map(str, COMMON), "--resume"]
        for _ in range(killer.random.randint(1, 3)):
            phase = killer.run_and_kill(command)
            if phase:
                killed[name, phase] += 1
        self.ok(*command[1:])
        self.assertEqual(self.draws("run.nc"), whole, f"{name}, seed {SEED}, {killed}")
        self.assertFalse(pathlib.Path(killer.part).exists())
        os.remove(self.folder / "run.nc")


class Stopped(CommandLine):
    LONG = ("--model", "gaussian", "--draws", 400000, "--chains", 2, "--quiet")

    def stop(self, signal_number, *more):
        process = subprocess.Popen(
            [BIN, "sample", *map(str, self.LONG), *more], cwd=self.folder, stderr=subprocess.PIPE, text=True
        )
        while not (self.folder / "run.nc.part" / "chain-2.draws").exists():
            time.sleep(0.01)
        time.sleep(0.3)
        process.send_signal(signal_number)
        stderr = process.communicate(timeout=60)[1]
        return process.returncode, stderr

    def test_ctrl_c_saves_and_says_how_to_go_on(self):
        code, stderr = self.stop(signal.SIGINT)
        self.assertEqual(code, 130)
        self.assertIn("run.nc has the draws so far, --resume goes on", stderr)
        early = self.ok_json("summary", "run.nc")
        self.assertLess(early["draws"], 400000)
        self.ok("sample", *self.LONG, "--resume")
        self.assertEqual(self.ok_json("summary", "run.nc")["draws"], 400000)
        self.assertEqual(os.listdir(self.folder), ["run.nc"])

    def test_an_unfinished_run_is_neither_resumed_nor_lost_unasked(self):
        self.stop(signal.SIGKILL)
        self.fails(2, "run.nc.part holds an unfinished run; --resume goes on with it, --overwrite discards it",
                   "sample", *self.LONG)
        self.fails(2, "cannot be resumed: seed is 1 there and 2 here", "sample", *self.LONG, "--seed", 2, "--resume")
        self.ok("sample", "--model", "gaussian", "--draws", 10, "--quiet", "--overwrite")
        self.assertEqual(self.ok_json("summary", "run.nc")["draws"], 10)
        self.assertEqual(os.listdir(self.folder), ["run.nc"])

    def test_a_run_in_progress_can_be_read(self):
        self.stop(signal.SIGKILL)
        for name in ("run.nc", "run.nc.part"):
            summary = self.ok_json("summary", name)
            self.assertEqual(summary["chains"], 2)
            self.assertGreater(summary["draws"], 0)

    def test_nothing_to_resume(self):
        short = ("sample", "--model", "gaussian", "--draws", 20, "--quiet", "--resume")
        self.ok(*short)
        again = self.ok(*short)
        self.assertIn("run.nc is complete; nothing to resume", again.stderr)
        self.fails(2, "run.nc cannot be resumed: draws is 20 there and 30 here", *short[:4], 30, *short[5:])

    def test_other_data_or_initial_points_are_refused(self):
        data = self.write("d.csv", "x,y\n1,2\n2,3\n3,5\n4,6\n")
        arguments = ("sample", "--model", "linear", "--data", data, "--draws", 10, "--quiet", "--resume")
        self.ok(*arguments)
        self.write("d.csv", "x,y\n1,2\n2,3\n3,5\n4,7\n")
        self.fails(2, "the content of the data is fnv1a64:[0-9a-f]{16} there and fnv1a64:", *arguments)
        self.write("d.csv", "x,y\n1,2\n2,3\n3,5\n4,6\n")
        init = self.write("i.json", '{"intercept": 1, "beta": [1], "sigma": 1}')
        self.fails(2, "the initial points is none there and crc32:", *arguments, "--init", init)


if __name__ == "__main__":
    unittest.main()
