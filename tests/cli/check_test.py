"""quasar sample --check: biased runs are told to be wrong, exact ones are not."""

import json
import math
import signal
import subprocess
import time
import unittest

from support import BIN, HEART, CommandLine, report_data

GAUSSIAN = ("--model", "gaussian", "--set", "model.dim=3")
UNADJUSTED = ("--sampler", "hmc", "--set", "metropolis=false", "--set", "step_size=1")
COARSE = (*GAUSSIAN, *UNADJUSTED)
SIGMA = ("--model", "linear", "--data", HEART, "--variables", "sigma")


class Check(CommandLine):
    def check(self, which, *arguments):
        return self.ok_json("sample", *arguments, "--check", which, "--overwrite")["check"]

    def test_hmc_without_metropolis_is_told_to_be_wrong(self):
        check = self.check("exact,ksd", *COARSE)
        exact = check["exact"]
        self.assertTrue(exact["converged"])
        self.assertEqual(exact["beyond_chance"], 3)
        inflation = 1 / math.sqrt(1 - 1 / 4) - 1  # the leapfrog's own variance is 1 / (1 - step^2 / 4)
        for parameter in exact["parameters"]:
            self.assertFalse(parameter["mean_error"]["beyond_chance"], parameter)
            self.assertTrue(parameter["sd_error"]["beyond_chance"], parameter)
            self.assertLess(abs(parameter["sd_error"]["value"] - inflation), 5 * parameter["sd_error"]["mcse"])
        self.assertRegex(check["warnings"][0], r"^check: 3 of 3 parameters differ from nuts by more than 4 .*sd \+0\.1")
        self.assertGreater(check["ksd"]["run"]["ksd"], 1.3 * check["ksd"]["exact"]["ksd"])

    def test_wild_draws_cannot_hide_behind_their_own_errors(self):
        exact = self.check("exact", "--model", "eight-schools", *UNADJUSTED)["exact"]
        self.assertEqual(exact["beyond_chance"], len(exact["parameters"]))

    def test_nuts_is_not(self):
        check = self.check("exact,ksd", *GAUSSIAN)
        self.assertEqual((check["exact"]["beyond_chance"], check["warnings"]), (0, []))
        self.assertTrue(check["exact"]["converged"])
        ksd = check["ksd"]
        self.assertEqual(ksd["draws"], 1000)
        self.assertLess(abs(ksd["run"]["u_statistic"]), 4 * ksd["run"]["standard_error"])

    # With 500 + 500 iterations the run is the exact one but for its seed. Errors over their mcse are about N(0, 1).
    def test_errors_are_what_they_claim(self):
        scores = []
        for seed in range(1, 11):
            check = self.check("exact", *GAUSSIAN, "--draws", 500, "--warmup", 500, "--seed", seed)
            for parameter in check["exact"]["parameters"]:
                scores += [error["value"] / error["mcse"] for error in (parameter["mean_error"], parameter["sd_error"])]
        square = sum(z * z for z in scores)  # chi-square with 60 degrees of freedom: tails of 1e-6
        self.assertEqual(len(scores), 60)
        self.assertTrue(21 < square < 127, square)

    def test_text_says_what_was_compared_and_marks_what_is_wrong(self):
        said = self.ok("sample", *COARSE, "--check", "exact,ksd")
        self.assertRegex(said.stdout, r"\ncheck: against nuts, 4 chains of 500 draws after 500 of warm-up; ")
        self.assertRegex(said.stdout, r"\nx\[2\] +\S+ +\S+ +0\.\d+ +\S+ +\*\n")
        self.assertRegex(said.stdout, r"\nworst: mean .* in x\[\d\], sd \+0\.\d+ \(\S+ standard errors\) in x\[\d\]\n")
        self.assertRegex(said.stdout, r"of 1000 draws, coordinates divided by the run's own sds\n")
        self.assertRegex(said.stdout, r"\nrun +0\.\S+ +\S+ +\S+\nnuts +0\.")
        self.assertIn("\nwarning: check: 3 of 3 parameters differ", said.stderr)

    def test_quiet_runs_warn(self):
        said = self.ok("sample", *COARSE, "--check", "exact", "--quiet")
        self.assertEqual(said.stdout, "")
        self.assertIn("warning: check: 3 of 3 parameters differ", said.stderr)

    def test_long_tables_are_cut(self):
        said = self.ok("sample", "--model", "gaussian", "--set", "model.dim=50", "--check", "exact").stdout
        _, table = said.split("check: against nuts")
        self.assertIn("\nx[40] ", table)
        self.assertNotIn("\nx[41] ", table)
        self.assertIn("\n… and 10 more\n", table)

    def test_ksd_alone_needs_no_other_run(self):
        check = self.check("ksd", *GAUSSIAN, "--draws", 100, "--chains", 2)
        self.assertEqual(list(check), ["ksd", "warnings"])
        self.assertEqual((check["ksd"]["draws"], list(check["ksd"])), (200, ["draws", "run"]))

    def test_ksd_sees_constrained_draws_on_the_samplers_scale(self):
        ksd = self.check("exact,ksd", "--model", "linear", "--data", HEART)["ksd"]
        self.assertLess(abs(ksd["run"]["u_statistic"]), 4 * ksd["run"]["standard_error"])
        self.assertLess(abs(ksd["exact"]["u_statistic"]), 4 * ksd["exact"]["standard_error"])

    def test_an_exact_run_that_did_not_converge_says_so(self):
        check = self.check("exact", "--model", "eight-schools", "--set", "model.parameterization=centered")
        self.assertFalse(check["exact"]["converged"])
        self.assertGreater(check["exact"]["largest_rhat"], 1.01)
        self.assertRegex(check["warnings"][0], "^check: nuts itself has not converged in so few draws: R-hat 1\\.")

    def test_some_variables_are_compared_alone(self):
        exact = self.check("exact", *SIGMA)["exact"]
        self.assertEqual([parameter["name"] for parameter in exact["parameters"]], ["sigma"])
        self.assertEqual(exact["beyond_chance"], 0)

    def test_a_finished_run_can_be_checked(self):
        self.ok("sample", *COARSE, "--quiet")
        before = self.ok("convert", "run.nc", "--to", "csv").stdout
        check = self.ok_json("sample", *COARSE, "--resume", "--check", "exact")["check"]
        self.assertEqual(check["exact"]["beyond_chance"], 3)
        self.assertEqual(self.ok("convert", "run.nc", "--to", "csv").stdout, before)
        self.assertEqual([path.name for path in self.folder.iterdir()], ["run.nc"])
        self.ok("report", "run.nc")
        self.assertEqual(report_data(self.folder / "run.html")["check"], check)
        self.assertNotIn("check", self.ok_json("sample", *COARSE, "--resume"))

    def test_the_check_does_not_depend_on_threads(self):
        one, two = (self.check("exact,ksd", *COARSE, "--threads", threads) for threads in (1, 2))
        self.assertEqual(one, two)

    def test_a_stopped_check_leaves_the_run(self):
        slow = ("--set", "model.dim=1500", "--set", "model.condition=100", "--set", "model.rotation=true")
        command = [BIN, "sample", "--model", "gaussian", *slow, "--sampler", "rwm", "--warmup", "0", "--draws", "10",
                   "--quiet", "--check", "exact"]
        process = subprocess.Popen(command, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        while not (self.folder / "run.nc").exists() and process.poll() is None:
            time.sleep(0.05)
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 130, said)
        self.assertIn("quasar: the check was stopped; run.nc is complete, --resume checks it\n", said)
        self.assertEqual(self.ok_json("summary", "run.nc")["draws"], 10)

    def test_what_cannot_be_checked_is_refused_before_any_work(self):
        self.fails(2, "check = 'exactly': did you mean 'exact'", "sample", *GAUSSIAN, "--check", "exactly")
        self.fails(2, "check = 'ksd,exact': ", "sample", *GAUSSIAN, "--check", "ksd,exact")
        self.fails(2, "gradients need every variable", "sample", *SIGMA, "--check", "ksd")
        natural = ("--model", "gamma", "--set", "model.coordinates=natural")
        self.fails(2, "bounds of natural coordinates", "sample", *natural, "--check", "ksd")
        self.write("c.toml", '[run]\nmodel = "gaussian"\ncheck = "most"\n')
        self.fails(2, r"c\.toml:3.*check = 'most'", "sample", "c.toml")

    def test_the_configuration_shows_it(self):
        shown = json.loads(self.ok("sample", *GAUSSIAN, "--check", "ksd", "--dry-run").stdout)
        self.assertEqual(shown["run"]["check"], "ksd")


if __name__ == "__main__":
    unittest.main()
