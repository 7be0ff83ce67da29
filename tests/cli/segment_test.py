"""quasar segment: a series in, its states, changes, forecasts and picture out; what is refused, and how."""

import csv
import io
import math
import signal
import subprocess
import time
import unittest
import xml.etree.ElementTree

from support import BIN, CommandLine

LEVELS = [10, 20, 10, 30]
STATES = [state for state in (1, 2, 1, 3) for _ in range(30)]


def wiggle(t):
    return 0.3 * math.sin(12.9898 * t * t)


VALUES = [LEVELS[t // 30] + wiggle(t) for t in range(120)]


def table(header, rows):
    return "\n".join([header, *(",".join(map(str, row)) for row in rows)]) + "\n"


class Segment(CommandLine):
    def setUp(self):
        super().setUp()
        self.write("x.csv", table("x", [[x] for x in VALUES]))


class Answers(Segment):
    def test_text_json_table_and_picture_say_the_same(self):
        text = self.ok("segment", "x.csv", "--out", "states.csv", "--picture", "x.svg", "--ahead", 3).stdout
        self.assertRegex(text, r"x\.csv: 120 points of 'x'\nasymp-ihmm: 3 states, 3 changes")
        self.assertRegex(text, r"\n +31 +60 +30 +2\n")
        self.assertIn("the best of", text)
        found = self.ok_json("segment", "x.csv", "--ahead", 3)
        self.assertEqual(found["state_of_row"], STATES)
        self.assertEqual([one["first"] for one in found["segments"]], [1, 31, 61, 91])
        self.assertEqual(len(found["forecasts"][0]["mean"]), 3)
        self.assertRegex(text, "2: 50 %, 3: 50 %")
        self.assertEqual([one["next"] for one in found["states"]], [[0, 0.5, 0.5], [1, 0, 0], [None] * 3])
        self.assertTrue(found["converged"])
        rows = list(csv.DictReader(io.StringIO((self.folder / "states.csv").read_text())))
        self.assertEqual([int(row["state"]) for row in rows], STATES)
        self.assertAlmostEqual(float(rows[40]["mean x"]), found["states"][1]["mean"][0])
        self.assertEqual(float(rows[5]["x"]), VALUES[5])
        xml.etree.ElementTree.parse(self.folder / "x.svg")

    def test_labels_gaps_and_sequences(self):
        rows = [["ab"[t // 60], f"day {t}", "" if t in (10, 40) else VALUES[t], 5000 * (t // 30 == 1) + 30 * wiggle(t + 500)] for t in range(120)]
        self.write("two.csv", table("who,day,x,y", rows))
        result = self.ok("segment", "two.csv", "--sequence", "who", "--time", "day", "--out", "s.csv")
        self.assertIn("2 columns in 2 sequences", result.stdout)
        self.assertIn("(2 values missing)", result.stdout)
        self.assertRegex(result.stdout, r"\nb +61 +90 +day 60 +day 89 +30 +1\n")
        written = list(csv.DictReader(io.StringIO((self.folder / "s.csv").read_text())))
        self.assertEqual([int(row["state"]) for row in written], STATES)
        self.assertEqual(written[10]["x"], "")
        self.assertEqual(self.ok_json("segment", "two.csv", "--column", "x", "--missing", "drop")["points"], 118)
        self.fails(3, r"two\.csv:12: column 'x': the value is missing", "segment", "two.csv", "--column", "x", "--missing", "error")
        self.fails(3, r"mixed\.csv:4: column 1 \('s'\): the sequence goes on after another one", "segment", self.write("mixed.csv", "s,x\na,1\nb,2\na,3\n"), "--sequence", "s")

    def test_columns_that_are_no_series_are_left_out_with_a_word(self):
        rows = [[t + 1950, "ok" if t % 2 else "late", VALUES[t]] for t in range(120)]
        self.write("more.csv", table("year,note,x", rows))
        result = self.ok("segment", "more.csv")
        self.assertIn("of 'x'", result.stdout)
        self.assertIn("1980", result.stdout)
        self.assertRegex(result.stderr, "'year' rises in equal steps")
        self.assertRegex(result.stderr, "'note' hold labels")
        self.write("groups.csv", table("site,t,x", [["AB"[t // 60], t * t, VALUES[t]] for t in range(120)]))
        self.assertRegex(self.ok("segment", "groups.csv").stderr, "(?s)'site' hold labels.*--sequence.*'t' only rises: --time")
        self.assertEqual(self.ok("segment", "groups.csv", "--sequence", "site", "--time", "t").stderr, "")
        quiet = self.ok("segment", "more.csv", "--quiet")
        self.assertEqual(quiet.stdout + quiet.stderr, "")
        self.assertEqual(self.ok_json("segment", "more.csv", "--quiet")["columns"], ["x"])

    def test_every_method_and_emission(self):
        self.write("counts.csv", table("n", [[2 + t % 3 if t < 60 else 40 + t % 5] for t in range(120)]))
        self.write("labels.csv", table("act", [["walk" if t < 60 else ("sit", "stand")[t % 2]] for t in range(120)]))
        for options in (
            ("x.csv", "--method", "asymp-hmm", "--states", 3),
            ("x.csv", "--method", "hmm-em", "--states", 3, "--covariance", "state"),
            ("x.csv", "--method", "ihmm-beam", "--warmup", 200, "--sweeps", 40),
            ("x.csv", "--lambda", 0.2),
            ("x.csv", "--selector", "fewest_states"),
            ("x.csv", "--window", 60),
        ):
            found = self.ok_json("segment", *options)
            self.assertEqual(found["state_of_row"], STATES, options)
        self.assertEqual([one["forecast"] for one in found["window"]["errors"]], ["model", "last value", "window mean"])
        counts = self.ok_json("segment", "counts.csv", "--emission", "poisson", "--picture", "c.html")
        self.assertEqual([one["first"] for one in counts["segments"]], [1, 61])
        text = self.ok("segment", "labels.csv", "--emission", "categorical", "--method", "hmm-em", "--states", 2, "--picture", "l.svg").stdout
        self.assertRegex(text, "walk 100 %")
        self.ok("pack", "x.csv", "--out", "x.qt")
        self.assertEqual(self.ok_json("segment", "x.qt")["state_of_row"], STATES)

    def test_degenerate_series(self):
        for name, text in {"one": "x\n5\n", "same": "x\n" + "5\n" * 20, "gap": "x,y\n1,2\n,\n1,2\n"}.items():
            self.write(f"{name}.csv", text)
            found = self.ok_json("segment", f"{name}.csv", "--picture", f"{name}.svg")
            self.assertEqual(len(found["states"]), 1, name)
            if name == "one":  # tells nothing of a spread
                self.assertEqual((found["states"][0]["sd"], found["forecasts"][0]["sd"]), ([None], [[None]]))


class Refusals(Segment):
    def test_options(self):
        self.fails(2, "--states is not for asymp-ihmm: it finds the number", "segment", "x.csv", "--states", 3)
        self.fails(2, "needs --states; --method asymp-ihmm finds", "segment", "x.csv", "--method", "hmm-em")
        self.fails(2, "--states 500: there are 120 points only", "segment", "x.csv", "--method", "hmm-em", "--states", 500)
        self.fails(2, "--window 120: the longest sequence has 120", "segment", "x.csv", "--window", 120)
        self.fails(2, "--lambda = 'x': must be a number", "segment", "x.csv", "--lambda", "x")
        self.fails(2, "unknown column 'y'", "segment", "x.csv", "--column", "y")
        self.fails(2, r"x\.png: a picture is NAME\.svg.* ask for x\.svg and run rsvg-convert x\.svg -o x\.png", "segment", "x.csv", "--picture", "x.png")
        self.write("there.csv", "")
        self.fails(2, "there.csv exists; --overwrite", "segment", "x.csv", "--out", "there.csv")
        self.fails(2, "x.csv is read", "segment", "x.csv", "--out", "x.csv", "--overwrite")
        self.fails(3, "there is no folder 'nowhere'", "segment", "x.csv", "--out", "nowhere/s.csv")

    def test_data(self):
        for text, pattern in {
            "": "the file is empty",
            "x\n": "a header but no rows",
            "x\nNA\nNA\n": "no column holds numbers|no value",
            "d\nmon\ntue\n": "no column holds numbers; labels are segmented by --emission categorical",
            "x\n1\ninf\n": r":3: column 1 \('x'\): 'inf' is not finite",
            "x\n1\n1e308\n": ":3: column 'x': 1e\\+308 is too large",
            "x\n1\ntwo\n": ":3: .*'two' is not a number",
        }.items():
            self.write("bad.csv", text)
            self.fails(3, "bad.csv.*(" + pattern + ")", "segment", "bad.csv")
        for value in ("-1", "2.5"):
            self.write("bad.csv", f"n\n1\n{value}\n")
            self.fails(3, f"bad.csv:3: column 'n': {value} is not a count", "segment", "bad.csv", "--emission", "poisson")
        self.fails(3, "No such file", "segment", "none.csv")
        many = table("c", [[f"c{t}"] for t in range(1200)])
        self.write("many.csv", many)
        self.fails(3, "1200 categories, and 1000 are the most", "segment", "many.csv", "--emission", "categorical")

    def test_ctrl_c_leaves_nothing_behind(self):
        command = [BIN, "segment", "x.csv", "--method", "ihmm-beam", "--sweeps", "1e8", "--out", "s.csv"]
        process = subprocess.Popen(command, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=10)
        self.assertEqual(process.returncode, 130)
        self.assertEqual(sorted(self.contents()), ["x.csv"])


if __name__ == "__main__":
    unittest.main()
