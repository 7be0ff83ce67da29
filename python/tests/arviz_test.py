"""What ArviZ gets from `to_arviz` is what it reads from the saved file, with 0.x and with 1.x.

Runs with the ArviZ that is installed beside the package and, where QUASAR_PEERS_PYTHON names interpreters (separated
by colons) that have ArviZ 1.x, with those: `to_arviz` of the installed package runs there on what a run here knows.
"""

import json
import os
import pickle
import shutil
import subprocess
import unittest
import warnings
from pathlib import Path
from typing import Any

import arviz
import numpy as np
import xarray

import quasar
from support import HEART, PackageTest

RUNS: dict[str, dict[str, Any]] = {
    "warm-up": {"target": "eight-schools", "save_warmup": True},
    "labels and constants": {"target": "logistic", "data": HEART, "metric": "welford_dense"},
    "ensembles": {"target": "eight-schools", "sampler": "hmc-bfgs", "members": 3},
    "no step size to tune": {"target": "gaussian", "sampler": "sgld", "step_size": 0.1},
    "stopped by nobody": {"target": "gaussian", "dim": 2, "thin": 3, "variables": ["x"]},
}
GROUPS = {"posterior", "sample_stats", "warmup_posterior", "warmup_sample_stats", "constant_data", "tuning"}

# For another interpreter: `to_arviz` of this package on what its run knows, compared with the file. Without the core,
# which is for one version of Python alone.
PEER = """
import pickle, sys, types
from unittest import mock
sys.modules["quasar._core"] = mock.MagicMock()
from quasar.to_arviz import to_arviz
import arviz, xarray
facts, values, stats = pickle.load(open("run.pickle", "rb"))
run = types.SimpleNamespace(
    **facts, values=lambda *which: values[which], stat=lambda *which: stats[which]
)
tree = to_arviz(run)
assert isinstance(tree, xarray.DataTree), type(tree)
read = arviz.from_netcdf("run.nc")
names = [name for name in read.children if name != "divergences"]
assert set(names) == set(tree.children), (names, list(tree.children))
for name in names:
    xarray.testing.assert_identical(tree[name].to_dataset(), read[name].to_dataset().load())
arviz.summary(tree)
"""


def recorded(run: quasar.Run) -> tuple[dict[str, Any], dict[Any, Any], dict[Any, Any]]:
    """All that `to_arviz` asks of the core: plain facts, arrays of values and of statistics."""
    core = run._core
    names = [name for name in dir(core) if not name.startswith("_")]
    facts = {name: getattr(core, name) for name in names if not callable(getattr(core, name))}
    phases = (False, True)
    values = {(name, warmup): core.values(name, warmup) for name, _, _ in core.variables for warmup in phases}
    stats = {(name, warmup): core.stat(name, warmup) for name, _ in core.stats for warmup in phases}
    return facts, values, stats


def normal(group: Any) -> xarray.Dataset:
    """Attributes that are arrays in one place and lists in the other compare as lists."""
    dataset = group.to_dataset() if isinstance(group, xarray.DataTree) else group
    return dataset.assign_attrs(
        {name: list(value) if isinstance(value, (list, np.ndarray)) else value for name, value in dataset.attrs.items()}
    )


class ArviZ(PackageTest):
    def run_of(self, settings: dict[str, Any]) -> quasar.Run:
        return quasar.sample(**{"draws": 60, "warmup": 100, "warn": False, **settings})

    def test_in_memory_as_from_the_file(self) -> None:
        for case, settings in RUNS.items():
            with self.subTest(case):
                path = self.folder / f"{case}.nc"
                run = self.run_of(settings)
                run.save(path)
                ours = run.to_arviz()
                read = arviz.from_netcdf(path)
                self.assertIs(type(ours), type(read))
                names = set(group_names(read)) - {"divergences"}
                self.assertEqual(set(group_names(ours)), names)
                self.assertLessEqual(names, GROUPS)
                for name in names:
                    xarray.testing.assert_identical(normal(ours[name]), normal(read[name].load()))
                self.assertEqual(ours.attrs, {k: v for k, v in read.attrs.items() if k != "quasar_format"})

    def test_no_warning_is_given(self) -> None:
        run = self.run_of(RUNS["warm-up"])
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            run.to_arviz()

    def test_its_summary_agrees(self) -> None:
        run = quasar.sample("eight-schools", warn=False)
        theirs = arviz.summary(run.to_arviz(), round_to="none")
        ours = run.summary()
        for column, name in (("mean", "mean"), ("sd", "sd"), ("ess_bulk", "ess_bulk"), ("r_hat", "rhat")):
            np.testing.assert_allclose(theirs[column].astype(float), ours[name], rtol=1e-6)

    def test_attributes(self) -> None:
        attributes = self.run_of(RUNS["warm-up"]).to_arviz()["posterior"].attrs
        self.assertEqual(attributes["inference_library"], "quasar")
        self.assertEqual(attributes["tuning_steps"], 100)
        self.assertGreaterEqual(attributes["sampling_time"], 0)
        self.assertEqual(json.loads(attributes["inference_library_settings"])["run"]["draws"], 60)
        self.assertRegex(attributes["created_at"], r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d")

    def test_other_versions_of_arviz(self) -> None:
        pythons = [name for name in os.environ.get("QUASAR_PEERS_PYTHON", "").split(os.pathsep) if name]
        peers = [python for python in pythons if is_new(python)]
        if not peers:
            self.skipTest("QUASAR_PEERS_PYTHON names no Python with ArviZ 1.x and h5netcdf")
        run = self.run_of(RUNS["labels and constants"])
        run.save(self.folder / "run.nc")
        (self.folder / "run.pickle").write_bytes(pickle.dumps(recorded(run)))
        package = self.folder / "quasar"
        package.mkdir()
        for source in Path(quasar.__file__).parent.glob("*.py"):
            shutil.copy(source, package)
        for python in peers:
            result = subprocess.run([python, "-c", PEER], cwd=self.folder, capture_output=True, text=True, check=False)
            self.assertEqual(result.returncode, 0, result.stderr)


def group_names(data: Any) -> list[str]:
    names = data.groups() if callable(data.groups) else data.groups  # InferenceData, DataTree
    return [name.strip("/") for name in names if name.strip("/")]


def is_new(python: str) -> bool:
    program = "import arviz, h5netcdf; assert not arviz.__version__.startswith('0.')"
    return (
        Path(python).exists()
        and subprocess.run([python, "-c", program], capture_output=True, check=False).returncode == 0
    )


if __name__ == "__main__":
    unittest.main()
