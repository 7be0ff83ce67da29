"""Compiled Stan programs on the command line: the right law, the same draws, and one clear line for whatever is wrong."""

import gzip
import json
import math
import pathlib
import shutil
import signal
import subprocess
import time
import unittest

from support import BIN, CommandLine

PROGRAMS = pathlib.Path(BIN).resolve().parent / "stan_programs"
GAUSSIAN, HALF_NORMAL, SHAPES, FAILING = (PROGRAMS / f"{name}.so" for name in ("gaussian", "half_normal", "shapes", "failing"))
# The file has 82 statistical assertions at most; P(|z| > 4.5) = 6.8e-6, for all of them together 5.6e-4.
Z = 4.5


class StanProgram(CommandLine):
    def sample(self, library, *arguments):
        return self.ok("sample", "--bridgestan", library, "--quiet", *arguments)

    def draws(self, run):
        return self.ok("convert", run, "--to", "csv").stdout


class Law(StanProgram):
    # a ~ N(1, 1), b1 | a ~ N(-2 + 0.3 (a - 1), 0.4^2), b2 ~ N(3, 2^2), again ~ N(a, 1)
    GAUSSIAN_LAW = {"a": (1, 1), "b[1]": (-2, 0.5), "b[2]": (3, 2), "total": (2, math.sqrt(1.3**2 + 0.4**2 + 4)), "again": (1, math.sqrt(2))}
    HALF_NORMAL_LAW = {"x": (math.sqrt(2 / math.pi), math.sqrt(1 - 2 / math.pi))}

    def check(self, law, *arguments):
        """Means within Z of their errors, standard deviations too: relatively at most 1/sqrt(ESS) here, the kurtosis being below 5."""
        summary = self.ok_json("sample", "--bridgestan", *arguments, "--quiet", "--overwrite")
        found = {row["name"]: row for row in summary["parameters"]}
        self.assertEqual(set(found), set(law))
        for name, (mean, sd) in law.items():
            row = found[name]
            self.assertGreater(row["ess_bulk"], 100, name)
            self.assertLess(abs(row["mean"] - mean), Z * row["mcse_mean"], (arguments, name))
            self.assertLess(abs(row["sd"] / sd - 1), Z / math.sqrt(min(row["ess_bulk"], row["ess_tail"])), (arguments, name))

    def test_every_exact_sampler(self):
        for sampler in ("nuts", "hmc", "qnhmc", "hmc-bfgs", "rhmc", "mala", "rwm"):
            with self.subTest(sampler):
                self.check(self.GAUSSIAN_LAW, GAUSSIAN, "--sampler", sampler, "--draws", 4000)

    def test_a_program_that_rejects_half_of_space(self):
        for sampler, draws in (("nuts", 4000), ("hmc", 4000), ("qnhmc", 4000), ("mala", 8000), ("rwm", 20000)):
            with self.subTest(sampler):
                self.check(self.HALF_NORMAL_LAW, HALF_NORMAL, "--sampler", sampler, "--draws", draws)

    def test_an_ensemble_on_half_of_space(self):
        """At a step size of its own: learned, it shrinks until every trajectory has a thousand steps."""
        self.check(self.HALF_NORMAL_LAW, HALF_NORMAL, "--sampler", "hmc-bfgs", "--draws", 4000, "--set", "step_size=0.3")


