"""Stochastic-gradient samplers from the command line: batches, tuning, runs that diverge, settings that cannot be."""

import json
import unittest

from support import HEART, CommandLine

LOGISTIC = ("sample", "--model", "logistic", "--data", HEART, "--warmup", 100, "--draws", 200, "--chains", 2, "--overwrite")


class Batches(CommandLine):
    def configuration(self, *arguments):
        return json.loads(self.ok("sample", "--model", "logistic", "--data", HEART, "--dry-run", *arguments).stdout)

    def test_batch_size_is_short_for_the_parameter(self):
        self.assertEqual(self.configuration("--sampler", "sgld", "--batch-size", 50)["sampler"]["batch_size"], 50)

    def test_twice_is_an_error(self):
        self.fails(2, "the same setting", *LOGISTIC, "--sampler", "sgld", "--batch-size", 50, "--set", "batch_size=50")

    def test_samplers_without_batches_refuse(self):
        self.fails(2, "nuts takes whole gradients", *LOGISTIC, "--batch-size", 50)

    def test_more_than_the_data(self):
        self.fails(2, "batch_size=271 is more than the 270 terms", *LOGISTIC, "--sampler", "sgld", "--batch-size", 271)

    def test_passes_over_the_data_are_counted(self):
        self.ok(*LOGISTIC, "--sampler", "sgld", "--set", "step_size=1e-4", "--batch-size", 27, "--quiet", "--out", "b.nc")
        run = json.loads(self.ok("convert", "b.nc", "--to", "json").stdout)
        passes = run["sample_stats"]["data_passes"]
        self.assertTrue(all(abs(p - 0.1) < 1e-12 for chain in passes for p in chain))

    def test_every_estimator_and_order(self):
        for estimator in ("full", "minibatch", "control_variates", "svrg"):
            for order in ("with_replacement", "without_replacement", "shuffled"):
                with self.subTest(estimator=estimator, order=order):
                    run = self.ok_json(*LOGISTIC, "--sampler", "sghmc", "--set", f"estimator={estimator}", "--set",
                                       f"batch_order={order}")
                    self.assertGreater(run["gradient_evaluations"], 600)


class Refused(CommandLine):
    def test_settings_that_cannot_be(self):
        gaussian = ("sample", "--model", "gaussian", "--set", "model.dim=3", "--overwrite")
        cases = [
            ("sgld", "estimator=svrg", "needs a model that is a sum over data"),
            ("sgld", "schedule=power", "schedule=power needs a step_size"),
            ("sghmc", "friction=1,2", "friction has 2 numbers; the model has 3 coordinates"),
            ("sghmc", "friction=x", "'x' is not a number"),
            ("sghmc", "friction=-1", "friction must be positive"),
            ("sghmc", "friction=1,5,0,5,1,0,0,0,1", "friction must be positive"),
            ("sghmc", "friction=9", "times friction over mass, 9 at most, is more than 1"),
            ("sghmc", "noise_variance=-1", "noise_variance must not be negative"),
            ("sghmc", "friction=1,2,0,3,1,0,0,0,1", "friction is not symmetric"),
            ("sg-nphmc", "noise_variance=4", "it needs inject=true"),
            ("sg-nphmc", "noise_variance=nonsense", "it needs inject=true"),
            ("sg-nphmc-canonical", "mass=1,0,0,0,1,0,0,0,1", "a mass that is a matrix needs noise_variance=0"),
            ("sgnht", "mass=0", "mass must be positive"),
            ("hmc-em", "mass=fisher", "this sampler learns its mass from momenta"),
            ("sghmc-em", "mass=fisher", "this sampler learns its mass from momenta"),
            ("sgnht-em", "mass=fisher", "this sampler learns its mass from momenta"),
            ("hmc-em", "em_alpha=5e-324", "must be at least 1e-10"),
            ("hamcmc", "memory=1", "memory"),
            ("psgld", "averaging=1", "averaging"),
        ]
        for sampler, setting, message in cases:
            with self.subTest(setting=setting):
                self.fails(2, message, *gaussian, "--sampler", sampler, "--set", setting)

    def test_a_mass_that_would_never_be_learned(self):
        frozen = ("sample", "--model", "gaussian", "--sampler", "hmc-em", "--overwrite", "--set", "freeze=true")
        self.fails(2, "--warmup 99 is less than em_samples=100", *frozen, "--warmup", 99)
        self.ok(*frozen, "--warmup", 100)

    def test_friction_is_measured_against_the_mass(self):
        gaussian = ("sample", "--model", "gaussian", "--set", "model.dim=2", "--sampler", "sghmc", "--set", "mass=0.1,10",
                    "--overwrite", "--draws", 10)
        for friction in ("0.1,10", "0.1,0.5,0.5,10"):  # rates 1 and 1; 0.5 and 1.5
            setting = f"friction={friction}"
            self.ok(*gaussian, "--set", setting, "--set", "step_size=0.5")
            self.fails(2, "the momentum would turn round", *gaussian, "--set", setting, "--set", "step_size=1.1")
        self.fails(2, "over mass, 100 at most", *gaussian, "--set", "friction=10", "--set", "step_size=0.5")

    def test_no_mode_to_start_from(self):
        self.fails(4, "Give step_size, and use neither mass=fisher nor", "sample", "--model", "eight-schools", "--set",
                   "model.parameterization=centered", "--sampler", "sgld")

    def test_two_words_for_one_thing(self):
        gaussian = ("sample", "--model", "gaussian", "--sampler", "sghmc", "--overwrite")
        self.fails(2, "two words", *gaussian, "--set", "step_size=0.1", "--set", "learning_rate=0.01")
        self.fails(2, "two words", *gaussian, "--set", "friction=1", "--set", "momentum_decay=0.1")

    def test_a_batch_of_one_has_no_halves(self):
        self.fails(2, "batch_size must be 2 or more", *LOGISTIC, "--sampler", "sghmc", "--batch-size", 1)

    def test_noise_beyond_the_friction(self):
        result = self.quasar("sample", "--model", "gaussian", "--sampler", "sghmc", "--set", "step_size=0.1", "--set",
                             "friction=1", "--set", "noise_variance=100")
        self.assertEqual(result.returncode, 4)
        self.assertIn("more than the friction takes up", result.stderr)


    def test_exactness_needs_independent_batches(self):
        for setting in ("batch_order=shuffled", "estimator=svrg"):
            self.fails(2, "exact on independent batches only", *LOGISTIC, "--sampler", "sghmc-naive", "--set",
                       "metropolis=true", "--set", setting)

    def test_noise_beyond_the_friction_that_is_learned_is_warned_of(self):
        result = self.ok("sample", "--model", "linear-gaussian", "--sampler", "sghmc", "--set", "step_size=0.02", "--set",
                         "friction=5", "--batch-size", 10)
        self.assertIn("the noise of the gradient was more than the friction takes up", result.stderr)


