"""quasar predict: predictions for new rows, their scores, and what is refused."""

import csv
import io
import json
import math
import random
import signal
import subprocess
import time
import unittest

from support import BIN, HEART, ROOT, CommandLine

LOGISTIC = ("sample", "--model", "logistic", "--chains", 2, "--warmup", 200, "--draws", 200, "--quiet", "--overwrite")


def table(text):
    return list(csv.DictReader(io.StringIO(text)))


class Predictions(CommandLine):
    def setUp(self):
        super().setUp()
        lines = HEART.read_text().splitlines()
        self.header, rows = lines[0], lines[1:]
        self.fit = self.write("fit.csv", "\n".join([self.header, *rows[:180]]) + "\n")
        self.new = self.write("new.csv", "\n".join([self.header, *rows[180:]]) + "\n")
        self.rows = rows[180:]

    def heart(self, *options):
        self.ok(*LOGISTIC, "--data", "fit.csv", *options)

    def numbers(self, *options):
        source = random.Random(3)
        rows = [f"{x},{z},{2 * x - z + 0.5 * source.gauss(0, 1)}" for x, z in
                ((source.gauss(0, 1), source.gauss(5, 2)) for _ in range(300))]
        self.write("line.csv", "\n".join(["x,z,y", *rows[:150]]) + "\n")
        self.write("more.csv", "\n".join(["x,z,y", *rows[150:]]) + "\n")
        self.ok("sample", "--model", "linear", "--data", "line.csv", "--chains", 2, "--warmup", 300, "--draws", 500,
                "--quiet", "--overwrite", *options)

    def test_classes(self):
        self.heart()
        result = self.ok("predict", "run.nc", "--data", "new.csv")
        rows = table(result.stdout)
        self.assertEqual(list(rows[0]), ["row", "observed", "predicted", "probability[0]", "probability[1]", "sd[0]", "sd[1]"])
        self.assertEqual([row["row"] for row in rows], [str(i + 1) for i in range(90)])
        for row, line in zip(rows, self.rows, strict=True):
            p = [float(row["probability[0]"]), float(row["probability[1]"])]
            self.assertAlmostEqual(sum(p), 1, places=12)
            self.assertEqual(row["predicted"], "1" if p[1] > p[0] else "0")
            self.assertEqual(row["observed"], line.split(",")[-1])
            self.assertTrue(0 < float(row["sd[1]"]) < 0.5)
        self.assertRegex(result.stderr, r"90 rows predicted by 400 draws\n(.*\n)*accuracy +0\.")

    def test_scores_are_those_of_the_predictions(self):
        self.heart()
        said = self.ok_json("predict", "run.nc", "--data", "new.csv", "--out", "p.csv")
        self.assertEqual((said["rows"], said["draws"], said["classes"], said["output"]), (90, 400, ["0", "1"], "p.csv"))
        rows = table((self.folder / "p.csv").read_text())
        right = [row["observed"] == row["predicted"] for row in rows]
        p = [float(row[f"probability[{row['observed']}]"]) for row in rows]
        self.assertAlmostEqual(said["scores"]["accuracy"], sum(right) / 90, places=12)
        self.assertAlmostEqual(said["scores"]["error"], 1 - sum(right) / 90, places=12)
        self.assertAlmostEqual(said["scores"]["log_score"], sum(map(math.log, p)) / 90, places=12)
        self.assertAlmostEqual(said["scores"]["brier"], sum(2 * (1 - q) ** 2 for q in p) / 90, places=12)
        self.assertGreater(said["scores"]["accuracy"], 0.75)
        self.assertTrue(0 < said["scores"]["calibration_error"] < 0.25)

    def test_numbers(self):
        self.numbers()
        said = self.ok_json("predict", "run.nc", "--data", "more.csv", "--out", "p.csv", "--interval", 0.8)
        rows = table((self.folder / "p.csv").read_text())
        self.assertEqual(list(rows[0]), ["row", "observed", "mean", "sd", "q10", "q50", "q90"])
        for row in rows:
            self.assertTrue(float(row["q10"]) < float(row["q50"]) < float(row["q90"]))
        there = table((self.folder / "more.csv").read_text())
        self.assertEqual([float(row["observed"]) for row in rows], [float(row["y"]) for row in there])  # to the last bit
        errors = [float(row["observed"]) - float(row["mean"]) for row in rows]
        scores = said["scores"]
        self.assertAlmostEqual(scores["rmse"], math.sqrt(sum(e * e for e in errors) / 150), places=12)
        self.assertAlmostEqual(scores["mae"], sum(map(abs, errors)) / 150, places=12)
        # Noise of sd 0.5 and three coefficients that 150 rows have told; each of the three is wrong once in a million times:
        # 4.9 sd. The share of n rows varies by p (1 - p) / n, and with the fitted sigma, known to 1/sqrt(2 * 147), by the
        # slope of the coverage, 2 u phi(u), where u is the end of the interval.
        sigma = 1 / math.sqrt(2 * 147)
        self.assertLess(abs(scores["rmse"] / (0.5 * math.sqrt(1 + 3 / 150)) - 1), 4.9 / math.sqrt(2 * 150))
        for name, level, end in (("coverage_90", 0.9, 1.645), ("coverage_50", 0.5, 0.6745)):
            slope = 2 * end * math.exp(-end * end / 2) / math.sqrt(2 * math.pi)
            self.assertLess(abs(scores[name] - level), 4.9 * math.hypot(math.sqrt(level * (1 - level) / 150), slope * sigma))
        self.assertEqual(set(scores), {"log_score", "rmse", "mae", "coverage_50", "coverage_90"})

    def test_the_same_for_any_number_of_threads_and_order_of_columns(self):
        self.numbers()
        whole = self.ok("predict", "run.nc", "--data", "more.csv", "--threads", 1).stdout
        self.assertEqual(self.ok("predict", "run.nc", "--data", "more.csv", "--threads", 3).stdout, whole)
        rows = table((self.folder / "more.csv").read_text())
        self.write("turned.csv", "\n".join(["y,extra,z,x", *(f"{r['y']},what,{r['z']},{r['x']}" for r in rows)]) + "\n")
        self.assertEqual(self.ok("predict", "run.nc", "--data", "turned.csv").stdout, whole)
        other = self.ok("predict", "run.nc", "--data", "more.csv", "--seed", 2).stdout
        self.assertNotEqual(other, whole)
        self.assertEqual([row["mean"] for row in table(other)], [row["mean"] for row in table(whole)])

    def test_without_the_response(self):
        self.numbers()
        rows = table((self.folder / "more.csv").read_text())
        self.write("plain.csv", "\n".join(["x,z", *(f"{r['x']},{r['z']}" for r in rows)]) + "\n")
        known = table(self.ok("predict", "run.nc", "--data", "more.csv").stdout)
        result = self.ok("predict", "run.nc", "--data", "plain.csv")
        for row, other in zip(table(result.stdout), known, strict=True):
            self.assertEqual(row, {name: value for name, value in other.items() if name != "observed"})
        self.assertNotIn("rmse", result.stderr)
        self.assertIsNone(self.ok_json("predict", "run.nc", "--data", "plain.csv", "--out", "p.csv")["scores"])

    def test_fewer_draws(self):
        self.numbers()
        said = self.ok_json("predict", "run.nc", "--data", "more.csv", "--out", "p.csv", "--draws", 37)
        self.assertEqual(said["draws"], 37)
        self.assertEqual(self.ok_json("predict", "run.nc", "--data", "more.csv", "--out", "p.csv", "--overwrite", "--draws",
                                      "1e6")["draws"], 1000)

    def test_quiet(self):
        self.heart()
        result = self.ok("predict", "run.nc", "--data", "new.csv", "--out", "p.csv", "--quiet")
        self.assertEqual((result.stdout, result.stderr), ("", ""))

    def test_of_a_run_in_progress(self):
        command = [BIN, *map(str, LOGISTIC), "--data", "fit.csv", "--checkpoint-every", "50", "--out", "long.nc"]
        command[command.index("--draws") + 1] = "1e7"
        with subprocess.Popen(command, cwd=self.folder, stderr=subprocess.DEVNULL) as process:
            records = [self.folder / "long.nc.part" / f"chain-{k}.draws" for k in (1, 2)]
            while not all(file.exists() and file.stat().st_size > 20000 for file in records):
                self.assertIsNone(process.poll())
                time.sleep(0.01)
            process.send_signal(signal.SIGKILL)
        for name in ("long.nc", "long.nc.part"):
            said = self.ok_json("predict", name, "--data", "new.csv", "--out", f"{name}.csv")
            self.assertGreater(said["scores"]["accuracy"], 0.7)

    def test_refusals(self):
        self.heart()
        self.fails(2, "predict needs --data", "predict", "run.nc")
        self.fails(2, "predict needs an argument: file", "predict", "--data", "new.csv")
        self.fails(2, "--json takes standard output for itself", "predict", "run.nc", "--data", "new.csv", "--json")
        self.fails(2, "interval", "predict", "run.nc", "--data", "new.csv", "--interval", 1)
        self.fails(2, "draws", "predict", "run.nc", "--data", "new.csv", "--draws", "many")
        self.fails(2, "new.csv is read", "predict", "run.nc", "--data", "new.csv", "--out", "new.csv")
        self.write("there.csv", "")
        self.fails(2, "there.csv exists", "predict", "run.nc", "--data", "new.csv", "--out", "there.csv")
        self.fails(3, "none.nc", "predict", "none.nc", "--data", "new.csv")
        self.fails(3, "none.csv", "predict", "run.nc", "--data", "none.csv")
        self.fails(3, "new.csv", "predict", "new.csv", "--data", "new.csv")
        self.fails(3, "no/such/p.csv", "predict", "run.nc", "--data", "new.csv", "--out", "no/such/p.csv")

    def test_rows_that_do_not_fit(self):
        self.heart()
        without = [",".join(line.split(",")[1:]) for line in [self.header, *self.rows]]
        self.write("without.csv", "\n".join(without) + "\n")
        self.fails(3, r"^quasar: without.csv:1: there is no column 'age'", "predict", "run.nc", "--data", "without.csv")
        self.write("text.csv", "\n".join([self.header, self.rows[0], "old" + self.rows[1][2:]]) + "\n")
        self.fails(3, r"^quasar: text.csv:3:.*'?age", "predict", "run.nc", "--data", "text.csv")
        self.write("gap.csv", "\n".join([self.header, self.rows[0][2:]]) + "\n")
        self.fails(3, r"^quasar: gap.csv:2:", "predict", "run.nc", "--data", "gap.csv")
        self.assertFalse((self.folder / "p.csv").exists())

    def test_runs_that_cannot_predict(self):
        self.heart("--keep", "moments", "--out", "moments.nc")
        self.fails(3, "moments.nc: keeps moments and no draws", "predict", "moments.nc", "--data", "new.csv")
        self.heart("--variables", "intercept", "--out", "some.nc")
        self.fails(3, r"some.nc: keeps the variables intercept alone \(--variables\)", "predict", "some.nc", "--data", "new.csv")
        self.ok("sample", "--model", "banana", "--draws", 20, "--quiet", "--out", "banana.nc")
        self.fails(2, "the model banana predicts nothing", "predict", "banana.nc", "--data", "new.csv")

    def test_an_interval_of_classes(self):
        self.heart()
        self.assertIn("warning: --interval is for numbers", self.ok("predict", "run.nc", "--data", "new.csv", "--interval", 0.5).stderr)
        self.assertNotIn("warning", self.ok("predict", "run.nc", "--data", "new.csv").stderr)

    def test_rows_too_large_for_the_model(self):
        self.heart()
        wild = dict(zip(self.header.split(","), self.rows[0].split(","), strict=True)) | {"sex": "1.7e308", "vessels": "-1.7e308"}
        self.write("wild.csv", "\n".join([self.header, self.rows[0], ",".join(wild.values())]) + "\n")
        result = self.ok("predict", "run.nc", "--data", "wild.csv")
        self.assertIn("warning: wild.csv: row 2 is predicted as infinite or NaN", result.stderr)
        self.assertIn("there are no scores", result.stderr)
        self.assertNotIn("accuracy", result.stderr)
        good, bad = table(result.stdout)
        self.assertNotEqual(good["predicted"], "")
        self.assertEqual((bad["predicted"], bad["probability[0]"]), ("", "NaN"))
        said = self.ok_json("predict", "run.nc", "--data", "wild.csv", "--out", "p.csv")
        self.assertIsNone(said["scores"])
        self.assertEqual(len(said["warnings"]), 1)
        said = self.ok_json(*LOGISTIC, "--data", "fit.csv", "--held-out", "wild.csv")
        self.assertEqual((said["held_out"]["unpredicted"], said["held_out"]["log_score"]), (1, None))
        self.assertIn("1 of 2 held-out rows", "".join(said["warnings"]))

    def test_few_draws_have_no_coverage(self):
        self.numbers()
        result = self.ok("predict", "run.nc", "--data", "more.csv", "--out", "p.csv", "--draws", 19)
        self.assertIn("warning: coverage is not known by fewer than 20 draws", result.stderr)
        self.assertNotIn("coverage_90", result.stdout)

    def test_a_thinned_run(self):
        self.heart("--keep", "thin")
        self.assertEqual(self.ok_json("predict", "run.nc", "--data", "new.csv", "--out", "p.csv")["draws"], 200)


