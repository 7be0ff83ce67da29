"""The other programs that read our files, where they are installed.

QUASAR_PEERS_PYTHON names one or more Python interpreters (separated by colons) that have arviz, cmdstanpy or pandas; the
interpreter that runs the tests is asked as well. R is found on PATH. What is not there is skipped, and said.
"""

import functools
import json
import os
import pathlib
import shutil
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "cli"))

from support import CommandLine  # noqa: E402


@functools.cache
def can(*command):
    return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0


def pythons_with(*modules):
    named = [name for name in os.environ.get("QUASAR_PEERS_PYTHON", "").split(os.pathsep) if name]
    found = [python for python in [*named, sys.executable] if can(python, "-c", "import " + ", ".join(modules))]
    if not found:
        raise unittest.SkipTest(f"no Python with {' and '.join(modules)}; QUASAR_PEERS_PYTHON can name one")
    return found


def r_with(*packages):
    rscript = shutil.which("Rscript")
    if rscript is None:
        raise unittest.SkipTest("R is not installed")
    for package in packages:
        if not can(rscript, "-e", f"library({package})"):
            raise unittest.SkipTest(f"R has no package {package}")
    return rscript


class ReaderTest(CommandLine):
    """Makes runs of several kinds and hands them to a script beside this file."""

    SAMPLERS = ("nuts", "hmc", "mala", "rwm")

    def sample(self, out, *arguments):
        self.ok("sample", "--quiet", "--out", out, *arguments)

    def convert(self, base):
        """base_1.csv ... and base.json of base.nc"""
        self.ok("convert", f"{base}.nc", "--to", "stan-csv")
        self.ok("convert", f"{base}.nc", "--to", "json", "--out", f"{base}.json")

    def hand_to(self, interpreter, script, *arguments):
        command = [interpreter, HERE / script, *map(str, arguments)]
        environment = {**os.environ, "MPLBACKEND": "Agg"}
        result = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, env=environment)
        self.assertEqual(result.returncode, 0, f"{interpreter}\n{result.stdout}\n{result.stderr}")
        print(result.stdout, end="")

    def save_summary(self, base):
        """base.summary.json: what `quasar summary` says of base.nc"""
        (self.folder / f"{base}.summary.json").write_text(json.dumps(self.ok_json("summary", f"{base}.nc")))
