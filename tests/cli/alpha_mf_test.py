"""Alpha-stable matrix factorization from the command line: matrices as they come, the same numbers whatever runs them, what is refused."""

import math
import random
import struct
import unittest

from support import CommandLine

ROWS, COLUMNS = 8, 12


def stable(exponent, draw):
    angle, exponential = math.pi * draw.random(), draw.expovariate(1)
    other = (math.sin((1 - exponent) * angle) / exponential) ** ((1 - exponent) / exponent)
    return math.sin(exponent * angle) / math.sin(angle) ** (1 / exponent) * other


def magnitudes(count=ROWS, columns=COLUMNS, alpha=1.2):
    """|x| of two components, each loud in its own rows."""
    draw = random.Random(1)
    h = [[draw.expovariate(1) + 0.1 for _ in range(columns)] for _ in range(2)]
    rows = []
    for i in range(count):
        w = (2, 0.1) if i < count // 2 else (0.1, 2)
        dispersion = [w[0] * a + w[1] * b for a, b in zip(*h)]
        sd = [math.sqrt(2 * stable(alpha / 2, draw) * l ** (2 / alpha)) for l in dispersion]
        rows.append([s * math.hypot(draw.gauss(0, 1), draw.gauss(0, 1)) for s in sd])
    return rows


def as_csv(rows):
    names = ",".join(f"t{j + 1}" for j in range(len(rows[0])))
    return "\n".join([names, *(",".join("" if x is None else repr(x) for x in row) for row in rows)]) + "\n"


def as_npy(rows, shape=None):
    numbers = [x for row in rows for x in row]
    kind = "<c16" if isinstance(numbers[0], complex) else "<f8"
    if kind == "<c16":
        shape, numbers = shape or (len(rows), len(rows[0])), [part for x in numbers for part in (x.real, x.imag)]
    header = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape or (len(rows), len(rows[0]))}, }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + struct.pack(f"<{len(numbers)}d", *numbers)


