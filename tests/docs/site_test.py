"""The site builds without a warning (a page outside the nav is one, a link to nowhere another) and loads nothing from elsewhere.

Needs packages from PyPI: where they cannot be had the test is skipped, unless QUASAR_SITE=required."""

import os
import pathlib
import re
import subprocess
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SITE = ROOT / "build" / "docs" / "site"
LOADED = re.compile(r"<(?:script|img|iframe|source)\b[^>]*\bsrc=\"?(https?:)?//|<link\b[^>]*\bhref=\"?(https?:)?//|url\([\"']?https?://")
UNRENDERED = re.compile(r"<p>(?:[^<>]*\n)?(?:- |\| |\|--|\d+\. |::: |```)")


class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        result = subprocess.run([ROOT / "scripts" / "docs.sh"], capture_output=True, text=True)
        if "pip install" in result.stderr and os.environ.get("QUASAR_SITE") != "required":
            raise unittest.SkipTest(f"the packages that build the site cannot be had:\n{result.stderr}")
        if result.returncode != 0:
            raise AssertionError(result.stdout + result.stderr)
        cls.pages = {page.relative_to(SITE): page.read_text() for page in SITE.rglob("*.html")}

    def test_has_every_page(self):
        for source in (ROOT / "docs").rglob("*.md"):
            self.assertIn(source.relative_to(ROOT / "docs").with_suffix(".html"), self.pages)

    def test_loads_nothing_from_elsewhere(self):
        for name, text in self.pages.items():
            self.assertIsNone(LOADED.search(text), name)
        for style in SITE.rglob("*.css"):
            self.assertIsNone(LOADED.search(style.read_text()), style.name)

    def test_markdown_is_rendered(self):
        for name, text in self.pages.items():
            found = UNRENDERED.search(text)
            self.assertIsNone(found, f"{name}: {text[found.start():][:80] if found else ''}")

    def test_references_are_filled_in(self):
        self.assertIn("logp_grad", self.pages[pathlib.Path("reference/cpp.html")])
        self.assertIn("Draws from a posterior", self.pages[pathlib.Path("reference/python.html")])

    def test_can_be_searched_without_a_server(self):
        self.assertIn("hamcmc", (SITE / "search" / "search_index.js").read_text())
        self.assertIn("iframe-worker.js", self.pages[pathlib.Path("index.html")])


if __name__ == "__main__":
    unittest.main()
