"""Runs, functions and the interpreter end in any order."""

import collections
import gc
import subprocess
import sys
import textwrap
import unittest
import weakref
from typing import Any

import numpy as np

import quasar
from support import PackageTest, gaussian

ENDLESS = 10**9


class TheEnd(PackageTest):
    """Programs that end while something is still going on: quietly, and with the exit code 0."""

    def ends(self, program: str) -> None:
        command = [sys.executable, "-c", textwrap.dedent(program)]
        result = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_with_a_run_whose_function_samples(self) -> None:
        self.ends("""
            import time, warnings, quasar
            warnings.simplefilter("ignore", quasar.StoppedEarly)  # of the inner run, at the end

            def inner(x):
                return -0.5 * float(x @ x), -x

            def outer(x):
                quasar.sample(inner, dim=1, chains=1, draws=5, warmup=5, warn=False)
                return -0.5 * float(x @ x), -x

            job = quasar.start(outer, dim=2, draws=10**6)
            time.sleep(0.3)
            """)

    def test_with_a_daemon_that_samples(self) -> None:
        self.ends("""
            import threading, time, quasar

            def loop():
                while True:
                    quasar.sample("eight-schools", draws=5, warmup=5, warn=False)

            threading.Thread(target=loop, daemon=True).start()
            time.sleep(0.3)
            """)

    def test_with_a_job_that_the_collector_drops_on_its_own_thread(self) -> None:
        self.ends("""
            import time, quasar

            class Fit:
                def __init__(self):
                    self.me = self
                    self.job = quasar.start(rubbish, dim=2, draws=10**9, thin=1000)

            def rubbish(x):
                lists = [[] for _ in range(50)]
                for one in lists:
                    one.append(lists)
                return -0.5 * float(x @ x), -x

            Fit()
            time.sleep(0.5)
            """)


class Garbage(PackageTest):
    def test_an_object_that_holds_its_target_is_collected(self) -> None:
        class Model:
            def __init__(self) -> None:
                self.target = quasar.function(self.logp_grad, dim=2)

            def logp_grad(self, x: Any) -> tuple[float, Any]:
                return gaussian(x)

        model = Model()
        reference = weakref.ref(model)
        del model
        gc.collect()
        self.assertIsNone(reference())

    def test_a_function_lives_as_long_as_its_run(self) -> None:
        def density(x: Any) -> tuple[float, Any]:
            return gaussian(x)

        job = quasar.start(density, dim=2, draws=ENDLESS, thin=1000)
        reference = weakref.ref(density)
        del density
        gc.collect()
        self.assertIsNotNone(reference())
        job.stop()
        job.result()


class Functions(PackageTest):
    def test_every_run_has_the_error_of_its_own(self) -> None:
        limit = 100

        def breaks(x: Any) -> tuple[float, Any]:
            nonlocal limit
            limit -= 1
            if limit < 0:
                raise ZeroDivisionError("mine")
            return gaussian(x)

        target = quasar.function(breaks, dim=2)
        jobs = [quasar.start(target) for _ in range(2)]
        for job in [*jobs, *jobs]:
            with self.assertRaisesRegex(ZeroDivisionError, "mine"):
                job.result()

    def test_what_a_function_does_to_its_argument_is_its_own_affair(self) -> None:
        shapes = set()

        def rude(x: Any) -> tuple[float, Any]:
            shapes.add(x.shape)
            result = gaussian(x.copy())
            x.resize((1000,), refcheck=False)
            return result

        self.assert_same_draws(
            quasar.sample(rude, dim=2, draws=100, warn=False), quasar.sample(gaussian, dim=2, draws=100, warn=False)
        )
        self.assertEqual(shapes, {(2,)})

    def test_an_argument_that_is_kept_stays_as_it_was(self) -> None:
        kept: list[tuple[Any, Any]] = []

        def keeps(x: Any) -> tuple[float, Any]:
            kept.append((x, x.copy()))
            return gaussian(x)

        quasar.sample(keeps, dim=2, chains=1, draws=50, warmup=50, warn=False)
        for x, copy in kept:
            np.testing.assert_array_equal(x, copy)

    def test_a_reason_that_has_no_utf8_form(self) -> None:
        def rejects(x: Any) -> tuple[float, Any]:
            raise quasar.Reject("bad \udcff")

        with self.assertRaisesRegex(quasar.RunError, r"bad \\udcff"):
            quasar.sample(rejects, dim=1)

    def test_the_prior_of_a_sum_says_why(self) -> None:
        def terms(x: Any, indices: Any) -> tuple[float, Any]:
            return gaussian(x)

        def prior(x: Any) -> tuple[float, Any]:
            raise quasar.Reject("never")

        with self.assertRaisesRegex(quasar.RunError, "never"):
            quasar.sample(quasar.finite_sum(terms, 3, prior=prior, dim=1))

    def test_a_named_tuple_is_a_tuple_and_none_no_gradient(self) -> None:
        Pair = collections.namedtuple("Pair", "logp grad")
        self.assertEqual(quasar.function(lambda x: Pair(*gaussian(x)), dim=1).logp_grad([2.0])[0], -2.0)
        for wrong in (None, np.array([1j])):
            with self.assertRaises((TypeError, ValueError)):
                quasar.function(lambda x, wrong=wrong: (0.0, wrong), dim=1).logp_grad([2.0])


if __name__ == "__main__":
    unittest.main()
