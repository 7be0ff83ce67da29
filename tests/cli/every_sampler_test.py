"""Every sampler on every model: it runs, or says why not."""

import json
import math
import unittest

from support import HEART, CommandLine

BRIEF = ("--warmup", 20, "--draws", 20, "--chains", 2)  # a product that must stay cheap


class EverySampler(CommandLine):
    # Where curvature changes from place to place a sampler without a Metropolis test may run away, and then says so.
    HARD = {"funnel", "banana", "eight-schools", "double-well"}

    # Some models draw some of their coordinates by Gibbs steps, which leaves them without a mode to learn a step size from.
    SETTINGS = {"network": ("--set", "model.hidden=2"), "bpmf": ("--set", "model.rank=2"), "mf": ("--set", "model.rank=2"), "alpha-mf": ("--set", "model.rank=2")}
    STEP = {"network": ("--set", "step_size=1e-4"), "bpmf": ("--set", "step_size=1e-4"), "mf": ("--set", "step_size=1e-4"), "alpha-mf": ("--set", "step_size=1e-6")}
    OF_RATINGS = {"bpmf", "mf"}
    RATINGS = "\n".join(["user,item,rating", *(f"u{i},{j},{(i * j + i) % 5}" for i in range(6) for j in range(5) if (i + j) % 3)])

    def settings(self, model, sampler):
        data = ("--data", self.write("ratings.csv", self.RATINGS) if model["name"] in self.OF_RATINGS else HEART) if model["needs_data"] else ()
        step = self.STEP.get(model["name"], ()) if sampler["stochastic"] else ()
        return *data, *self.SETTINGS.get(model["name"], ()), *step

    def refuses(self, model, sampler, why):
        result = self.quasar("sample", "--model", model["name"], "--sampler", sampler["name"], *self.settings(model, sampler), *BRIEF,
                             "--overwrite")
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertIn(why, result.stderr)

    def test_every_model_samples_with_every_sampler(self):
        for model in self.ok_json("list", "models"):
            for sampler in self.ok_json("list", "samplers"):
                with self.subTest(model=model["name"], sampler=sampler["name"]):
                    if model["name"] == "ihmm" and sampler["name"] not in ("ihmm-beam", "gibbs"):
                        self.refuses(model, sampler, "are discrete")
                        continue
                    if sampler["name"] == "ihmm-beam" and model["name"] != "ihmm":
                        self.refuses(model, sampler, "ihmm-beam needs the model ihmm")
                        continue
                    if sampler["name"] in ("gibbs", "als") and model["name"] not in {*self.OF_RATINGS, "ihmm"}:
                        self.refuses(model, sampler, "needs a model that can draw all of its parameters")
                        continue
                    if sampler["family"] == "blocked" and model["name"] != "mf":
                        self.refuses(model, sampler, f"{sampler['name']} needs a model whose parameters come in blocks: mf")
                        continue
                    result = self.quasar("sample", "--model", model["name"], "--sampler", sampler["name"],
                                         *self.settings(model, sampler), *BRIEF, "--overwrite", "--json")
                    if result.returncode == 2 and model["name"] in self.STEP:
                        self.assertIn("this model draws some of them by Gibbs steps", result.stderr)
                        continue
                    if result.returncode == 4 and sampler["stochastic"] and model["name"] in self.HARD:
                        self.assertRegex(result.stderr, "the chain has diverged: step size|no mode of the density was found")
                        continue
                    self.assertEqual(result.returncode, 0, result.stderr)
                    for parameter in json.loads(result.stdout)["parameters"]:
                        self.assertTrue(math.isfinite(parameter["mean"]))


if __name__ == "__main__":
    unittest.main()
