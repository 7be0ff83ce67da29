"""kill -9 of any rank at any moment, then --resume with any number of ranks: the draws of an uninterrupted run.

QUASAR_KILLS=20 sets how many ranks are killed (3 unless said otherwise), QUASAR_KILL_SEED when and which.
"""

import collections
import os
import pathlib
import random
import signal
import time
import unittest

from mpi_support import HEART, RATINGS, ManyRanks

KILLS = int(os.environ.get("QUASAR_KILLS", 3))
SEED = int(os.environ.get("QUASAR_KILL_SEED", 1))

COMMON = ("--quiet", "--checkpoint-every", 50, "--overwrite")
RUNS = {
    "chains over ranks": ("--model", "banana", "--chains", 5, "--warmup", 1000, "--draws", 15000, "--thin", 3),
    "shards": ("--model", "logistic", "--data", HEART, "--sampler", "hmc", "--shards", 4, "--chains", 2, "--warmup", 100,
               "--draws", 400),
    "blocks": ("--model", "mf", "--data", RATINGS, "--sampler", "dsgld", "--set", "model.rank=2", "--chains", 2,
               "--warmup", 500, "--draws", 10000, "--thin", 100),
}


def ranks_of(process):
    """The process ids of the ranks that mpirun has started, in order of rank."""
    found = {}
    try:
        for child in pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split():
            variables = pathlib.Path(f"/proc/{child}/environ").read_bytes().split(b"\0")
            found.update((int(v.split(b"=")[1]), int(child)) for v in variables if v.startswith(b"OMPI_COMM_WORLD_RANK="))
    except OSError:  # ended meanwhile
        pass
    return [found[rank] for rank in sorted(found)]


class Kills(ManyRanks):
    def test_any_rank_at_any_moment(self):
        source = random.Random(SEED)
        killed = collections.Counter()
        for index, (name, run) in enumerate(RUNS.items()):
            self.ok("sample", *run, *COMMON, "--out", "whole.nc")
            whole = self.draws("whole.nc")
            began = time.monotonic()
            self.ranks_ok(4, "sample", *run, *COMMON)
            self.assertEqual(self.draws("run.nc"), whole, name)
            os.remove(self.folder / "run.nc")
            duration = time.monotonic() - began
            kills = KILLS // len(RUNS) + (index < KILLS % len(RUNS))
            while sum(n for (which, _), n in killed.items() if which == name) < kills:
                for _ in range(source.randint(1, 3)):
                    self.run_and_kill(source, duration, name, run, killed)
                self.ranks_ok(source.choice((0, 1, 2, 4)), "sample", *run, *COMMON, "--resume")
                self.assertEqual(self.draws("run.nc"), whole, f"{name}, seed {SEED}, {killed}")
                self.assertFalse((self.folder / "run.nc.part").exists())
                os.remove(self.folder / "run.nc")
        print(f"seed {SEED}, {sum(killed.values())} kills:", dict(killed))

    def run_and_kill(self, source, duration, name, run, killed):
        size = source.choice((2, 4))
        process = self.start(size, "sample", *run, *COMMON, "--resume")
        time.sleep(source.uniform(0, duration))
        ranks = ranks_of(process)
        if ranks:
            rank = source.randrange(len(ranks))
            try:
                os.kill(ranks[rank], signal.SIGKILL)
            except ProcessLookupError:
                pass
        _, stderr = process.communicate(timeout=60)
        if process.returncode != 0 and ranks:
            killed[name, f"rank {rank} of {size}"] += 1
            self.assertRegex(stderr, "signal 9|non-zero exit code")  # the latter before MPI has begun


if __name__ == "__main__":
    unittest.main()