class AlphaMf(CommandLine):
    def setUp(self):
        super().setUp()
        self.rows = magnitudes()
        self.write("x.csv", as_csv(self.rows))

    def sample(self, *arguments, data="x.csv", sampler="nuts", draws=50):
        return ("sample", "--model", "alpha-mf", "--data", data, "--set", "model.rank=2", "--sampler", sampler, "--warmup", 50, "--draws", draws,
                "--chains", 2, "--out", "x.nc", "--overwrite", *arguments)

    def draws(self, *arguments, **settings):
        self.ok(*self.sample(*arguments, **settings))
        return self.ok("convert", "x.nc", "--to", "csv").stdout

    HAMCMC = ("--set", "step_size=1e-3", "--batch-size", 10)
    GIBBS = ("--set", "model.augmentation=components")

    def test_csv_and_npy_are_the_same(self):
        self.write("x.npy", as_npy(self.rows))
        for sampler, more in (("hamcmc", self.HAMCMC), ("gibbs", self.GIBBS)):
            self.assertEqual(self.draws(*more, sampler=sampler), self.draws(*more, sampler=sampler, data="x.npy"))

    def test_complex_numbers_count_by_their_size(self):
        self.write("c.npy", as_npy([[complex(0.6 * x, -0.8 * x) for x in row] for row in self.rows]))
        sizes = [[abs(complex(0.6 * x, -0.8 * x)) for x in row] for row in self.rows]
        self.write("sizes.npy", as_npy(sizes))
        self.assertEqual(self.draws(*self.HAMCMC, sampler="hamcmc", data="c.npy"), self.draws(*self.HAMCMC, sampler="hamcmc", data="sizes.npy"))
        self.write("c.npy", as_npy([[complex(1, math.nan)] * 3] * 2))
        self.fails(3, "c.npy: the number in row 1, column 1 is not finite", *self.sample(data="c.npy"))

    def test_the_same_for_any_threads(self):
        for sampler, more in (("hamcmc", self.HAMCMC), ("gibbs", (*self.GIBBS, "--set", "threads=1"))):
            one = self.draws(*more, "--threads", 1, sampler=sampler)
            self.assertEqual(one, self.draws(*more, "--threads", 2, sampler=sampler))
        self.assertEqual(one, self.draws(*self.GIBBS, "--set", "threads=3", sampler="gibbs"))

    def test_names_of_dimensions(self):
        self.ok(*self.sample("--set", "model.row_dim=frequency", "--set", "model.column_dim=frame", "--set", "model.record_phi=true"))
        header = self.ok("convert", "x.nc", "--to", "csv").stdout.splitlines()[0]
        for name in ("level", "phi[8,12]", "W[8,2]", "H[2,12]"):
            self.assertIn(name, header.replace('"', ""))

    def test_two_samplers_agree(self):
        """nuts between draws of Phi, and sweeps over components: one posterior."""
        found = {}
        for sampler, more, draws in (("nuts", (), 4000), ("gibbs", self.GIBBS, 20000)):
            run = self.ok_json(*self.sample(*more, "--seed", 3, sampler=sampler, draws=draws))
            found[sampler] = next(one for one in run["parameters"] if one["name"] == "level")
        error = math.hypot(found["nuts"]["mcse_mean"], found["gibbs"]["mcse_mean"])
        self.assertLess(abs(found["nuts"]["mean"] - found["gibbs"]["mean"]), 5 * error)  # 6e-7

    def test_alpha_by_what_is_held_out(self):
        self.write("many.csv", as_csv(magnitudes(40, 60)))
        score = {}
        for alpha in (0.7, 1.2, 1.9):
            run = self.ok_json(*self.sample("--set", f"model.alpha={alpha}", "--set", "model.held_out=0.2", *self.GIBBS, data="many.csv",
                                            sampler="gibbs", draws=200))
            score[alpha] = next(one["mean"] for one in run["parameters"] if one["name"] == "held_out")
        self.assertEqual(max(score, key=score.get), 1.2, score)

    def test_gaps(self):
        self.rows[2][3] = None
        self.write("gaps.csv", as_csv(self.rows))
        for sampler, more in (("nuts", ()), ("gibbs", self.GIBBS)):
            self.ok(*self.sample(*more, data="gaps.csv", sampler=sampler))

    def test_a_given_dictionary(self):
        """W of a file: H is what is sampled, by every sampler, and another file is another run."""
        w = [[2, 0.1] if i < ROWS // 2 else [0.1, 2] for i in range(ROWS)]
        self.write("w.csv", as_csv(w))
        self.write("w.npy", as_npy([[float(x) for x in row] for row in w]))
        given = ("--set", "model.dictionary=w.csv")
        for sampler, more in (("nuts", ()), ("hamcmc", self.HAMCMC), ("gibbs", self.GIBBS)):
            draws = self.draws(*given, *more, sampler=sampler)
            self.assertEqual(draws.splitlines()[1:], self.draws("--set", "model.dictionary=w.npy", *more, sampler=sampler).splitlines()[1:])
            self.assertNotIn("W[", draws)
            self.assertIn("H[2,12]", draws.replace('"', ""))
        self.write("w.csv", as_csv(w[1:]))
        self.fails(3, "w.csv: has 7 rows, the data 8", *self.sample(*given))
        self.write("w.csv", as_csv([[x, x, x] for x, _ in w]))
        self.fails(3, "w.csv: has 3 columns, and rank is 2: give rank=3", *self.sample(*given))
        self.write("w.csv", as_csv([*w[:-1], [1, -1]]))
        self.fails(3, "w.csv: row 8, column 2: -1 stands where W must be", *self.sample(*given))
        self.write("w.csv", as_csv([*w[:-1], [None, 1]]))
        self.fails(3, "w.csv: row 8, column 1: nan stands where W must be", *self.sample(*given))
        self.write("w.csv", as_csv([[x, 0] for x, _ in w]))
        self.fails(3, "w.csv: column 2 is 0 from top to bottom", *self.sample(*given))
        self.fails(3, "missing.csv", *self.sample("--set", "model.dictionary=missing.csv"))
        for name in ("a_w", "b_w"):
            self.fails(2, f"{name} is of the prior of W, which dictionary gives: leave {name} out", *self.sample(*given, "--set", f"model.{name}=2"))

    def test_a_dictionary_beside_the_configuration(self):
        (self.folder / "sub").mkdir()
        w = as_csv([[2, 0.1] if i < ROWS // 2 else [0.1, 2] for i in range(ROWS)])
        self.write("sub/w.csv", w)
        self.write("sub/c.toml", "[run]\nmodel = 'alpha-mf'\ndata = '../x.csv'\n[model]\nrank = 2\ndictionary = 'w.csv'\n")
        run = ("sample", "sub/c.toml", "--warmup", 10, "--draws", 10, "--chains", 1)
        self.ok(*run)
        self.write("w.csv", w)
        self.fails(3, "no.csv", *run, "--set", "model.dictionary=no.csv", "--out", "other.nc")
        self.ok(*run, "--set", "model.dictionary=w.csv", "--out", "other.nc")  # what is typed is of the current folder
        for read in ("sub/c.toml", "x.csv", "sub/w.csv"):
            self.fails(2, f"{read} is read; --out names another file", *run, "--out", read, "--overwrite")

    def test_what_is_read_is_not_replaced(self):
        self.write("w.csv", as_csv([[2, 0.1] if i < ROWS // 2 else [0.1, 2] for i in range(ROWS)]))
        self.ok(*self.sample(draws=10))
        (self.folder / "link.csv").symlink_to("w.csv")
        given = ("--set", "model.dictionary=w.csv", "--init", "x.nc")
        for read in ("x.csv", "w.csv", "link.csv", "x.nc"):
            for how in ("--overwrite", "--resume", "--dry-run"):
                self.fails(2, f"{read} is read; --out names another file", "sample", "--model", "alpha-mf", "--data", "x.csv", "--set", "model.rank=2",
                           *given, "--out", read, how)

    def test_goes_on_from_a_run_without_phi(self):
        self.ok(*self.sample(draws=100))
        self.ok("sample", "--model", "alpha-mf", "--data", "x.csv", "--set", "model.rank=2", "--sampler", "sgld", "--set", "step_size=1e-4", "--batch-size", 10,
                "--init", "x.nc", "--draws", 500, "--out", "y.nc")

    def test_what_is_refused(self):
        self.write("one.npy", as_npy(self.rows, shape=(ROWS * COLUMNS,)))
        self.write("zero.csv", as_csv([[0.0] * 3] * 2))
        self.write("labels.csv", "a,b\nx,1\ny,2\n")
        self.fails(3, "one.npy: has 1 dimension; a matrix has 2", *self.sample(data="one.npy"))
        self.fails(3, "zero.csv: all entries are 0", *self.sample(data="zero.csv"))
        self.fails(3, "labels.csv.*'a' holds labels", *self.sample(data="labels.csv"))
        self.fails(2, "alpha", *self.sample("--set", "model.alpha=2.5"))
        self.fails(2, "power must be a number or auto, not 'x'", *self.sample("--set", "model.power=x"))
        self.fails(2, "power of a prior must be 0.1 or more in size, not 0.05", *self.sample("--set", "model.power=0.05"))
        self.fails(2, "power of a prior must be 0.1 or more in size, not 0", *self.sample("--set", "model.power=0"))
        self.fails(2, "b_h must be a number or auto", *self.sample("--set", "model.b_h=x"))
        self.fails(2, "augmentation=components", *self.sample(sampler="gibbs"))
        self.fails(2, "leave power=auto", *self.sample(*self.GIBBS, "--set", "model.power=1", sampler="gibbs"))
        self.fails(2, "augmentation=entries has gradients", *self.sample(*self.GIBBS))
        self.fails(2, "this model has no density", *self.sample(*self.GIBBS, "--check", "exact", sampler="gibbs"))
        self.fails(2, "record_phi=true is for augmentation=entries", *self.sample(*self.GIBBS, "--set", "model.record_phi=true", sampler="gibbs"))
        self.fails(2, "held_out must leave", *self.sample("--set", "model.held_out=0.001"))
        self.fails(2, "held_out needs an alpha of 0.5 or more", *self.sample("--set", "model.held_out=0.2", "--set", "model.alpha=0.3"))
        self.fails(2, "improper or has no density", *self.sample("--prior-only"))
        self.fails(2, "has no density, and so no gradient", *self.sample("--check", "ksd"))


if __name__ == "__main__":
    unittest.main()
