"""What is wrong with a run."""

import json
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Problem:
    kind: str
    what: str
    advice: str
    measure: str  # what the values of the parameters are; empty: the problem is not one of parameters
    parameters: dict[str, float | None]  # the worst first


@dataclass(frozen=True)
class Diagnosis:
    problems: tuple[Problem, ...]
    checked: tuple[str, ...]

    @property
    def ok(self) -> bool:
        return not self.problems

    def __str__(self) -> str:
        found = [f"{n}. {one.what}\n   try: {one.advice}" for n, one in enumerate(self.problems, start=1)]
        return "\n".join([*(found or ["no problem found"]), f"checked: {', '.join(self.checked)}"])


def diagnosis_of(text: str, worded: Callable[[str], str]) -> Diagnosis:
    """`worded`: advice in the words that fit the run."""
    found = json.loads(text)
    problems = (
        Problem(
            one["kind"],
            one["what"],
            worded(one["advice"]),
            one["measure"],
            {parameter["name"]: parameter["value"] for parameter in one["parameters"]},
        )
        for one in found["problems"]
    )
    return Diagnosis(tuple(problems), tuple(found["checked"]))
