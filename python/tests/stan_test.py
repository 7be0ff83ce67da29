"""Compiled Stan programs: names and shapes, data, the command line's draws, messages, errors.

The programs are those of the command line's tests, made to look as if BridgeStan had compiled them.
"""

import contextlib
import io
import json
import re
import shutil
import unittest
from pathlib import Path
from typing import Any

import numpy as np

import quasar
from quasar.values import as_json
from support import BIN, ROOT, PackageTest

PROGRAMS = Path(BIN).resolve().parent / "stan_programs"
GAUSSIAN, HALF_NORMAL, SHAPES, FAILING = (
    PROGRAMS / f"{name}.so" for name in ("gaussian", "half_normal", "shapes", "failing")
)
QUICK = {"draws": 50, "warmup": 50, "warn": False}


class Values(PackageTest):
    def test_names_and_shapes(self) -> None:
        target = quasar.stan(SHAPES)
        expected = {
            "mu": (),
            "v": (3,),
            "A": (2, 3),
            "B": (2, 2, 2),
            "t:1": (),
            "t:2": (2,),
            "u:1": (2,),
            "u:2": (2, 2),
            "z.real": (),
            "z.imag": (),
            "w.real": (2,),
            "w.imag": (2,),
            "sigma": (),
            "p": (3,),
            "squares": (2, 2),
            "noise": (2, 2),
        }
        self.assertEqual((target.name, target.dim), ("shapes", 36))
        self.assertEqual(dict(target.variables), expected)
        run = quasar.sample(target, **QUICK)
        self.assertEqual({name: draws.shape[2:] for name, draws in run.posterior.items()}, expected)

    def test_matrices_are_not_transposed(self) -> None:
        """squares = the first four numbers squared, by columns: mu, v[1], v[2], v[3]."""
        run = quasar.sample(quasar.stan(SHAPES), **QUICK).posterior
        numbers = np.concatenate([run["mu"][..., None], run["v"]], axis=-1)
        np.testing.assert_array_equal(run["squares"].swapaxes(2, 3).reshape(4, 50, 4), numbers**2)

    def test_what_is_recorded(self) -> None:
        parts = {"transformed": ["total"], "generated": ["again"]}
        whole = quasar.sample(quasar.stan(GAUSSIAN), **QUICK)
        self.assertEqual(list(whole.posterior), ["a", "b", "total", "again"])
        for left_out, names in parts.items():
            run = quasar.sample(quasar.stan(GAUSSIAN, **{left_out: False}), **QUICK)
            self.assertEqual(list(run.posterior), [name for name in whole.posterior if name not in names])
            np.testing.assert_array_equal(run.posterior["a"], whole.posterior["a"])

    def test_logp_grad(self) -> None:
        logp, gradient = quasar.stan(GAUSSIAN, {"y": 2}).logp_grad([3.0, -1.7, 3.0])
        self.assertEqual((logp, gradient[2]), (-0.5, 0))
        stream = io.StringIO()
        with contextlib.redirect_stderr(stream):
            self.assertEqual(quasar.stan(HALF_NORMAL).logp_grad([-1.0])[0], -np.inf)
        self.assertIn("a point is rejected: x is -1", stream.getvalue())


class SameDraws(PackageTest):
    def command_lines(self, library: Path, data: Path, **settings: Any) -> quasar.Run:
        options = [word for name, value in settings.items() for word in (f"--{name}", value)]
        self.command_line("sample", "--quiet", "--bridgestan", library, "--data", data, "--overwrite", *options)
        return quasar.load(self.folder / "run.nc")

    def test_data_as_dict_and_as_file(self) -> None:
        values = {"y": np.float64(5), "more": np.arange(6).reshape(2, 3)}
        path = self.folder / "data.json"
        path.write_text('{"y": 5, "more": [[0, 1, 2], [3, 4, 5]]}')
        theirs = self.command_lines(GAUSSIAN, path, seed=7, draws=50, warmup=50)
        for data in (values, path, str(path)):
            self.assert_same_draws(quasar.sample(quasar.stan(GAUSSIAN, data), seed=7, **QUICK), theirs)

    def test_the_seed_of_the_run_is_the_programs(self) -> None:
        """The program's mean of `a` is the seed it was made with."""
        path = self.folder / "data.json"
        path.write_text('{"take_seed": 1}')
        target = quasar.stan(GAUSSIAN, path)
        for seed in (1, 40):
            run = quasar.sample(target, seed=seed, **QUICK)
            self.assert_same_draws(run, self.command_lines(GAUSSIAN, path, seed=seed, draws=50, warmup=50))
            error = float(quasar.diagnostics.mcse_mean(run.posterior["a"]))
            self.assertLess(abs(run.posterior["a"].mean() - seed), 5 * error)

    def test_complex_numbers_have_a_last_axis(self) -> None:
        self.assertEqual(json.loads(as_json({"z": np.array([1 + 2j, 3])})), {"z": [[1, 2], [3, 0]]})


