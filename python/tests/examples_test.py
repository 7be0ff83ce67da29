"""Every script in examples/python runs, prints something, and has no complaint."""

import unittest

from support import ROOT, PackageTest

SCRIPTS = sorted((ROOT / "examples" / "python").glob("*.py"))


class Examples(PackageTest):
    def test_there_are_some(self) -> None:
        self.assertGreater(len(SCRIPTS), 5)


for script in SCRIPTS:
    setattr(Examples, f"test_{script.stem}", lambda self, script=script: self.assertTrue(self.python(script)))


if __name__ == "__main__":
    unittest.main()