class Draws(StanProgram):
    def test_threads_do_not_matter(self):
        for threads in (1, 2):
            self.sample(GAUSSIAN, "--threads", threads, "--draws", 100, "--out", f"{threads}.nc")
        self.sample(PROGRAMS / "gaussian_without_threads.so", "--threads", 4, "--draws", 100, "--out", "none.nc")
        self.assertEqual(self.draws("1.nc"), self.draws("2.nc"))
        self.assertEqual(self.draws("1.nc"), self.draws("none.nc"))

    def test_generated_quantities_do_not_change_the_parameters(self):
        self.sample(GAUSSIAN, "--draws", 50, "--out", "all.nc")
        self.sample(GAUSSIAN, "--draws", 50, "--transformed", "no", "--generated", "no", "--out", "some.nc")
        shown = self.ok("convert", "all.nc", "--to", "csv", "--variables", "a,b").stdout
        self.assertEqual(shown, self.draws("some.nc"))

    def test_generated_quantities_differ_between_draws_chains_and_seeds(self):
        for seed in (1, 2):
            self.sample(GAUSSIAN, "--draws", 50, "--seed", seed, "--out", f"{seed}.nc")
        noise = [a - g for seed in (1, 2) for a, g in self.pairs(f"{seed}.nc")]
        self.assertEqual(len(set(noise)), 2 * 4 * 50)

    def pairs(self, run):
        values = json.loads(self.ok("convert", run, "--to", "json").stdout)["posterior"]
        return [(a, g) for chain in zip(values["a"], values["again"]) for a, g in zip(*chain)]

    def test_killed_and_resumed(self):
        data = self.write("slow.json", '{"microseconds":200}')
        arguments = ("--data", data, "--warmup", 100, "--draws", 600, "--chains", 2, "--checkpoint-every", 20)
        self.sample(GAUSSIAN, *arguments, "--out", "whole.nc")
        command = [BIN, "sample", "--bridgestan", GAUSSIAN, "--quiet", *map(str, arguments), "--out", "cut.nc"]
        for _ in range(3):
            process = subprocess.Popen([*command, "--resume"], cwd=self.folder)
            while not list(self.folder.glob("cut.nc.part/*.state*")) and process.poll() is None:
                time.sleep(0.01)
            time.sleep(0.1)
            process.send_signal(signal.SIGKILL)
            process.wait()
            self.assertFalse((self.folder / "cut.nc").exists())
        self.sample(GAUSSIAN, *arguments, "--out", "cut.nc", "--resume")
        self.assertEqual(self.draws("whole.nc"), self.draws("cut.nc"))

    def test_another_library_or_other_data_are_not_resumed(self):
        library = self.folder / "model.so"
        shutil.copy(GAUSSIAN, library)
        arguments = ("sample", "--bridgestan", library, "--draws", 10, "--quiet", "--resume")
        self.ok(*arguments)
        moved = self.folder / "moved.so"
        library.rename(moved)
        self.ok("sample", "--bridgestan", moved, *arguments[3:])
        self.fails(2, "content of the data: none there, fnv1a64:", "sample", "--bridgestan", moved, *arguments[3:],
                   "--data", self.write("d.json", "{}"))
        shutil.copy(SHAPES, library)
        self.fails(2, "model.library: fnv1a64:[0-9a-f]{16} there, fnv1a64:[0-9a-f]{16} here", *arguments)
        self.fails(2, "generated: yes there, no here", "sample", "--bridgestan", moved, *arguments[3:], "--generated", "no")


