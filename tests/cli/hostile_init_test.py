"""Initial points that are not what they should be: refused with the file and the place or the variable."""

import re
import unittest

from support import CommandLine


class BadPoints(CommandLine):
    """normal-loggamma has two numbers, x and y."""

    def refuses(self, content, message, *more, model="normal-loggamma", code=3):
        self.write("i.json", content)
        self.fails(code, "^quasar: " + re.escape(message), "sample", "--model", model, "--init", "i.json", *more)

    def test_files(self):
        model = ("sample", "--model", "gaussian", "--init")
        self.fails(3, "^quasar: nowhere.json: cannot be opened: No such file", *model, "nowhere.json")
        self.fails(3, "^quasar: nowhere.nc: cannot be opened: No such file", *model, "nowhere.nc")
        (self.folder / "folder.json").mkdir()
        self.fails(3, "^quasar: folder.json: is a folder, not a file", *model, "folder.json")
        self.fails(2, "^quasar: i.txt: initial points are read from a .json or a .nc file", *model, "i.txt")

    def test_syntax(self):
        for content, place in (
            ("", "1:1"),
            ("{", "1:2"),
            ('{"x": 1,\n  "y": ]}', "2:8"),
            ('{"x": 1, "y": 2', "1:16"),
            ('{"x": 1, "y": 2} {}', "1:18"),
            ("{'x': 1}", "1:2"),
            ('{"x": NaN}', "1:7"),
            ('{"x": -Infinity}', "1:8"),
            ('{"x": 0x10}', "1:8"),
            ('{"x": 1,}', "1:9"),
            (b'{"x\xff": 1}', "1:4"),
            (b"\0\1\2", "1:1"),
            (b"\x89HDF\r\n\x1a\n", "1:1"),
            ('{"x": "' + "y" * 5_000_000, "1:5000008"),
        ):
            with self.subTest(content=content[:40]):
                self.refuses(content, f"i.json:{place}: ")

    def test_nesting(self):
        for content in ("[" * 5_000_000, '{"x": ' * 5_000_000, '{"x": "\\"]]", "y": ' + "[" * 5_000_000):
            with self.subTest(content=content[:40]):
                self.refuses(content, "i.json:1:")
        self.refuses("[" * 65, "i.json:1:65: nested deeper than 64 levels")
        self.refuses('{"x": ' + "[" * 63 + "]" * 63 + ', "y": 1}', "i.json: variable 'x': expected a number")

    def test_numbers(self):
        self.refuses('{"x": 1e400, "y": 1}', "i.json: number overflow parsing '1e400'")
        self.refuses('{"x": ' + "9" * 400 + "}", "i.json: number overflow parsing '999")
        for value in ('"1"', '"NaN"', "null", "true", "[1]", "[]", "{}"):
            with self.subTest(value=value):
                self.refuses(f'{{"x": {value}, "y": 1}}', "i.json: variable 'x': expected a number")

    def test_content(self):
        self.refuses("3", "i.json: expected an object of variables and their values")
        self.refuses('"x"', "i.json: expected an object of variables and their values")
        self.refuses("{}", "i.json: not enough to start from, or outside the support of the model; no value for 'x', 'y'")
        self.refuses('{"x": 1}', "i.json: not enough to start from, or outside the support of the model; no value for 'y'")
        self.refuses('{"x": 1, "z": 2}', "i.json: unknown variable 'z'; there are x, y")
        self.refuses('{"x": 1, "y": 2, "x": 3}', "i.json: the key 'x' is given twice")
        schools = {"model": "eight-schools"}
        self.refuses('{"mu": 1, "teta": 1}', "i.json: unknown variable 'teta'; did you mean 'theta'?", **schools)
        self.refuses('{"mu": 1}', "i.json: not enough to start from, or outside the support of the model; no value for 'theta', 'tau'", **schools)
        self.refuses('{"theta": [1, 2]}', "i.json: variable 'theta': expected an array of shape (8)", **schools)
        point = '{"mu": 1, "tau": %s, "theta": [1, 2, 3, 4, 5, 6, 7, 8]}'
        self.refuses(point % -2, "i.json: eight-schools: tau must be positive", **schools)
        self.refuses(point % 0, "i.json: eight-schools: tau must be positive", **schools)

    def test_number_of_points(self):
        point = '{"x": 1, "y": 2}'
        self.refuses("[]", "i.json: 0 initial points for 4 chains")
        self.refuses(f"[{point}]", "i.json: 1 initial points for 4 chains")
        self.refuses(f"[{point}, {point}, {point}]", "i.json: 3 initial points for 2 chains", "--chains", 2)
        self.refuses(f"[{point}, 3]", "i.json: point 2: expected an object", "--chains", 2)
        self.refuses(f'[{point}, {{"x": 1}}]', "i.json: point 2: not enough to start from, or outside the support of the model; no value for 'y'", "--chains", 2)

    def test_a_point_the_model_rejects_fails_the_run(self):
        self.refuses('{"x": 1e308, "y": 1}', "chain 1: no usable starting point", code=4)

    def test_a_good_point_is_taken(self):
        self.write("i.json", '\ufeff{"x": 1, "y": 2}\r\n')
        self.ok("sample", "--model", "normal-loggamma", "--init", "i.json", "--dry-run")


if __name__ == "__main__":
    unittest.main()
