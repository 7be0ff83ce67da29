"""What a run gives: arrays, tables, words, files."""

import gc
import json
import re
import subprocess
import sys
import time
import unittest
import warnings
import weakref
from typing import Any
from unittest import mock

import numpy as np

import quasar
from quasar.wording import in_python
from support import BIN, HEART, PackageTest

SETTINGS = {"draws": 300, "seed": 4}


class Runs(PackageTest):
    def test_arrays_and_their_types(self) -> None:
        run = quasar.sample("eight-schools", **SETTINGS, save_warmup=True, warmup=100, warn=False)
        self.assertEqual((run.chains, run.draws), (4, 300))
        self.assertEqual(run.posterior["theta"].shape, (4, 300, 8))
        self.assertEqual(run.warmup_posterior["theta"].shape, (4, 100, 8))
        types = {name: run.sample_stats[name].dtype.kind for name in ("lp", "tree_depth", "diverging")}
        self.assertEqual(types, {"lp": "f", "tree_depth": "i", "diverging": "b"})
        self.assertEqual(run.dims, {"theta": ["theta_dim_0"], "mu": [], "tau": []})
        with self.assertRaises(ValueError):
            run.posterior["mu"][0, 0] = 1.0
        with self.assertRaisesRegex(KeyError, "theta, mu, tau"):
            run.posterior["nu"]
        self.assertEqual(len(run.tuning), 4)
        self.assertEqual(run.tuning[0][1].shape, (10,))

    def test_without_its_warmup(self) -> None:
        run = quasar.sample("eight-schools", **SETTINGS, warn=False)
        self.assertEqual((dict(run.warmup_posterior), dict(run.warmup_sample_stats)), ({}, {}))

    def test_arrays_go_with_the_run(self) -> None:
        """At once, not when the garbage collector comes."""
        run = quasar.sample("gaussian", draws=10, warmup=10, save_warmup=True, warn=False)
        for group in (run.posterior, run.sample_stats, run.warmup_posterior, run.warmup_sample_stats):
            self.assertTrue(dict(group))
        gone = weakref.ref(run)
        gc.disable()
        self.addCleanup(gc.enable)
        del run, group
        self.assertIsNone(gone())

    def test_save_and_load(self) -> None:
        run = quasar.sample("logistic", data=HEART, **SETTINGS, save_warmup=True, warn=False)
        run.save(self.folder / "run.nc")
        saved = quasar.load(self.folder / "run.nc")
        self.assert_same_draws(run, saved)
        self.assertEqual(run.info, saved.info)
        self.assertEqual((run.coords, run.dims), (saved.coords, saved.dims))
        self.assertEqual(list(run.constant_data), list(saved.constant_data))
        for name, values in run.constant_data.items():
            np.testing.assert_array_equal(values, saved.constant_data[name])
        for ours, theirs in zip(run.tuning, saved.tuning, strict=True):
            self.assertEqual(ours[0], theirs[0])
            np.testing.assert_array_equal(ours[1], theirs[1])
        self.assertEqual(run.warnings, saved.warnings)

    def test_the_report_is_the_command_lines(self) -> None:
        run = quasar.sample("eight-schools", **SETTINGS, warn=False)
        run.save(self.folder / "run.nc")
        run.report(self.folder / "ours.html")
        subprocess.run([BIN, "report", "run.nc"], cwd=self.folder, check=True, capture_output=True)
        ours, theirs = ((self.folder / name).read_text() for name in ("ours.html", "run.html"))
        made = re.compile(r',\["made","[^"]*"\]')  # a run gets its time when it is saved
        self.assertEqual(made.sub("", ours), made.sub("", theirs))
        with self.assertRaisesRegex(quasar.UsageError, "ours.html exists; overwrite=True replaces it"):
            run.report(self.folder / "ours.html")
        run.report(self.folder / "ours.html", overwrite=True)

    def test_a_log_likelihood_is_not_lost_in_saving(self) -> None:
        command = [BIN, "sample", "--model", "logistic", "--data", str(HEART), "--draws", "20", "--quiet"]
        command.append("--log-likelihood")
        subprocess.run([*command, "--out", "run.nc"], cwd=self.folder, check=True, capture_output=True)
        run = quasar.load(self.folder / "run.nc")
        with self.assertRaisesRegex(quasar.UsageError, "log likelihood"):
            run.save(self.folder / "other.nc")
        self.assertFalse((self.folder / "other.nc").exists())

    def test_the_summary_is_the_command_lines(self) -> None:
        run = quasar.sample("eight-schools", **SETTINGS, warn=False)
        run.save(self.folder / "run.nc")
        expected = json.loads(self.command_line("summary", "run.nc", "--json"))["parameters"]
        table = run.summary()
        self.assertEqual(list(table.index), [one["name"] for one in expected])
        columns = ["mean", "sd", "q5", "q50", "q95", "mcse_mean", "ess_bulk", "ess_tail", "rhat"]
        self.assertEqual(list(table.columns), columns)
        for column in columns:
            np.testing.assert_array_equal(table[column], [one[column] for one in expected])

    def test_the_summary_without_pandas_prints_the_same_text(self) -> None:
        program = """
import sys
sys.modules["pandas"] = None
import quasar
table = quasar.load("run.nc").summary()
print(table, end="")
assert len(table) == 10 and table["mu"]["rhat"] > 0.9, table["mu"]
"""
        quasar.sample("eight-schools", **SETTINGS, out=self.folder / "run.nc", warn=False)
        printed = subprocess.run(
            [sys.executable, "-c", program], cwd=self.folder, capture_output=True, text=True, check=True
        ).stdout
        self.assertEqual(printed.strip(), self.command_line("summary", "run.nc").strip())

    def test_short_descriptions(self) -> None:
        run = quasar.sample("eight-schools", **SETTINGS, warn=False)
        expected = "<quasar.Run: eight-schools by nuts, 4 chains of 300 draws, 0 divergences: theta, mu, tau>"
        self.assertEqual(repr(run), expected)
        run.save(self.folder / "run.nc")
        self.assertEqual(str(run).strip(), self.command_line("summary", "run.nc").strip())
        page = run._repr_html_()
        self.assertIn("<th>theta[1]</th>", page)
        self.assertIn("<th>ess_bulk</th>", page)
        long = quasar.sample("gaussian", dim=30, **SETTINGS, warn=False)._repr_html_()
        self.assertIn("and 10 more", long)

    def test_warnings_come_as_pythons_own_in_pythons_words(self) -> None:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            run = quasar.sample("funnel", draws=200, warmup=100)
        self.assertEqual([str(one.message) for one in caught], run.warnings)
        self.assertTrue(all(one.category is quasar.ConvergenceWarning for one in caught))
        self.assertTrue(all(one.filename == __file__ for one in caught), caught[0].filename)
        self.assertIn('metric="lbfgs"', "\n".join(run.warnings))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            quasar.sample("funnel", draws=200, warmup=100, warn=False)

    def test_diagnosis(self) -> None:
        run = quasar.sample("funnel", draws=200, warmup=100, warn=False)
        run.save(self.folder / "run.nc")
        expected = json.loads(self.command_line("diagnose", "run.nc", "--json"))
        found = run.diagnose()
        self.assertFalse(found.ok)
        self.assertEqual([one.kind for one in found.problems], [one["kind"] for one in expected["problems"]])
        self.assertEqual(found.problems[0].parameters["v"], expected["problems"][0]["parameters"][0]["value"])
        self.assertIn("try: warmup=1000", str(found))
        self.assertTrue(quasar.sample("gaussian", warn=False).diagnose().ok)

    def test_ensembles(self) -> None:
        run = quasar.sample("gaussian", "hmc-bfgs", members=3, chains=2, **SETTINGS, warn=False)
        self.assertEqual((run.chains, run.info["members"]), (6, 3))