class Divergence(CommandLine):
    def test_a_run_that_diverges_says_where_and_what_to_try(self):
        result = self.quasar(*LOGISTIC, "--sampler", "sgld", "--set", "step_size=10", "--set", "model.prior_sd=0.1")
        self.assertEqual(result.returncode, 4)
        self.assertRegex(result.stderr, r"chain \d, iteration \d+: the chain has diverged: step size 10, gradient norm \d")
        self.assertIn("Try a step_size ten times smaller", result.stderr)


class Tune(CommandLine):
    TUNE = ("sample", "--model", "linear-gaussian", "--sampler", "sgld", "--tune", "--draws", 500, "--chains", 2)

    def test_reports_what_it_chose_and_uses_it(self):
        result = self.ok(*self.TUNE, "--json", "--out", "t.nc")
        run = json.loads(result.stdout)
        tuned = run["tuned"]
        self.assertEqual(len(tuned["trials"]), 60)
        self.assertEqual(tuned["ksd"], min(t["ksd"] for t in tuned["trials"][:3]))
        self.assertIn("tune: 60 settings", result.stderr)
        self.assertIn("tune: chose step_size", result.stderr)
        stats = json.loads(self.ok("convert", "t.nc", "--to", "json").stdout)["sample_stats"]
        self.assertEqual(stats["step_size"][0][0], tuned["step_size"])
        self.assertAlmostEqual(stats["data_passes"][0][0], tuned["batch_size"] / 1000)
        again = self.ok_json(*self.TUNE, "--out", "u.nc")
        self.assertEqual(run["parameters"], again["parameters"])

    def test_what_cannot_be_tuned(self):
        cases = [("step_size=0.001", "nothing is left to choose"), ("schedule=power", "not for schedule=power")]
        for setting, message in cases:
            with self.subTest(setting=setting):
                self.fails(2, message, *self.TUNE, "--batch-size", 100, "--set", setting)
        self.fails(2, "not in natural coordinates", "sample", "--model", "gamma", "--set", "model.coordinates=natural",
                   "--sampler", "sgld", "--tune")

    def test_steps_too_large_for_a_friction_are_left_out(self):
        run = self.ok_json("sample", "--model", "gaussian", "--sampler", "sghmc", "--set", "friction=10", "--tune",
                           "--draws", 100)
        self.assertTrue(any(t["ksd"] is None and t["iterations"] == 0 for t in run["tuned"]["trials"]))

    def test_is_for_stochastic_samplers(self):
        self.fails(2, "nuts tunes itself in warm-up", "sample", "--model", "gaussian", "--tune")


if __name__ == "__main__":
    unittest.main()
