"""quasar optimize --problem: means, principal components and Procrustes from files; what is refused, and how."""

import csv
import json
import math
import struct
import unittest

from support import HEART, CommandLine

A, B = [[2, 1], [1, 3]], [[4, -1], [-1, 1]]
MEAN = [[2.54636075, -0.10343092], [-0.10343092, 1.52518896]]  # A # B, in closed form


def npy(shape, numbers, kind="<f8", fortran=False, version=1):
    header = f"{{'descr': '{kind}', 'fortran_order': {fortran}, 'shape': {shape}, }}".encode()
    letter = {"f8": "d", "f4": "f", "i8": "q", "i4": "i", "u1": "B"}[kind[1:]]
    order = ">" if kind[0] == ">" else "<"
    size = struct.pack("<H" if version == 1 else "<I", len(header))
    return b"\x93NUMPY" + bytes([version, 0]) + size + header + struct.pack(f"{order}{len(numbers)}{letter}", *numbers)


def flat(*matrices):
    return [x for matrix in matrices for row in matrix for x in row]


def squared_distance(x, w):
    """Of 2 x 2 matrices: the eigenvalues of x^-1 w from its trace and determinant."""
    det = x[0][0] * x[1][1] - x[0][1] ** 2
    trace = (x[1][1] * w[0][0] + x[0][0] * w[1][1] - 2 * x[0][1] * w[0][1]) / det
    product = (w[0][0] * w[1][1] - w[0][1] ** 2) / det
    larger = (trace + math.sqrt(trace**2 - 4 * product)) / 2
    return math.log(larger) ** 2 + math.log(product / larger) ** 2


class Problem(CommandLine):
    def bytes(self, name, content):
        (self.folder / name).write_bytes(content)
        return name

    def solve(self, problem, data, *more):
        return self.ok_json("optimize", "--problem", problem, "--data", data, *more)

    def near(self, found, expected, delta=1e-7):
        for row, known in zip(found, expected, strict=True):
            for x, y in zip(row, known, strict=True):
                self.assertAlmostEqual(x, y, delta=delta)


class Means(Problem):
    def test_every_kind_of_file_and_solver_has_the_same_mean(self):
        numbers = flat(A, B)
        self.write("m.csv", "a,b,c,d\n2,1,1,3\n4,-1,-1,1\n")
        by_columns = [numbers[4 * k + 2 * i + j] for j in (0, 1) for i in (0, 1) for k in (0, 1)]
        files = ["m.csv", self.bytes("m.npy", npy((2, 2, 2), numbers)), self.bytes("f.npy", npy((2, 2, 2), by_columns, fortran=True))]
        for i, kind in enumerate(("<f4", ">f8", "<i8", ">i4")):
            files.append(self.bytes(f"{i}.npy", npy((2, 2, 2), numbers, kind, version=1 + i % 3)))
        for name in files:
            found = self.solve("karcher-mean", name)
            self.assertEqual(found["stop"], "converged", name)
            self.near(found["mean"], MEAN)
        for solver in ("trust_region", "conjugate_gradient", "steepest_descent"):
            self.near(self.solve("karcher-mean", "m.npy", "--set", f"solver={solver}")["mean"], MEAN)

    def test_text_and_files(self):
        self.bytes("m.npy", npy((2, 2, 2), flat(A, B)))
        text = self.ok("optimize", "--problem", "karcher-mean", "--data", "m.npy", "--out", "mean.npy").stdout
        self.assertRegex(text, r"^karcher-mean on m\.npy, lbfgs: gradient norm .*; converged; .* s\nmean squared distance ")
        self.assertIn("2.54636", text)
        self.assertTrue(text.endswith("mean.npy written\n"))
        content = (self.folder / "mean.npy").read_bytes()
        self.near([struct.unpack("<4d", content[-32:])[:2]], [MEAN[0]])
        self.assertEqual((len(content) - 32) % 64, 0)
        self.ok("optimize", "--problem", "karcher-mean", "--data", "m.npy", "--out", "mean.csv")
        self.assertTrue((self.folder / "mean.csv").read_text().startswith("x1,x2\n2.546360"))
        again = ("optimize", "--problem", "karcher-mean", "--data", "m.npy", "--out", "mean.csv")
        self.fails(2, "mean.csv", *again)
        self.ok(*again, "--overwrite")


