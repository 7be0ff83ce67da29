"""Every fenced block of README.md and docs/ is run or checked by a test, or says why it is not; what this file checks itself
is the code that is not commands and not Python."""

import collections
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import tomllib
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import documented

RUN_BY = {
    "console": "docs/commands",
    "bash": "docs/commands",
    "toml": "docs/commands",
    "python": "python/documents",
    "pycon": "python/documents",
    "cpp": "docs/blocks",
    "json": "docs/blocks",
    "cmake": "docs/blocks",
    "csv": "docs/blocks",
    "text": "nothing to run",
}
COMMAND = re.compile(r"^\$ |^(?:mpirun .*)?\./quasar ", re.MULTILINE)
BLOCKS = [block for page in documented.PAGES for block in documented.blocks_of(page)]


def blocks(kind):
    return [block for block in BLOCKS if block.kind == kind and not block.not_run]


def syntax_errors(sources):
    """What the compiler says of each of these translation units, all compiled at once."""
    eigen = subprocess.run(["pkg-config", "--cflags", "eigen3"], capture_output=True, text=True, check=True).stdout
    command = [os.environ.get("CXX", "c++"), "-std=c++20", "-fsyntax-only", f"-I{ROOT}/include", *shlex.split(eigen)]
    with tempfile.TemporaryDirectory() as folder:
        paths = [pathlib.Path(folder) / f"block_{i}.cpp" for i in range(len(sources))]
        for path, source in zip(paths, sources):
            path.write_text(source)
        running = [subprocess.Popen([*command, path], stderr=subprocess.PIPE, text=True) for path in paths]
        return [process.communicate()[1] for process in running]


class Blocks(unittest.TestCase):
    def test_each_is_of_a_kind_that_is_run(self):
        reasons = collections.Counter()
        for block in BLOCKS:
            with self.subTest(block.place):
                self.assertTrue(block.kind in RUN_BY or block.not_run, f"no test runs blocks of the kind '{block.kind}'")
                self.assertNotEqual(block.not_run, "", "not run: say why")
            if block.not_run:
                reasons[block.not_run] += 1
        kinds = collections.Counter(block.kind for block in BLOCKS)
        slow = sum(block.slow for block in BLOCKS)
        print(f"{len(BLOCKS)} blocks:", ", ".join(f"{count} {kind}" for kind, count in kinds.most_common()))
        print(f"{slow} slow ones are run by ./test --docs; {reasons.total()} are not run:")
        print("\n".join(f"  {count} {reason}" for reason, count in reasons.most_common()))

    def test_each_fence_is_closed(self):
        for page in documented.PAGES:
            fences = len(re.findall(r"^ *```", page.read_text(), re.MULTILINE))
            self.assertEqual(fences, 2 * len(documented.blocks_of(page)), f"{page.name}: a fence of ``` has no partner")

    def test_marks_are_known(self):
        for page in documented.PAGES:
            for comment in re.findall(r"<!--(?:(?!-->).)*-->(?=\n+ *```)", page.read_text(), re.DOTALL):
                self.assertRegex(comment, documented.MARK, f"{page.name}: a comment above a block is first, file, slow or not run")

    def test_no_command_hides_in_a_text(self):
        for block in blocks("text"):
            self.assertIsNone(COMMAND.search(block.text), f"{block.place}: commands stand in console or bash blocks")

    def test_cpp_compiles(self):
        found = blocks("cpp")
        self.assertTrue(found)
        for block, errors in zip(found, syntax_errors([block.text for block in found])):
            self.assertEqual(errors, "", block.place)

    def test_data_can_be_read(self):
        for block in blocks("json"):
            json.loads(block.text)
        for block in blocks("toml"):
            tomllib.loads(block.text)
        for block in blocks("csv"):
            self.assertEqual(len({line.count(",") for line in block.text.splitlines()}), 1, f"{block.place}: rows differ in length")

    def test_cmake_is_that_of_the_installed_project(self):
        project = (ROOT / "tests" / "install" / "CMakeLists.txt").read_text()
        for block in blocks("cmake"):
            for name in re.findall(r"^ *(\w+)\(", block.text, re.MULTILINE):
                self.assertIn(f"{name}(", project, f"{block.place}: tests/install does not use {name}")


if __name__ == "__main__":
    unittest.main()
