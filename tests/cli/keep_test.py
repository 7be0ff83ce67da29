"""What a run keeps: --keep, --held-out and --log-likelihood, also killed and resumed."""

import itertools
import json
import os
import random
import re
import subprocess
import time
import unittest

from support import BIN, HEART, CommandLine

SEED = int(os.environ.get("QUASAR_KILL_SEED", 1))


class Keep(CommandLine):
    def test_moments_take_little_room_however_long_the_run(self):
        dim, draws = 100_000, 10_000
        command = [BIN, "sample", "--model", "gaussian", "--set", f"model.dim={dim}", "--sampler", "rwm", "--chains", "1",
                   "--warmup", "0", "--draws", str(draws), "--keep", "moments", "--set", "step_size=0.01", "--json", "--quiet"]
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=280)
        self.assertEqual(done.returncode, 0, done.stderr)
        summary = json.loads(done.stdout)
        self.assertEqual((len(summary["parameters"]), summary["draws"], summary["keep"]), (dim, draws, "moments"))
        size = (self.folder / "run.nc").stat().st_size
        self.assertLess(size, 8 * 10 * dim)  # mean, sd, a metric, statistics; every draw would take 8 GB
        self.assertFalse((self.folder / "run.nc.part").exists())

    def test_summary_says_what_there_is(self):
        run = ("sample", "--model", "eight-schools", "--draws", 500, "--quiet", "--overwrite")
        self.ok(*run, "--out", "all.nc")
        everything = self.ok_json("summary", "all.nc")
        self.assertNotIn("keep", everything)
        for keep in ("thin", "moments"):
            self.ok(*run, "--keep", keep)
            kept = self.ok_json("summary", "run.nc")
            self.assertEqual(kept["keep"], keep)
            for ours, theirs in zip(kept["parameters"], everything["parameters"], strict=True):
                self.assertEqual(ours["name"], theirs["name"])
                self.assertAlmostEqual(ours["mean"], theirs["mean"], places=10)
                self.assertAlmostEqual(ours["sd"], theirs["sd"], places=10)
                self.assertIsNone(ours["mcse_mean"])
                self.assertEqual(ours["rhat"] is None, keep == "moments")
                self.assertEqual(ours["ess_bulk"] is None, keep == "moments")
            text = self.ok("summary", "run.nc").stdout
            self.assertIn("kept: ", text)
            said = self.ok("diagnose", "run.nc").stdout
            self.assertIn("kept: ", said)
            self.assertNotIn("bulk ESS", said)
        self.assertNotIn("R-hat,", said)  # the list of what was checked, of the run that kept moments
        self.assertNotIn("kept: ", self.ok("summary", "all.nc").stdout)

    def test_what_else_reads_moments(self):
        self.ok("sample", "--model", "eight-schools", "--draws", 100, "--quiet", "--keep", "moments")
        for form in ("csv", "stan-csv"):
            self.fails(2, "run.nc keeps mean and sd and no draws; --to json holds them", "convert", "run.nc", "--to", form)
        run = json.loads(self.ok("convert", "run.nc", "--to", "json").stdout)
        self.assertEqual(run["posterior"], {})
        moments = run["posterior_moments"]
        self.assertEqual(moments["draw_count"], [100] * 4)
        self.assertEqual((len(moments["theta"]), len(moments["theta"][0]), len(moments["theta"][0][0])), (4, 2, 8))
        self.assertTrue(all(sd > 0 for chain in moments["theta"] for sd in chain[1]))
        self.assertEqual(run["coords"]["moment"], ["mean", "sd"])
        some = json.loads(self.ok("convert", "run.nc", "--to", "json", "--variables", "mu").stdout)
        self.assertEqual(set(some["posterior_moments"]), {"draw_count", "mu"})
        self.assertEqual(some["posterior_moments"]["mu"], moments["mu"])
        self.fails(2, "unknown variable 'nu'", "convert", "run.nc", "--to", "json", "--variables", "nu")
        self.fails(3, "run.nc: holds no draws to start from", "sample", "--model", "eight-schools", "--init", "run.nc",
                   "--out", "next.nc")

    def test_refusals(self):
        run = ("sample", "--model", "eight-schools", "--draws", 100)
        self.fails(2, "keep", *run, "--keep", "some")
        self.fails(2, "--check looks at draws", *run, "--keep", "moments", "--check", "ksd")
        self.fails(2, "--save-warmup stores draws", *run, "--keep", "moments", "--save-warmup")
        self.fails(2, "the model eight-schools predicts nothing", *run, "--log-likelihood")
        self.fails(2, "the model eight-schools predicts nothing", *run, "--held-out", HEART)
        heart = ("sample", "--model", "logistic", "--data", HEART, "--draws", 100)
        self.fails(2, "--keep moments keeps none", *heart, "--log-likelihood", "--keep", "moments")
        self.fails(2, "--log-likelihood needs every variable", *heart, "--log-likelihood", "--variables", "beta")
        self.fails(2, "--held-out needs every variable", *heart, "--held-out", HEART, "--variables", "beta")
        self.fails(3, "none.csv", *heart, "--held-out", "none.csv")
        plain = "\n".join(",".join(line.split(",")[:-1]) for line in HEART.read_text().splitlines())
        self.write("plain.csv", plain + "\n")
        self.fails(3, "plain.csv: has no column of the response", *heart, "--held-out", "plain.csv")


    def test_the_share_of_divergences_is_that_of_all_steps(self):
        run = ("sample", "--model", "eight-schools", "--set", "model.parameterization=centered", "--draws", 1000, "--quiet",
               "--overwrite")
        share = re.compile(r"divergent transitions? after warm-up \(([0-9.]+) %")
        self.ok(*run)
        whole = share.search(self.ok("diagnose", "run.nc").stdout)[1]
        self.assertIn("E-BFMI", self.ok_json("diagnose", "run.nc")["checked"])
        self.ok(*run, "--keep", "thin")
        self.assertEqual(share.search(self.ok("diagnose", "run.nc").stdout)[1], whole)
        self.assertNotIn("E-BFMI", self.ok_json("diagnose", "run.nc")["checked"])
        self.ok("convert", "run.nc", "--to", "stan-csv")
        self.assertIn("thin = 10\n", (self.folder / "run_1.csv").read_text())

    def test_log_likelihood_of_data_from_a_pipe(self):
        run = ("sample", "--model", "logistic", "--draws", 50, "--warmup", 100, "--log-likelihood", "--quiet")
        result = self.quasar(*run, "--data", "/dev/stdin", "--out", "pipe.nc", input=HEART.read_text())
        self.assertEqual(result.returncode, 0, result.stderr)
        self.ok(*run, "--data", HEART, "--out", "pipe.nc", "--resume")
        without = [argument for argument in run if argument != "--log-likelihood"]
        self.ok(*without, "--data", HEART)
        self.fails(2, "run.nc is complete and has no log likelihood", *run, "--data", HEART, "--resume")

    def test_log_likelihood_may_be_added_to_a_run_that_was_stopped(self):
        run = [BIN, "sample", "--model", "logistic", "--data", str(HEART), "--draws", "200000", "--quiet", "--checkpoint-every", "50"]
        process = subprocess.Popen(run, cwd=self.folder, stderr=subprocess.DEVNULL)
        while not (self.folder / "run.nc.part" / "chain-1.state").exists() and process.poll() is None:
            time.sleep(0.01)
        process.kill()
        process.wait()
        resumed = subprocess.Popen([*run, "--resume", "--log-likelihood"], cwd=self.folder, stderr=subprocess.PIPE, text=True)
        time.sleep(0.5)
        resumed.terminate()
        self.assertNotIn("cannot be resumed", resumed.communicate()[1])
        self.assertEqual(resumed.returncode, 130)


