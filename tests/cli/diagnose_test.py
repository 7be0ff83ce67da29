"""quasar diagnose: what is wrong, in which parameters, what to try."""

import itertools
import json
import signal
import statistics
import subprocess
import time
import unittest
import zlib

from support import BIN, CommandLine

CENTERED = ("--model", "eight-schools", "--set", "model.parameterization=centered", "--seed", 3)


class Diagnose(CommandLine):
    def sample(self, *arguments):
        self.ok("sample", *arguments, "--quiet", "--overwrite")

    def problems(self):
        return {problem["kind"]: problem for problem in self.ok_json("diagnose", "run.nc")["problems"]}

    def test_a_good_run(self):
        self.sample("--model", "gaussian")
        said = self.ok_json("diagnose", "run.nc")
        self.assertEqual((said["ok"], said["problems"]), (True, []))
        self.assertTrue({"divergences", "R-hat", "E-BFMI", "tree depth"} <= set(said["checked"]))
        text = self.ok("diagnose", "run.nc")
        self.assertRegex(text.stdout, r"\Anothing is wrong\n")
        self.assertIn("checked: run complete, ", text.stdout)
        self.assertEqual(text.stderr, "")

    def test_the_parameter_behind_the_divergences(self):
        self.sample(*CENTERED)
        said = self.ok_json("diagnose", "run.nc")
        self.assertFalse(said["ok"])
        divergences = self.problems()["divergences"]
        self.assertEqual(list(divergences), ["kind", "what", "measure", "parameters", "advice"])
        self.assertRegex(divergences["what"], "^[0-9]+ divergent transitions .*tau is low")
        self.assertEqual(divergences["parameters"][0]["name"], "tau")
        self.assertLess(divergences["parameters"][0]["value"], 0.35)
        self.assertIn("--set model.parameterization=noncentered", divergences["advice"])

    def test_the_advice_helps(self):
        self.sample("--model", "eight-schools", "--set", "model.parameterization=noncentered", "--seed", 3)
        self.assertNotIn("low_ebfmi", self.problems())
        self.assertNotIn("bulk_ess", self.problems())

    def test_text_names_what_where_and_what_to_try(self):
        self.sample(*CENTERED)
        text = self.ok("diagnose", "run.nc").stdout
        self.assertRegex(text, r"\A[0-9]+ problems, the gravest first\n\n1\. [0-9]+ divergent")
        self.assertRegex(text, r"\n   mean rank of the divergent draws: tau 0\.")
        self.assertRegex(text, r"\n   try: --set ")

    def test_summary_warns_of_the_same(self):
        self.sample(*CENTERED)
        warnings = self.ok_json("summary", "run.nc")["warnings"]
        problems = self.ok_json("diagnose", "run.nc")["problems"]
        self.assertEqual(len(warnings), len(problems))
        for warning, problem in zip(warnings, problems):
            self.assertTrue(warning.startswith(problem["what"]))
            self.assertTrue(warning.endswith("Try " + problem["advice"]))

    def test_no_warm_up(self):
        self.sample("--model", "gaussian", "--warmup", 0, "--draws", 50)
        self.assertEqual(self.problems()["short_warmup"]["advice"], "--warmup 1000")

    def test_steps_too_small_and_too_large(self):
        self.sample("--model", "gaussian", "--sampler", "rwm", "--set", "step_size=1e-4")
        self.assertRegex(self.problems()["high_acceptance"]["advice"], "step_size=0")
        self.sample("--model", "gaussian", "--sampler", "rwm", "--set", "step_size=1e8", "--chains", 1)
        problems = self.problems()
        self.assertTrue({"never_moved", "low_acceptance", "single_chain"} <= set(problems))
        self.assertEqual(len(problems["never_moved"]["parameters"]), 10)

    def test_trajectories_cut_at_the_largest_depth(self):
        self.sample("--model", "gaussian", "--set", "model.condition=1e6", "--set", "metric=identity",
                    "--set", "max_depth=4")
        self.assertEqual(self.problems()["max_depth"]["advice"], "--set metric=lbfgs or --set max_depth=6")

    def test_too_few_draws_to_judge(self):
        self.sample("--model", "gaussian", "--draws", 2)
        self.assertEqual(list(self.problems()), ["few_draws"])
        self.sample("--model", "gaussian", "--draws", 200, "--thin", 100)
        self.assertEqual(self.problems()["few_draws"]["advice"], "--draws 100000")

    def test_a_hopeless_step_size_is_not_halved(self):
        self.sample("--model", "gaussian", "--set", "step_size=1e300", "--draws", 50)
        self.assertIn("--set step_size=0 (warm-up finds it)", self.problems()["divergences"]["advice"])

    def test_a_sampler_that_is_not_exact(self):
        """In diagnose, in summary and in sample, as text and as JSON: what it means, and what to choose instead."""
        cases = {
            ("qnhmc", "adapt=printed"): ("biased", "--set adapt=warmup or --set adapt=ensemble"),
            ("qnhmc-naive", "metropolis=false"): ("biased", "--set metropolis=true"),
            ("rhmc", "fixed_iterations=2"): ("biased", "--set fixed_iterations=0"),
            ("hmc", "metropolis=false"): ("step_size_bias", "--set metropolis=true or --set target_accept=0.95"),
        }
        for (sampler, setting), (kind, advice) in cases.items():
            with self.subTest(sampler=sampler):
                arguments = ("sample", "--model", "quartic", "--set", "model.dim=2", "--sampler", sampler,
                             "--set", setting, "--warmup", 100, "--draws", 50, "--overwrite")
                said = f"{sampler} with {setting} is "
                self.assertTrue(self.ok_json(*arguments)["warnings"][0].startswith(said))
                self.assertIn(f"warning: {said}", self.ok(*arguments).stderr)
                self.assertIn(f"warning: {said}", self.ok("summary", "run.nc").stderr)
                self.assertTrue(self.ok_json("summary", "run.nc")["warnings"][0].startswith(said))
                self.assertIn(f"\n1. {said}", self.ok("diagnose", "run.nc").stdout)
                self.assertEqual(self.problems()[kind]["advice"], advice)

    def test_a_sampler_that_is_exact(self):
        for sampler, setting in (("qnhmc", "adapt=warmup"), ("rhmc", "fixed_iterations=0"), ("hmc", "metropolis=true")):
            self.sample("--model", "gaussian", "--set", "model.dim=2", "--sampler", sampler, "--set", setting)
            self.assertFalse({"biased", "step_size_bias"} & set(self.problems()))
            self.assertIn("law of the sampler", self.ok_json("diagnose", "run.nc")["checked"])

    def test_a_law_that_is_not_known(self):
        """A sampler of another version, and a run that does not hold its settings."""
        self.sample("--model", "gaussian", "--sampler", "qnhmc", "--set", "adapt=printed", "--draws", 100)
        content = (self.folder / "run.nc").read_bytes()[:-16]
        for old, new in ((b"qnhmc", b"qnhmz"), (b'{"run":', b'["run":')):
            self.assertIn(old, content)
            changed = content.replace(old, new)
            self.write("run.nc", changed + b"QSRSEAL1%08x" % zlib.crc32(changed))
            self.assertNotIn("biased", self.problems())
            self.assertNotIn("law of the sampler", self.ok_json("diagnose", "run.nc")["checked"])

    def test_implicit_steps_without_a_solution(self):
        self.sample("--model", "gamma", "--set", "model.coordinates=natural", "--sampler", "rhmc",
                    "--set", "solver=fixed_point", "--set", "step_size=0.4", "--set", "leapfrog_steps=4")
        run = json.loads(self.ok("convert", "run.nc", "--to", "json").stdout)
        share = 100 * statistics.fmean(itertools.chain(*run["sample_stats"]["solver_failed"]))
        self.assertGreater(share, 1)
        failed = self.problems()["failed_solves"]
        self.assertTrue(failed["what"].startswith(f"{share:.3g} % of the trajectories were rejected"), failed["what"])
        self.assertIn("--set step_size=0.2, --set solver=newton", failed["advice"])

    def test_one_ensemble_is_like_one_chain(self):
        ensembles = ("--model", "gaussian", "--set", "model.dim=2", "--sampler", "hmc-bfgs", "--chains")
        self.sample(*ensembles, 1)
        self.assertIn("one ensemble: its members are not independent", self.problems()["single_chain"]["what"])
        self.sample(*ensembles, 2)
        self.assertNotIn("single_chain", self.problems())

    def test_wrong_input(self):
        self.fails(3, "missing.nc", "diagnose", "missing.nc")
        self.fails(3, "text.nc", "diagnose", self.write("text.nc", "not a run file"))
        self.fails(2, "diagnose needs an argument: file", "diagnose")
        self.fails(2, "unknown option of diagnose.*--jsn", "diagnose", "run.nc", "--jsn")


