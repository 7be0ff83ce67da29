"""quasar convert: where its output goes, what it refuses, and that the three formats hold the same numbers."""

import csv
import json
import os
import re
import shlex
import signal
import subprocess
import time
import unittest

from support import BIN, HEART, CommandLine


def stan_rows(path):
    """Header and draws without comments."""
    lines = [line for line in path.read_text().splitlines() if not line.startswith("#")]
    return list(csv.DictReader(lines))


class Convert(CommandLine):
    def setUp(self):
        super().setUp()
        self.ok("sample", "--model", "eight-schools", "--warmup", 50, "--draws", 30, "--thin", 4, "--chains", 2,
                "--save-warmup", "--quiet", "--out", "run.nc")

    def files(self):
        return sorted(os.listdir(self.folder))


class Formats(Convert):
    def test_all_hold_the_same_numbers(self):
        run = json.loads(self.ok("convert", "run.nc", "--to", "json").stdout)
        table = list(csv.DictReader(self.ok("convert", "run.nc", "--to", "csv").stdout.splitlines()))
        self.ok("convert", "run.nc", "--to", "stan-csv")
        self.assertEqual(len(table), 2 * 8)
        for chain in range(2):
            stan = stan_rows(self.folder / f"run_{chain + 1}.csv")
            self.assertEqual(len(stan), 13 + 8)  # the warm-up comes first
            for draw in range(8):
                mine, row = table[8 * chain + draw], stan[13 + draw]
                self.assertEqual((mine["chain"], mine["draw"]), (str(chain + 1), str(draw + 1)))
                tau, theta = run["posterior"]["tau"][chain][draw], run["posterior"]["theta"][chain][draw][7]
                self.assertEqual(float(mine["tau"]), tau)
                self.assertEqual(float(row["tau"]), tau)
                self.assertEqual(float(mine["theta[8]"]), theta)
                self.assertEqual(float(row["theta.8"]), theta)
                energy = run["sample_stats"]["energy"][chain][draw]
                self.assertEqual(float(mine["energy__"]), energy)
                self.assertEqual(float(row["energy__"]), energy)
            for draw in range(13):
                self.assertEqual(float(stan[draw]["mu"]), run["warmup_posterior"]["mu"][chain][draw])

    def test_json_describes_itself(self):
        self.ok("sample", "--model", "logistic", "--data", HEART, "--warmup", 20, "--draws", 10, "--out", "heart.nc")
        run = json.loads(self.ok("convert", "heart.nc", "--to", "json").stdout)
        self.assertEqual(run["dims"]["beta"], ["predictor"])
        self.assertEqual(run["coords"]["predictor"][0], "age")
        self.assertEqual(len(run["constant_data"]["predictor_sd"]), 13)
        self.assertRegex(run["attrs"]["data_hash"], "^fnv1a64:[0-9a-f]{16}$")
        self.assertEqual(json.loads(run["attrs"]["configuration"])["model"]["standardize"], True)
        self.assertNotIn("warmup_posterior", run)

    def test_a_file_name_that_is_not_utf8(self):
        data = os.fsencode(self.folder) + b"/caf\xe9.csv"
        with open(HEART, "rb") as source, open(data, "wb") as copy:
            copy.write(source.read())
        subprocess.run([BIN, "sample", "--model", "logistic", "--data", data, "--warmup", "20", "--draws", "10",
                        "--quiet", "--out", "heart.nc"], cwd=self.folder, check=True, stderr=subprocess.DEVNULL)
        run = json.loads(self.ok("convert", "heart.nc", "--to", "json").stdout)
        self.assertTrue(run["attrs"]["data_source"].endswith("/caf\ufffd.csv"))
        self.ok("convert", "heart.nc", "--to", "stan-csv")
        self.assertIn("/caf\ufffd.csv\n", (self.folder / "heart_1.csv").read_text(encoding="utf-8"))
        json.loads((self.folder / "heart_config.json").read_text(encoding="utf-8"))

    def test_chosen_variables(self):
        table = csv.DictReader(self.ok("convert", "run.nc", "--to", "csv", "--variables", "tau, mu").stdout.splitlines())
        self.assertEqual(table.fieldnames[:5], ["chain", "draw", "mu", "tau", "lp__"])
        run = json.loads(self.ok("convert", "run.nc", "--to", "json", "--variables", "tau").stdout)
        self.assertEqual(list(run["posterior"]), ["tau"])
        self.assertEqual(list(run["warmup_posterior"]), ["tau"])
        self.ok("convert", "run.nc", "--to", "stan-csv", "--variables", "tau")
        self.fails(2, "--variables 'tau,': a name is missing", "convert", "run.nc", "--to", "csv", "--variables", "tau,")
        self.assertEqual(list(stan_rows(self.folder / "run_1.csv")[0])[-2:], ["energy__", "tau"])
        self.fails(2, "unknown variable 'thta'; did you mean 'theta'",
                   "convert", "run.nc", "--to", "csv", "--variables", "thta")

    def test_a_warmup_that_is_left_out_is_mentioned(self):
        self.assertIn("warm-up is left out", self.ok("convert", "run.nc", "--to", "csv").stderr)
        self.assertEqual(self.ok("convert", "run.nc", "--to", "stan-csv").stderr, "")
        self.assertEqual(self.ok("convert", "run.nc", "--to", "json").stderr, "")
        self.ok("sample", "--model", "gaussian", "--sampler", "rwm", "--save-warmup", "--draws", 10, "--out", "rwm.nc")
        self.assertIn("warm-up is left out", self.ok("convert", "rwm.nc", "--to", "stan-csv").stderr)
        self.assertEqual(len(stan_rows(self.folder / "rwm_1.csv")), 10)


