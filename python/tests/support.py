"""What the tests of the package share."""

import os
import subprocess
import sys
import tempfile
import unittest
import warnings
from pathlib import Path
from typing import Any

import numpy as np

import quasar

ROOT = Path(__file__).resolve().parents[2]
HEART = ROOT / "examples" / "heart.csv"
TRIAL = HEART.with_name("trial.csv")
BIN = os.environ["QUASAR_BIN"]
WITHOUT_EXTRAS = """
import sys
class Nothing:
    def find_spec(self, name, path=None, target=None):
        if name in ("pandas", "arviz", "xarray", "jax", "numba", "IPython", "scipy", "matplotlib"):
            raise ImportError(name)
sys.meta_path.insert(0, Nothing())
"""


class PackageTest(unittest.TestCase):
    """In a folder of its own, where every warning is an error."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        caught = warnings.catch_warnings()
        caught.__enter__()
        self.addCleanup(caught.__exit__, None, None, None)
        warnings.simplefilter("error", quasar.ConvergenceWarning)
        warnings.simplefilter("error", quasar.StoppedEarly)

    def command_line(self, *arguments: object) -> str:
        command = [BIN, *map(str, arguments)]
        result = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, check=False)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout

    def python(self, *arguments: object) -> str:
        """What a program prints in a folder that has examples/ beside it. It succeeds, and has no complaint."""
        (self.folder / "examples").symlink_to(ROOT / "examples")
        command = [sys.executable, "-B", *map(str, arguments)]
        result = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, check=False)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stderr, "")
        return result.stdout

    def assert_same_draws(self, one: quasar.Run, other: quasar.Run) -> None:
        """Bit for bit, statistics and warm-up included."""
        for name in ("posterior", "sample_stats", "warmup_posterior", "warmup_sample_stats"):
            ours, theirs = getattr(one, name), getattr(other, name)
            self.assertEqual(list(ours), list(theirs), name)
            for variable in ours:
                self.assertEqual(ours[variable].dtype, theirs[variable].dtype, variable)
                np.testing.assert_array_equal(ours[variable], theirs[variable], f"{name}: {variable}")


def gaussian(x: Any) -> tuple[float, Any]:
    return -0.5 * float(x @ x), -x