class Headlines(CommandLine):
    def stop_in_warmup(self):
        command = [BIN, "sample", "--model", "gaussian", "--warmup", "1e9", "--draws", "400000", "--chains", "2",
                   "--quiet"]
        with subprocess.Popen(command, cwd=self.folder, stderr=subprocess.DEVNULL) as process:
            deadline = time.monotonic() + 60
            while time.monotonic() < deadline and not (self.folder / "run.nc.part" / "chain-2.draws").exists():
                time.sleep(0.02)
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.wait(60), 130)

    def test_one_of_a_thing_and_what_is_undefined(self):
        self.ok("sample", "--model", "gaussian", "--draws", 1, "--chains", 1, "--warmup", 20, "--quiet")
        summary = self.ok("summary", "run.nc")
        self.assertRegex(summary.stdout, r"\Agaussian, nuts: 1 chain of 1 draw after 20 of warm-up; [0-9]+ gradients;")
        self.assertNotIn("nan", summary.stdout)
        self.assertIn("warning: 1 draw in a chain", summary.stderr)

    def test_stopped_in_warmup(self):
        self.stop_in_warmup()
        summary = self.ok("summary", "run.nc")
        self.assertRegex(summary.stdout, r"\Agaussian, nuts: 2 chains, stopped before the first draw; [0-9]+ grad")
        self.assertIn("0 draws in a chain: too few to judge. Try --resume\n", summary.stderr)
        self.assertNotIn("--draws", summary.stderr)


if __name__ == "__main__":
    unittest.main()
