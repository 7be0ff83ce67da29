"""quasar sample, summary, list, version, reproduce: what they print and write."""

import json
import math
import os
import re
import resource
import signal
import subprocess
import time
import unittest
import xml.etree.ElementTree

from support import BIN, HEART, ROOT, CommandLine

QUICK = ("--warmup", 150, "--draws", 100, "--chains", 2)


class Sample(CommandLine):
    def test_the_readme_example(self):
        result = self.ok("sample", ROOT / "examples" / "heart.toml")
        self.assertIn("beta[age]", result.stdout)
        self.assertTrue((self.folder / "heart.nc").exists())
        again = self.ok("sample", ROOT / "examples" / "heart.toml")  # the example overwrites
        self.assertIn("heart.nc written", again.stdout)

    def test_json_is_one_object_and_nothing_else(self):
        run = self.ok_json("sample", "--model", "eight-schools", *QUICK, "--out", "e.nc")
        self.assertEqual(run["output"], "e.nc")
        self.assertFalse(run["stopped_early"])
        self.assertEqual((run["chains"], run["draws"]), (2, 100))
        self.assertEqual({p["name"] for p in run["parameters"]}, {"mu", "tau", *(f"theta[{i}]" for i in range(1, 9))})
        keys = "name mean sd q5 q50 q95 mcse_mean ess_bulk ess_tail rhat".split()
        self.assertEqual(list(run["parameters"][0]), keys)
        for key in ("divergences", "gradient_evaluations", "sampling_seconds", "sampler", "model", "warnings"):
            self.assertIn(key, run)

    def test_summary_of_the_file_is_that_of_the_run(self):
        run = self.ok_json("sample", "--model", "banana", *QUICK)
        summary = self.ok_json("summary", "run.nc")
        for key in ("output", "stopped_early"):
            del run[key]
        self.assertEqual(run, summary)

    def test_threads_do_not_change_the_draws(self):
        files = []
        for threads in (1, 2):
            out = f"t{threads}.nc"
            self.ok("sample", "--model", "funnel", *QUICK, "--threads", threads, "--out", out, "--quiet")
            files.append(self.ok_json("summary", out))
        for summary in files:
            del summary["sampling_seconds"]
        self.assertEqual(*files)

    def test_seed_changes_the_draws(self):
        one, two = (
            self.ok_json("sample", "--model", "gaussian", *QUICK, "--seed", seed, "--overwrite") for seed in (1, 2)
        )
        self.assertNotEqual(one["parameters"], two["parameters"])

    def test_counts_may_be_written_as_people_do(self):
        run = self.ok_json("sample", "--model", "gaussian", "--warmup", "1e2", "--draws", "2e2", "--chains", 1)
        self.assertEqual(run["draws"], 200)

    def test_thin_keeps_the_ceiling(self):
        run = self.ok_json("sample", "--model", "gaussian", *QUICK, "--thin", 3)
        self.assertEqual(run["draws"], 34)

    def test_variables(self):
        run = self.ok_json("sample", "--model", "eight-schools", *QUICK, "--variables", "tau,mu")
        self.assertEqual([p["name"] for p in run["parameters"]], ["mu", "tau"])

    def test_undefined_statistics_are_null(self):
        run = self.ok_json("sample", "--model", "gaussian", "--chains", 1, "--draws", 2, "--warmup", 20)
        self.assertIsNone(run["parameters"][0]["rhat"])

    def test_prior_only(self):
        run = self.ok_json("sample", "--model", "eight-schools", "--prior-only", "--seed", 3)
        mu = next(p for p in run["parameters"] if p["name"] == "mu")
        self.assertLess(abs(mu["mean"]), 5 * mu["mcse_mean"])  # N(0, 5^2): |z| < 5, false positive 6e-7
        self.assertGreater(mu["sd"], 4)

    def test_dry_run_prints_the_configuration_and_writes_nothing(self):
        result = self.ok("sample", "--model", "gaussian", "--set", "model.dim=3", "--set", "max_depth=7", "--dry-run")
        configuration = json.loads(result.stdout)
        self.assertEqual(configuration["model"]["dim"], 3)
        self.assertEqual(configuration["sampler"]["max_depth"], 7)
        self.assertEqual(configuration["run"]["draws"], 1000)
        self.assertEqual(os.listdir(self.folder), [])

    def test_flags_override_the_file(self):
        self.write("c.toml", '[run]\nmodel = "gaussian"\ndraws = 50\nchains = 2\n[model]\ndim = 3\n[sampler]\nmax_depth = 5\n')
        result = self.ok("sample", "c.toml", "--draws", 60, "--set", "max_depth=6", "--dry-run")
        configuration = json.loads(result.stdout)
        self.assertEqual(configuration["run"]["draws"], 60)
        self.assertEqual(configuration["run"]["chains"], 2)
        self.assertEqual(configuration["sampler"]["max_depth"], 6)
        self.assertEqual(configuration["model"]["dim"], 3)

    def test_starts_from_a_json_file_and_from_a_run(self):
        self.write("i.json", json.dumps({"x": 100.0, "y": 0.5}))
        self.ok("sample", "--model", "normal-loggamma", "--init", "i.json", "--sampler", "rwm", "--set", "step_size=1e-9",
                "--set", "metric=identity", "--warmup", 0, "--draws", 10, "--out", "a.nc", "--quiet")
        run = self.ok_json("sample", "--model", "normal-loggamma", "--init", "a.nc", "--sampler", "rwm", "--set",
                           "step_size=1e-9", "--set", "metric=identity", "--warmup", 0, "--draws", 10, "--out", "b.nc")
        x = next(p for p in run["parameters"] if p["name"] == "x")
        self.assertAlmostEqual(x["mean"], 100, places=5)

    def test_quiet_prints_nothing(self):
        result = self.ok("sample", "--model", "gaussian", "--quiet")
        self.assertEqual((result.stdout, result.stderr), ("", ""))

    def test_save_warmup_adds_groups(self):
        self.ok("sample", "--model", "gaussian", *QUICK, "--save-warmup", "--quiet")
        self.assertIn(b"warmup_posterior", (self.folder / "run.nc").read_bytes())

    def test_divergences_are_warned_about(self):
        result = self.ok("sample", "--model", "funnel", "--set", "target_accept=0.6", "--seed", 2)
        self.assertIn("divergent transitions", result.stderr)

    def test_a_stuck_chain_is_warned_about(self):
        run = self.ok_json("sample", "--model", "gaussian", "--sampler", "rwm", "--set", "step_size=1e8", "--chains", 1)
        self.assertRegex(" ".join(run["warnings"]), "never moved")
        self.assertRegex(" ".join(run["warnings"]), "acceptance is 0")

    def test_interrupt_saves_what_was_drawn(self):
        process = subprocess.Popen([BIN, "sample", "--model", "gaussian", "--draws", "1e9", "--thin", "1000",
                                    "--warmup", "100"],
                                   cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        time.sleep(1.5)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, errors)
        summary = self.ok_json("summary", "run.nc")
        self.assertGreater(summary["draws"], 0)
        self.assertRegex(" ".join(summary["warnings"]), "the run is not complete")


