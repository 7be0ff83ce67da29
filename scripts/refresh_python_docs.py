#!/usr/bin/env python3
"""Runs the Python sessions shown in docs/python.md and writes what they print below the lines that print it.

Every block

    ```pycon
    >>> quasar.…
    output
    ```

is run, one after another in one interpreter, in a scratch folder that has examples/ beside it. With --check nothing is
written; what is printed has to be what is shown, but for times. Needs the package, pandas, ArviZ, JAX and numba: the interpreter of the tests has them.
"""

import ast
import contextlib
import difflib
import doctest
import io
import os
import pathlib
import re
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "python.md"
BLOCK = re.compile(r"```pycon\n(.*?)```", re.DOTALL)
TIME = re.compile(r"\d+\.\d+ s\b")


def run(source, names):
    """What the interpreter would show, an exception's last line included."""
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown):
        try:
            exec(compile(ast.Interactive(ast.parse(source).body), "docs/python.md", "single"), names)
        except Exception as error:
            print(f"{type(error).__module__}.{type(error).__qualname__}: {error}".replace("builtins.", ""))
    return shown.getvalue()


def with_prompts(source):
    first, *others = source.splitlines()
    return "\n".join([f">>> {first}", *(f"... {line}".rstrip() for line in others)]) + "\n"


def refresh(text):
    names = {}
    parser = doctest.DocTestParser()

    def block(match):
        examples = parser.get_examples(match[1])
        return "```pycon\n" + "".join(with_prompts(one.source) + run(one.source, names) for one in examples) + "```"

    return BLOCK.sub(block, text)


def main():
    text = PAGE.read_text()
    os.environ["COLUMNS"] = "130"
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "examples").symlink_to(ROOT / "examples")
        os.chdir(folder)
        fresh = refresh(text)
        os.chdir(ROOT)
    if "--check" not in sys.argv:
        PAGE.write_text(fresh)
    elif TIME.sub("", fresh) != TIME.sub("", text):
        difference = difflib.unified_diff(text.splitlines(), fresh.splitlines(), "shown", "printed", lineterm="", n=0)
        raise SystemExit("docs/python.md does not show what is printed:\n" + "\n".join(difference))
    print(f"{len(BLOCK.findall(text))} documented sessions ran")


if __name__ == "__main__":
    main()
