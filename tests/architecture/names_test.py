"""Sources of a folder are compiled together (cmake/QuasarJoin.cmake), so their unnamed namespaces are one: a name in it
must not be another file's as well, and no function of it may stand before one of a header that a neighbour calls. The
compiler sees neither where signatures fit. A type that others can name is of one file, wherever in the project it stands:
of two with one name the linker takes the functions of either.
"""

import collections
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SRC = ROOT / "src"
APART = ("simd", "mpi")  # folders whose files are compiled by themselves

TYPE = re.compile(r"(?:struct|class|enum class|union)\s+(\w+)")
FUNCTION_OR_CONSTANT = re.compile(r"[^(={;]*?(?<![\w:])(\w+)\s*([(={;\[])")
NOT_A_NAME = ("template", "using", "namespace", "extern", "static_assert")


def unnamed(text):
    """Names at the margin of unnamed namespaces, and those of them that are functions."""
    names, functions, inside = set(), set(), False
    for line in text.splitlines():
        if line.startswith("namespace {"):
            inside = True
        elif line == "}  // namespace":
            inside = False
        elif inside and line[:1].isalpha() and not line.startswith(NOT_A_NAME):
            found = TYPE.match(line) or FUNCTION_OR_CONSTANT.match(line)
            if found:
                names.add(found.group(1))
                if found.re is FUNCTION_OR_CONSTANT and found.group(2) == "(":
                    functions.add(found.group(1))
    return names, functions


def types(text):
    """Types that are defined at the margin of a namespace with a name, with that name."""
    found, spaces = set(), []
    for line in text.splitlines():
        opened = re.match(r"namespace ([\w:]*) ?\{$", line)
        defined = re.match(TYPE.pattern + r"(?![\w:<;])", line)
        if opened:
            spaces.append(opened.group(1))
        elif line.startswith("}  // namespace"):
            spaces.pop()
        elif defined and all(spaces):
            found.add("::".join([*spaces, defined.group(1)]))
    return found


def declared_in_headers():
    declared = set()
    for header in [*SRC.rglob("*.hpp"), *(ROOT / "include").rglob("*.hpp")]:
        for line in header.read_text().splitlines():
            found = FUNCTION_OR_CONSTANT.match(line) if line[:1].isalpha() else None
            if found and found.group(2) == "(":
                declared.add(found.group(1))
    return declared


def calls(text):
    """Names of functions that are called without saying whose they are."""
    code = re.sub(r'"(\\.|[^"\\])*"', '""', re.sub(r"//.*", "", text))
    return set(re.findall(r"(?<![\w.>:~])(\w+)\(", code))


class Names(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folders = collections.defaultdict(dict)
        for source in SRC.rglob("*.cpp"):
            if source.parent.name not in APART:
                cls.folders[source.parent][source.name] = source.read_text()

    def test_are_those_of_one_file(self):
        for folder, sources in self.folders.items():
            files = collections.defaultdict(list)
            for file, text in sources.items():
                for name in unnamed(text)[0]:
                    files[name].append(file)
            shared = {name: sorted(there) for name, there in files.items() if len(there) > 1}
            self.assertEqual(shared, {}, f"in unnamed namespaces of {folder.relative_to(SRC)}")

    def test_do_not_stand_before_those_of_headers(self):
        declared, taken = declared_in_headers(), []
        for folder, sources in self.folders.items():
            called = {file: calls(text) - unnamed(text)[0] for file, text in sources.items()}
            for file, text in sources.items():
                hiding = unnamed(text)[1] & declared
                taken += [f"{folder.name}/{file}: {name} is called in {neighbour}"
                          for neighbour in sources if neighbour != file for name in hiding & called[neighbour]]
        self.assertEqual(taken, [])

    def test_of_types_are_of_one_file(self):
        files = collections.defaultdict(list)
        for folder in ("include", "src", "experiments", "cli"):
            for source in (ROOT / folder).rglob("*.[ch]pp"):
                for name in types(source.read_text()):
                    files[name].append(str(source.relative_to(ROOT)))
        self.assertGreater(len(files), 300)
        self.assertEqual({name: sorted(there) for name, there in files.items() if len(there) > 1}, {})

    def test_planted_names_are_seen(self):
        names, functions = unnamed("namespace {\n\nconstexpr int most = 3;\n\nvoid Part::run() {\n}\nint size(int n) {\n}\n}  // namespace\nint out() {")
        self.assertEqual((names, functions), ({"most", "size"}, {"size"}))
        self.assertEqual(types("namespace a {\nstruct S {\n};\nstruct T;\nstruct S::P {\n};\nnamespace {\nclass U {\n}  // namespace\nenum class V { v };\n}  // namespace a"), {"a::S", "a::V"})
        self.assertEqual(calls('a.f(g(x), "h(y)");  // k(z)'), {"g"})


if __name__ == "__main__":
    unittest.main()
