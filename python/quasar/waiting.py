"""Waiting for the library while the keyboard is heard: Python looks at it between two calls only."""

import math
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, wait
from typing import ParamSpec, TypeVar

POLL_SECONDS = 0.1  # between two looks at the chains, and at the keyboard

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


def nothing() -> None:
    pass


def wait_in_slices(
    ended: Callable[[float], bool], seconds: float = math.inf, meanwhile: Callable[[], None] = nothing
) -> bool:
    """Asks `ended(slice)`, which waits that long, until it is so or the time is up; `meanwhile` after every slice."""
    deadline = time.monotonic() + seconds
    while True:
        left = deadline - time.monotonic()
        done = ended(max(0.0, min(POLL_SECONDS, left)))
        meanwhile()
        if done or left <= POLL_SECONDS:
            return done


def interruptible(
    function: Callable[Parameters, Result], *arguments: Parameters.args, **named: Parameters.kwargs
) -> Result:
    """Calls it on a thread of its own. Ctrl-C is raised at once; the thread, which nobody waits for, goes on."""
    future: Future[Result] = Future()

    def work() -> None:
        try:
            future.set_result(function(*arguments, **named))
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=work, daemon=True).start()
    wait_in_slices(lambda seconds: bool(wait([future], seconds).done))
    return future.result()
