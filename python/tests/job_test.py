"""Runs in the background, their progress, and what Ctrl-C leaves."""

import signal
import subprocess
import sys
import time
import unittest
import warnings
from typing import Any
from unittest import mock

import quasar
from quasar.job import Job
from support import PackageTest, gaussian

ENDLESS = 10**9


class Jobs(PackageTest):
    def test_result_is_that_of_sample(self) -> None:
        job = quasar.start("eight-schools", draws=100)
        self.assert_same_draws(job.result(), quasar.sample("eight-schools", draws=100, warn=False))
        self.assertTrue(job.done)
        self.assertEqual([chain.iterations for chain in job.progress], [1100] * 4)
        self.assertEqual([chain.fraction for chain in job.progress], [1.0] * 4)
        self.assertTrue(all(chain.step_size is not None and chain.step_size > 0 for chain in job.progress))

    def test_stop_keeps_the_draws(self) -> None:
        job = quasar.start("gaussian", draws=ENDLESS, warmup=10, thin=1000)
        while min(chain.iterations for chain in job.progress) < 5000:
            time.sleep(0.01)
        self.assertFalse(job.done)
        with self.assertRaises(TimeoutError):
            job.result(timeout=0.01)
        job.stop()
        run = job.result(timeout=60)
        self.assertGreaterEqual(run.draws, 4)
        self.assertTrue(run.info["stopped_early"])

    def test_progress_goes_up(self) -> None:
        job = quasar.start(gaussian, dim=2, draws=2000, warmup=0, step_size=0.5)
        seen = [0]
        while not job.wait(0.001):
            seen.append(sum(chain.iterations for chain in job.progress))
        self.assertEqual(seen, sorted(seen))
        self.assertEqual(sum(chain.iterations for chain in job.progress), 8000)
        job.result()

    def test_a_job_that_is_forgotten_ends(self) -> None:
        program = (
            f"import quasar; quasar.start('gaussian', draws={ENDLESS}, thin=1000); quasar.start('gaussian', draws=1)"
        )
        subprocess.run([sys.executable, "-c", program], timeout=60, check=True, cwd=self.folder)

    def test_two_jobs_at_once(self) -> None:
        jobs = [quasar.start(gaussian, dim=2, seed=seed, draws=200) for seed in (1, 2, 1)]
        first, second, third = (job.result() for job in jobs)
        self.assert_same_draws(first, third)
        self.assertFalse((first.posterior["x"] == second.posterior["x"]).all())

    def test_a_finished_run_that_is_taken_up_again_is_done(self) -> None:
        settings = {"draws": 50, "warmup": 10, "out": self.folder / "run.nc"}
        quasar.start("gaussian", **settings).result()
        again = quasar.start("gaussian", resume=True, **settings)
        self.assertTrue(again.wait(60))
        self.assertEqual([chain.iterations for chain in again.progress], [60] * 4)

    def test_a_run_that_was_stopped_is_not_complete(self) -> None:
        job = quasar.start("gaussian", draws=ENDLESS, warmup=10, thin=1000)
        job.stop()
        self.assertTrue(job.wait(60))
        self.assertLess(job.progress[0].fraction, 1)

    def test_what_a_run_has_raised_is_raised_whenever_it_is_asked_for(self) -> None:
        job = quasar.start(lambda x: 1 / 0, dim=2)
        job.wait(60)
        self.assertEqual(job.progress[0].iterations, 0)
        for _ in range(2):
            with self.assertRaises(ZeroDivisionError):
                job.result()