class Use(StanProgram):
    def test_data_of_any_name_and_gzip(self):
        for name, content in (("d.json", b'{"y":5}'), ("d", b'{"y":5}'), ("d.json.gz", gzip.compress(b'{"y":5}'))):
            run = name + ".nc"
            self.sample(GAUSSIAN, "--data", self.write(name, content), "--draws", 20, "--out", run)
        self.assertEqual(self.draws("d.json.nc"), self.draws("d.nc"))
        self.assertEqual(self.draws("d.json.nc"), self.draws("d.json.gz.nc"))
        self.sample(GAUSSIAN, "--draws", 20)
        self.assertNotEqual(self.draws("d.json.nc"), self.draws("run.nc"))

    def test_a_library_in_this_folder(self):
        shutil.copy(GAUSSIAN, self.folder / "model.so")
        self.sample("model.so", "--draws", 10)

    def test_a_configuration_file(self):
        self.write("run.toml", f'[run]\nbridgestan = "{GAUSSIAN}"\ngenerated = "no"\ndraws = 20\nquiet = true\n')
        summary = self.ok_json("sample", "run.toml")
        self.assertEqual(summary["model"], "gaussian")
        self.assertEqual([row["name"] for row in summary["parameters"]], ["a", "b[1]", "b[2]", "total"])

    def test_initial_points(self):
        self.sample(SHAPES, "--draws", 10)
        self.sample(SHAPES, "--draws", 10, "--init", "run.nc", "--out", "next.nc")
        self.sample(GAUSSIAN, "--draws", 10, "--init", self.write("i.json", '{"a": 1, "b": [2, 3]}'), "--out", "g.nc")
        negative = self.write("n.json", '{"x": -1}')
        self.fails(3, "n.json: x is negative$", "sample", "--bridgestan", HALF_NORMAL, "--init", negative, "--out", "n.nc")

    def test_variables_and_files_of_every_shape(self):
        self.sample(SHAPES, "--draws", 10)
        self.sample(SHAPES, "--draws", 10, "--variables", "t:2,w.real,A", "--out", "some.nc")
        rows = self.ok_json("summary", "some.nc")["parameters"]
        self.assertEqual([row["name"] for row in rows],
                         ["A[1,1]", "A[1,2]", "A[1,3]", "A[2,1]", "A[2,2]", "A[2,3]", "t:2[1]", "t:2[2]", "w.real[1]", "w.real[2]"])

    def test_stan_csv_has_the_order_of_the_program(self):
        self.sample(SHAPES, "--draws", 10, "--variables", "A,B,sigma")
        self.ok("convert", "run.nc", "--to", "stan-csv", "--out", "run")
        header = next(line for line in (self.folder / "run_1.csv").read_text().split("\n") if not line.startswith("#"))
        self.assertTrue(header.endswith(
            "A.1.1,A.2.1,A.1.2,A.2.2,A.1.3,A.2.3,B.1.1.1,B.2.1.1,B.1.2.1,B.2.2.1,B.1.1.2,B.2.1.2,B.1.2.2,B.2.2.2,sigma"))

    def test_check_and_diagnose(self):
        self.ok("sample", "--bridgestan", GAUSSIAN, "--quiet", "--check", "exact,ksd")
        self.assertIn("nothing is wrong", self.ok("diagnose", "run.nc").stdout)

    def test_the_mode(self):
        mode = self.ok_json("optimize", "--bridgestan", GAUSSIAN, "--data", self.write("d.json", '{"y":5}'))
        self.assertEqual(mode["model"], "gaussian")
        values = {row["name"]: row["value"] for row in mode["parameters"]}
        for name, value in {"a": 5, "b[1]": -2, "b[2]": 3, "total": 6}.items():
            self.assertAlmostEqual(values[name], value, places=5)

    def test_what_a_program_prints_is_on_standard_error(self):
        result = self.ok("sample", "--bridgestan", GAUSSIAN, "--data", self.write("d.json", '{"print":1}'), "--quiet",
                         "--draws", 5, "--warmup", 5, "--json")
        json.loads(result.stdout)
        self.assertTrue(result.stderr.startswith("made\nevaluated\n"), result.stderr[:100])

    def test_rejections_are_told_a_few_times(self):
        stderr = self.sample(HALF_NORMAL, "--draws", 100).stderr
        self.assertEqual(stderr.count("half_normal: a point is rejected: x is -"), 5)
        self.assertEqual(stderr.count("half_normal: a point is rejected: more reasons are not shown\n"), 1)


