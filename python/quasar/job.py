"""Runs in the background, and how they are waited for."""

from __future__ import annotations

import math

from quasar import _core
from quasar.messages import show_messages, take_messages, write_messages
from quasar.progress import ChainProgress, Display, display_for
from quasar.run import Run
from quasar.waiting import POLL_SECONDS, wait_in_slices
from quasar.wording import errors_in_python


class Job:
    """A run that goes on in the background, on threads of its own."""

    def __init__(self, core: _core.Job, *, durable: bool) -> None:
        self._core = core
        self._durable = durable
        self._ended: Run | BaseException | None = None

    @property
    def progress(self) -> list[ChainProgress]:
        total = sum(self._core.schedule)
        complete = self._complete()
        return [
            ChainProgress(
                total if complete else iterations, total, divergences, None if math.isnan(step_size) else step_size
            )
            for iterations, divergences, step_size in self._core.progress()
        ]

    @property
    def done(self) -> bool:
        return self._core.wait(0)

    def wait(self, seconds: float) -> bool:
        """True: the run has ended. Shows what a Stan program has printed meanwhile."""
        return wait_in_slices(self._core.wait, seconds, meanwhile=show_messages)

    def stop(self) -> None:
        """Asks the chains to stop after the iteration under way; `result` then has what was drawn until then."""
        self._core.stop()

    def result(self, timeout: float | None = None) -> Run:
        """Waits for the run to end and returns it. Raises what the run, or the function it called, has raised."""
        if not self.wait(math.inf if timeout is None else timeout):
            raise TimeoutError(f"the run goes on after {timeout} seconds")
        return returned(self._outcome())

    def _outcome(self) -> Run | BaseException:
        """Of a run that has ended: one object, which keeps the arrays that were asked for."""
        if self._ended is None:
            try:
                with errors_in_python():
                    self._ended = Run(self._core.result(), resumable=self._durable)
            except BaseException as error:
                self._ended = error
        return self._ended

    def _complete(self) -> bool:
        """A finished run that was taken up again has made no iteration of its own."""
        if not self.done:
            return False
        outcome = self._outcome()
        return isinstance(outcome, Run) and not outcome.info["stopped_early"]

    def __repr__(self) -> str:
        chains = self.progress
        at = ", ".join(str(chain.iterations) for chain in chains)
        return f"<quasar.Job: {'done' if self.done else 'running'}, iterations {at} of {chains[0].total}>"


def returned(outcome: Run | BaseException) -> Run:
    if isinstance(outcome, BaseException):
        raise outcome
    return outcome


def shown_result(job: Job, progress: bool | None) -> tuple[Run, bool]:
    """The run, and whether the user has interrupted it: the first time it is stopped, the second time given up.

    When it has ended an interrupt changes nothing: what was drawn is returned.
    """
    interrupted = False
    display: Display | None = None
    while True:
        try:
            display = display or display_for(progress, len(job.progress))
            while not job._core.wait(POLL_SECONDS):
                show(job, display)
            show(job, display)
            outcome = job._outcome()
            break
        except KeyboardInterrupt:
            if interrupted and not job.done:
                raise
            interrupted = True
            job.stop()
    return returned(outcome), interrupted


def show(job: Job, display: Display) -> None:
    """Nothing that a screen does may cost the run."""
    text = take_messages()
    try:
        if text:
            display.clear()
            write_messages(text)
        display.show(job.progress)
    except (OSError, ValueError, AttributeError):
        pass