class Words(PackageTest):
    def test_advice_in_pythons_words(self) -> None:
        expected = {
            "Try --set metric=welford_dense or --draws 8800": 'Try metric="welford_dense" or draws=8800',
            "--set model.parameterization=noncentered": 'quasar.model(…, parameterization="noncentered")',
            "remove it or set model.standardize=false": "remove it or use quasar.model(…, standardize=False)",
            "MNIST: --data-dir names the folder": "MNIST: data_dir names the folder",
            "… and 3 more; quasar summary shows all": "… and 3 more; summary() shows all",
            "are in run.nc.part, which quasar summary reads": "are in run.nc.part, which quasar.load reads",
            "exists; --overwrite replaces it, --out names": "exists; overwrite=True replaces it, out names",
            "--set step_size=5e-05, then": "step_size=5e-05, then",
            "--set refresh=true": "refresh=True",
            "--sampler nuts, which is exact": 'sampler="nuts", which is exact',
            "--resume goes on, --overwrite discards": "resume=True goes on, overwrite=True discards",
            "another start (--init)": "another start (init)",
            "a larger --batch-size": "a larger batch_size",
        }
        for text, translated in expected.items():
            self.assertEqual(in_python(text), translated)

    def test_what_users_have_named_stays_as_it_is(self) -> None:
        names = ("my--data.csv", "./--data.csv", "--data-set", "--database", "nothing - at all", "a--resume", "--yes")
        for text in names:
            self.assertEqual(in_python(f"{text}: no such file"), f"{text}: no such file")

    def test_advice_names_the_model(self) -> None:
        model = quasar.model("eight-schools", parameterization="centered")
        run = quasar.sample(model, draws=100, warmup=30, chains=2, warn=False)
        self.assertIn('quasar.model("eight-schools", parameterization="noncentered")', str(run.diagnose()))

    def test_errors_of_every_function(self) -> None:
        same = {"a": [1.0, 1.0, 1.0], "y": [0.0, 1.0, 0.0]}
        with self.assertRaisesRegex(quasar.DataError, r"or use quasar\.model\(…, standardize=False\)"):
            quasar.model("logistic", same, standardize=True)
        with self.assertRaisesRegex(quasar.UsageError, "MNIST: data_dir names"):
            quasar.reproduce("qnhmc-logistic")


