"""The model network from the command line: what it accepts, what it refuses and how it says so."""

import statistics
import struct
import unittest

from support import HEART, CommandLine

BRIEF = ("--warmup", 30, "--draws", 30, "--chains", 2, "--overwrite", "--quiet")


def network(data, *settings):
    return ("sample", "--model", "network", "--data", data, *(a for s in settings for a in ("--set", s)), *BRIEF)


class Networks(CommandLine):
    def variables(self, *arguments):
        run = self.ok_json(*arguments)
        return [parameter["name"] for parameter in run["parameters"]]

    def test_classes_by_label(self):
        rows = "".join(f"{i % 5},{i % 3},{'red' if i % 2 else 'blue'}\n" for i in range(20))
        data = self.write("labels.csv", "a,b,colour\n" + rows)
        names = self.variables(*network(data, "model.hidden=2"))
        self.assertIn("bias_2[blue]", names)
        self.assertIn("weights_1[a,2]", names)

    def test_categorical_inputs_have_one_input_for_each_label(self):
        rows = "".join(f"{'xyz'[i % 3]},{i % 4},{i * 0.5}\n" for i in range(20))
        data = self.write("inputs.csv", "kind,b,y\n" + rows)
        names = self.variables(*network(data, "model.hidden=2", "model.output=gaussian"))
        self.assertIn("sigma", names)
        self.assertEqual(sum(name.startswith("weights_1[kind=") for name in names), 6)

    def test_stochastic_samplers_need_a_step_size(self):
        self.fails(2, "learning_rate=0.00037, momentum_decay=0.01 and noise_variance=0 for sghmc", *network(HEART, "model.hidden=2"), "--sampler", "sghmc")

    def test_samplers_on_a_metric_of_the_place_refuse(self):
        self.fails(2, "draws some of them by Gibbs steps", *network(HEART, "model.hidden=2"), "--sampler", "rhmc")

    def test_steps_that_are_too_large_end_the_run(self):
        for sampler, step in (("sgld", "step_size=10"), ("sghmc", "learning_rate=10"), ("sgd", "step_size=10")):
            self.refused(self.quasar(*network(HEART, "model.hidden=2", step), "--sampler", sampler), 4,
                         r"chain \d, iteration \d+: the weights have run away: .* weights_1 is .* smaller step_size")

    def test_hidden_layers_that_cannot_be(self):
        for hidden in ("0", "10,", "ten", "1.5", "-1"):
            self.fails(2, f"model.hidden={hidden}: give the units", *network(HEART, f"model.hidden={hidden}"))

    def test_a_number_is_no_class(self):
        data = self.write("numbers.csv", "a,y\n" + "".join(f"{i},{i * 0.37}\n" for i in range(20)))
        self.fails(3, "numbers.csv:3: column 2 .'y'.: .*model.output=gaussian", *network(data, "model.hidden=2"))

    def test_many_classes_are_worth_a_word(self):
        def notes(classes, rows):
            data = self.write("whole.csv", "a,y\n" + "".join(f"{i},{i % classes}\n" for i in range(rows)))
            loud = [word for word in network(data, "model.hidden=2") if word != "--quiet"]
            return self.quasar(*loud, "--dry-run").stderr

        self.assertIn("a classification with 21 classes; model.output=gaussian", notes(21, 300))
        self.assertIn("a classification with 4 classes; model.output=gaussian", notes(4, 39))
        self.assertNotIn("classification", notes(4, 40))

    def test_whole_gradients_of_large_models_are_worth_a_word(self):
        rows = "".join(f"{i % 7},{i % 2}\n" for i in range(20000))
        data = self.write("large.csv", "a,y\n" + rows)
        command = network(data, "model.hidden=20000")
        self.assertEqual(self.quasar(*command, "--dry-run").stderr, "")
        loud = [word for word in command if word != "--quiet"]
        self.assertIn("of all 20000 rows and 80006 parameters; --sampler sghmc --batch-size 500",
                      self.quasar(*loud, "--dry-run").stderr)
        brief = self.quasar(*loud, "--dry-run", "--sampler", "sghmc", "--set", "learning_rate=1e-5")
        self.assertEqual(brief.stderr, "")

    def test_tuning_is_refused(self):
        self.fails(2, "--tune tries step sizes around a mode", *network(HEART, "model.hidden=2"), "--sampler", "sgld",
                   "--tune")

    def test_modes_want_doubles(self):
        self.fails(4, "model.precision=double", "optimize", "--model", "network", "--data", HEART, "--set",
                   "model.hidden=2")

    def test_images(self):
        self.write("s-images-idx3-ubyte", struct.pack(">IIII", 2051, 12, 2, 3) + bytes(range(72)))
        self.write("s-labels-idx1-ubyte", struct.pack(">II", 2049, 12) + bytes([1, 7, 4] * 4))
        names = self.variables(*network("s-images-idx3-ubyte", "model.hidden=2"))
        self.assertIn("weights_1[pixel_6,1]", names)
        self.assertIn("bias_2[7]", names)

    def test_prior_only_draws_precisions_from_their_prior(self):
        run = self.ok_json("sample", "--model", "network", "--data", HEART, "--set", "model.hidden=2", "--prior-only",
                           "--variables", "precision", "--overwrite", "--quiet", "--set", "model.prior_shape=20", "--set",
                           "model.prior_rate=10")
        false_alarms = 1e-3  # in all, after a change of seed
        widest = statistics.NormalDist().inv_cdf(1 - false_alarms / (2 * len(run["parameters"])))
        for parameter in run["parameters"]:
            self.assertLess(abs(parameter["mean"] - 2), widest * parameter["mcse_mean"])


if __name__ == "__main__":
    unittest.main()
