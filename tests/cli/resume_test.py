"""kill -9 at any moment, then --resume: the draws and statistics of an uninterrupted run, bit for bit.

QUASAR_KILLS=200 sets how many processes are killed (10 unless said otherwise), QUASAR_KILL_SEED when.
"""

import collections
import itertools
import json
import os
import pathlib
import random
import resource
import shutil
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
COMMON = ("--chains", 3, "--save-warmup", "--quiet", "--checkpoint-every", 100, "--overwrite")


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
        after, before = self.random.uniform(0, self.duration), self.run_file()
        tests = {
            "any time": lambda elapsed: elapsed > after,
            "checkpoint": lambda elapsed: elapsed > after and with_prefix(self.part, "chain-1.state.tmp-"),
            "final file": lambda elapsed: with_prefix(self.part, "run.nc.tmp-"),
            "tidying up": lambda elapsed: self.run_file() != before,
        }
        return phase, tests[phase]

    def run_file(self):
        """Which file stands there; another one gets another number."""
        path = self.folder / "run.nc"
        return path.stat().st_ino if path.exists() else None

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
        """Everything but times. Numbers stay text: the shortest digits that give the bits back."""
        run = json.loads(self.ok("convert", file, "--to", "json").stdout, parse_float=str)
        groups = {name: group for name, group in run.items() if name not in ("attrs", "dims", "coords")}
        for name in ("posterior", "sample_stats", "warmup_posterior", "warmup_sample_stats", "tuning"):
            self.assertIn(name, groups)
        summary = self.ok_json("summary", file)
        return groups, {key: summary[key] for key in ("divergences", "gradient_evaluations", "parameters")}

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
        """Killed up to three times, then to the end, where it replaces the file of another run."""
        self.ok("sample", "--model", "gaussian", "--draws", 5, "--quiet")
        command = [BIN, "sample", *map(str, arguments), *map(str, COMMON), "--resume"]
        for _ in range(killer.random.randint(1, 3)):
            phase = killer.run_and_kill(command)
            if phase:
                killed[name, phase] += 1
        self.ok(*command[1:])
        self.assertEqual(self.draws("run.nc"), whole, f"{name}, seed {SEED}, {killed}")
        self.assertFalse(pathlib.Path(killer.part).exists())
        os.remove(self.folder / "run.nc")


class StoppedEnsemble(CommandLine):
    RUN = ("--model", "banana", "--sampler", "hmc-bfgs", "--set", "members=3", "--chains", 2, "--warmup", 500,
           "--draws", 40000, "--thin", 20, "--quiet", "--checkpoint-every", 50)

    def rows(self, file):
        run = json.loads(self.ok("convert", file, "--to", "json").stdout, parse_float=str)
        return run["posterior"], run["sample_stats"]

    def stop(self):
        with subprocess.Popen([BIN, "sample", *map(str, self.RUN)], cwd=self.folder, stderr=subprocess.DEVNULL) as process:
            files = [self.folder / "run.nc.part" / f"chain-{ensemble}.draws" for ensemble in (1, 2)]
            while not all(file.exists() and file.stat().st_size > 50000 for file in files):
                self.assertIsNone(process.poll(), "ended before it was stopped")
                time.sleep(0.002)
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.wait(60), 130)

    def test_goes_on_as_if_it_had_not_been_stopped(self):
        self.ok("sample", *self.RUN, "--out", "whole.nc")
        self.stop()
        early = self.ok_json("summary", "run.nc")
        self.assertEqual((early["chains"], early["ensembles"]), (6, 2))
        self.assertTrue(0 < early["draws"] < 2000)
        self.ok("sample", *self.RUN, "--resume")
        self.assertEqual(self.rows("run.nc"), self.rows("whole.nc"))

    def test_in_warm_up(self):
        command = [BIN, "sample", *map(str, self.RUN), "--json"]
        command[command.index("--warmup") + 1] = "1e9"
        with subprocess.Popen(command, cwd=self.folder, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL) as process:
            while not (self.folder / "run.nc.part" / "chain-2.draws").exists():
                self.assertIsNone(process.poll(), "ended before it was stopped")
                time.sleep(0.01)
            process.send_signal(signal.SIGINT)
            said = json.loads(process.communicate(timeout=60)[0])
        self.assertEqual(said, {"chains": 6, "draws": 0, "ensembles": 2, "output": None, "stopped_early": True})