class Messages(PackageTest):
    def shown(self, library: Path, data: dict[str, object], **settings: Any) -> str:
        stream = io.StringIO()
        with contextlib.redirect_stderr(stream):
            quasar.sample(quasar.stan(library, data), **settings)
        return stream.getvalue()

    def test_what_a_program_prints_is_shown(self) -> None:
        text = self.shown(GAUSSIAN, {"print": 1}, draws=5, warmup=5, warn=False)
        self.assertTrue(text.startswith("made\nevaluated\nevaluated\n"), text[:80])

    def test_also_while_a_job_is_waited_for(self) -> None:
        stream = io.StringIO()
        with contextlib.redirect_stderr(stream):
            job = quasar.start(quasar.stan(GAUSSIAN, {"print": 1}), draws=5, warmup=5)
            self.assertTrue(job.wait(60))
        self.assertIn("evaluated\n", stream.getvalue())

    def test_rejections_are_told_a_few_times(self) -> None:
        text = self.shown(HALF_NORMAL, {}, draws=100, warn=False)
        self.assertEqual(text.count("half_normal: a point is rejected: x is -"), 5)
        self.assertEqual(text.count("half_normal: a point is rejected: more reasons are not shown\n"), 1)

    def test_values_that_cannot_be_computed(self) -> None:
        stream = io.StringIO()
        with contextlib.redirect_stderr(stream):
            run = quasar.sample(quasar.stan(FAILING, {"fail": "generated"}), **QUICK)
        self.assertTrue(np.isnan(run.posterior["z"]).all())
        self.assertTrue(np.isfinite(run.posterior["y"]).all())
        self.assertIn("not all values of a draw can be computed: failed in generated\n", stream.getvalue())


class Errors(PackageTest):
    def test_files_and_data(self) -> None:
        wrong: dict[str, tuple[type[Exception], Path, Any]] = {
            "missing.so: cannot be loaded as a library": (quasar.DataError, self.folder / "missing.so", None),
            "it has no bs_param_num": (quasar.DataError, PROGRAMS / "without_bs_param_num.so", None),
            "no.json: cannot be opened": (quasar.DataError, GAUSSIAN, self.folder / "no.json"),
            "the model refuses the data: y is negative": (quasar.DataError, GAUSSIAN, {"y": -1}),
            "failed in construct": (quasar.DataError, FAILING, {"fail": "construct"}),
            "neither a number nor an array": (TypeError, GAUSSIAN, {"y": object()}),
            "two variables are called 'x'": (quasar.UsageError, FAILING, {"fail": "two of a name"}),
        }
        for words, (error, library, data) in wrong.items():
            with self.subTest(words), self.assertRaisesRegex(error, words):
                quasar.sample(quasar.stan(library, data))

    def test_a_target_stays_the_program_that_it_was_made_of(self) -> None:
        library = self.folder / "model.so"
        shutil.copy(GAUSSIAN, library)
        old = quasar.stan(library)
        library.unlink()
        shutil.copy(HALF_NORMAL, library)
        self.assertEqual(list(quasar.sample(old, seed=1, **QUICK).posterior), ["a", "b", "total", "again"])
        with self.assertRaisesRegex(quasar.DataError, "model.so: has changed since this target was made"):
            quasar.sample(old, seed=2, **QUICK)
        self.assertEqual(quasar.stan(library).name, "half_normal")

    def test_seeds(self) -> None:
        for seed in (-1, 1.5, 2**70):
            with self.subTest(seed), self.assertRaisesRegex(quasar.UsageError, "^seed"):
                quasar.sample(quasar.stan(GAUSSIAN), seed=seed)

    def test_no_point_to_start_from(self) -> None:
        stream = io.StringIO()
        with (
            contextlib.redirect_stderr(stream),
            self.assertRaisesRegex(quasar.RunError, r"no usable starting point: .*\(failed in density\)"),
        ):
            quasar.sample(quasar.stan(FAILING, {"fail": "density"}))


class Document(PackageTest):
    def test_the_call_in_the_manual(self) -> None:
        (call,) = re.findall(r"`(quasar\.stan\(.*?\))`", (ROOT / "docs" / "python.md").read_text())
        shutil.copy(GAUSSIAN, self.folder / "bernoulli_model.so")
        with contextlib.chdir(self.folder):
            target = eval(call, {"quasar": quasar})
        self.assertEqual(quasar.sample(target, **QUICK).draws, 50)


if __name__ == "__main__":
    unittest.main()