class Ensembles(CommandLine):
    ENSEMBLES = ("--model", "gaussian", "--set", "model.dim=3", "--sampler", "hmc-bfgs", "--set", "members=4", *QUICK)

    def test_rows_and_ensembles_are_counted(self):
        run = self.ok_json("sample", *self.ENSEMBLES)
        self.assertEqual((run["chains"], run["draws"], run["ensembles"]), (8, 100, 2))
        summary = self.ok_json("summary", "run.nc")
        self.assertEqual((summary["chains"], summary["ensembles"]), (8, 2))
        self.assertRegex(self.ok("summary", "run.nc").stdout,
                         r"\Agaussian, hmc-bfgs: 2 ensembles of 4 members, 100 draws each after 150 of warm-up; ")

    def test_chains_alone_are_no_ensembles(self):
        self.assertNotIn("ensembles", self.ok_json("sample", "--model", "gaussian", *QUICK))
        run = self.ok_json("sample", "--model", "gaussian", "--sampler", "qnhmc", *QUICK,
                           "--overwrite")
        self.assertEqual((run["chains"], run.get("ensembles")), (2, None))
        run = self.ok_json("sample", "--model", "gaussian", "--sampler", "qnhmc", "--set", "adapt=ensemble", *QUICK,
                           "--overwrite")
        self.assertEqual((run["chains"], run["ensembles"]), (10, 2))

    def test_all_members_start_at_the_given_point(self):
        self.write("i.json", json.dumps([{"x": [1, 2, 3]}, {"x": [4, 5, 6]}]))
        tiny = ("--set", "step_size=1e-9", "--set", "leapfrog_steps=1", "--warmup", 0, "--draws", 4)
        self.ok("sample", *self.ENSEMBLES[:-6], *tiny, "--chains", 2, "--init", "i.json", "--quiet")
        rows = json.loads(self.ok("convert", "run.nc", "--to", "json").stdout)["posterior"]["x"]
        self.assertEqual(len(rows), 8)
        for row, draws in enumerate(rows):
            for place, value in zip([1, 2, 3] if row < 4 else [4, 5, 6], draws[-1]):
                self.assertAlmostEqual(value, place, places=6)


