#!/usr/bin/env python3
"""Writes what the registry knows: parameters.py and calls.py of python/quasar, and the table of docs/python.md.

With --check nothing is written; the files have to be what would be written. Needs the package: the interpreter of the
tests has it.
"""

import json
import pathlib
import re
import sys

from quasar import _core

ROOT = pathlib.Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "python" / "quasar"
PAGE = ROOT / "docs" / "python.md"
TYPES = {"real": "float", "integer": "int", "boolean": "bool", "text": "str | float | Sequence[float]"}
WIDTH = 120

PARAMETERS_HEAD = '''"""Names and parameters of the registry, for type checkers. Written by scripts/generate_python_parameters.py."""

from collections.abc import Sequence
from typing import Literal, TypeAlias, TypedDict

from quasar.checks import AnyPath
from quasar.settings import Init
from quasar.values import Data, Shapes
'''
CALLS_HEAD = '''"""How `start` and `sample` are called, sampler by sampler. Written by scripts/generate_python_parameters.py."""

from typing import Literal, Protocol, Unpack, overload

from quasar.job import Job
from quasar.parameters import (
{imports})
from quasar.run import Run
from quasar.settings import TargetLike
'''

# Settings of the command line that the target has in Python, or its sampler, or that are not offered.
ELSEWHERE = {"model", "bridgestan", "transformed", "generated", "sampler", "batch_size"}
NOT_OFFERED = {"prior_only", "tune", "check", "quiet", "keep", "held_out", "log_likelihood", "shards"}
OWN_TYPES = {
    "data": "Data | None",
    "init": "Init | None",
    "out": "AnyPath | None",
    "variables": "Sequence[str] | None",
    "dim": "int | None",
    "shapes": "Shapes | None",
}
# Default and description, where Python's are its own.
OWN_WORDS = {
    "data": ("none", "of a model by name: a data frame, a dict of columns, a pair `(names, array)`, a path"),
    "init": (
        "random",
        "an array `(dim,)` or `(chains, dim)` in the sampler's coordinates, a dict of values by variable (or one for each "
        "chain), a JSON file, a run file",
    ),
    "threads": ("`0`", "one per core; functions written in Python run on one. The draws do not depend on it"),
    "out": ("in memory", "a file written while the run goes on: [durable runs](durable-runs.md); the next three need it"),
    "save_warmup": ("`False`", "`run.warmup_posterior`, `run.warmup_sample_stats`"),
    "variables": ("all", "keep these only"),
    "dim": ("none", "of a function: how many coordinates it has; or"),
    "shapes": ("none", "the names and shapes of its variables: `{\"mu\": (), \"theta\": (8,)}`"),
    "progress": ("`None`", "bars in terminals and notebooks; `True`: lines elsewhere too; `False`: nothing"),
    "warn": ("`True`", "what is wrong with the draws comes as `quasar.ConvergenceWarning`"),
}
TABLE = re.compile(r"(?<=\| argument \| default \| \|\n\|---\|---\|---\|\n)(?:\|.*\n)+")


def literal(values):
    return "Literal[" + ", ".join(f'"{value}"' for value in values) + "]"


def names(alias, entries):
    lines = "".join(f'    "{entry["name"]}",\n' for entry in entries)
    return f"{alias}: TypeAlias = Literal[\n{lines}]\n"


def annotation(parameter):
    if parameter["type"] != "choice":
        return TYPES[parameter["type"]]
    values = [choice["value"] for choice in parameter["choices"]]
    return literal(values) + (" | bool" if "true" in values else "")


def field(parameter):
    text = f"    {parameter['name']}: {annotation(parameter)}\n"
    if len(text) <= WIDTH + 1:
        return text
    opening, values = text.rstrip("]\n").split("[")
    return f"{opening}[\n        {values}\n    ]\n"


def class_name(sampler):
    return "".join(word.title() for word in sampler["name"].split("-")) + "Settings"


def settings_class(sampler):
    fields = "".join(map(field, sampler["parameters"])) or "    pass\n"
    return f"class {class_name(sampler)}(RunSettings, total=False):\n" + fields


def run_settings(registry):
    return [one for one in registry["run"] if one["name"] not in ELSEWHERE | NOT_OFFERED]


def run_settings_class(registry):
    own = {one["name"]: TYPES[one["type"]] for one in run_settings(registry)} | OWN_TYPES
    fields = "".join(f"    {name}: {kind}\n" for name, kind in own.items())
    return "class RunSettings(TypedDict, total=False):\n" + fields


def overload_of(sampler, settings, further, result):
    arguments = f"self, target: TargetLike, sampler: {sampler}, {further}**settings: Unpack[{settings}]"
    line = f"    def __call__({arguments}) -> {result}: ...\n"
    if len(line) > WIDTH + 1:
        line = f"    def __call__(\n        {arguments}\n    ) -> {result}: ...\n"
    if len(arguments) + 8 > WIDTH:
        lines = "".join(f"        {one},\n" for one in arguments.split(", "))
        line = f"    def __call__(\n{lines}    ) -> {result}: ...\n"
    return "    @overload\n" + line


def calls(name, samplers, further, result):
    """A sampler that is named takes its own settings; one whose name is not known takes those of every run."""
    overloads = [
        overload_of(
            f'Literal["{one["name"]}"]' + (' = "nuts"' if one["name"] == "nuts" else ""), class_name(one), further, result
        )
        for one in samplers
    ]
    overloads.append(overload_of("str", "RunSettings", further, result))
    return f"class {name}(Protocol):\n" + "\n".join(overloads)


def parameters_module(registry):
    samplers = registry["samplers"]
    parts = [
        names("SamplerName", samplers) + "\n" + names("ModelName", registry["models"]),
        run_settings_class(registry),
        *map(settings_class, samplers),
    ]
    return PARAMETERS_HEAD + "\n" + "\n\n".join(parts)


def calls_module(registry):
    samplers = registry["samplers"]
    imports = "".join(f"    {name},\n" for name in sorted(["RunSettings", *map(class_name, samplers)], key=str.lower))
    parts = [
        CALLS_HEAD.replace("{imports}", imports),
        calls("Starts", samplers, "", "Job"),
        calls("Samples", samplers, "*, progress: bool | None = None, warn: bool = True, ", "Run"),
    ]
    return "\n\n".join(parts)


def row(name, words):
    return f"| `{name}` | {words[0]} | {words[1]} |\n"


def page(registry):
    words = {one["name"]: (f"`{one['default']}`", one["doc"]) for one in run_settings(registry)}
    rows = "".join(row(name, one) for name, one in (words | OWN_WORDS).items())
    text, tables = TABLE.subn(lambda _: rows, PAGE.read_text())
    if tables != 1:
        raise SystemExit(f"{PAGE.relative_to(ROOT)} has {tables} tables of settings instead of one")
    return text


def main():
    registry = json.loads(_core.registry())
    files = {
        PACKAGE / "parameters.py": parameters_module(registry),
        PACKAGE / "calls.py": calls_module(registry),
        PAGE: page(registry),
    }
    for path, text in files.items():
        if "--check" not in sys.argv:
            path.write_text(text)
        elif path.read_text() != text:
            raise SystemExit(f"{path.relative_to(ROOT)} is not what the registry says; run {sys.argv[0]}")


if __name__ == "__main__":
    main()
