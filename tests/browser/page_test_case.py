"""What tests of pages share: the pages, made once for a class, and the browser that opens them."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

from browser import Browser, why_not

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
from support import BIN  # noqa: E402


class PageTestCase(unittest.TestCase):
    """A folder for the pages of a class of tests, and a browser; no test may leave an error on the console."""

    @classmethod
    def setUpClass(cls):
        if reason := why_not():
            raise unittest.SkipTest(reason)
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.make_pages()
        cls.browser = Browser()
        cls.addClassCleanup(cls.browser.close)

    @classmethod
    def quasar(cls, *arguments):
        done = subprocess.run([BIN, *map(str, arguments)], cwd=cls.folder, capture_output=True, text=True)
        if done.returncode:
            raise AssertionError(done.stderr)

    def open(self, name, **options):
        self.browser.open(self.folder / f"{name}.html", **options)

    def tearDown(self):
        self.assertEqual(self.browser.errors(), [])