class List(CommandLine):
    def test_samplers(self):
        listed = {s["name"]: s for s in self.ok_json("list", "samplers")}
        self.assertTrue({"nuts", "hmc", "mala", "rwm"} <= set(listed))
        self.assertTrue(listed["nuts"]["exact"])
        self.assertEqual(listed["nuts"]["law"], "exact")
        parameters = {p["name"]: p for p in listed["hmc"]["parameters"]}
        self.assertEqual(parameters["metric"]["default"], "fisher_diag")
        laws = {c["value"]: c.get("law") for c in parameters["metropolis"]["choices"]}
        self.assertEqual(laws, {"true": None, "false": "consistent"})
        changed = {p["name"]: p["changed_law"] for p in listed["rhmc"]["parameters"] if "changed_law" in p}
        self.assertEqual(changed, {"fixed_iterations": "biased", "check_reversal": "biased"})

    def test_text_marks_what_changes_the_law(self):
        text = self.ok("list", "samplers").stdout
        self.assertIn("adapt = warmup  (warmup | ensemble | printed [biased])\n", text)
        self.assertIn("metropolis = true  (true | false [consistent])\n", text)
        self.assertIn("fixed_iterations = 0  (>= 0, <= 1000 [biased unless 0])\n", text)

    def test_models_and_experiments(self):
        models = {m["name"] for m in self.ok_json("list", "models")}
        self.assertTrue({"gaussian", "banana", "funnel", "double-well", "quartic", "normal-loggamma", "eight-schools",
                         "normal", "linear", "logistic"} <= models)
        self.assertIn("sghmc-double-well", [e["name"] for e in self.ok_json("list", "experiments")])


