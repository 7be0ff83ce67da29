#!/usr/bin/env python3
"""Runs the Python shown in README.md and docs/, and writes what sessions print below the lines that print it.

    ```pycon                        ```python
    >>> quasar.…                    run = quasar.…
    output                          ```
    ```

The blocks of a page are run one after another in one interpreter, in a folder of the page; documented.py says what comments
above a block mean. With --check nothing is written; the words of what is printed have to be
those that are shown: numbers may differ by machine and by release of NumPy.
Needs the package, pandas, ArviZ, JAX and numba: the interpreter of the tests has them.
"""

import ast
import contextlib
import difflib
import doctest
import io
import logging
import os
import pathlib
import sys

import documented

KINDS = ("pycon", "python")


def run(source, names, place):
    """What the interpreter would show, an exception's last line included."""
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown):
        try:
            exec(compile(ast.Interactive(ast.parse(source).body), place, "single"), names)
        except Exception as error:
            print(f"{type(error).__module__}.{type(error).__qualname__}: {error}".replace("builtins.", ""))
    return shown.getvalue()


def with_prompts(source):
    first, *others = source.splitlines()
    return "\n".join([f">>> {first}", *(f"... {line}".rstrip() for line in others)]) + "\n"


def fresh_session(block, names):
    examples = doctest.DocTestParser().get_examples(block.text)
    return "".join(with_prompts(one.source) + run(one.source, names, block.place) for one in examples)


def run_script(block, names):
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(block.text, block.place, "exec"), names)
    except Exception as error:
        raise SystemExit(f"{block.place}: {type(error).__name__}: {error}") from error


def fresh_page(page):
    names = {}

    def fresh_block(match):
        block = documented.block_of(match, page)
        runs = block.kind in KINDS and not block.not_run
        if runs or "file" in block.marks:
            documented.prepare(block, pathlib.Path())
        if not runs:
            return match[0]
        if block.kind == "pycon":
            return match[0].replace(match["text"], fresh_session(block, names))
        run_script(block, names)
        return match[0]

    with documented.page_folder() as folder:
        os.chdir(folder)
        fresh = documented.FENCED.sub(fresh_block, page.read_text())
        os.chdir(documented.ROOT)
    return fresh


def main():
    os.environ["COLUMNS"], os.environ["MPLBACKEND"] = "130", "agg"
    logging.getLogger("matplotlib").setLevel(logging.ERROR)  # it tells of its font cache
    blocks = 0
    for page in documented.PAGES:
        to_run = [block for block in documented.blocks_of(page) if block.kind in KINDS and not block.not_run]
        if not to_run:
            continue
        blocks += len(to_run)
        text, fresh = page.read_text(), fresh_page(page)
        if "--check" not in sys.argv:
            page.write_text(fresh)
            continue
        difference = list(difflib.unified_diff(*map(documented.words, (text, fresh)), "shown", "printed", lineterm="", n=0))
        if difference:
            raise SystemExit(f"{page.name} does not show what is printed:\n" + "\n".join(difference))
    print(f"{blocks} documented sessions ran")


if __name__ == "__main__":
    main()