class CtrlC(PackageTest):
    def interrupted(self, program: str, signs: tuple[str, ...] = ("ready",)) -> tuple[int, str, str]:
        """Once for every sign that the program prints."""
        path = self.folder / "program.py"
        path.write_text(program)
        process = subprocess.Popen(
            [sys.executable, str(path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=self.folder
        )
        self.addCleanup(process.kill)
        assert process.stdout is not None
        for sign in signs:
            self.assertEqual(process.stdout.readline(), f"{sign}\n")
            process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        return process.returncode, out, err

    # Slow from the call on at which it is ready, so that the run cannot end before it is interrupted.
    FUNCTION = """
import quasar, time
def f(x):
    f.calls += 1
    if f.calls == {calls}:
        print("ready", flush=True)
    if f.calls >= {calls}:
        time.sleep({seconds})
    return -0.5 * x @ x, -x
f.calls = 0
"""

    def test_what_was_drawn_is_returned(self) -> None:
        program = self.FUNCTION.format(calls=20000, seconds=0) + (
            f"run = quasar.sample(f, dim=2, draws={ENDLESS}, warmup=50, thin=100)\n"
            "print(run.draws > 5, run.info['stopped_early'])\n"
        )
        code, out, err = self.interrupted(program)
        self.assertEqual((code, out), (0, "True True\n"), err)
        self.assertRegex(err, r"program.py:\d+: StoppedEarly: stopped after \d+ draws of each chain")

    def test_nothing_drawn_is_an_interrupt(self) -> None:
        program = self.FUNCTION.format(calls=20000, seconds=0)
        code, _, err = self.interrupted(program + f"quasar.sample(f, dim=2, draws=1, warmup={ENDLESS})\n")
        self.assertEqual(code, -signal.SIGINT)
        self.assertIn("KeyboardInterrupt: stopped in warm-up, before the first draw", err)

    def test_the_second_gives_up(self) -> None:
        program = self.FUNCTION.format(calls=20000, seconds=1)
        program += f"""
from quasar.job import Job

stop = Job.stop

def stop_and_say(job):
    stop(job)
    print("stopping", flush=True)

Job.stop = stop_and_say
quasar.sample(f, dim=2, chains=1, draws={ENDLESS})
"""
        code, _, err = self.interrupted(program, signs=("ready", "stopping"))
        self.assertEqual(code, -signal.SIGINT)
        self.assertNotIn("before the first draw", err)

    def test_the_file_can_be_taken_up_again(self) -> None:
        settings = {"seed": 3, "draws": 2000, "warmup": 100, "chains": 1}
        program = self.FUNCTION.format(calls=1500, seconds=0.01)
        program += f"print(quasar.sample(f, dim=2, out='run.nc', **{settings}).draws)\n"
        code, drawn, err = self.interrupted(program)
        self.assertEqual(code, 0, err)
        self.assertIn("StoppedEarly", err)
        self.assertLess(int(drawn), 2000)
        out = self.folder / "run.nc"
        run = quasar.sample(gaussian_like, dim=2, out=out, resume=True, warn=False, **settings)
        self.assertEqual(run.draws, 2000)
        self.assert_same_draws(run, quasar.sample(gaussian_like, dim=2, warn=False, **settings))

    def test_every_way_of_waiting_hears_it(self) -> None:
        """The sign comes half a second later, when the program is waiting."""
        job = f"quasar.start('gaussian', draws={ENDLESS}, thin=1000)"
        long = "quasar.reproduce('sghmc-double-well')"
        for wait in (f"{job}.wait(1000)", f"{job}.result(timeout=1000)", f"{job}.result()", long):
            with self.subTest(wait):
                program = "import quasar, threading\n"
                program += f"threading.Timer(0.5, lambda: print('ready', flush=True)).start()\n{wait}\n"
                began = time.monotonic()
                code, _, err = self.interrupted(program)
                self.assertEqual(code, -signal.SIGINT)
                self.assertTrue(err.endswith("KeyboardInterrupt\n"), err)
                self.assertLess(time.monotonic() - began, 10)

    def test_after_the_last_draw_it_costs_nothing(self) -> None:
        with mock.patch.object(quasar.Run, "warnings", mock.PropertyMock(side_effect=KeyboardInterrupt)) as warned:
            run = quasar.sample("gaussian", draws=50, warmup=50)
        warned.assert_called_once()
        self.assertEqual(run.draws, 50)

    def test_a_complete_run_is_not_called_stopped(self) -> None:
        """Two interrupts when it has ended: neither stops it, and its problems are told as ever."""
        interrupts = iter([KeyboardInterrupt, KeyboardInterrupt])

        def interrupt(job: Job, _display: object) -> None:
            if job.done and (interrupt := next(interrupts, None)):
                raise interrupt

        with warnings.catch_warnings(record=True) as caught, mock.patch("quasar.job.show", interrupt):
            warnings.simplefilter("always")
            run = quasar.sample("funnel", draws=200, warmup=100)
        self.assertIsNone(next(interrupts, None))
        self.assertEqual((run.draws, run.info["stopped_early"]), (200, False))
        self.assertEqual({one.category for one in caught}, {quasar.ConvergenceWarning})


def gaussian_like(x: Any) -> tuple[float, Any]:
    return -0.5 * x @ x, -x


gaussian_like.__name__ = "f"  # as in the program above: a run is taken up again by the model it was begun with


if __name__ == "__main__":
    unittest.main()
