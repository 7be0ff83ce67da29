"""quasar report: one HTML file with everything in it, of finished runs and of those in progress."""

import signal
import subprocess
import time
import unittest

from support import BIN, CommandLine, report_data

CENTERED = ("--model", "eight-schools", "--set", "model.parameterization=centered", "--seed", 3)


class Report(CommandLine):
    def sample(self, *arguments):
        self.ok("sample", *arguments, "--quiet")

    def data(self, name="run.html"):
        return report_data(self.folder / name)

    def test_the_file_and_what_is_said_of_it(self):
        self.sample(*CENTERED, "--out", "schools.nc", "--save-warmup")
        said = self.ok("report", "schools.nc")
        size = (self.folder / "schools.html").stat().st_size
        self.assertEqual((said.stdout, said.stderr), (f"schools.html written ({round(size / 1000)} kB)\n", ""))
        self.assertEqual(self.ok_json("report", "schools.nc", "--out", "x.html"), {"output": "x.html", "bytes": size})
        data = self.data("schools.html")
        self.assertEqual(data["title"], "eight-schools, nuts")
        self.assertEqual((data["chains"], data["draws"], len(data["names"])), (4, 1000, 10))
        self.assertEqual(data["problems"][0]["kind"], "divergences")
        self.assertEqual(data["names"][data["order"][0]], "tau")
        divergences = self.ok_json("summary", "schools.nc")["divergences"]
        self.assertEqual(sum(data["pairs"]["divergent"]), divergences)
        self.assertEqual(data["steps"][0]["warmup"], 100)
        page = (self.folder / "schools.html").read_text()
        self.assertNotRegex(page, r"""(src|href)\s*=\s*["']?(http|//)""")

    def test_two_hundred_parameters_fit_into_five_megabytes(self):
        self.ok("sample", "--model", "gaussian", "--set", "model.dim=200", "--quiet")  # 4 chains of 1000 draws
        self.assertLess(self.ok_json("report", "run.nc")["bytes"], 5e6)

    def test_its_command_repeats_the_run(self):
        self.sample(*CENTERED, "--draws", 20, "--warmup", 20, "--chains", 2)
        self.ok("report", "run.nc")
        data, before = self.data(), self.ok("convert", "run.nc", "--to", "csv").stdout
        self.write("settings.toml", data["configuration"])
        for command in (f"{data['command']} --out a.nc", "quasar sample settings.toml --out b.nc"):
            command = command.replace("quasar", f"'{BIN}'", 1) + " --quiet"
            subprocess.run(command, shell=True, check=True, cwd=self.folder, capture_output=True)
        for again in ("a.nc", "b.nc"):
            self.assertEqual(self.ok("convert", again, "--to", "csv").stdout, before)

    def test_a_file_that_exists_stays(self):
        self.sample("--model", "gaussian", "--draws", 20)
        self.write("run.html", "mine")
        self.fails(2, "run.html exists; --overwrite replaces it, --out names another file", "report", "run.nc")
        self.fails(2, "run.nc is read; --out names another file", "report", "run.nc", "--out", "run.nc", "--overwrite")
        self.ok("report", "run.nc", "--overwrite")
        self.assertEqual(self.data()["draws"], 20)

    def test_what_is_no_run_is_refused(self):
        self.fails(3, "none.nc: cannot be opened", "report", "none.nc")
        self.write("text.nc", "a,b\n1,2\n")
        self.fails(3, "text.nc: is not a run file", "report", "text.nc")
        self.fails(2, "report needs an argument", "report")
        self.sample("--model", "gaussian", "--draws", 5)
        self.fails(3, "there is no folder", "report", "run.nc", "--out", "nowhere/run.html")

    def test_hostile_names(self):
        rows = "".join(f"{i % 7},{i % 3},{i % 2}\n" for i in range(40))
        self.write("<b>&.csv", f"</script><script>alert(1)</script>,{{{{data}}}},y\n{rows}")
        self.sample("--model", "linear", "--data", "<b>&.csv", "--draws", 50, "--warmup", 50)
        self.ok("report", "run.nc")
        page = (self.folder / "run.html").read_text()
        self.assertNotIn("<script>alert", page)
        self.assertNotIn("<b>", page)
        self.assertIn("beta[</script><script>alert(1)</script>]", self.data()["names"])
        self.assertIn("beta[{{data}}]", self.data()["names"])

    def test_predictions(self):
        rows = "".join(f"{i * 0.37 % 5},{i * 0.37 % 5 + i * 0.61 % 1}\n" for i in range(60))
        self.write("rows.csv", "x,y\n" + rows)
        self.sample("--model", "linear", "--data", "rows.csv", "--held-out", "rows.csv", "--draws", 100)
        self.ok("report", "run.nc")
        held_out = self.data()["held_out"]
        self.assertEqual([curve["name"] for curve in held_out["curves"]][:2], ["rmse", "rmse"])
        self.assertEqual(held_out["calibration"]["count"], [60] * 9)
        scores = dict(held_out["scores"])
        for level, name in ((4, "coverage_50"), (8, "coverage_90")):
            self.assertAlmostEqual(held_out["calibration"]["observed"][level], scores[name], 5)

    def test_moments_alone_and_thinned_draws(self):
        self.sample("--model", "gaussian", "--keep", "moments", "--draws", 50)
        self.ok("report", "run.nc")
        self.assertIsNone(self.data()["trace"])
        self.assertRegex(self.data()["kept"], "^kept: mean and sd of every chain and no draws")
        self.ok("sample", "--model", "gaussian", "--keep", "thin", "--draws", 400, "--quiet", "--overwrite")
        self.ok("report", "run.nc", "--overwrite")
        self.assertEqual((self.data()["draws"], self.data()["energy"]), (100, None))

    def test_a_run_in_progress(self):
        slow = ("--set", "model.dim=300", "--set", "model.condition=100", "--set", "model.rotation=true")
        command = [BIN, "sample", "--model", "gaussian", *slow, "--warmup", "20", "--draws", "1000000", "--quiet",
                   "--checkpoint-every", "1", "--set", "max_depth=2"]
        process = subprocess.Popen(command, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            for _ in range(300):
                time.sleep(0.1)
                if self.quasar("report", "run.nc.part", "--overwrite").returncode == 0 and self.data()["draws"] > 0:
                    break
            self.assertGreater(self.data()["draws"], 0)
            self.assertEqual(len(self.data()["names"]), 300)
        finally:
            process.send_signal(signal.SIGKILL)
            process.communicate()


if __name__ == "__main__":
    unittest.main()
