"""quasar compare: run files side by side, and samplers on one model with one budget."""

import json
import signal
import subprocess
import time
import unittest

from support import BIN, HEART, CommandLine

GAUSSIAN = ("--model", "gaussian", "--set", "model.dim=2")
RACE = (*GAUSSIAN, "--warmup", 200, "--quiet")


class Files(CommandLine):
    def sample(self, name, *arguments):
        self.ok("sample", *GAUSSIAN, "--warmup", 200, "--draws", 300, "--out", f"{name}.nc", "--quiet", *arguments)
        return f"{name}.nc"

    def test_two_runs(self):
        files = self.sample("a"), self.sample("b", "--seed", 2, "--sampler", "hmc")
        said = self.ok("compare", *files, "--page", "page.html")
        self.assertRegex(said.stdout, r"^gaussian: a, b\n\n +a +b\nsampler +nuts +hmc\nlaw +exact +exact\n")
        self.assertRegex(said.stdout, r"\nESS/s +\S+ +\S+\nESS/gradient +0\.\d+ +0\.\d+\nlargest R-hat +1\.\d{3} ")
        self.assertRegex(said.stdout, r"\ndifferences from a, the largest first")
        self.assertRegex(said.stdout, r"\nx\[[12]\] +b +\S+ +[+-]\d\.\d")
        self.assertEqual(said.stderr, "")
        page = (self.folder / "page.html").read_text()
        self.assertIn("quasar sample", page)
        self.assertNotRegex(page, r"https?://|src=|<link rel=\"stylesheet")
        self.fails(2, "page.html exists; --overwrite replaces it, --page names", "compare", *files, "--page", "page.html")
        self.ok("compare", *files, "--page", "page.html", "--overwrite")

        found = self.ok_json("compare", *files, "--reference", "hmc")
        self.assertEqual(found["reference"], "b")
        self.assertEqual([run["name"] for run in found["runs"]], ["a", "b"])
        x = found["parameters"][0]
        self.assertEqual(x["name"], "x[1]")
        self.assertNotIn("mean_difference", x["runs"]["b"])
        difference = x["runs"]["a"]["mean_difference"]
        self.assertAlmostEqual(difference["value"], x["runs"]["a"]["mean"] - x["runs"]["b"]["mean"], 12)

    def test_a_biased_run_is_told(self):
        files = self.sample("right"), self.sample(
            "wrong", "--sampler", "hmc", "--set", "metropolis=false", "--set", "step_size=1.2"
        )
        said = self.ok("compare", *files)
        self.assertRegex(said.stderr, "warning: wrong: [12] of 2 parameters differ from right by more than 4 MCSE in mean")
        self.assertRegex(said.stdout, r"\nx\[\d\] +wrong .*\*\n")
        self.assertRegex(said.stdout, r"\nlaw +exact +consistent\n")

    def test_what_is_kept_decides_what_is_known(self):
        files = self.sample("all"), self.sample("moments", "--keep", "moments"), self.sample("thin", "--keep", "thin")
        said = self.ok("compare", *files).stdout
        self.assertIn("moments has kept mean and sd and no draws", said)
        self.assertIn("thin has stored few of its draws", said)
        self.assertNotIn("nan", said)
        runs = {run["name"]: run for run in self.ok_json("compare", *files)["runs"]}
        self.assertIsNone(runs["moments"]["ess_bulk_smallest"])
        self.assertEqual(runs["thin"]["draws"], 100)

    def test_runs_of_other_posteriors(self):
        one = self.sample("one")
        self.ok("sample", "--model", "eight-schools", "--warmup", 50, "--draws", 50, "--out", "other.nc", "--quiet")
        self.fails(2, "one and other are runs of different models: gaussian and eight-schools", "compare", one, "other.nc")
        self.fails(2, "no parameter in common", "compare", one, "other.nc", "--allow-different")
        rows = HEART.read_text().splitlines(keepends=True)
        for name, lines in (("first", rows[:100]), ("second", rows[:150])):
            data = self.write(f"{name}.csv", "".join(lines))
            self.ok("sample", "--model", "logistic", "--data", data, "--warmup", 100, "--draws", 100, "--out", f"{name}.nc", "--quiet")
        self.fails(2, "first and second are runs of different data: .*--allow-different", "compare", "first.nc", "second.nc")
        said = self.ok("compare", "first.nc", "second.nc", "--allow-different")
        self.assertIn("warning: first and second are runs of different data", said.stderr)

    def test_mistakes(self):
        one = self.sample("one")
        self.fails(2, "two run files or more, or --model and --samplers", "compare", one)
        self.fails(2, "two run files or more", "compare")
        self.fails(2, "one.nc is given twice", "compare", one, one)
        self.fails(2, "one.nc and ./one.nc are the same file", "compare", one, "./one.nc")
        self.fails(3, "missing.nc", "compare", one, "missing.nc")
        self.fails(2, "--budget is for runs to be made: name their samplers by --samplers", "compare", one, one, "--budget", 5)
        self.fails(2, "--model is for runs to be made", "compare", one, one, "--model", "gaussian")
        self.fails(2, "one.nc is read", "compare", one, one, "--page", one, "--overwrite")