class EnsembleFiles(CommandLine):
    def test_one_file_for_each_member(self):
        self.ok("sample", "--model", "gaussian", "--set", "model.dim=2", "--sampler", "hmc-bfgs", "--set", "members=3",
                "--chains", 2, "--warmup", 50, "--draws", 30, "--quiet", "--out", "run.nc")
        self.ok("convert", "run.nc", "--to", "stan-csv")
        posterior = json.loads(self.ok("convert", "run.nc", "--to", "json").stdout)["posterior"]["x"]
        self.assertEqual(len(list(self.folder.glob("run_[0-9]*.csv"))), 6)
        for member in range(6):
            rows = stan_rows(self.folder / f"run_{member + 1}.csv")
            self.assertEqual([[float(row["x.1"]), float(row["x.2"])] for row in rows], posterior[member])
        steps = [re.search(r"# Step size = (\S+)", (self.folder / f"run_{i}.csv").read_text())[1] for i in range(1, 7)]
        self.assertEqual(len(set(steps)), 2, "members share what their ensemble has learned")
        self.assertEqual((len(set(steps[:3])), len(set(steps[3:]))), (1, 1))


class Outputs(Convert):
    STAN = ["_1.csv", "_1_metric.json", "_2.csv", "_2_metric.json", "_config.json"]

    def test_names(self):
        self.ok("convert", "run.nc", "--to", "stan-csv", "--out", "a.b")
        self.ok("convert", "run.nc", "--to", "stan-csv", "--out", "c.csv")
        self.ok("convert", self.folder / "run.nc", "--to", "stan-csv")
        self.ok("convert", "run.nc", "--to", "csv", "--out", "table")
        expected = [base + suffix for base in ("a.b", "c", "run") for suffix in self.STAN]
        self.assertEqual(self.files(), sorted([*expected, "run.nc", "table"]))

    def test_what_exists_is_kept_unless_overwritten(self):
        self.write("run_2.csv", "precious")
        self.fails(2, "run_2.csv exists; --overwrite", "convert", "run.nc", "--to", "stan-csv")
        self.assertEqual(self.files(), ["run.nc", "run_2.csv"])
        self.assertEqual((self.folder / "run_2.csv").read_text(), "precious")
        self.ok("convert", "run.nc", "--to", "stan-csv", "--overwrite")
        self.assertEqual(self.files(), ["run.nc", *("run" + suffix for suffix in self.STAN)])
        self.assertTrue((self.folder / "run_2.csv").read_text().startswith("# "))
        for form in ("csv", "json"):
            self.fails(2, "run_1.csv exists; --overwrite", "convert", "run.nc", "--to", form, "--out", "run_1.csv")
        self.fails(2, "run.nc is the run itself", "convert", "run.nc", "--to", "csv", "--out", "run.nc", "--overwrite")

    def test_what_cannot_be_read_or_written(self):
        self.fails(3, "nowhere.nc: cannot be opened", "convert", "nowhere.nc", "--to", "csv")
        for form in ("csv", "json", "stan-csv"):
            self.fails(3, "there is no folder 'nowhere'", "convert", "run.nc", "--to", form, "--out", "nowhere/x")
            self.fails(3, "'': names no file", "convert", "run.nc", "--to", form, "--out", "")
            self.fails(3, "none/: names no file", "convert", "run.nc", "--to", form, "--out", "none/")
        os.mkdir(self.folder / "folder")
        self.fails(3, "folder: is a folder", "convert", "run.nc", "--to", "csv", "--out", "folder", "--overwrite")

    def test_wrong_usage(self):
        self.fails(2, "--to 'xml': there are stan-csv, csv and json", "convert", "run.nc", "--to", "xml")
        self.fails(2, "^quasar: convert needs --to: stan-csv, csv or json\n", "convert", "run.nc")
        self.fails(2, "file ", "convert", "--to", "csv")

    def shell(self, line):
        return subprocess.run(["bash", "-c", line], cwd=self.folder, capture_output=True, text=True)

    def test_a_full_disk_and_a_reader_that_left(self):
        convert, tiny = (f"{shlex.quote(BIN)} convert {run} --to csv" for run in ("run.nc", "tiny.nc"))
        self.ok("sample", "--model", "gaussian", "--draws", 1, "--chains", 1, "--quiet", "--out", "tiny.nc")
        for line in (f"{convert} > /dev/full", f"{tiny} > /dev/full", f"{convert} >&-",
                     f"set -o pipefail; {convert} | true", f"ulimit -f 1; {convert} --out small.csv"):
            result = self.shell(line)
            self.assertEqual(result.returncode, 3, line + result.stderr)
            self.assertRegex(result.stderr, "^quasar: .*: cannot be written: .*\n$", line)
        self.assertEqual(self.files(), ["run.nc", "tiny.nc"])


