"""The five regressions from the command line: what they report on the examples, and what they refuse."""

import csv
import re
import unittest

from support import ROOT, CommandLine

VISITS, COMMUTE, HEART = (ROOT / "examples" / name for name in ("visits.csv", "commute.csv", "heart.csv"))


def settings(**values):
    return [part for name, value in values.items() for part in ("--set", f"model.{name}={value}")]


class Regression(CommandLine):
    def sample(self, model, data, **model_settings):
        return ("sample", "--model", model, "--data", data, *settings(**model_settings))

    def summary(self, *arguments):
        run = self.ok_json(*self.sample(*arguments[:2], **arguments[2]), "--chains", 2, "--draws", 500, "--warmup", 500)
        return {parameter["name"]: parameter for parameter in run["parameters"]}

    def test_names_of_what_is_reported(self):
        summary = self.summary("softmax", COMMUTE, {"group": "rain", "prior": "horseshoe", "prior_sd": 1})
        self.assertEqual(
            list(summary),
            ["intercept[bus]", "intercept[car]"]
            + [f"beta[{mode},{column}]" for mode in ("bus", "car") for column in ("distance", "car=yes")]
            + ["global_scale"]
            + [f"local_scale[{mode},{column}]" for mode in ("bus", "car") for column in ("distance", "car=yes")]
            + ["group_sd[bus]", "group_sd[car]"]
            + [f"group_effect[{mode},{rain}]" for mode in ("bus", "car") for rain in (0, 1)],
        )

    def resembles(self, summary, truths):
        """The interval of 90 % has the sign, and the mean the size within a factor of two."""
        for name, truth in truths.items():
            found = summary[name]
            self.assertGreater(min(truth * found["q5"], truth * found["q95"]), 0, name)
            self.assertTrue(0.5 < found["mean"] / truth < 2, f"{name}: {found['mean']}, not {truth}")

    def test_counts_tell_what_they_were_drawn_with(self):
        """The numbers in examples/README.md."""
        summary = self.summary("negative-binomial", VISITS, {"group": "clinic"})
        truths = {"beta[age]": 0.012, "beta[conditions]": 0.35, "beta[sex=male]": -0.25}
        self.resembles(summary, truths | {"overdispersion": 0.707, "group_sd": 0.4})

    def test_classes_tell_what_they_were_drawn_with(self):
        summary = self.summary("softmax", COMMUTE, {})
        truths = {"intercept[bus]": -1.5, "beta[bus,distance]": 0.35, "intercept[car]": -3.5}
        self.resembles(summary, truths | {"beta[car,distance]": 0.4, "beta[car,car=yes]": 2.2})

    def test_new_rows_with_missing_values_are_left_out_as_those_of_the_fit(self):
        trial = ROOT / "examples" / "trial.csv"
        chosen = {"predictors": "age,bmi,arm", "missing": "drop"}
        sample = self.sample("logistic", trial, **chosen)
        result = self.ok(*sample, "--draws", 100, "--warmup", 100, "--held-out", trial, "--out", "run.nc")
        self.assertRegex(result.stderr, r"(?m)^quasar: held out: \d+ of \d+ rows have missing values and are left out$")
        result = self.ok("predict", "run.nc", "--data", trial, "--out", "p.csv")
        self.assertRegex(result.stderr, r"trial.csv: \d+ of \d+ rows have missing values and are left out\n")
        with open(trial) as file:
            kept = [number for number, row in enumerate(csv.DictReader(file), 1) if "" not in (row["age"], row["bmi"], row["arm"])]
        with open(self.folder / "p.csv") as file:
            self.assertEqual([int(row["row"]) for row in csv.DictReader(file)], kept)

    def notes_on(self, text, model="logistic"):
        data = self.write("odd.csv", text)
        result = self.ok(*self.sample(model, data), "--draws", 20, "--warmup", 50, "--overwrite")
        return [line for line in result.stderr.splitlines() if line.startswith("quasar: ")]

    def test_what_is_odd_about_labels_is_said(self):
        rows = [(i % 7, f'"{i},5"', "?" if i % 3 else "here", i % 2) for i in range(20)]
        odd = "day,x,place,y\n" + "".join(f"d{day}{x[1:-3]},{x},{place},{y}\n" for day, x, place, y in rows)
        self.assertEqual(self.notes_on(odd), [
            "quasar: column 'day': more than half as many labels as rows, each with coefficients of its own; leave names, dates and "
            "identifiers out by model.predictors",
            "quasar: column 'x': numbers with decimal commas, taken as labels; write them with points",
            "quasar: column 'place': '?' is taken as a label; where a value is missing leave the field empty or write NA",
        ])
        self.assertEqual(self.notes_on("x,y\n1,1\n2,1\n4,1\n"),
                         ["quasar: the response 'y' is 1 in every row: the data cannot say what tells 0 from 1"])
        self.assertEqual(self.notes_on("x,y\n1,1\n2,0\n4,1\n"), [])

    def refuses(self, code, message, model, data, **model_settings):
        self.fails(code, "^quasar: .*" + re.escape(message), *self.sample(model, data, **model_settings))

    def test_settings(self):
        for message, wrong in [
            ("prior = 'cauchy': must be one of normal, student_t, laplace, horseshoe", {"prior": "cauchy"}),
            ("prior_df = '0': must be greater than 0", {"prior_df": 0}),
            ("prior_sd = '-1': must be at least", {"prior_sd": -1}),
            ("prior_global_scale = '0': must be greater than 0", {"prior_global_scale": 0}),
            ("unknown column 'klinic'; did you mean 'clinic'?", {"group": "klinic"}),
            ("column 'visits' is the group and cannot be the target as well", {"group": "visits"}),
        ]:
            self.refuses(2, message, "poisson", VISITS, **wrong)

    def test_responses(self):
        self.refuses(3, "heart.csv:2: column 10 ('oldpeak'): the target", "poisson", HEART, target="oldpeak")
        self.refuses(3, "visits.csv:2: column 2 ('sex'): 'female' is a label", "poisson", VISITS, target="sex")
        self.refuses(3, "column 4 ('mode'): the target must have two different values, not 3", "logistic", COMMUTE)
        self.refuses(3, "heart.csv:2: column 10 ('oldpeak'): classes", "softmax", HEART, target="oldpeak")
        self.write("d.csv", "a,y\n1,3\n2,-1\n")
        self.refuses(3, "d.csv:3: column 2 ('y'): the target", "negative-binomial", "d.csv")
        self.write("d.csv", "a,y\n1,3\n2,3\n")
        self.refuses(3, "d.csv: column 2 ('y'): the target has one class only", "softmax", "d.csv")
        self.write("d.csv", "a,g,y\n1,1.5,3\n2,2,1\n")
        self.refuses(3, "d.csv:2: column 2 ('g'): classes and groups", "poisson", "d.csv", group="g")


if __name__ == "__main__":
    unittest.main()