class Samplers(CommandLine):
    def test_each_spends_its_budget_and_keeps_its_run(self):
        command = ("compare", *RACE, "--samplers", "nuts,hmc,sghmc", "--budget", 3000, "--set", "sghmc.step_size=0.1")
        found = self.ok_json(*command)
        self.assertEqual([run["name"] for run in found["runs"]], ["nuts", "hmc", "sghmc"])
        self.assertEqual([run["law"] for run in found["runs"]], ["exact", "exact", "consistent"])
        for run in found["runs"]:
            self.assertLess(abs(run["gradients"] / (4 * 3000) - 1), 0.2, run["name"])
            self.assertGreater(run["ksd"], 0)
            self.assertEqual(run["file"], f"compare-gaussian/{run['name']}.nc")
        self.assertEqual(found["runs"][2]["iterations"], 3000)
        # The files say the same by themselves, and are runs like any other.
        files = [run["file"] for run in found["runs"]]
        again = self.ok_json("compare", *files)
        self.assertEqual(again["parameters"], found["parameters"])
        self.assertEqual(again["runs"], found["runs"])
        self.ok("summary", files[0])
        self.fails(2, "compare-gaussian/nuts.nc exists; --overwrite replaces it, --resume goes on, --out-dir", *command)
        self.fails(2, "compare-gaussian/nuts.nc is read; --out-dir names", *command, "--init", "compare-gaussian/nuts.nc", "--overwrite")
        before = self.contents()
        self.assertEqual(self.ok_json(*command, "--resume")["parameters"], found["parameters"])
        self.assertEqual(self.contents(), before)
        self.refused(self.quasar(*command[:-4], "--budget", 2000, "--resume", "--set", "sghmc.step_size=0.1"), 2, "compare.budget: 3000 there, 2000 here")

    def test_a_page_that_cannot_be_written_is_told_before_the_runs(self):
        race = ("compare", *RACE, "--samplers", "nuts,hmc", "--budget", 500, "--no-ksd", "--out-dir", "runs")
        self.refused(self.quasar(*race, "--page", "nowhere/page.html"), 3, "there is no folder")
        self.assertEqual(list((self.folder / "runs").iterdir()), [])
        self.ok(*race, "--page", "runs/page.html")

    def test_settings_of_each(self):
        self.write("race.toml", '[run]\nmodel = "gaussian"\nwarmup = 100\ndraws = 7\nkeep = "moments"\nout = "x.nc"\n[model]\ndim = 2\n[sampler.hmc]\nstep_size = 0.2\n[sampler.rwm]\nstep_size = 3\n')
        self.ok("compare", "race.toml", "--samplers", "hmc,nuts", "--budget", 500, "--set", "step_size=0.3", "--quiet", "--no-ksd")
        chosen = {name: self.setting(f"compare-gaussian/{name}.nc", "step_size") for name in ("hmc", "nuts")}
        self.assertEqual(chosen, {"hmc": "0.3", "nuts": "0.3"})  # what is typed is stronger than a file
        self.ok("compare", "race.toml", "--samplers", "hmc,nuts", "--budget", 500, "--set", "nuts.step_size=0.3", "--quiet", "--out-dir", "b")
        chosen = {name: self.setting(f"b/{name}.nc", "step_size") for name in ("hmc", "nuts")}
        self.assertEqual(chosen, {"hmc": "0.2", "nuts": "0.3"})

    def setting(self, file, name):
        """As the run file has it in its configuration, which is plain text there."""
        text = (self.folder / file).read_bytes().decode("latin-1")
        return text.split(f'"{name}":', 1)[1].split(",", 1)[0].rstrip("}")

    def test_a_sampler_that_fails_does_not_cost_the_others(self):
        result = self.quasar("compare", *RACE, "--samplers", "nuts,hmc,sgld", "--budget", 500, "--set", "sgld.step_size=1e9", "--json")
        self.assertEqual(result.returncode, 4)
        found = json.loads(result.stdout)
        self.assertEqual([run["name"] for run in found["runs"]], ["nuts", "hmc"])
        self.assertEqual([one["sampler"] for one in found["failed"]], ["sgld"])
        self.assertIn("warning: sgld failed: ", result.stderr)

    def test_seconds(self):
        found = self.ok_json("compare", *RACE, "--samplers", "nuts,rwm", "--budget", "0.5s", "--no-ksd")
        for run in found["runs"]:
            self.assertGreater(run["iterations"], 100)
            self.assertGreater(run["sampling_seconds"], 0.05)  # the machine may be busy, then or at the pilot
            self.assertLess(run["sampling_seconds"], 5)
            self.assertIsNone(run["ksd"])

    def test_mistakes(self):
        race = ("compare", *RACE)
        for pattern, arguments in (
            ("--samplers needs --budget", ("--samplers", "nuts,hmc")),
            ("--budget 5x: give what", ("--samplers", "nuts,hmc", "--budget", "5x")),
            ("--budget -3s: give what", ("--samplers", "nuts,hmc", "--budget=-3s")),
            ("name two or more", ("--samplers", "nuts", "--budget", 500)),
            ("unknown sampler 'nutz'", ("--samplers", "nutz,hmc", "--budget", 500)),
            ("hmc is given twice", ("--samplers", "hmc,hmc", "--budget", 500)),
            ("rwm is not among --samplers", ("--samplers", "nuts,hmc", "--budget", 500, "--set", "rwm.step_size=1")),
            ("--set batch_size: none of nuts, hmc has", ("--samplers", "nuts,hmc", "--budget", 500, "--set", "batch_size=1")),
            ("unknown parameter of sampler nuts 'depth'", ("--samplers", "nuts,hmc", "--budget", 500, "--set", "nuts.depth=1")),
            ("makes its own runs", ("run.nc", "--samplers", "nuts,hmc", "--budget", 500)),
        ):
            with self.subTest(pattern):
                self.fails(2, pattern, *race, *arguments)

    def test_control_c_keeps_what_is_finished(self):
        command = ["compare", *RACE, "--samplers", "rwm,nuts", "--budget", "20000", "--set", "nuts.step_size=1e-6", "--no-ksd"]
        command[command.index("--quiet")] = "--chains=1"
        process = subprocess.Popen([BIN, *map(str, command)], cwd=self.folder, stderr=subprocess.PIPE, text=True)
        while not (self.folder / "compare-gaussian" / "nuts.nc.part").exists():
            self.assertIsNone(process.poll())
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
        if process.returncode == 0:
            self.skipTest("it was faster than the signal")
        self.assertEqual(process.returncode, 130, said)
        self.assertIn("finished runs stay", said)
        self.assertTrue((self.folder / "compare-gaussian" / "rwm.nc").exists())


if __name__ == "__main__":
    unittest.main()
