"""Tables that are not what they should be: refused with file, line and column, or read as if they were plain."""

import gzip
import os
import random
import re
import resource
import subprocess
import threading
import unittest

from support import BIN, CommandLine

PLAIN = "a,b,y\n1,2.5,0\n-3,4e-3,1\n2,1,0\n"
MEBIBYTE = 1 << 20


def fnv1a(content):
    value = 0xCBF29CE484222325
    for byte in content:
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return value


class Tables(CommandLine):
    def sample(self, *more, model="logistic", data="d.csv"):
        return ("sample", "--model", model, "--data", data, *more)

    def refuses(self, content, message, *more, code=3, **options):
        """The whole beginning of the message, as it stands."""
        self.write("d.csv", content)
        self.fails(code, "^quasar: " + re.escape(message), *self.sample(*more, **options))

    def parameters(self, content):
        self.write("d.csv", content)
        return self.ok_json(*self.sample("--draws", 10, "--warmup", 10, "--overwrite"))["parameters"]


class BadTables(Tables):
    def test_missing_folder_or_empty(self):
        self.fails(3, "^quasar: nowhere.csv: cannot be opened: No such file", *self.sample(data="nowhere.csv"))
        self.fails(3, "^quasar: nowhere/d.csv: cannot be opened", *self.sample(data="nowhere/d.csv"))
        self.fails(3, r"^quasar: \.: is a folder", *self.sample(data="."))
        self.refuses("", "d.csv: the file is empty")
        self.refuses("\n\n", "d.csv:1: the first line is empty")

    def test_no_rows(self):
        for content in ("a,b,y\n", "a,b,y", "a,b,y\r\n\r\n"):
            self.refuses(content, "d.csv: a header but no rows")

    @unittest.skipIf(os.geteuid() == 0, "root reads everything")
    def test_unreadable(self):
        self.write("d.csv", PLAIN).chmod(0)
        result = self.quasar(*self.sample())
        self.refused(result, 3, "^quasar: d.csv: cannot be opened: Permission denied")

    def test_binary(self):
        self.refuses(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "d.csv:1: the name of column 1 is not UTF-8 text")
        self.refuses(b"\0\0\0\0", "d.csv:1: a NUL byte: this is not a text file in UTF-8")
        self.refuses(PLAIN.encode("utf-16"), "d.csv:1: a NUL byte")
        self.refuses("café,y\n1,0\n".encode("latin-1"), "d.csv:1: the name of column 1 is not UTF-8 text")
        self.refuses(PLAIN.encode() + b"1,\xff,0\n", "d.csv:5: column 2 ('b')")
        for seed in range(20):
            self.refuses(random.Random(seed).randbytes(3000), "d.csv:")

    def test_gzip_cut_short_or_damaged(self):
        packed = gzip.compress("".join(["a,y\n", *(f"{i},{i % 2}\n" for i in range(5000))]).encode())
        for size in (3, 9, 10, 11, len(packed) // 2, len(packed) - 1):
            with self.subTest(size=size):
                self.refuses(packed[:size], "d.csv:" if size == 3 else "d.csv: the gzip data break off early")
        for position in (12, len(packed) // 2, len(packed) - 6):
            with self.subTest(position=position):
                flipped = bytearray(packed)
                flipped[position] ^= 0x10
                self.refuses(bytes(flipped), "d.csv:")
        checksum = bytearray(packed)
        checksum[-6] ^= 1
        self.refuses(bytes(checksum), "d.csv: the gzip data are damaged")

    def test_other_dialects(self):
        self.refuses("a;b;y\n1;2;0\n", "d.csv:1: the fields are separated by semicolons; commas are expected")
        self.refuses("a\tb\ty\n1\t2\t0\n", "d.csv:1: the fields are separated by tabs; commas are expected")
        self.refuses("a|b|y\n1|2|0\n", "d.csv:1: the fields are separated by vertical bars; commas are expected")
        self.refuses("a,y\r1,0\r2,1\r", r"d.csv:1: the lines end in a carriage return alone; \n or \r\n is expected")

    def test_ragged(self):
        self.refuses("a,b,y\n1,2,0\n1,1\n", "d.csv:3: expected 3 fields, found 2")
        self.refuses("a,b,y\n1,2,0,\n", "d.csv:2: expected 3 fields, found 4")
        self.refuses("a,b,y\n1,2,0\n\n1,3,1\n", "d.csv:4: line 3 is empty, yet the table goes on")

    def test_quotes(self):
        self.refuses('a,b,y\n1,2,0\n1,"3,1\n2,3,1\n', "d.csv:3: the quote that opens field 2 is never closed")
        self.refuses('"a,b,y\n1,2,0\n', "d.csv:1: the quote that opens field 1 is never closed")
        self.refuses('a,y\n"1"2,0\n', "d.csv:2: text behind the closing quote of field 1")

    def test_values(self):
        for value, problem in (
            ("oops", "'oops' is not a number"),
            ("1.5x", "'1.5x' is not a number"),
            ("0x1F", "'0x1F' is not a number"),
            ("NA", "'NA' is a missing value; model.missing=drop leaves such rows out"),
            ("\x1b[2J", "'?[2J' is not a number"),
            ("", "the value is missing"),
            ("nan", "'nan' is a missing value"),
            ("NaN", "'NaN' is a missing value"),
            ("-inf", "'-inf' is not finite"),
            ("Infinity", "'Infinity' is not finite"),
            ("1e999", "'1e999' is outside the range of a double"),
        ):
            with self.subTest(value=value):
                self.refuses(f"a,chol,y\n1,2,0\n1,{value},1\n", f"d.csv:3: column 2 ('chol'): {problem}")

    def test_headers(self):
        self.refuses("a,b,a,y\n1,2,3,0\n", "d.csv:1: column 3 ('a') repeats the name of column 1")
        self.refuses("a,,y\n1,2,0\n", "d.csv:1: column 2 has no name")
        self.refuses("1,2,0\n3,4,1\n", "d.csv:1: every name in the header is a number: a header line")

    def test_columns_that_do_not_suit_the_model(self):
        self.refuses("a,y\n1,0\n1,1\n", "d.csv: column 1 ('a'): every value is the same")
        self.refuses("a,y\n1,0\n2,3\n", "d.csv:3: column 2 ('y'): the target of a logistic regression must be 0 or 1")
        self.refuses("a,y\n1,0\n2,0.5\n", "d.csv:3: column 2 ('y'): the target")
        target = "d.csv:3: column 2 ('y'): the target of a logistic regression must be 0 or 1, or one of two labels; "
        self.refuses("a,y\n1,0\n2,0.5\n3,2\n", target + "for a response that is a number take the model linear")
        comma = ("--set", "model.predictors=body mass, kg,a")
        self.refuses('"body mass, kg",a,y\n1,2,0\n2,1,1\n', "d.csv: model.predictors has a ',' between its names, so that "
                     "it cannot name the column 'body mass, kg'; rename it", *comma, code=2)
        self.refuses("y\n1\n0\n", "d.csv: a regression needs a target and at least one predictor column")
        self.refuses("a,y\n1e300,0\n-1e300,1\n", "d.csv: column 1 ('a'): the values are too extreme")
        unknown = ("--set", "model.target=outcone")
        self.refuses("outcome,a\n0,1\n1,2\n", "d.csv: unknown column 'outcone'; did you mean 'outcome'?", *unknown, code=2)
        self.refuses("a,y\n1,0\n2,1\n", "d.csv: unknown column 'outcone'; there are a, y", *unknown, code=2)

    def test_labels(self):
        self.refuses("a,y\n1,0\nx,1\n", "d.csv:3: column 1 ('a'): 'x' is not a number; if the values are labels, set model.categorical=a")
        self.refuses("a,y\nx,0\n1,1\n", "d.csv:3: column 1 ('a'): '1' is a number where line 2 has a label; if")
        self.refuses("a,y\n1,u\n2,v\n3,w\n", "d.csv: column 2 ('y'): the target must have two different values, not 3")
        self.refuses("a,y\n1,u\n2,v\n", "d.csv:2: column 2 ('y'): 'u' is a label where a number is needed", model="linear")
        self.refuses("a,y\n1,u\n2,v\n", "d.csv:2: column 2 ('y'): 'u' is a label where a number is needed", model="normal")
        self.refuses(b"a,y\ncaf\xe9,0\nb,1\n", "d.csv:2: column 1 ('a'): the label is not UTF-8 text")

    def test_names_of_columns(self):
        for setting, message in (
            ("predictors=a,bb", "d.csv: unknown column 'bb'"),
            ("predictors=a,y", "d.csv: column 'y' is the target and cannot be a predictor as well"),
            ("predictors=a,,b", "d.csv: model.predictors: 'a,,b' has an empty name"),
            ("categorical=c", "d.csv: unknown column 'c'"),
            ("interactions=a", "d.csv: model.interactions: 'a' is no product of columns"),
            ("interactions=a:c", "d.csv: unknown column 'c'"),
            ("interactions=a:b,b:a", "d.csv: model.interactions: 'b:a' is given twice"),
        ):
            self.refuses(PLAIN, message, "--set", f"model.{setting}", code=2)
        self.refuses(PLAIN, "missing = 'skip': must be one of error, drop", "--set", "model.missing=skip", code=2)

    def test_a_table_with_neither_path_nor_name(self):
        self.fails(2, "the model logistic needs --data", *self.sample(data=""))
        self.fails(2, "the model gaussian takes no --data", *self.sample(model="gaussian"))


class ManyColumns(Tables):
    COLUMNS = 10**6

    def setUp(self):
        super().setUp()
        self.header = ",".join(f"c{i}" for i in range(self.COLUMNS)) + ",y\n"
        self.rows = [",".join(str((7 * i + 3 * r) % 11) for i in range(self.COLUMNS)) for r in range(2)]

    def test_are_read(self):
        self.write("d.csv", f"{self.header}{self.rows[0]},0\n{self.rows[1]},1\n")
        self.ok(*self.sample("--dry-run", "--draws", 10, "--chains", 1))

    def test_are_checked(self):
        self.refuses(f"{self.header}{self.rows[0]}\n", "d.csv:2: expected 1000001 fields, found 1000000")
        self.refuses(f"{self.header}{self.rows[0]},-inf\n", "d.csv:2: column 1000001 ('y'): '-inf' is not finite")
        self.refuses(self.header.replace(",c999999,", ",c0,"), "d.csv:1: column 1000000 ('c0') repeats the name of column 1")

    def test_commas_alone_do_not_fill_the_memory(self):
        self.refuses("," * 10**7, "d.csv:1: more than 10000000 fields")


class EndlessLines(Tables):
    """A line is refused once it is longer than 256 MiB, whatever comes after it."""

    LIMIT = 256 * MEBIBYTE
    PATIENCE = 2 * LIMIT  # a program that reads on is given no more

    def feed(self, pipe, beginning):
        """Writes until the reader leaves; how many bytes it took."""
        taken = 0
        try:
            with pipe:
                taken += pipe.write(beginning)
                while taken < self.PATIENCE:
                    taken += pipe.write(b"1," * (MEBIBYTE // 2))
        except BrokenPipeError:
            pass
        return taken

    def check(self, result, taken, where):
        self.refused(result, 3, f"^quasar: {where}: the line is longer than {self.LIMIT} bytes\n")
        self.assertLess(taken, self.LIMIT + 4 * MEBIBYTE)
        self.assertLess(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024, 6 * self.LIMIT)
        self.assertEqual(set(self.contents()) - {"pipe"}, set())

    def test_standard_input(self):
        command = [BIN, *self.sample(data="/dev/stdin")]
        with subprocess.Popen(
            command, cwd=self.folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0
        ) as process:
            taken = self.feed(process.stdin, b"a,y\n")
            streams = (process.stdout.read().decode(), process.stderr.read().decode())
        self.check(subprocess.CompletedProcess(command, process.returncode, *streams), taken, "/dev/stdin:2")

    def test_fifo(self):
        os.mkfifo(self.folder / "pipe")
        taken = []
        writer = threading.Thread(
            target=lambda: taken.append(self.feed(open(self.folder / "pipe", "wb", buffering=0), b"a"))
        )
        writer.start()
        result = self.quasar(*self.sample(data="pipe"))
        writer.join()
        self.check(result, taken[0], "pipe:1")

    def test_gzip(self):
        self.write("d.csv", gzip.compress(b"x" * (self.LIMIT + 1), compresslevel=1))
        self.fails(3, f"^quasar: d.csv:1: the line is longer than {self.LIMIT} bytes\n", *self.sample())


class Labels(Tables):
    ROWS = "age,sex,note,y\n30,male,x,no\n40,female,1,yes\n50,male,,yes\n45,,z,yes\n35,female,q,no\n"
    QUICK = ("--draws", 10, "--warmup", 10, "--chains", 1, "--overwrite")

    def test_rows_with_missing_values_are_left_out_and_counted(self):
        self.write("d.csv", self.ROWS)
        settings = ("--set", "model.predictors=age,sex", "--set", "model.missing=drop")
        result = self.ok(*self.sample(*settings, *self.QUICK))
        self.assertTrue(result.stderr.startswith("quasar: 1 of 5 rows have missing values and are left out\n"), result.stderr)
        self.assertNotIn("left out", self.ok(*self.sample(*settings, *self.QUICK, "--quiet")).stderr)
        self.assertIn("1 of 5 rows", self.ok("optimize", "--model", "logistic", "--data", "d.csv", *settings).stderr)
        self.refuses(self.ROWS, "d.csv:5: column 2 ('sex'): the value is missing; model.missing=drop", *settings[:2], "--overwrite")

    def test_coefficients_are_named_by_their_levels(self):
        self.write("d.csv", self.ROWS.replace("45,,z,yes\n", ""))
        settings = ("--set", "model.predictors=age,sex", "--set", "model.interactions=age:sex")
        names = [p["name"] for p in self.ok_json(*self.sample(*settings, *self.QUICK))["parameters"]]
        self.assertEqual(names, ["intercept", "beta[age]", "beta[sex=male]", "beta[age:sex=male]"])

    def test_the_order_of_rows_does_not_decide_the_levels(self):
        header, *rows = self.ROWS.replace("45,,z,yes\n", "").splitlines()
        names = set()
        for lines in (rows, rows[::-1]):
            self.write("d.csv", "\n".join([header, *lines]))
            parameters = self.ok_json(*self.sample("--set", "model.predictors=sex", *self.QUICK))["parameters"]
            names.add(tuple(p["name"] for p in parameters))
        self.assertEqual(names, {("intercept", "beta[sex=male]")})


class SameTable(Tables):
    """What is accepted beside the plain dialect gives the same draws."""

    def test_dialects(self):
        plain = self.parameters(PLAIN)
        for content in (
            PLAIN.replace("\n", "\r\n"),
            "\ufeff" + PLAIN,
            "\ufeff" + PLAIN.replace("\n", "\r\n"),
            '"a","b","y"\n"1","2.5",0\n-3,"4e-3",1\n2,"1","0"\n',
            PLAIN.replace(",", " ,\t"),
            PLAIN.rstrip("\n"),
            PLAIN + "\n\n",
            gzip.compress(PLAIN.encode()),
        ):
            with self.subTest(content=content):
                self.assertEqual(self.parameters(content), plain)

    def test_quoted_names(self):
        names = [p["name"] for p in self.parameters('"age, years","a ""b""",y\n1,2.5,0\n-3,4e-3,1\n')]
        self.assertEqual(names, ["intercept", "beta[age, years]", 'beta[a "b"]'])

    def test_a_pipe_is_read_once_and_has_the_hash_of_its_content(self):
        self.write("d.csv", PLAIN)
        quick = ("--draws", 10, "--warmup", 10, "--quiet", "--out")
        self.ok(*self.sample(*quick, "file.nc"))
        result = self.quasar(*self.sample(*quick, "pipe.nc", data="/dev/stdin"), input=PLAIN)
        self.assertEqual(result.returncode, 0, result.stderr)
        for name in ("file.nc", "pipe.nc"):
            hashes = re.findall(rb"fnv1a64:([0-9a-f]{16})", (self.folder / name).read_bytes())
            self.assertEqual([int(h, 16) for h in hashes], [fnv1a(PLAIN.encode())], name)


if __name__ == "__main__":
    unittest.main()
