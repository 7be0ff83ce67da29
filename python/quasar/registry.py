"""What there is to choose from: samplers, models and experiments, with their parameters."""

import json
from dataclasses import dataclass
from functools import cache
from typing import Any, cast

from quasar import _core
from quasar.checks import whole_number
from quasar.errors import UsageError
from quasar.parameters import ModelName, SamplerName


@dataclass(frozen=True)
class Parameter:
    name: str
    doc: str
    type: str  # real, integer, boolean, choice or text
    default: float | int | bool | str
    min: float | None
    max: float | None
    choices: tuple[str, ...]


@dataclass(frozen=True)
class Sampler:
    name: str
    family: str
    doc: str
    law: str  # exact, consistent (the bias vanishes with the step size) or biased
    why: str  # it has that law
    stochastic: bool  # works on minibatches
    parameters: dict[str, Parameter]


@dataclass(frozen=True)
class Model:
    name: str
    family: str
    doc: str
    needs_data: bool
    parameters: dict[str, Parameter]


@dataclass(frozen=True)
class Experiment:
    name: str
    paper: str
    doc: str


@cache
def registry() -> dict[str, Any]:
    return cast(dict[str, Any], json.loads(_core.registry()))


def parameters_of(entry: dict[str, Any]) -> dict[str, Parameter]:
    return {
        one["name"]: Parameter(
            one["name"],
            one["doc"],
            one["type"],
            one["default"],
            one["min"],
            one["max"],
            tuple(choice["value"] for choice in one["choices"]),
        )
        for one in entry["parameters"]
    }


def run_settings() -> dict[str, Parameter]:
    """What every run takes, on the command line as here."""
    return parameters_of({"parameters": registry()["run"]})


def run_integer(name: str, value: object) -> int:
    """A setting of the run that is needed before the core has looked at them."""
    spec = run_settings()[name]
    try:
        number = whole_number(name, value)
    except TypeError as error:
        raise UsageError(str(error)) from None
    if (spec.min is not None and number < spec.min) or (spec.max is not None and number > spec.max):
        raise UsageError(f"{name} = {number}: must be at least {spec.min:.0f} and at most {spec.max:.0f}")
    return number


def samplers() -> dict[SamplerName, Sampler]:
    """Every sampler by its name.

    >>> quasar.samplers()["nuts"].parameters["max_depth"].default
    10
    """
    return {
        one["name"]: Sampler(
            one["name"], one["family"], one["doc"], one["law"], one["why"], one["stochastic"], parameters_of(one)
        )
        for one in registry()["samplers"]
    }


def models() -> dict[ModelName, Model]:
    """Every built-in model by its name; `quasar.model` makes a target of one."""
    return {
        one["name"]: Model(one["name"], one["family"], one["doc"], one["needs_data"], parameters_of(one))
        for one in registry()["models"]
    }


def experiments() -> dict[str, Experiment]:
    """Every published experiment that `quasar.reproduce` runs again."""
    return {one["name"]: Experiment(one["name"], one["paper"], one["doc"]) for one in registry()["experiments"]}
