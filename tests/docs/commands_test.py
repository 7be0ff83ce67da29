"""Every command shown in README.md and docs/ runs; every sampler, model and experiment has its page."""

import json
import os
import pathlib
import re
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = os.environ["QUASAR_BIN"]


class Documentation(unittest.TestCase):
    def test_documented_commands_run(self):
        script = [sys.executable, "-B", ROOT / "scripts" / "refresh_docs.py", "--check"]
        result = subprocess.run(script, capture_output=True, text=True)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertRegex(result.stdout, r"^[1-9]\d* documented commands ran")

    def test_everything_listed_has_a_page(self):
        for kind in ("samplers", "models", "experiments"):
            listed = json.loads(subprocess.run([BIN, "list", kind, "--json"], capture_output=True, check=True).stdout)
            pages = {page.stem for page in (ROOT / "docs" / kind).glob("*.md")}
            self.assertEqual({entry["name"] for entry in listed}, pages)

    def test_pages_name_every_parameter(self):
        for kind in ("samplers", "models"):
            for entry in json.loads(subprocess.run([BIN, "list", kind, "--json"], capture_output=True, check=True).stdout):
                page = (ROOT / "docs" / kind / f"{entry['name']}.md").read_text()
                for parameter in entry["parameters"]:
                    self.assertIn(f"`{parameter['name']}`", page, entry["name"])

    def test_readme_has_every_sampler_with_its_law(self):
        listed = json.loads(subprocess.run([BIN, "list", "samplers", "--json"], capture_output=True, check=True).stdout)
        rows = re.findall(r"^\| (\[`.*?) \| (\w+) \|", (ROOT / "README.md").read_text(), re.MULTILINE)
        told = [(name, law) for names, law in rows for name in re.findall(r"\[`([\w-]+)`\]", names)]
        self.assertEqual(sorted(told), sorted((entry["name"], entry["law"]) for entry in listed))


if __name__ == "__main__":
    unittest.main()