class Reproduce(CommandLine):
    # What is known of this experiment: the mean by SGRLD is ten times nearer than by SGLD, and its spread is about right.
    def test_linear_gaussian(self):
        files = [f"new/pictures/hamcmc-linear-gaussian-figure-{i}.svg" for i in (1, 2)]
        plot = ("--plot", "new/pictures", "--overwrite")
        result = self.ok_json("reproduce", "hamcmc-linear-gaussian", "--quick", *plot)
        rows = result["rows"]
        value = {(r["method"], r["quantity"]): r["value"] for r in rows}
        label = "D = 10, N = 1000: "
        self.assertGreater(value[label + "SGLD", "|mean - truth|^2"], 10 * value[label + "SGRLD", "|mean - truth|^2"])
        self.assertTrue(0.8 < value[label + "SGRLD", "tr(P Cov)/D, truth 1"] < 1.5)
        self.assertIn(("D = 2, N = 10000: HAMCMC, M = 2", "diverged_at"), value)
        self.assertEqual(result["figures"], files)
        self.assertEqual(sorted(path.name for path in (self.folder / "new/pictures").iterdir()), [f[13:] for f in files])
        for file in files:
            svg, space = xml.etree.ElementTree.parse(self.folder / file).getroot(), "{http://www.w3.org/2000/svg}"
            self.assertEqual(svg.tag, space + "svg")
            note = "quick run; chains: 2; steps: 20000"
            self.assertEqual([text.text for text in svg.iter(space + "text") if text.get("class") == "note"], [note])
            self.assertTrue(svg.find(space + "desc").text.endswith(f" A {note}."))

    def test_figures_are_refused_before_the_run(self):
        plot = ("reproduce", "qnhmc-gaussian", "--plot")
        (self.folder / "file").write_text("")
        self.fails(3, "^quasar: file: ", *plot, "file")
        (self.folder / "qnhmc-gaussian-figure-9.svg").write_text("")
        self.fails(2, r"qnhmc-gaussian-figure-9\.svg exists; --overwrite replaces it", *plot)  # in the current folder
        self.assertEqual(len(list(self.folder.iterdir())), 2)

    def test_figures_that_cannot_be_written_do_not_cost_the_numbers(self):
        result = self.quasar_with_files_up_to(100, "reproduce", "sghmc-trajectories", "--quick", "--json", "--plot")
        self.assertEqual(result.returncode, 3, result.stderr)
        self.assertRegex(result.stderr, r"^quasar: .*sghmc-trajectories-figure-.*\.svg: cannot be written: File too large")
        found = json.loads(result.stdout)
        self.assertGreater(len(found["rows"]), 0)
        self.assertEqual(found["figures"], [])

    def quasar_with_files_up_to(self, size, *arguments):
        return subprocess.run(
            [BIN, *arguments], cwd=self.folder, capture_output=True, text=True, timeout=120,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size)),
        )

    def test_double_well(self):
        result = self.ok_json("reproduce", "sghmc-double-well", "--quick")
        rows = {(r["method"], r["quantity"]): r for r in result["rows"]}
        exact = rows["exact (quadrature)", "E theta^2"]["value"]
        self.assertAlmostEqual(exact, 0.8327454871, places=9)
        self.assertAlmostEqual(rows["exact (quadrature)", "E theta^4"]["value"], 1.0827454871, places=9)
        with_mh = rows["HMC with MH", "E theta^2"]
        self.assertLess(abs(with_mh["value"] - exact), 5 * with_mh["mcse"])  # |z| < 5, false positive 6e-7
        self.assertGreater(rows["HMC with MH", "acceptance"]["value"], 0.99)
        self.assertIn("HMC without MH", {r["method"] for r in result["rows"]})
        for key in ("experiment", "paper", "settings", "seconds"):
            self.assertIn(key, result)
        self.assertRegex(self.ok("reproduce", "sghmc-double-well", "--quick").stdout, r"printed")

    def test_recovery_of_known_parameters(self):
        """Every row of the printed tables, every quantity, both policies for minibatches."""
        for name, parameters, printed in (("mcem-normal", ("mu", "tau"), 10), ("nphmc-normal", ("mu", "tau"), 6),
                                          ("mcem-logistic", ("w_1", "w_2"), 10), ("nphmc-logistic", ("w_1", "w_2"), 6)):
            with self.subTest(name):
                rows = self.ok_json("reproduce", name, "--quick")["rows"]
                one = f"R_truth, {parameters[0]}"
                self.assertEqual(len({r["printed"] for r in rows if r["quantity"] == one} - {None}), printed)
                measured = {r["quantity"] for r in rows}
                for what in ("R_truth", "R_mean", "sd", "ESS", "autocorrelation time"):
                    self.assertTrue({f"{what}, {p}" for p in parameters} <= measured, what)
                self.assertIn("ms an iteration", measured)
                for batches in ("fresh batches", "held batches"):
                    self.assertTrue(any(batches in r["method"] for r in rows))

    def test_quasi_newton_hmc_on_a_long_gaussian(self):
        rows = self.ok_json("reproduce", "qnhmc-gaussian", "--quick")["rows"]
        found = {(row["method"], row["quantity"]): row for row in rows}
        self.assertEqual(found["HMC", "sum |rho|, long direction"]["printed"], 98.27)
        along, least = (found["QNHMC (printed)", f"ESS, {what}"]["value"] for what in ("long direction", "least of 51 directions"))
        self.assertGreater(along / least, 10)  # what the published column does not show
        for method in ("QNHMC, tuned", "NUTS, low rank"):
            self.assertGreater(found[method, "least ESS per 1000 gradients"]["value"], 100)


class Version(CommandLine):
    def test_version(self):
        self.assertRegex(self.ok("version").stdout, r"^quasar \d+\.\d+\.\d+\n$")
        self.assertRegex(self.ok_json("version")["version"], r"^\d+\.\d+\.\d+$")

    def test_help(self):
        for command in ((), ("sample",), ("summary",), ("diagnose",), ("list",), ("reproduce",), ("version",)):
            self.assertRegex(self.ok(*command, "--help").stdout, re.compile("usage", re.IGNORECASE))


if __name__ == "__main__":
    unittest.main()
