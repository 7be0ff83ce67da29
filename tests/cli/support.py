"""Runs the command line in a folder of its own."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

BIN = os.environ["QUASAR_BIN"]
ROOT = pathlib.Path(__file__).resolve().parents[2]
HEART = ROOT / "examples" / "heart.csv"


def report_data(path):
    """What the page of quasar report holds."""
    _, _, rest = path.read_text().partition('<script type="application/json" id="data">')
    return json.loads(rest.partition("</script>")[0])


class CommandLine(unittest.TestCase):
    def setUp(self):
        self._folder = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self._folder.name)

    def tearDown(self):
        self._folder.cleanup()

    def quasar(self, *arguments, timeout=120, **options):
        command = [BIN, *map(str, arguments)]
        return subprocess.run(
            command, cwd=self.folder, capture_output=True, text=True, errors="surrogateescape", timeout=timeout, **options
        )

    def ok(self, *arguments):
        result = self.quasar(*arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result

    def ok_json(self, *arguments):
        return json.loads(self.ok(*arguments, "--json").stdout)

    def fails(self, code, pattern, *arguments, **options):
        """One line on standard error that matches, nothing on standard output, the exit code, no file touched."""
        before = self.contents()
        self.refused(self.quasar(*arguments, **options), code, pattern)
        self.assertEqual(self.contents(), before)

    def refused(self, result, code, pattern):
        self.assertEqual(result.returncode, code, result.stderr)
        self.assertRegex(result.stderr, pattern)
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        self.assertEqual(result.stdout, "")

    def contents(self):
        return {
            str(path.relative_to(self.folder)): path.is_file() and path.read_bytes() for path in self.folder.rglob("*")
        }

    def write(self, name, text):
        path = self.folder / name
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path