class Refused(StanProgram):
    def refuse(self, code, pattern, library, *arguments):
        self.fails(code, pattern, "sample", "--bridgestan", library, *arguments)

    def failing(self, where):
        return ("sample", "--bridgestan", FAILING, "--quiet", "--data", self.write("d.json", json.dumps({"fail": where})))

    def test_files(self):
        self.refuse(3, "missing.so: cannot be loaded as a library: cannot open shared object file: No such file", "missing.so")
        self.refuse(3, "text.so: cannot be loaded as a library: ", self.write("text.so", "model {}"))
        self.refuse(3, "text.so: cannot be loaded as a library: ", self.write("text.so", b"\x7fELF\x02\x01\x01" + bytes(500)))
        self.refuse(3, "cut.so: cannot be loaded as a library: the file breaks off early",
                    self.write("cut.so", GAUSSIAN.read_bytes()[:-5000]))
        self.refuse(3, "cannot be loaded as a library: ", self.folder)
        self.refuse(3, "libm.so.6: cannot be loaded as a library: ", "libm.so.6")
        self.refuse(3, "without_bs_param_num.so: is no BridgeStan library: it has no bs_param_num",
                    PROGRAMS / "without_bs_param_num.so")
        self.refuse(3, "was made by BridgeStan 1 or older; version 2 is needed", PROGRAMS / "without_bs_major_version.so")
        self.refuse(3, "undefined symbol", PROGRAMS / "without_program.so")

    def test_data(self):
        self.refuse(3, "no.json: cannot be opened: No such file", GAUSSIAN, "--data", "no.json")
        self.refuse(3, "d.json: the model refuses the data: y is negative, but must be positive\n",
                    GAUSSIAN, "--data", self.write("d.json", '{"y":-1}'))
        self.refuse(3, "d.csv: the model refuses the data: expected a JSON object",
                    GAUSSIAN, "--data", self.write("d.csv", "a,b\n1,2\n"))
        self.refuse(3, "e.json: is empty", GAUSSIAN, "--data", self.write("e.json", " \n"))
        self.refuse(3, "n.json: the model refuses the data: they are no text", GAUSSIAN, "--data", self.write("n.json", "{}\0{}"))
        self.write("other.json", '{"y":5}')
        self.refuse(3, "p.json: the model refuses the data: expected a JSON object",
                    GAUSSIAN, "--data", self.write("p.json", "other.json"))

    def test_options(self):
        self.refuse(2, "--model and --bridgestan both name a model", GAUSSIAN, "--model", "gaussian")
        self.refuse(2, "a Stan program has no parameters model.NAME to set", GAUSSIAN, "--set", "model.dim=3")
        self.refuse(2, "--prior-only: a Stan program does not say which part of its density is the prior", GAUSSIAN, "--prior-only")
        self.refuse(2, "generated = 'maybe': must be one of yes, no", GAUSSIAN, "--generated", "maybe")
        self.refuse(2, "unknown variable 'c'", GAUSSIAN, "--variables", "c")
        self.fails(2, "--generated is for Stan programs", "sample", "--model", "gaussian", "--generated", "no")
        self.write("run.toml", '[run]\nbridgestan = "x.so"\n[model]\ndim = 3\n')
        self.fails(2, "a Stan program has no parameters model.NAME to set", "sample", "run.toml")

    def test_programs_that_contradict_themselves(self):
        for where, code, cause in (
            ("construct", 3, "d.json: the model refuses the data: failed in construct"),
            ("no names", 3, "failing.so: bs_param_names gives nothing"),
            ("too many names", 3, "failing.so: names 4 values and says that it has 3"),
            ("negative count", 3, "failing.so: bs_param_num gives -1"),
            ("no parameters", 2, "failing.so: the model has no parameters to sample"),
            ("two of a name", 2, "two variables are called 'x'"),
        ):
            self.fails(code, cause, *self.failing(where))

    def test_no_point_to_start_from(self):
        for where, cause in (("density", "failed in density"), ("nan", "the log density is nan"),
                             ("infinite", "the log density is inf"), ("minus infinite", "the log density is -inf"),
                             ("density without a word", "it does not say why")):
            result = self.quasar(*self.failing(where))
            self.assertEqual(result.returncode, 4, result.stderr)
            self.assertIn(f"chain 1: no usable starting point: the model rejects the point ({cause}) at all of 100 random points", result.stderr)
            self.assertEqual(result.stderr.count(f"failing: a point is rejected: {cause}\n"), 1, result.stderr)

    def test_values_that_fail(self):
        """Generated quantities are lost alone; without parameters there is no run."""
        for where, lost in (("generated", {"z"}), ("rng", {"z"}), ("transformed", {"y", "z"})):
            result = self.quasar(*self.failing(where), "--draws", 10, "--overwrite", "--json")
            self.assertEqual(result.returncode, 0, result.stderr)
            rows = json.loads(result.stdout)["parameters"]
            self.assertEqual({row["name"] for row in rows if row["mean"] is None}, lost)
            self.assertIn(f"failing: not all values of a draw can be computed: failed in {where}\n", result.stderr)
        result = self.quasar(*self.failing("parameters"), "--draws", 10, "--overwrite")
        self.assertEqual(result.returncode, 4)
        self.assertIn("failing: the parameters of a draw cannot be computed: failed in parameters", result.stderr)


if __name__ == "__main__":
    unittest.main()