class Stopped(CommandLine):
    LONG = ("--model", "gaussian", "--draws", 400000, "--chains", 2, "--quiet")
    part = "run.nc.part"

    def start(self, *more, **options):
        """A process that has been sampling for a moment: in warm-up if that is long, else with draws of both chains."""
        if "--overwrite" in more:  # files of an earlier process would say that this one has begun
            shutil.rmtree(self.folder / self.part, ignore_errors=True)
        process = subprocess.Popen([BIN, "sample", *map(str, self.LONG + more)], cwd=self.folder, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)
        least = 0 if "--warmup" in more else 50000
        files = [self.folder / self.part / f"chain-{chain}.draws" for chain in (1, 2)]
        while not all(file.exists() and file.stat().st_size >= least for file in files):
            self.assertIsNone(process.poll(), "ended before it began")
            time.sleep(0.01)
        if least == 0:
            time.sleep(0.3)
        return process

    def stop(self, signal_number, *more, **options):
        process = self.start(*more, **options)
        process.send_signal(signal_number)
        self.stdout, stderr = process.communicate(timeout=60)
        return process.returncode, stderr

    def test_every_stop_signal(self):
        for number in (signal.SIGTERM, signal.SIGHUP):
            code, stderr = self.stop(number, "--overwrite")
            self.assertEqual(code, 130)
            self.assertIn("--resume goes on", stderr)

    def test_a_signal_that_is_ignored_stays_so(self):
        process = self.start("--warmup", "1e9", preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        process.send_signal(signal.SIGHUP)
        time.sleep(0.3)
        self.assertIsNone(process.poll())
        process.kill()
        process.communicate()

    def test_in_warm_up(self):
        endless = ("--warmup", "1e9")
        code, stderr = self.stop(signal.SIGINT, *endless, "--json")
        self.assertEqual(code, 130)
        self.assertIn("stopped in warm-up, before the first draw; --resume goes on", stderr)
        self.assertEqual(json.loads(self.stdout), {"chains": 2, "draws": 0, "output": None, "stopped_early": True})
        self.assertFalse((self.folder / "run.nc").exists())
        code, stderr = self.stop(signal.SIGINT, *endless, "--save-warmup", "--overwrite", "--json")
        self.assertEqual(code, 130)
        self.assertIn("run.nc has the warm-up so far", stderr)
        self.assertEqual(json.loads(self.stdout)["output"], "run.nc")

    def test_a_file_that_appears_meanwhile(self):
        """It is kept, and the finished draws are not lost."""
        for other in (b"precious", None):
            process = self.start("--resume")
            if other:
                self.write("run.nc", other)
            else:
                self.ok("sample", "--model", "banana", "--draws", 5, "--quiet", "--out", "other.nc")
                (self.folder / "other.nc").rename(self.folder / "run.nc")
            kept = (self.folder / "run.nc").read_bytes()
            stderr = process.communicate(timeout=60)[1]
            self.assertEqual(process.returncode, 3, stderr)
            self.assertIn("run.nc appeared meanwhile", stderr)
            self.assertEqual((self.folder / "run.nc").read_bytes(), kept)
            self.fails(2, "run.nc is not of the run in run.nc.part: move it away, or add --overwrite to replace it",
                       "sample", *self.LONG, "--resume")
            self.ok("sample", *self.LONG, "--resume", "--overwrite")
            self.assertEqual(self.ok_json("summary", "run.nc")["draws"], 400000)
            self.assertEqual(os.listdir(self.folder), ["run.nc"])
            os.remove(self.folder / "run.nc")

    def test_a_dry_run_checks_whether_it_can_be_resumed(self):
        self.stop(signal.SIGKILL)
        self.ok("sample", *self.LONG, "--resume", "--dry-run")
        self.fails(2, "thin: 1 there, 2 here", "sample", *self.LONG, "--thin", 2, "--resume", "--dry-run")

    def test_starting_points_in_the_output(self):
        self.ok("sample", "--model", "gaussian", "--draws", 5, "--quiet")
        self.fails(2, "run.nc is read; --out names another file",
                   "sample", "--model", "gaussian", "--init", "run.nc", "--overwrite")

    def test_links(self):
        (self.folder / "far").mkdir()
        (self.folder / "run.nc").symlink_to("far/real.nc")
        self.part = "far/real.nc.part"
        self.stop(signal.SIGKILL)
        self.ok("sample", *self.LONG, "--resume")
        self.assertTrue((self.folder / "run.nc").is_symlink())
        self.assertEqual(os.listdir(self.folder / "far"), ["real.nc"])
        (self.folder / "loop.nc").symlink_to("loop.nc")
        for command in (("summary", "loop.nc"), ("sample", "--model", "gaussian", "--out", "loop.nc")):
            self.fails(3, "loop.nc: cannot be .*Too many levels of symbolic links", *command)

    def test_more_chains_than_open_files(self):
        many = ("sample", "--model", "gaussian", "--set", "model.dim=1", "--draws", 4, "--warmup", 4, "--quiet", "--chains")

        def limit(soft, hard):
            return {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))}

        result = self.quasar(*many, 150, **limit(128, 1024))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(self.ok_json("summary", "run.nc")["chains"], 150)
        self.refused(self.quasar(*many, 150, "--out", "b.nc", **limit(128, 128)), 2, "open files are needed, two for each chain")

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
        self.fails(2, "cannot be resumed: seed: 1 there, 2 here", "sample", *self.LONG, "--seed", 2, "--resume")
        self.ok("sample", "--model", "gaussian", "--draws", 10, "--quiet", "--overwrite")
        self.assertEqual(self.ok_json("summary", "run.nc")["draws"], 10)
        self.assertEqual(os.listdir(self.folder), ["run.nc"])

    def test_a_run_in_progress_can_be_read(self):
        self.stop(signal.SIGKILL)
        for name in ("run.nc", "run.nc.part", "run.nc.part/"):
            summary = self.ok_json("summary", name)
            self.assertEqual(summary["chains"], 2)
            self.assertGreater(summary["draws"], 0)

    def test_nothing_to_resume(self):
        short = ("sample", "--model", "gaussian", "--draws", 20, "--quiet", "--resume")
        self.ok(*short)
        again = self.ok(*short)
        self.assertIn("run.nc is complete; nothing to resume", again.stderr)
        self.fails(2, "run.nc cannot be resumed: draws: 20 there, 30 here", *short[:4], 30, *short[5:])

    def test_other_data_or_initial_points_are_refused(self):
        data = self.write("d.csv", "x,y\n1,2\n2,3\n3,5\n4,6\n")
        arguments = ("sample", "--model", "linear", "--data", data, "--draws", 10, "--quiet", "--resume")
        self.ok(*arguments)
        self.write("d.csv", "x,y\n1,2\n2,3\n3,5\n4,7\n")
        self.fails(2, "content of the data: fnv1a64:[0-9a-f]{16} there, fnv1a64:", *arguments)
        self.write("d.csv", "x,y\n1,2\n2,3\n3,5\n4,6\n")
        init = self.write("i.json", '{"intercept": 1, "beta": [1], "sigma": 1}')
        self.fails(2, "initial points: none there, crc32:", *arguments, "--init", init)


if __name__ == "__main__":
    unittest.main()
