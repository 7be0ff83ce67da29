"""From a target to draws: `sample` waits for them, `start` does not."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, TypeAlias, cast

import numpy as np
from numpy.typing import ArrayLike

from quasar import _core
from quasar.calls import Samples, Starts
from quasar.checks import AnyPath, is_path, path_text, text
from quasar.errors import ConvergenceWarning, StoppedEarly, UsageError
from quasar.job import Job, shown_result
from quasar.registry import run_integer
from quasar.run import Run
from quasar.settings import Init, TargetLike
from quasar.targets import CompiledFunction, Target, function, is_compiled, model, pointer
from quasar.values import Data, Floats, Setting, Shapes, as_json, as_numbers, as_texts
from quasar.wording import errors_in_python

Start: TypeAlias = Floats | str | None  # points, or JSON text


def with_calls_of_start(function: Callable[..., Job]) -> Starts:
    """The function itself, to be called with the parameters of the sampler it is given: type checkers know them."""
    return cast(Starts, function)


def with_calls_of_sample(function: Callable[..., Run]) -> Samples:
    return cast(Samples, function)


@with_calls_of_start
def start(
    target: TargetLike,
    sampler: str = "nuts",
    *,
    chains: int = 4,
    draws: int = 1000,
    warmup: int = 1000,
    thin: int = 1,
    seed: int = 1,
    threads: int = 0,
    init: Init | None = None,
    save_warmup: bool = False,
    variables: Sequence[str] | None = None,
    out: AnyPath | None = None,
    overwrite: bool = False,
    resume: bool = False,
    checkpoint_every: int = 0,
    data: Data | None = None,
    dim: int | None = None,
    shapes: Shapes | None = None,
    **parameters: Setting,
) -> Job:
    """Starts a run and returns at once; takes the arguments of `quasar.sample`, except `progress` and `warn`."""
    chains, seed = run_integer("chains", chains), run_integer("seed", seed)
    run: dict[str, Setting] = {"chains": chains, "draws": draws, "warmup": warmup, "thin": thin, "seed": seed}
    run |= {"save_warmup": save_warmup}
    run |= {"threads": threads} if threads else {}
    run |= chosen_variables(variables)
    run |= durability(out, {"overwrite": overwrite, "resume": resume, "checkpoint_every": checkpoint_every})
    if is_path(init):
        run["init"] = path_text("init", cast(AnyPath, init))
    name, texts, settings = text("sampler", sampler), as_texts(run), as_texts(parameters)
    points = as_start(init, chains)
    with errors_in_python():
        core = as_target(target, data, dim, shapes).for_run(chains, seed)
        return Job(_core.Job(core, name, settings, texts, points), durable=out is not None)


@with_calls_of_sample
def sample(
    target: TargetLike,
    sampler: str = "nuts",
    *,
    progress: bool | None = None,
    warn: bool = True,
    **settings: Any,  # those of `start`
) -> Run:
    """Draws from a posterior.

    >>> run = quasar.sample("eight-schools", draws=2000)
    >>> run = quasar.sample(quasar.model("logistic", frame, target="sick"), "hmc", step_size=0.1)
    >>> run = quasar.sample(lambda x: (-0.5 * x @ x, -x), dim=3)

    target      a model by name, what `quasar.model`, `jax`, `finite_sum`, `pointer` or `stan` has made, a function
                x -> (log density, gradient), or a compiled one
    sampler     `quasar.samplers()` lists them, and the parameters that each takes as further keyword arguments
    chains      independent chains, or ensembles of them
    draws       iterations of each chain after warm-up, of which every `thin`-th is kept
    warmup      iterations before, which tune the sampler; kept with `save_warmup`
    seed        the same seed gives the same draws, here, on the command line and in C++, for any number of threads
    threads     0: one per core
    init        where to start: an array (dim,) or (chains, dim) in the sampler's coordinates, a dict of values by
                variable or one for each chain, a JSON file, or a run file, whose last draws are taken
    variables   keep these only
    out         a file to write while the run goes on; killed at any moment it can be taken up again with `resume`.
                `checkpoint_every` counts iterations, 0: about ten seconds
    data        of a model by name: a data frame, a dict of columns, a pair (names, array), a path
    dim, shapes how many coordinates a function has, or the names and shapes of its variables
    progress    None: bars in terminals and notebooks; True: lines elsewhere too; False: nothing
    warn        say what is wrong with the draws, as `quasar.ConvergenceWarning`

    Ctrl-C stops the run and returns what was drawn; a second one before that gives it up. The function under way goes
    on until it returns, and the end of the program waits for it.
    """
    job = cast(Callable[..., Job], start)(target, sampler, **settings)
    run, interrupted = shown_result(job, progress)
    if interrupted and run.draws == 0:
        raise KeyboardInterrupt("stopped in warm-up, before the first draw")
    with suppress(KeyboardInterrupt):  # a summary takes a while; what was drawn is not lost for want of it
        for category, text in complaints(run, warn):
            warnings.warn(text, category, stacklevel=2)
    return run


def complaints(run: Run, warn: bool) -> list[tuple[type[Warning], str]]:
    if run.info["stopped_early"]:
        text = f"stopped after {run.draws} draws of each chain; diagnose() says what they are worth"
        return [(StoppedEarly, text)]
    return [(ConvergenceWarning, text) for text in run.warnings] if warn else []


def with_settings_of(function: object, settings: object) -> inspect.Signature:
    """The signature of the one with its **settings spelled out as the other has them, for `help`."""
    own = inspect.signature(cast(Callable[..., object], function))
    others = inspect.signature(cast(Callable[..., object], settings)).parameters.values()
    target, sampler, *further = others
    *display, _settings = list(own.parameters.values())[2:]
    return own.replace(parameters=[target, sampler, *further[:-1], *display, further[-1]])


sample.__signature__ = with_settings_of(sample, start)  # type: ignore[attr-defined]


def as_target(target: TargetLike, data: Data | None, dim: int | None, shapes: Shapes | None) -> Target:
    if isinstance(target, str):
        if shapes is not None:
            raise TypeError("shapes are for functions; a model knows its own")
        return model(target, data, **({} if dim is None else {"dim": dim}))
    if data is not None:
        raise TypeError("data is for models by name")
    if isinstance(target, Target):
        if dim is not None or shapes is not None:
            raise TypeError("dim and shapes are for functions; this target knows its own")
        return target
    if is_compiled(target):
        return pointer(cast(CompiledFunction, target), dim=dim, shapes=shapes)
    if callable(target):
        return function(target, dim=dim, shapes=shapes)
    raise TypeError(
        "a target is a model's name, a function x -> (log density, gradient), a compiled function "
        f"or a quasar.Target, not {type(target).__name__}"
    )


def chosen_variables(variables: Sequence[str] | None) -> dict[str, Setting]:
    if variables is None or len(variables) == 0:
        return {}
    names = [variables] if isinstance(variables, str) else variables
    return {"variables": [text("the name of a variable", name) for name in names]}


def durability(out: AnyPath | None, settings: dict[str, Setting]) -> dict[str, Setting]:
    if out is not None:
        return {"out": path_text("out", out), **settings}
    if given := [name for name, value in settings.items() if value]:
        raise UsageError(f"{given[0]} is for a run that is written to a file: give out=… too")
    return {}


def as_start(init: Init | None, chains: int) -> Start:
    if init is None or is_path(init):
        return None
    if isinstance(init, Mapping) or (isinstance(init, Sequence) and all(isinstance(one, Mapping) for one in init)):
        return as_json(cast(Mapping[str, object], init))
    points = as_numbers("init", cast(ArrayLike, init))
    if points.ndim not in (1, 2):
        raise TypeError(f"init has the shape (dim,) or (chains, dim), not {points.shape}")
    return np.ascontiguousarray(points if points.ndim == 2 else np.tile(points, (chains, 1)))
