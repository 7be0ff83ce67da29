"""The command line's words in Python's: `--resume` is `resume=True`, `--set max_depth=12` is `max_depth=12`.

Only what the library itself says is changed: flags that there are, as whole words. File names stay as they are.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager

from quasar.errors import DataError, RunError, UsageError

FLAG = r"(?<![\w./-])--"
END = r"(?![\w-]|\.\w)"
VALUE = r"([\w.+-]*\w)"
OF_MODEL = re.compile(rf"(?:({FLAG})|\b)set model\.(\w+)={VALUE}")
WITH_VALUE = re.compile(rf"{FLAG}(?:set (\w+)=|(sampler|warmup|draws|chains|topics) ){VALUE}")
METHODS = "asymp-ihmm|asymp-hmm|hmm-em|ihmm-beam|normal|poisson|categorical"
OF_SEGMENT = re.compile(rf"{FLAG}(emission|method|states|window) ({METHODS}|\d+){END}")
SWITCH = re.compile(rf"{FLAG}(resume|overwrite|allow-different){END}")
NAMES = (
    "batch-size|checkpoint-every|data|data-dir|work-dir|fold-in|held-out|init|interval|keep|out|plot|rated|reference|relevant|save-warmup|seed"
    "|threads|variables"
    "|covariance|emission|lambda|lambda1|lambda2|method|restarts|selector|standardize|states|sweeps|warmup|window"
    "|burn-in|evaluate-every|report|shares"
)
NAME = re.compile(rf"{FLAG}({NAMES}){END}")
COMMANDS = {"quasar summary shows all": "summary() shows all", "which quasar summary reads": "which quasar.load reads"}
GO_ON = re.compile(rf"{FLAG}resume(?:, which goes on with it)?{END}")


def literal(value: str) -> str:
    if value in ("true", "false"):
        return value.title()
    return value if re.fullmatch(r"[+-]?[\d.]+(e[+-]?\d+)?", value) else f'"{value}"'


def in_python(text: str, model: str = "…", *, resumable: bool = True) -> str:
    """`model`: the first arguments of the `quasar.model` that was sampled. What is not in a file cannot go on."""
    if not resumable:
        text = GO_ON.sub("a run to the end", text)
    text = OF_MODEL.sub(
        lambda match: f"{'' if match[1] else 'use '}quasar.model({model}, {match[2]}={literal(match[3])})", text
    )
    text = WITH_VALUE.sub(lambda match: f"{match[1] or match[2]}={literal(match[3])}", text)
    text = OF_SEGMENT.sub(lambda match: f"{match[1]}={literal(match[2])}", text)
    text = SWITCH.sub(lambda match: match[1].replace("-", "_") + "=True", text)
    text = NAME.sub(lambda match: match[1].replace("-", "_"), text)
    for theirs, ours in COMMANDS.items():
        text = text.replace(theirs, ours)
    return text


@contextmanager
def errors_in_python() -> Iterator[None]:
    try:
        yield
    except (UsageError, DataError, RunError) as error:
        if (text := in_python(str(error))) == str(error):
            raise
        raise type(error)(text) from None
