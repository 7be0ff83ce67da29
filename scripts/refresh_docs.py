#!/usr/bin/env python3
"""Runs the commands shown in the documentation and writes what they print below them.

Every block

    ```console
    $ ./quasar …
    output
    ```

in README.md and docs/ is run in a scratch folder that has examples/ beside it. With --check nothing is written; the commands
have to succeed. QUASAR_BIN names the program; default: ./quasar of this checkout.
"""

import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
BLOCK = re.compile(r"```console\n\$ \./quasar (?P<arguments>[^\n]*)\n(?P<output>.*?)```", re.DOTALL)
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def run(arguments, folder):
    command = [os.environ.get("QUASAR_BIN", str(ROOT / "quasar")), *shlex.split(arguments)]
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if result.returncode != 0:
        raise SystemExit(f"./quasar {arguments}: exit code {result.returncode}\n{result.stderr}")
    warnings = [line for line in result.stderr.splitlines(keepends=True) if line.startswith("warning:")]
    return result.stdout + "".join(warnings)


def refresh(text, folder):
    def block(match):
        arguments = match["arguments"]
        return f"```console\n$ ./quasar {arguments}\n{run(arguments, folder)}```"

    return BLOCK.sub(block, text)


def main():
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "examples").symlink_to(ROOT / "examples")
        for page in PAGES:
            text = page.read_text()
            fresh = refresh(text, folder)
            if "--check" not in sys.argv and fresh != text:
                page.write_text(fresh)
        commands = sum(len(BLOCK.findall(page.read_text())) for page in PAGES)
    print(f"{commands} documented commands ran")
    if commands == 0:
        raise SystemExit("no documented command was found")


if __name__ == "__main__":
    main()
