"""quasar sample under mpirun: the draws of one process, one voice, stops that all ranks follow."""

import json
import os
import signal
import subprocess
import time
import unittest

from mpi_support import BIN, ENVIRONMENT, HEART, ManyRanks

RUN = ("sample", "--model", "banana", "--warmup", 200, "--draws", 300, "--quiet", "--save-warmup")


class SameDraws(ManyRanks):
    def test_chains_over_ranks(self):
        for name, run in {
            "nuts": (*RUN, "--chains", 5),
            "dense metric, more ranks than chains": (*RUN, "--chains", 3, "--set", "metric=welford_dense"),
            "moments": ("sample", "--model", "gaussian", "--warmup", 100, "--draws", 400, "--chains", 3, "--quiet",
                        "--keep", "thin", "--save-warmup"),
            "held-out rows": ("sample", "--model", "logistic", "--data", HEART, "--held-out", HEART, "--warmup", 100,
                              "--draws", 100, "--chains", 3, "--quiet", "--log-likelihood"),
            "tuned": ("sample", "--model", "linear-gaussian", "--sampler", "sgld", "--tune", "--draws", 300, "--chains", 2,
                      "--quiet"),
        }.items():
            with self.subTest(name):
                self.ok(*run, "--out", "one.nc", "--overwrite")
                for ranks in (2, 4):
                    self.ranks_ok(ranks, *run, "--out", "many.nc", "--overwrite")
                    one, many = self.without_times("one.nc"), self.without_times("many.nc")
                    self.assertEqual(one, many)
                    self.assertFalse((self.folder / "many.nc.part").exists())

    def without_times(self, file):
        groups, summary = self.draws(file)
        for group in groups.values():
            for name in [name for name in group if "seconds" in name]:
                del group[name]
        return groups, summary

    def test_starting_points(self):
        self.ok(*RUN, "--out", "first.nc")
        self.ok(*RUN, "--init", "first.nc", "--out", "one.nc")
        self.ranks_ok(2, *RUN, "--init", "first.nc", "--out", "many.nc")
        self.assertEqual(self.draws("one.nc"), self.draws("many.nc"))

    def test_a_check_afterwards(self):
        result = self.ranks_ok(2, *RUN, "--check", "exact", "--json")
        self.assertIn("check", json.loads(result.stdout))


