"""Links of the Markdown pages lead somewhere: files, folders, pictures, headings. References name all they should."""

import ast
import pathlib
import re
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import links

TRACKED = subprocess.run(["git", "ls-files", "*.md"], cwd=ROOT, capture_output=True, text=True).stdout.split()
PAGES = [ROOT / name for name in TRACKED] or [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]


def broken_links(page, text):
    """Of a page with this text: targets that do not exist, headings that do not."""
    for target, _ in links.links(text):
        path, _, anchor = target.partition("#")
        if links.is_elsewhere(target):
            continue
        linked = (page.parent / path).resolve() if path else page
        if not linked.exists():
            yield target
        elif anchor and anchor not in links.anchors(text if linked == page else linked.read_text()):
            yield target


class Links(unittest.TestCase):
    def test_lead_somewhere(self):
        count = 0
        for page in PAGES:
            text = page.read_text()
            count += len(list(links.links(text)))
            self.assertEqual(list(broken_links(page, text)), [], page.relative_to(ROOT))
        self.assertGreater(count, 100)

    def test_broken_ones_are_found(self):
        page = ROOT / "README.md"
        for target in ("docs/nowhere.md", "docs/design.md#nothing-of-that-name", "#nothing", "docs/images/none.svg"):
            for text in (f"see [this]({target}).", f'![a picture]({target} "title")', f'<img src="{target}">', f"[this]: {target}"):
                self.assertEqual(list(broken_links(page, f"# Title\n\n{text}\n")), [target], text)
        for fine in ("[this](docs/design.md#the-flow)", "[this](#title)", "`[code](nowhere)`", "```\n[code](nowhere)\n```"):
            self.assertEqual(list(broken_links(page, f"# Title\n\n{fine}\n")), [], fine)


class References(unittest.TestCase):
    def test_cpp_has_every_header_and_what_it_is_for(self):
        page = (ROOT / "docs" / "reference" / "cpp.md").read_text()
        for header in (ROOT / "include" / "quasar").glob("*.hpp"):
            purpose = header.read_text().splitlines()[0].partition(" -- ")[2]
            section = f"(../../include/quasar/{header.name})\n{purpose[0].upper()}{purpose[1:]}\n"
            self.assertIn(section, page, f"docs/reference/cpp.md: {header.name}")

    def test_python_has_every_name(self):
        page = (ROOT / "docs" / "reference" / "python.md").read_text()
        package = ast.parse((ROOT / "python" / "quasar" / "__init__.py").read_text())
        (names,) = (node.value for node in package.body if isinstance(node, ast.Assign) and node.targets[0].id == "__all__")
        for name in ast.literal_eval(names):
            self.assertRegex(page, rf"::: quasar\.(?:\w+\.)?{name} -->|`quasar\.{name}\b", "docs/reference/python.md")


if __name__ == "__main__":
    unittest.main()
