"""quasar optimize: what it prints, where it stops, what it refuses."""

import unittest

from support import HEART, ROOT, CommandLine

SCHOOLS = ("optimize", "--model", "eight-schools")


class Optimize(CommandLine):
    def mode(self, *arguments):
        result = self.ok_json("optimize", *arguments)
        return result, {p["name"]: p["value"] for p in result["parameters"]}

    def test_table(self):
        result = self.ok("optimize", ROOT / "examples" / "heart.toml")
        self.assertRegex(result.stdout, r"^logistic on .*heart.csv, lbfgs: log density -\d+\.\d+, gradient norm .*; converged\n")
        self.assertRegex(result.stdout, r"\nbeta\[age\] +-0\.0\d+\n")
        self.assertEqual(result.stderr, "")
        self.assertEqual(self.contents(), {})

    def test_json_is_one_object_and_nothing_else(self):
        run, values = self.mode("--model", "banana")
        keys = "model method stop log_density gradient_norm iterations gradient_evaluations parameters".split()
        self.assertEqual(list(run), keys)
        self.assertEqual((run["model"], run["method"], run["stop"]), ("banana", "lbfgs", "converged"))
        self.assertLessEqual(run["gradient_norm"], 1e-6)
        self.assertGreater(run["gradient_evaluations"], run["iterations"])
        self.assertAlmostEqual(values["x[1]"], 0, delta=1e-3)  # the curvature along x[1] is 1/100
        self.assertAlmostEqual(values["x[2]"], -3, delta=1e-5)

    def test_both_methods_and_every_seed_find_the_mode(self):
        heart = ("--model", "logistic", "--data", HEART, "--set", "model.target=y")
        expected, _ = self.mode(*heart)
        for more in (("--method", "gradient_descent", "--max-iterations", "1e5"), ("--seed", 5), ("--tolerance", "1e-9")):
            found, _ = self.mode(*heart, *more)
            self.assertEqual(found["stop"], "converged")
            self.assertAlmostEqual(found["log_density"], expected["log_density"], delta=1e-9)

    def test_bounded_variables_are_printed_on_their_own_scale(self):
        _, values = self.mode("--model", "eight-schools")
        self.assertGreater(values["tau"], 0)
        theta = [values[f"theta[{i}]"] for i in range(1, 9)]
        self.assertGreater(theta[0], max(theta[1:]))  # the school with the greatest effect

    def test_prior_only(self):
        """The prior of mu is centred at 0, that of log tau has its mode where tau is its scale, 5."""
        _, values = self.mode("--model", "eight-schools", "--prior-only")
        self.assertAlmostEqual(values["mu"], 0, delta=1e-4)
        self.assertAlmostEqual(values["tau"], 5, delta=1e-4)

    def test_starts_where_told(self):
        start = self.write("start.json", '{"x": [0, -3]}')
        run, values = self.mode("--model", "banana", "--init", start)
        self.assertEqual((run["iterations"], values["x[2]"]), (0, -3))

    def test_starts_from_the_draws_of_a_run(self):
        self.ok("sample", "--model", "banana", "--warmup", 50, "--draws", 10, "--chains", 2, "--quiet")
        run, _ = self.mode("--model", "banana", "--init", "run.nc")
        self.assertEqual(run["stop"], "converged")

    def test_limit_of_iterations_is_a_warning(self):
        result = self.ok(*SCHOOLS, "--max-iterations", 2)
        self.assertIn("; iteration_limit\n", result.stdout)
        self.assertRegex(result.stderr, r"^warning: not converged: the gradient is .* long after 2 iterations")

    def test_one_file_serves_sample_and_optimize(self):
        config = '[run]\nmodel = "banana"\nchains = 2\nmethod = "gradient_descent"\nmax_iterations = 3\nquiet = true\n'
        self.write("both.toml", config + "[model]\nscale = 2\n[sampler]\ntarget_accept = 0.9\n")
        run, _ = self.mode("both.toml")
        self.assertEqual((run["method"], run["iterations"]), ("gradient_descent", 3))
        self.assertEqual(self.mode("both.toml", "--method", "lbfgs")[0]["method"], "lbfgs")
        self.ok("sample", "both.toml", "--warmup", 20, "--draws", 5)

    def test_a_density_without_a_mode(self):
        centered = ("--set", "model.parameterization=centered")
        self.fails(4, r"no mode found: after \d+ iterations the log density is .*spike.*--init", *SCHOOLS, *centered)

    def test_wrong_usage(self):
        for pattern, arguments in {
            "which model": ("optimize",),
            "did you mean 'banana'": ("optimize", "--model", "banan"),
            "needs --data": ("optimize", "--model", "logistic"),
            "takes no --data": (*SCHOOLS, "--data", HEART),
            "method": (*SCHOOLS, "--method", "newton"),
            "tolerance.*-1": (*SCHOOLS, "--tolerance", "-1"),
            "tolerance.*nan": (*SCHOOLS, "--tolerance", "nan"),
            "max_iterations": (*SCHOOLS, "--max-iterations", "-1"),
            r"--set step_size: only parameters of the model .* model\.step_size": (*SCHOOLS, "--set", "step_size=1"),
            "unknown option of optimize '--chains'": (*SCHOOLS, "--chains", 2),
        }.items():
            with self.subTest(pattern):
                self.fails(2, pattern, *arguments)

    def test_wrong_files(self):
        self.write("bad.toml", '[run]\nmodel = "banana"\nmax_iteration = 3\n')
        self.fails(2, r"bad\.toml:3.*max_iterations", "optimize", "bad.toml")
        self.fails(3, r"none\.csv", "optimize", "--model", "logistic", "--data", "none.csv")
        self.fails(3, r"none\.json", "optimize", "--model", "banana", "--init", "none.json")


if __name__ == "__main__":
    unittest.main()
