"""The fenced blocks of README.md and docs/: what each is, what it needs, and the folder it runs in.

A comment above a block says what the block cannot:

    <!-- first: cp examples/heart.csv mine.csv -->   what the reader is taken to have done; run before the block
    <!-- file: mine.toml -->                         the block is the text of this file, which later blocks use
    <!-- slow -->                                    takes more than a few seconds: run by ./test --docs alone
    <!-- not run: needs R -->                        never run, and why

Each page has a folder of its own, with examples/ and ./quasar in it, and DATA where QUASAR_DATA names the data sets of the
published experiments; without it slow blocks that use DATA are not run.
"""

import contextlib
import dataclasses
import os
import pathlib
import re
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
BIN = pathlib.Path(os.environ.get("QUASAR_BIN", ROOT / "quasar"))
DATA = os.environ.get("QUASAR_DATA")  # the data sets of the published experiments, where they are at hand
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]

FENCED = re.compile(
    r"(?P<marks>(?:^ *<!--(?:(?!-->).)*-->\n+)*)"
    r"^(?P<indent> *)```(?P<kind>[^\s`]*)[^\n`]*\n(?P<text>.*?)^(?P=indent)```$",
    re.DOTALL | re.MULTILINE,
)
MARK = re.compile(r"<!--\s*(first|file|slow|not run)(?::\s*(.*?))?\s*-->", re.DOTALL)

NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d[\d.,]*(?:e[-+]?\d+)?|nan|inf)(?![\w])")
# Which of these warnings a run gives hangs on its draws, and they on the machine.
OF_THE_DRAWS = re.compile(r"^warning: (?:R-hat|bulk ESS|tail ESS|E-BFMI|\d+ ).*\n", re.MULTILINE)

# Root may use mpirun, and more ranks than cores.
MPI = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
       "OMPI_MCA_btl_vader_single_copy_mechanism": "none"}
ENVIRONMENT = {**os.environ, **MPI, "COLUMNS": "130"}


class Broken(Exception):
    """A block that does not do what it shows."""


@dataclasses.dataclass
class Block:
    page: pathlib.Path
    line: int
    kind: str
    text: str
    marks: dict

    @property
    def place(self):
        return f"{self.page.relative_to(ROOT)}:{self.line}"

    @property
    def not_run(self):
        return self.marks.get("not run")

    @property
    def slow(self):
        return "slow" in self.marks


def block_of(match, page):
    marks = {name: text or "" for name, text in MARK.findall(match["marks"])}
    line = match.string[: match.start("indent")].count("\n") + 1
    indent = len(match["indent"])
    text = "".join(line[indent:] or "\n" for line in match["text"].splitlines(keepends=True))
    return Block(page, line, match["kind"], text, marks)


def blocks_of(page):
    return [block_of(match, page) for match in FENCED.finditer(page.read_text())]


@contextlib.contextmanager
def page_folder():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "examples").symlink_to(ROOT / "examples")
        (folder / "quasar").symlink_to(BIN)
        (folder / "test").symlink_to("/bin/true")  # it is ./test that runs this
        if DATA:
            (folder / "DATA").symlink_to(DATA)
        yield folder


def shell(command, folder):
    return subprocess.run(["bash", "-c", command], cwd=folder, env=ENVIRONMENT, capture_output=True, text=True)


def prepare(block, folder):
    """What the marks of the block ask for, before it runs."""
    result = shell("set -e\n" + block.marks.get("first", ""), folder)
    if result.returncode != 0:
        raise Broken(f"{block.place}: what comes first failed: {result.stderr}")
    if "file" in block.marks:
        (folder / block.marks["file"]).write_text(block.text)


def words(text):
    """Its lines without numbers, which differ by machine, and without the spaces and rules that follow their width."""
    lines = OF_THE_DRAWS.sub("", text).splitlines()
    return [re.sub(r"[\s─-]+", " ", NUMBER.sub("#", line)).strip() for line in lines]