class OneVoice(ManyRanks):
    def refuses(self, code, pattern, *arguments):
        result = self.ranks(3, *arguments)
        self.assertEqual(result.returncode, code, result.stderr)
        said = self.said(result)
        self.assertEqual(len(said), 1, result.stderr)
        self.assertRegex(said[0], pattern)
        self.assertEqual(result.stdout, "")

    def test_errors_are_told_once(self):
        self.write("there.nc", "precious")
        self.refuses(2, "unknown option of sample '--modle'", "sample", "--modle", "banana")
        self.refuses(2, "unknown model 'banan'", "sample", "--model", "banan")
        self.refuses(2, "there.nc exists", "sample", "--model", "banana", "--out", "there.nc")
        self.refuses(2, "--profile is of chains that ranks run together", "sample", "--model", "banana", "--profile")
        self.refuses(3, "nowhere.csv: cannot be opened", "sample", "--model", "linear", "--data", "nowhere.csv",
                     "--set", "model.target=y")
        self.assertEqual(sorted(os.listdir(self.folder)), ["there.nc"])

    def test_other_commands_are_done_once(self):
        self.write("no.nc", "no run")
        result = self.ranks(2, "summary", "no.nc")
        self.assertEqual(result.returncode, 3, result.stderr)
        said = self.said(result)
        self.assertRegex(said[0], "2 processes were started, and summary needs one: .*QUASAR_MPI=off")
        self.assertRegex(said[1], "no.nc: ")
        self.assertEqual(len(said), 2)
        each = self.ranks_ok(2, "version", options=("-x", "QUASAR_MPI=off"))
        self.assertEqual(each.stdout.count("quasar"), 2)
        self.assertEqual(self.said(each), [])

    def test_an_error_of_one_rank_names_it(self):
        script = self.write("starts.sh", f"#!/bin/sh\ncd rank-$OMPI_COMM_WORLD_RANK && exec {BIN} \"$@\"\n")
        script.chmod(0o755)
        for rank in range(3):
            (self.folder / f"rank-{rank}").mkdir()
            if rank != 1:
                os.symlink(HEART, self.folder / f"rank-{rank}" / "heart.csv")
        command = self.command(3, "sample", "--model", "logistic", "--data", "heart.csv", "--quiet")
        command[command.index(BIN)] = str(script)
        process = self.run_command(command)
        self.assertEqual(process.returncode, 3, process.stderr)
        self.assertEqual(len(self.said(process)), 1, process.stderr)
        self.assertRegex(process.stderr, "quasar: rank 1: heart.csv: cannot be opened")
        os.symlink(HEART, self.folder / "rank-1" / "heart.csv")
        process = self.run_command(command)
        self.assertEqual(process.returncode, 3, process.stderr)
        self.assertRegex(process.stderr, "quasar: rank 1: .*rank-1/run.nc.part: is not the folder that rank 0 has made")

    def test_an_error_outside_a_meeting_ends_all(self):
        script = self.write("starts.sh", "#!/bin/sh\nmkdir -p rank-$OMPI_COMM_WORLD_RANK && cd rank-$OMPI_COMM_WORLD_RANK\n"
                            f"[ $OMPI_COMM_WORLD_RANK = 1 ] && rmdir ../rank-1\nexec {BIN} \"$@\"\n")
        script.chmod(0o755)
        command = self.command(2, "sample", "--model", "banana", "--quiet")
        command[command.index(BIN)] = str(script)
        process = self.run_command(command)
        self.assertNotEqual(process.returncode, 0)
        self.assertEqual(len(self.said(process)), 1, process.stderr)
        self.assertRegex(process.stderr, "quasar: rank 1: ")

    def run_command(self, command):
        return subprocess.run(command, cwd=self.folder, env=ENVIRONMENT, capture_output=True, text=True, timeout=60)

    def test_output_comes_from_one_rank(self):
        result = self.ranks_ok(3, "sample", "--model", "banana", "--draws", 300, "--warmup", 200, "--chains", 2, "--json")
        self.assertEqual(json.loads(result.stdout)["chains"], 2)
        self.assertEqual(self.said(result), ["quasar: 3 ranks for 2 chains: 1 of them have nothing to do"])
        for chain in (1, 2):
            self.assertEqual(result.stderr.count(f"chain {chain}: 500/500 iterations (100 %)"), 1, result.stderr)
        self.assertEqual(self.ranks_ok(2, "version").stdout.count("quasar"), 1)

    def test_a_failing_chain_stops_all(self):
        result = self.ranks(3, "sample", "--model", "linear-gaussian", "--sampler", "sgld", "--set", "step_size=1e6",
                            "--set", "estimator=full", "--chains", 3, "--quiet")
        self.assertEqual(result.returncode, 4, result.stderr)
        self.assertEqual(len(self.said(result)), 1, result.stderr)


class Stops(ManyRanks):
    def arguments(self, draws):
        return ("sample", "--model", "banana", "--chains", 3, "--warmup", 50, "--draws", draws, "--quiet",
                "--checkpoint-every", 100, "--save-warmup")

    def stop(self, draws, number, options=()):
        """After a checkpoint of each chain, which is after warm-up."""
        process = self.start(3, *self.arguments(draws), options=options)
        states = [self.folder / "run.nc.part" / f"chain-{k}.state" for k in (1, 2, 3)]
        while not all(state.exists() for state in states):
            self.assertIsNone(process.poll(), "ended before it was stopped")
            time.sleep(0.005)
        process.send_signal(number)
        process.stdout, process.stderr = process.communicate(timeout=60)
        self.assertNotEqual(process.returncode, 0)
        return process

    def test_goes_on_with_another_number_of_ranks(self):
        draws = 20000
        self.ok(*self.arguments(draws), "--out", "whole.nc")
        whole = self.draws("whole.nc")
        for number, others in ((signal.SIGUSR1, 2), (signal.SIGUSR1, 0), (signal.SIGTERM, 4)):
            with self.subTest(signal=number):
                process = self.stop(draws, number)
                if number == signal.SIGUSR1:
                    self.assertEqual(process.returncode, 130, process.stderr)
                    self.assertIn("stopped early; run.nc has the draws so far", process.stderr)
                self.ranks_ok(others, *self.arguments(draws), "--resume")
                self.assertEqual(self.draws("run.nc"), whole)
                os.remove(self.folder / "run.nc")

    def test_sigterm_leaves_time_to_write_the_file(self):
        """mpirun hands it on after so many seconds, and kills after as many again."""
        draws = 10_000_000
        self.stop(draws, signal.SIGTERM, options=("--mca", "odls_base_sigkill_timeout", "3"))
        self.assertTrue(0 < self.ok_json("summary", "run.nc")["draws"] < draws)
        self.assertTrue((self.folder / "run.nc.part").exists())


if __name__ == "__main__":
    unittest.main()
