"""Runs the command line under mpirun, more ranks than cores, in a folder of its own."""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
from support import BIN, HEART, ROOT, CommandLine  # noqa: E402,F401

MPIRUN = shutil.which("mpirun")
RATINGS = ROOT / "examples" / "ratings.csv"
# Not PMIx's store in shared memory: a rank that is killed while it holds its lock leaves mpirun waiting for ever.
# Not one process reading another's memory: containers forbid it.
ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "PMIX_MCA_gds": "hash",
               "OMPI_MCA_btl_vader_single_copy_mechanism": "none"}


class ManyRanks(CommandLine):
    def setUp(self):
        if not MPIRUN:
            self.skipTest("mpirun is not installed")
        super().setUp()

    def command(self, ranks, *arguments, options=()):
        """Without ranks: one process, without mpirun."""
        start = [MPIRUN, "--oversubscribe", *options, "-n", str(ranks)] if ranks else []
        return [*start, BIN, *map(str, arguments)]

    def start(self, ranks, *arguments, options=()):
        return subprocess.Popen(self.command(ranks, *arguments, options=options), cwd=self.folder, env=ENVIRONMENT,
                                text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def ranks(self, ranks, *arguments, options=()):
        process = self.start(ranks, *arguments, options=options)
        process.stdout, process.stderr = process.communicate(timeout=200)
        return process

    def ranks_ok(self, ranks, *arguments, options=()):
        result = self.ranks(ranks, *arguments, options=options)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result

    def said(self, result):
        """What quasar said, without what mpirun adds."""
        return [line for line in result.stderr.splitlines() if line.startswith("quasar: ")]

    def draws(self, file):
        """Everything but times. Numbers stay text: the shortest digits that give the bits back."""
        run = json.loads(self.ok("convert", file, "--to", "json").stdout, parse_float=str)
        self.assertIn("posterior", run)
        groups = {name: group for name, group in run.items() if name not in ("attrs", "dims", "coords")}
        for group in groups.values():
            group.pop("seconds", None)
        summary = self.ok_json("summary", file)
        return groups, {key: summary[key] for key in ("divergences", "gradient_evaluations", "parameters")}

    def expect_draws_of_one_process(self, run, numbers):
        self.ok(*run)
        alone = self.draws("run.nc")
        for ranks in numbers:
            with self.subTest(run=run, ranks=ranks):
                self.ranks_ok(ranks, *run)
                self.assertEqual(self.draws("run.nc"), alone)

    def expect_to_go_on_with(self, others, run, ranks, chain):
        """Stopped after the first checkpoint of a chain, and resumed with another number of ranks."""
        self.ok(*run, "--out", "whole.nc")
        process = self.start(ranks, *run)
        while not (self.folder / "run.nc.part" / f"chain-{chain}.state").exists():
            self.assertIsNone(process.poll(), "ended before it was stopped")
            time.sleep(0.005)
        process.send_signal(signal.SIGUSR1)
        _, stderr = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 130, stderr)
        self.ranks_ok(others, *run, "--resume")
        self.assertEqual(self.draws("run.nc"), self.draws("whole.nc"))