class HeldOut(CommandLine):
    def setUp(self):
        super().setUp()
        header, *rows = HEART.read_text().splitlines()
        self.write("fit.csv", "\n".join([header, *rows[:180]]) + "\n")
        self.write("new.csv", "\n".join([header, *rows[180:]]) + "\n")
        self.write("other.csv", "\n".join([header, *rows[190:]]) + "\n")
        self.run_heart = ("sample", "--model", "logistic", "--data", "fit.csv", "--held-out", "new.csv", "--quiet", "--chains", 2,
                          "--warmup", 200)

    def test_scores_are_those_of_predict(self):
        said = self.ok_json(*self.run_heart, "--draws", 300)
        later = self.ok_json("predict", "run.nc", "--data", "new.csv", "--out", "p.csv")
        self.assertEqual((said["held_out"]["data"], said["held_out"]["rows"]), ("new.csv", 90))
        for name, score in later["scores"].items():
            self.assertAlmostEqual(said["held_out"][name], score, places=12, msg=name)
        self.assertEqual(self.ok_json("summary", "run.nc")["held_out"], said["held_out"])
        self.assertRegex(self.ok("summary", "run.nc").stdout, r"held out new.csv, 90 rows: log_score -0\.")

    def test_passes_of_minibatches(self):
        self.ok(*self.run_heart, "--sampler", "sgld", "--batch-size", 18, "--draws", 100, "--thin", 10, "--set",
                "step_size=1e-3")
        trace = json.loads(self.ok("convert", "run.nc", "--to", "json").stdout)["held_out_trace"]
        passes = trace["passes"][0]
        self.assertEqual(len(passes), 10)
        for earlier, later in itertools.pairwise(passes):
            self.assertAlmostEqual(later - earlier, 1, places=9)  # ten batches of a tenth
        self.assertEqual(trace["iteration"][1], list(range(200, 300, 10)))
        self.assertTrue(all(0 <= error <= 1 for chain in trace["error"] + trace["draw_error"] for error in chain))

    def test_with_moments_alone(self):
        said = self.ok_json(*self.run_heart, "--draws", 300, "--keep", "moments")
        run = json.loads(self.ok("convert", "run.nc", "--to", "json").stdout)
        self.assertEqual((run["dims"]["beta"], run["dims"]["probability"]), (["predictor"], ["row", "class"]))
        self.assertEqual((run["coords"]["class"], run["coords"]["predictor"][0]), (["0", "1"], "age"))
        self.ok(*self.run_heart, "--draws", 300, "--out", "all.nc")
        self.assertEqual(said["held_out"], self.ok_json("summary", "all.nc")["held_out"])

    def test_weights_of_draws_are_missed(self):
        falling = ("--sampler", "sgld", "--batch-size", 18, "--draws", 100, "--set", "step_size=1e-3", "--set",
                   "schedule=polynomial")
        self.assertIn("all weigh the same", "".join(self.ok_json(*self.run_heart, *falling)["warnings"]))
        self.assertIn("all weigh the same", self.ok("predict", "run.nc", "--data", "new.csv").stderr)
        constant = [*falling[:-2]]
        self.assertNotIn("all weigh the same", "".join(self.ok_json(*self.run_heart, *constant, "--overwrite")["warnings"]))

    def everything(self, file):
        run = json.loads(self.ok("convert", file, "--to", "json").stdout, parse_float=str)
        del run["attrs"], run["held_out_trace"]["seconds"]
        return run

    def test_killed_and_resumed(self):
        source = random.Random(SEED)
        for keep in ("moments", "thin"):
            run = [*self.run_heart, "--draws", 3000, "--thin", 2, "--keep", keep, "--checkpoint-every", 40,
                   *(["--save-warmup"] if keep == "thin" else [])]
            began = time.monotonic()
            self.ok(*run, "--out", f"{keep}.nc")
            duration = time.monotonic() - began
            whole = self.everything(f"{keep}.nc")
            killed = 0
            while killed < 4:
                process = subprocess.Popen([BIN, *map(str, run), "--resume"], cwd=self.folder, stderr=subprocess.DEVNULL)
                time.sleep(source.uniform(0, duration))
                process.kill()
                if process.wait() == 0:
                    os.remove(self.folder / "run.nc")
                else:
                    killed += 1
            self.ok(*run, "--resume")
            self.assertEqual(self.everything("run.nc"), whole, f"seed {SEED}")
            os.remove(self.folder / "run.nc")

    def test_other_rows_are_another_run(self):
        self.ok(*self.run_heart, "--draws", 50)
        changed = [argument if argument != "new.csv" else "other.csv" for argument in self.run_heart]
        self.fails(2, "content of the held-out data: .* there, .* here", *changed, "--draws", 50, "--resume")
        self.write("copy.csv", (self.folder / "new.csv").read_text())
        same = [argument if argument != "new.csv" else "copy.csv" for argument in self.run_heart]
        self.assertIn("nothing to resume", self.ok(*same, "--draws", 50, "--resume").stderr)


if __name__ == "__main__":
    unittest.main()