class Components(Problem):
    def test_of_a_table(self):
        self.write("x.csv", "a,b\n" + "".join(f"{3 * t},{4 * t}\n" for t in (-2, -1, 0, 1, 2)))
        found = self.solve("pca", "x.csv", "--set", "components=1")
        self.near(found["components"], [[0.6, 0.8]], 1e-12)
        self.assertAlmostEqual(found["variances"][0], 62.5, delta=1e-10)
        self.assertEqual((found["columns"], found["rows"]), (["a", "b"], 5))

    def test_solvers_agree(self):
        expected = self.solve("pca", HEART, "--set", "components=2", "--set", "scale=true")
        for solver in ("exact", "krylov", "lbfgs", "trust_region"):
            found = self.solve("pca", HEART, "--set", "components=2", "--set", "scale=true", "--set", f"solver={solver}")
            self.near(found["components"], expected["components"], 1e-4)

    def test_constant_columns_are_not_scaled(self):
        rows = "".join(f"{k % 7},0.1\n" for k in range(10000))
        self.write("x.csv", "a,same\n" + rows)
        self.ok("pack", "x.csv", "--out", "x.qpk")
        for data in ("x.csv", "x.qpk"):
            pattern = rf"{data}: column 2 \('same'\) is constant and cannot be scaled"
            self.fails(3, pattern, "optimize", "--problem", "pca", "--data", data, "--set", "scale=true")
            self.assertEqual(self.solve("pca", data)["rank"], 1)

    def test_names_that_need_quotes(self):
        self.write("x.csv", '"a,b","say ""c"""\n1,2\n3,1\n2,2\n')
        self.ok("optimize", "--problem", "pca", "--data", "x.csv", "--out", "out.csv")
        header, *rows = csv.reader((self.folder / "out.csv").read_text().splitlines())
        self.assertEqual(header, ["a,b", 'say "c"'])
        self.assertEqual([len(row) for row in rows], [2, 2])

    def test_table_of_shares(self):
        text = self.ok("optimize", "--problem", "pca", "--data", HEART, "--set", "components=2").stdout
        self.assertRegex(text, r"component +variance +share +together\n1 ")
        self.assertRegex(text, r"\ncholesterol +0?\.9")


    def test_auto_takes_limits(self):
        found = self.solve("pca", HEART, "--max-iterations", "1")
        self.assertEqual((found["solver"], found["passes"]), ("exact", 1))

    def test_steps_that_led_away_are_no_convergence(self):
        self.bytes("m.npy", npy((3, 2, 2), flat(A, B, [[1, 0], [0, 9]])))
        found = self.solve("karcher-mean", "m.npy", "--set", "solver=sv_lbfgs", "--set", "step_size=1e6", "--max-iterations", "3")
        self.assertEqual(found["stop"], "iteration_limit")
        cost = sum(squared_distance(found["mean"], w) for w in (A, B, [[1, 0], [0, 9]])) / 3  # there, not at the snapshot
        self.assertAlmostEqual(found["cost"] / cost, 1, delta=1e-3)
        self.assertGreater(found["gradient_norm"], 2 * math.sqrt(cost) * 0.9)  # from far away all logarithms point one way

    def test_minibatches_that_lead_nowhere_write_nothing(self):
        diagonals = [[[10.0 ** (i - 4), 0], [0, 10.0 ** (5 - i)]] for i in range(10)]
        self.bytes("far.npy", npy((10, 2, 2), flat(*diagonals)))
        far = ("optimize", "--problem", "karcher-mean", "--data", "far.npy", "--set", "solver=svrg", "--set", "start=arithmetic")
        self.fails(4, "smaller step_size, here 30", *far, "--set", "step_size=30", "--out", "mean.npy")

    def test_shares_of_constant_data(self):
        self.write("same.csv", "a,b\n" + "1,2\n" * 5)
        text = self.ok("optimize", "--problem", "pca", "--data", "same.csv").stdout
        self.assertNotIn("nan", text)
        self.assertRegex(text, r"\n1 +0 +- +-\n")


