"""The order of the folders: #include lines point downward and never in a circle."""

import pathlib
import re
import tempfile
import unittest

# From the bottom to the top. A folder may include itself and every layer below its own, not its neighbours.
LAYERS = [
    ["include"],
    ["simd"],
    ["core"],
    ["predict"],
    ["transforms", "diagnostics", "io", "mpi", "plot", "audio"],
    ["targets"],
    ["models"],
    ["estimators"],
    ["metrics"],
    ["integrators"],
    ["manifolds"],
    ["solvers"],
    ["kernels"],
    ["adapt"],
    ["samplers"],
    ["speech"],
    ["experiments"],
    ["registry"],
    ["front"],
    ["report"],
    ["compare"],
    ["cli", "python"],
]
LEVEL = {folder: level for level, folders in enumerate(LAYERS) for folder in folders}

# Mathematics knows nothing of files: from the targets up to the samplers no folder includes io.
WITHOUT_FILES = {folder for folder, level in LEVEL.items() if LEVEL["targets"] <= level <= LEVEL["samplers"]}

# A public header brings no printing, no message passing and no file format to its users.
BANNED_IN_PUBLIC = re.compile(r"iostream|fstream|mpi\.h|netcdf\.h|sndfile\.h|fftw3\.h|zlib\.h|nlohmann/.*|toml\+\+/.*|CLI/.*")

INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)', re.MULTILINE)


class Tree:
    """The C++ files of a checkout and what they include."""

    def __init__(self, root):
        self.root = pathlib.Path(root).resolve()
        self.files = sorted(
            path
            for top in ("include", "src", "experiments", "cli", "python")
            for path in (self.root / top).rglob("*.[ch]pp")
        )
        self.includes = {path: self._includes(path) for path in self.files}

    def _includes(self, path):
        """Pairs (the name as written, the file it means or None when it is not ours)."""
        names = [quoted or angled for quoted, angled in INCLUDE.findall(path.read_text())]
        return [(name, self._resolve(path, name)) for name in names]

    def _resolve(self, path, name):
        for folder in (path.parent, self.root / "src", self.root / "include", self.root):
            candidate = (folder / name).resolve()
            if candidate.is_file():
                return candidate
        return None

    def name(self, path):
        return str(path.relative_to(self.root))

    def folder(self, path):
        """The layer's name: the folder under src/, the stem of a file directly there, or the top folder."""
        parts = path.relative_to(self.root).parts
        return parts[0] if parts[0] != "src" else pathlib.Path(parts[1]).stem


def unknown_folders(tree):
    folders = {tree.folder(path) for path in tree.files}
    return [f"{folder}: not in the list of layers" for folder in sorted(folders - set(LEVEL))]


def upward_includes(tree):
    for path in tree.files:
        here = tree.folder(path)
        for name, target in tree.includes[path]:
            there = tree.folder(target) if target else here
            if there == here or not {here, there} <= set(LEVEL):
                continue
            if LEVEL[there] >= LEVEL[here] or (there == "io" and here in WITHOUT_FILES):
                yield f"{tree.name(path)}: '{here}' must not include {name}"


def banned_public_includes(tree):
    for path in tree.files:
        if tree.folder(path) == "include":
            for name, _ in tree.includes[path]:
                if BANNED_IN_PUBLIC.fullmatch(name):
                    yield f"{tree.name(path)}: a public header must not include {name}"


def include_circles(tree):
    done = set()

    def visit(path, trail):
        if path in trail:
            circle = trail[trail.index(path) :] + [path]
            return [" -> ".join(tree.name(step) for step in circle)]
        if path in done or path not in tree.includes:
            return []
        found = [c for _, target in tree.includes[path] if target for c in visit(target, trail + [path])]
        done.add(path)
        return found

    return [circle for path in tree.files for circle in visit(path, [])]


def violations(root):
    tree = Tree(root)
    return [
        *unknown_folders(tree),
        *upward_includes(tree),
        *banned_public_includes(tree),
        *include_circles(tree),
    ]


class Layers(unittest.TestCase):
    def test_this_checkout(self):
        root = pathlib.Path(__file__).resolve().parents[2]
        self.assertGreater(len(Tree(root).files), 0)
        found = violations(root)
        self.assertEqual(found, [], "\n" + "\n".join(found))

    def check_planted(self, files, expected):
        with tempfile.TemporaryDirectory() as root:
            for name, text in files.items():
                path = pathlib.Path(root, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            self.assertEqual(violations(root), expected)

    def test_downward_is_allowed(self):
        self.check_planted(
            {
                "include/quasar/core.hpp": "#include <vector>\n",
                "src/simd/add.hpp": "",
                "src/core/rng.hpp": '#include <quasar/core.hpp>\n#include "simd/add.hpp"\n',
                "src/kernels/hmc/hmc.cpp": '#include "core/rng.hpp"\n',
            },
            [],
        )

    def test_upward_is_reported(self):
        self.check_planted(
            {"src/kernels/hmc.hpp": "", "src/models/a.cpp": '#include "kernels/hmc.hpp"\n'},
            ["src/models/a.cpp: 'models' must not include kernels/hmc.hpp"],
        )

    def test_neighbours_are_reported(self):
        self.check_planted(
            {"src/io/csv.hpp": "", "src/diagnostics/ess.cpp": '#include "../io/csv.hpp"\n'},
            ["src/diagnostics/ess.cpp: 'diagnostics' must not include ../io/csv.hpp"],
        )

    def test_files_in_mathematics_are_reported(self):
        self.check_planted(
            {"src/io/csv.hpp": "", "src/kernels/hmc.cpp": '#include "io/csv.hpp"\n'},
            ["src/kernels/hmc.cpp: 'kernels' must not include io/csv.hpp"],
        )

    def test_source_in_public_header_is_reported(self):
        self.check_planted(
            {"src/core/rng.hpp": "", "include/quasar/a.hpp": '#include "../../src/core/rng.hpp"\n'},
            ["include/quasar/a.hpp: 'include' must not include ../../src/core/rng.hpp"],
        )

    def test_printing_in_public_header_is_reported(self):
        self.check_planted(
            {"include/quasar/a.hpp": "#include <iostream>\n"},
            ["include/quasar/a.hpp: a public header must not include iostream"],
        )

    def test_unknown_folder_is_reported(self):
        self.check_planted({"src/misc/a.cpp": ""}, ["misc: not in the list of layers"])

    def test_circle_is_reported(self):
        self.check_planted(
            {"src/core/a.hpp": '#include "core/b.hpp"\n', "src/core/b.hpp": '#include "core/a.hpp"\n'},
            ["src/core/a.hpp -> src/core/b.hpp -> src/core/a.hpp"],
        )


if __name__ == "__main__":
    unittest.main()