class RunInProgress(CommandLine):
    """A run that was stopped: its records, and the file it left."""

    def stop_run(self, sampler):
        command = [BIN, "sample", "--model", "eight-schools", "--sampler", sampler, "--draws", "1e8", "--warmup", "100",
                   "--thin", "1000", "--chains", "2", "--quiet", "--out", "run.nc"]
        with subprocess.Popen(command, cwd=self.folder, stderr=subprocess.DEVNULL) as process:
            records = [self.folder / "run.nc.part" / f"chain-{i}.draws" for i in (1, 2)]
            deadline = time.monotonic() + 60
            while time.monotonic() < deadline and not all(r.exists() and r.stat().st_size > 4096 for r in records):
                time.sleep(0.02)
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.wait(60), 130)

    def test_records_and_file_of_a_stopped_run(self):
        self.stop_run("nuts")
        self.ok("convert", "run.nc", "--to", "stan-csv")
        rows = len(stan_rows(self.folder / "run_1.csv"))
        self.assertGreater(rows, 0)
        comments = (self.folder / "run_1.csv").read_text()
        self.assertIn(f"num_samples = {1000 * rows}\n", comments)
        self.assertIn("quasar_stopped_early = 1\n", comments)
        from_file = self.ok("convert", "run.nc", "--to", "csv").stdout
        self.assertEqual(from_file, self.ok("convert", "run.nc.part", "--to", "csv").stdout)
        self.assertEqual(from_file.count("\n"), 1 + 2 * rows)
        self.fails(2, "step size and the metric", "convert", "run.nc.part", "--to", "stan-csv", "--overwrite")

    def test_records_of_a_sampler_without_trajectories(self):
        self.stop_run("rwm")
        self.ok("convert", "run.nc.part", "--to", "stan-csv")
        self.assertTrue((self.folder / "run_1.csv").exists())


if __name__ == "__main__":
    unittest.main()