class Stopped(PackageTest):
    def stopped(self, **settings: Any) -> quasar.Run:
        job = quasar.start("gaussian", draws=10**9, warmup=10, thin=1000, chains=1, **settings)
        while job.progress[0].iterations < 5000:
            time.sleep(0.01)
        job.stop()
        return job.result()

    def test_in_memory_nothing_can_be_taken_up_again(self) -> None:
        run = self.stopped()
        run.save(self.folder / "run.nc")
        for one in (run, quasar.load(self.folder / "run.nc")):
            said = "\n".join([*one.warnings, str(one.diagnose()), str(one)])
            self.assertIn("a run to the end", said)
            self.assertNotIn("resume", said)

    def test_in_a_file_it_can(self) -> None:
        run = self.stopped(out=self.folder / "run.nc")
        for one in (run, quasar.load(self.folder / "run.nc"), quasar.load(self.folder / "run.nc.part")):
            self.assertIn("resume=True, which goes on with it", str(one.diagnose()))


class Registry(PackageTest):
    def test_everything_is_listed(self) -> None:
        kinds = {"samplers": quasar.samplers, "models": quasar.models, "experiments": quasar.experiments}
        for kind, listed in kinds.items():
            expected = json.loads(self.command_line("list", kind, "--json"))
            self.assertEqual(list(listed()), [one["name"] for one in expected])
        depth = quasar.samplers()["nuts"].parameters["max_depth"]
        self.assertEqual((depth.type, depth.default, depth.min, depth.max), ("integer", 10, 1, 24))
        self.assertIn("lbfgs", quasar.samplers()["nuts"].parameters["metric"].choices)
        self.assertTrue(quasar.models()["logistic"].needs_data)

    def test_what_was_built(self) -> None:
        built = quasar.build_info()
        self.assertEqual(built["version"], quasar.__version__)
        self.assertLessEqual({"compiler", "eigen", "netcdf", "openblas", "nanobind", "build_type"}, set(built))

    def test_an_experiment(self) -> None:
        ours = quasar.reproduce("sghmc-trajectories", seed=2, plot=self.folder / "pictures")
        expected = json.loads(self.command_line("reproduce", "sghmc-trajectories", "--seed", 2, "--json"))
        self.assertEqual([row.value for row in ours.rows], [row["value"] for row in expected["rows"]])
        self.assertIn("Chen, Fox and Guestrin", str(ours))
        self.assertIn("energy after 1000 steps", str(ours))
        self.assertEqual(ours.figures, (self.folder / "pictures" / "sghmc-trajectories-figure-2.svg",))
        self.assertIn("</svg>", ours.figures[0].read_text())
        with self.assertRaisesRegex(quasar.UsageError, "exists; overwrite=True replaces it, plot names another folder"):
            quasar.reproduce("sghmc-trajectories", plot=self.folder / "pictures")
        with mock.patch("quasar._core.reproduce", side_effect=LookupError) as core, self.assertRaises(LookupError):
            quasar.reproduce("sghmc-trajectories", quick=True, data_dir=self.folder, work_dir=self.folder / "work")
        work = str(self.folder / "work")
        core.assert_called_once_with("sghmc-trajectories", 1, True, str(self.folder), work, "", False)


if __name__ == "__main__":
    unittest.main()
