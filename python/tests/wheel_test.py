"""The wheel holds what it should and nothing else, and what is tested is the wheel."""

import os
import subprocess
import sys
import sysconfig
import unittest
import zipfile
from importlib import metadata
from pathlib import Path

import quasar
from support import BIN, ROOT, WITHOUT_EXTRAS

PACKAGE = Path(quasar.__file__).parent
WHEELS = list((Path(sys.prefix).parent / "wheels").glob("*.whl"))
INFO = f"quasar-{quasar.__version__}.dist-info"


class Wheel(unittest.TestCase):
    def test_contents(self) -> None:
        sources = {f"quasar/{path.name}" for path in (ROOT / "python" / "quasar").iterdir() if path.suffix != ".pyc"}
        sources.discard("quasar/__pycache__")
        built = {f"quasar/_core{sysconfig.get_config_var('EXT_SUFFIX')}", "quasar/_core.pyi"}
        program = {f"quasar-{quasar.__version__}.data/scripts/quasar"}
        information = {f"{INFO}/{name}" for name in ("METADATA", "WHEEL", "RECORD", "licenses/LICENSE")}
        (wheel,) = WHEELS
        with zipfile.ZipFile(wheel) as archive:
            self.assertEqual(set(archive.namelist()), sources | built | program | information)

    def test_the_installed_package_is_what_is_imported(self) -> None:
        self.assertTrue(PACKAGE.is_relative_to(sys.prefix), PACKAGE)
        self.assertNotIn(str(ROOT / "python"), sys.path)

    def test_what_it_says_of_itself(self) -> None:
        described = metadata.metadata("quasar")
        self.assertEqual(described["License-Expression"], "BSD-3-Clause")
        self.assertIn("Typing :: Typed", described.get_all("Classifier"))
        self.assertEqual(metadata.version("quasar"), quasar.__version__)
        required = [one for one in metadata.requires("quasar") or [] if "extra ==" not in one]
        self.assertEqual([one.split(">=")[0] for one in required], ["numpy"])

    def test_the_command_line_comes_with_it(self) -> None:
        installed = Path(sysconfig.get_path("scripts")) / "quasar"
        ours, built = (
            subprocess.run([program, "version"], capture_output=True, text=True, check=True).stdout
            for program in (installed, BIN)
        )
        self.assertEqual(ours, built)

    def test_numpy_alone_suffices(self) -> None:
        """Everything else is imported where it is asked for, and only there."""
        program = """
import quasar
run = quasar.sample("eight-schools", draws=100, warn=False)
repr(run.summary()), run._repr_html_(), run.posterior["mu"].mean(), run.diagnose()
"""
        subprocess.run([sys.executable, "-c", WITHOUT_EXTRAS + program], check=True, cwd=os.sep)


if __name__ == "__main__":
    unittest.main()
