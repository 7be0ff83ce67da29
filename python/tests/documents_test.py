"""The README's snippet, the sessions of docs/python.md and the notebook run as they stand."""

import re
import unittest

import nbformat
from nbclient import NotebookClient

from support import ROOT, WITHOUT_EXTRAS, PackageTest

EXAMPLES = ROOT / "examples" / "python"


class Documents(PackageTest):
    def test_readme(self) -> None:
        """As in a clean environment, which has NumPy alone; the table is the one that is printed above it."""
        readme = (ROOT / "README.md").read_text()
        (snippet,) = re.findall(r"```python\n(.*?)```", readme, re.DOTALL)
        printed = self.python("-c", WITHOUT_EXTRAS + snippet)
        table = re.compile(r"^(?:intercept|beta).*$", re.MULTILINE)
        shown = readme[: readme.index("## Python")]
        self.assertEqual(table.findall(printed), table.findall(shown))

    def test_sessions(self) -> None:
        printed = self.python(ROOT / "scripts" / "refresh_python_docs.py", "--check")
        self.assertRegex(printed, r"^[1-9]\d* documented sessions ran")

    def test_notebook(self) -> None:
        notebook = nbformat.read(EXAMPLES / "quasar.ipynb", as_version=4)
        cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
        self.assertTrue(all(cell.outputs for cell in cells), "a cell has no output")
        NotebookClient(notebook, resources={"metadata": {"path": str(EXAMPLES)}}).execute()
        kinds = {output.output_type for cell in cells for output in cell.outputs}
        self.assertNotIn("error", kinds)
        self.assertIn("<progress", str(cells[0].outputs))


if __name__ == "__main__":
    unittest.main()