class Labels(CommandLine):
    """Files with labels and groups: another order is right, an unseen level is an error, an unseen group is not."""

    def fitted(self, model, data, *settings):
        flags = [part for setting in settings for part in ("--set", f"model.{setting}")]
        self.ok("sample", "--model", model, "--data", ROOT / "examples" / data, *flags, "--chains", 2, "--warmup", 300,
                "--draws", 300, "--quiet")

    def test_three_classes(self):
        self.fitted("softmax", "commute.csv")
        said = self.ok_json("predict", "run.nc", "--data", ROOT / "examples" / "commute.csv", "--out", "p.csv")
        self.assertEqual(said["classes"], ["bike", "bus", "car"])
        rows = table((self.folder / "p.csv").read_text())
        self.assertEqual(len(rows), 240)
        for row in rows:
            p = {label: float(row[f"probability[{label}]"]) for label in said["classes"]}
            self.assertAlmostEqual(sum(p.values()), 1, places=12)
            self.assertEqual(row["predicted"], max(p, key=p.get))
        self.write("turned.csv", "rain,who,car,distance\n1,me,yes,30\n0,you,no,1\n")
        far, near = table(self.ok("predict", "run.nc", "--data", "turned.csv").stdout)
        self.assertEqual((far["predicted"], near["predicted"]), ("car", "bike"))

    def test_what_was_never_seen(self):
        self.fitted("softmax", "commute.csv")
        self.write("level.csv", "distance,car,rain\n1,yes,0\n2,maybe,0\n")
        self.fails(3, r"^quasar: level.csv:3:.*car.*maybe.*no.*yes", "predict", "run.nc", "--data", "level.csv")
        self.write("class.csv", "distance,car,rain,mode\n1,yes,0,train\n")
        self.fails(3, r"^quasar: class.csv:2:.*mode.*train", "predict", "run.nc", "--data", "class.csv")
        self.write("column.csv", "distance,rain\n1,0\n")
        self.fails(3, r"^quasar: column.csv:1: there is no column 'car'", "predict", "run.nc", "--data", "column.csv")
        self.write("missing.csv", "distance,car,rain\n1,yes,NA\n")
        self.fails(3, r"^quasar: missing.csv:2:.*rain.*; take the row out, or fit with model.missing=drop", "predict", "run.nc", "--data",
                   "missing.csv")

    def test_counts_of_known_and_new_groups(self):
        self.fitted("poisson", "visits.csv", "group=clinic")
        said = self.ok_json("predict", "run.nc", "--data", ROOT / "examples" / "visits.csv", "--out", "p.csv")
        # Closed intervals of counts cover at least their level; below this it is by chance once in a million times.
        self.assertGreater(said["scores"]["coverage_90"], 0.9 - 4.8 * math.sqrt(0.9 * 0.1 / said["rows"]))
        self.write("rows.csv", "age,sex,conditions,clinic\n50,male,1,Adler\n50,male,1,Nowhere\n50,male,1,Elsewhere\n")
        rows = table(self.ok("predict", "run.nc", "--data", "rows.csv").stdout)
        known, new, other = rows
        by_one_draw = [table(self.ok("predict", "run.nc", "--data", "rows.csv", "--draws", 1, "--seed", seed).stdout)
                       for seed in (1, 2)]
        same = [first["mean"] == second["mean"] for first, second in zip(*by_one_draw, strict=True)]
        self.assertEqual(same, [True, False, False])  # the effect of a new group is open, given the draw
        self.assertNotEqual(new["mean"], other["mean"])
        for row in rows:
            self.assertTrue(float(row["q50"]).is_integer() and float(row["q5"]) <= float(row["q50"]) <= float(row["q95"]))

    def test_counts_that_overflow(self):
        for model in ("poisson", "negative-binomial"):
            self.ok("sample", "--model", model, "--data", ROOT / "examples" / "visits.csv", "--chains", 2, "--warmup", 300,
                    "--draws", 300, "--quiet", "--overwrite")
            header, row = (ROOT / "examples" / "visits.csv").read_text().splitlines()[:2]
            place = header.split(",").index("age")
            cells = row.split(",")
            cells[place] = "1e6"
            self.write("old.csv", "\n".join([header, row, ",".join(cells)]) + "\n")
            result = self.ok("predict", "run.nc", "--data", "old.csv")
            self.assertIn("warning: old.csv: row 2 is predicted as infinite or NaN", result.stderr)
            self.assertRegex(result.stderr, r"rmse +inf")
            wild = table(result.stdout)[1]
            self.assertEqual((wild["mean"], wild["sd"]), ("inf", "inf"))
            self.assertFalse(any(math.isnan(float(wild[name])) for name in ("q5", "q50", "q95")), wild)

    def test_held_out_rows_with_labels(self):
        lines = (ROOT / "examples" / "visits.csv").read_text().splitlines()
        self.write("fit.csv", "\n".join(lines[:161]) + "\n")
        self.write("new.csv", "\n".join([lines[0], *lines[161:]]) + "\n")
        self.ok("sample", "--model", "negative-binomial", "--data", "fit.csv", "--set", "model.group=clinic", "--held-out",
                "new.csv", "--log-likelihood", "--chains", 2, "--warmup", 300, "--draws", 300, "--quiet")
        said = self.ok_json("summary", "run.nc")["held_out"]
        later = self.ok_json("predict", "run.nc", "--data", "new.csv", "--out", "p.csv")["scores"]
        for name in ("log_score", "rmse", "mae"):
            self.assertAlmostEqual(said[name], later[name], places=12)


class Standard(CommandLine):
    def test_help_names_every_option(self):
        text = self.ok("predict", "--help").stdout
        for option in ("--data", "--out", "--interval", "--draws", "--seed", "--threads", "--overwrite", "--quiet", "--json"):
            self.assertIn(option, text)


if __name__ == "__main__":
    unittest.main()