class Rotations(Problem):
    def test_finds_the_rotation(self):
        c, s = math.cos(0.3), math.sin(0.3)
        points = [[1, 2], [3, -1], [0.5, 0.25]]
        self.bytes("a.npy", npy((3, 2), flat(points)))
        self.bytes("b.npy", npy((3, 2), [z for x, y in points for z in (c * x + s * y, c * y - s * x)]))
        found = self.solve("procrustes", "a.npy", "--onto", "b.npy")
        self.near(found["q"], [[c, -s], [s, c]], 1e-12)
        self.assertAlmostEqual(found["residual"], 0, delta=1e-12)


class Refused(Problem):
    def test_files(self):
        good = npy((2, 2, 2), flat(A, B))
        indefinite = npy((2, 2, 2), flat(A, [[1, 2], [2, 1]]))
        for name, content, pattern in (
            ("cut.npy", good[:-1], "ends in its numbers"),
            ("long.npy", good + b"x", "behind its last number"),
            ("head.npy", good[:20], "ends in its header"),
            ("empty.npy", b"", "ends in its first bytes"),
            ("text.npy", b"a,b\n1,2\n", "no array of NumPy"),
            ("zip.npz", b"PK\x03\x04......", "archive"),
            ("kind.npy", good.replace(b"<f8", b"<c8"), "kind '<c8'"),
            ("shape.npy", npy((2, 4), flat(A, B)), "2 x 4"),
            ("huge.npy", good.replace(b"(2, 2, 2)", b"(9999999999999, 9999999, 9)"), "(more numbers|damaged|ends in)"),
            ("indefinite.npy", indefinite, "matrix 2 of 2.*not positive definite"),
            ("singular.npy", npy((2, 2, 2), flat(A, [[1, 3], [3, 9]])), "matrix 2 of 2.*singular to rounding.*shrinkage"),
            ("nan.npy", npy((1, 2, 2), [1, math.nan, math.nan, 1]), "matrix 1 of 1"),
            ("none.npy", npy((0, 2, 2), []), "the mean of no matrices"),
            ("rows.npy", npy((2, 0, 0), []), "without rows"),
            ("bent.npy", npy((1, 2, 2), [1, 0.5, 0, 1]), "not symmetric"),
        ):
            with self.subTest(name):
                self.fails(3, f"{name}.*{pattern}", "optimize", "--problem", "karcher-mean", "--data", self.bytes(name, content))
        wide = [1.0 if i == j else 0.0 for i in range(12) for j in range(12)]
        self.bytes("wide.npy", npy((2, 12, 12), [*wide, *wide[:-1], 1e-45]))
        self.fails(3, "matrix 2 of 2.*below rounding", "optimize", "--problem", "karcher-mean", "--data", "wide.npy")
        self.bytes("large.npy", npy((2, 2), [1e200, 0, 0, 1e200]))
        self.fails(3, "overflow", "optimize", "--problem", "procrustes", "--data", "large.npy", "--onto", "large.npy")
        self.fails(3, "overflow", "optimize", "--problem", "pca", "--data", "large.npy")
        self.bytes("three.npy", npy((3, 2), [1, 2, 3, 4, 5, 6]))
        onto = ("optimize", "--problem", "procrustes", "--data", "large.npy", "--onto")
        self.fails(3, "large.npy onto three.npy: the first matrix has 2 rows and the second 3", *onto, "three.npy")
        self.bytes("holes.npy", npy((2, 2), [1, 2, 3, math.nan]))
        self.fails(3, "large.npy onto holes.npy: the second matrix, row 2, column 2: nan", *onto, "holes.npy")
        self.fails(3, r"holes.npy: row 2, column 2: nan", "optimize", "--problem", "pca", "--data", "holes.npy")
        self.write("x.csv", "a,b,c,d\n1,0,0,1\n")
        self.ok("pack", "x.csv", "--out", "x.qpk")
        self.fails(3, "x.qpk: is a packed table, which pca alone reads", "optimize", "--problem", "karcher-mean", "--data", "x.qpk")
        self.fails(3, "x.qpk: is a packed table, which pca alone reads", *onto, "x.qpk")
        self.fails(3, "missing.npy", "optimize", "--problem", "karcher-mean", "--data", "missing.npy")
        self.write("three.csv", "a,b,c\n1,2,3\n")
        self.fails(3, "3 columns", "optimize", "--problem", "karcher-mean", "--data", "three.csv")
        self.write("gap.csv", "a,b,c,d\n2,1,1,3\n4,-1,-1,\n")
        for problem in ("pca", "karcher-mean"):
            self.fails(3, r"gap.csv:3: column 4 \('d'\): .* missing; fill it in", "optimize", "--problem", problem, "--data", "gap.csv")
        self.write("label.csv", "a,b\n1,x\n2,y\n")
        self.fails(3, "label", "optimize", "--problem", "pca", "--data", "label.csv")

    def test_flags(self):
        mean = ("optimize", "--problem", "karcher-mean")
        self.bytes("m.npy", npy((2, 2, 2), flat(A, B)))
        self.fails(2, "unknown problem 'karcher'", "optimize", "--problem", "karcher", "--data", "m.npy")
        self.fails(2, "--data FILE is missing", *mean)
        self.fails(2, "--data FILE is missing", *mean, "--data", "")
        self.fails(2, "its data go to --data", *mean, "m.npy")
        self.fails(2, "--model does not go with --problem", *mean, "--data", "m.npy", "--model", "banana")
        self.fails(2, "--out m.txt", *mean, "--data", "m.npy", "--out", "m.txt")
        self.fails(2, "step_size", *mean, "--data", "m.npy", "--set", "step_size=0.1")
        self.fails(2, "solver", *mean, "--data", "m.npy", "--set", "solver=newton")
        self.fails(2, "--onto", *mean, "--data", "m.npy", "--onto", "m.npy")
        self.fails(2, "--onto FILE", "optimize", "--problem", "procrustes", "--data", "m.npy")
        self.fails(2, "go with --problem alone", "optimize", "--model", "banana", "--out", "x.npy")
        self.fails(2, "components", "optimize", "--problem", "pca", "--data", HEART, "--set", "components=99")
        self.fails(2, "--method does not go with --problem; --set solver=", *mean, "--data", "m.npy", "--method", "lbfgs")

    def test_settings_are_looked_at_before_data(self):
        for problem, setting, pattern in (
            ("karcher-mean", "solver=newton", "solver = 'newton'"),
            ("karcher-mean", "memory=3 solver=svrg", "memory: solver svrg does not take it"),
            ("karcher-mean", "solver=sv_lbfgs update=together", "pairs of snapshots have none"),
            ("pca", "components=2 solver=vr_pca", "vr_pca finds one"),
            ("procrustes", "rotation=true solver=lbfgs", "rotation"),
            ("procrustes", "step_size=1", "unknown parameter of procrustes 'step_size'"),
        ):
            given = [part for one in setting.split() for part in ("--set", one)]
            onto = ["--onto", "missing.csv"] if problem == "procrustes" else []
            self.fails(2, pattern, "optimize", "--problem", problem, "--data", "missing.csv", *onto, *given)


class Listed(Problem):
    def test_problems(self):
        names = [entry["name"] for entry in json.loads(self.ok("list", "problems", "--json").stdout)]
        self.assertEqual(names, ["karcher-mean", "pca", "procrustes"])
        self.assertIn("solver", self.ok("list", "problems").stdout)

    def test_settings_that_no_solver_of_a_problem_takes_are_not_shown(self):
        listed = json.loads(self.ok("list", "problems", "--json").stdout)
        names = {entry["name"]: {one["name"] for one in entry["parameters"]} for entry in listed}
        self.assertLessEqual({"step_size", "pairs", "least_curvature"}, names["karcher-mean"] & names["pca"])
        self.assertEqual(
            names["procrustes"],
            {"rotation", "solver", "tolerance", "max_iterations", "max_passes", "memory", "moves"},
        )


if __name__ == "__main__":
    unittest.main()
