"""Ruff and mypy find nothing; the types say what each sampler takes."""

import inspect
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import quasar
from quasar.parameters import RunSettings
from quasar.registry import registry, run_settings
from support import ROOT

# A call, and what mypy says of it; nothing: it is fine.
CALLS = {
    'quasar.sample("funnel")': "",
    'quasar.sample("funnel", "nuts", max_depth=5, chains=2, progress=False)': "",
    'quasar.sample(lambda x: (0.0, x), "hmc", dim=3, metropolis=False, metric="lbfgs")': "",
    'quasar.start("funnel", "sgld", batch_size=3).result().posterior["x"].mean()': "",
    'quasar.sample("funnel", "rwm", max_depth=5)': "No overload variant",
    'quasar.sample("funnel", max_depth="deep")': "No overload variant",
    'quasar.sample("funnel", metric="dense")': "No overload variant",
    'quasar.start("funnel", draws=10)': "",
    'quasar.start("funnel", progress=True)': "No overload variant",
    'quasar.start("funnel", "hmc", warn=False)': "No overload variant",
    'quasar.sample("funnel", input(), draws=10, progress=False)': "",
    'quasar.sample("funnel", input(), max_depth=5)': "No overload variant",
    'quasar.sample("funnel", 3)': "No overload variant",
    'quasar.sample("funnel").summary().loc["v"].round(3)': "",
    'quasar.load(b"run.nc").summary()["mean"].max()': "",
    'quasar.sample("funnel").posterior + 1': "Unsupported operand",
}


FOLDER = Path(sys.prefix).parent  # of the environment: far from the sources


def said_by(tool: str, *arguments: object, cwd: Path) -> str:
    command = [sys.executable, "-m", tool, *map(str, arguments)]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False).stdout


def mypy(*what: object) -> str:
    options = ("--config-file", ROOT / "pyproject.toml", "--no-error-summary", "--cache-dir", FOLDER / "mypy")
    return said_by("mypy", *options, *what, cwd=FOLDER)


class Style(unittest.TestCase):
    def test_ruff(self) -> None:
        self.assertEqual(said_by("ruff", "check", "--no-cache", "--quiet", "python", "examples", cwd=ROOT), "")
        self.assertEqual(
            said_by("ruff", "format", "--no-cache", "--quiet", "--diff", "python", "examples", cwd=ROOT), ""
        )

    def test_mypy(self) -> None:
        """The package as it is installed, with its stubs, and the examples."""
        self.assertEqual(mypy("--package", "quasar"), "")
        self.assertEqual(mypy(*sorted((ROOT / "examples" / "python").glob("*.py"))), "")

    def test_types_say_what_a_sampler_takes(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "calls.py"
            path.write_text("import quasar\n" + "\n".join(CALLS) + "\n")
            said = mypy(path)
        for number, (call, words) in enumerate(CALLS.items(), start=2):
            here = "\n".join(line for line in said.splitlines() if f"calls.py:{number}:" in line)
            self.assertTrue(words in here if words else not here, f"{call}: {here}")

    def test_generated_parameters_are_the_registrys(self) -> None:
        script = ROOT / "scripts" / "generate_python_parameters.py"
        result = subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True, env=os.environ)
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_typed_settings_are_those_of_the_functions(self) -> None:
        for function, own in ((quasar.start, set()), (quasar.sample, {"progress", "warn"})):
            target, sampler, *settings, parameters = inspect.signature(function).parameters
            self.assertEqual((target, sampler, parameters), ("target", "sampler", "parameters"))
            self.assertEqual(set(settings), set(RunSettings.__annotations__) | own)

    def test_defaults_are_the_registrys(self) -> None:
        defaults = {name: one.default for name, one in inspect.signature(quasar.start).parameters.items()}
        specified = {name: one for name, one in run_settings().items() if name in defaults}
        for name, one in specified.items():
            self.assertEqual(defaults[name], None if one.type == "text" and name != "sampler" else one.default, name)
        self.assertEqual(set(defaults) - set(specified), {"target", "dim", "shapes", "parameters"})

    def test_defaults_of_predictions_are_the_registrys(self) -> None:
        commands = {quasar.predict: "predict", quasar.recommend: "recommend", quasar.judge_recommendations: "recommend"}
        for function, command in commands.items():
            defaults = {name: one.default for name, one in inspect.signature(function).parameters.items()}
            specified = {one["name"]: one["default"] for one in registry()[command] if one["name"] in defaults}
            self.assertEqual({name: defaults[name] for name in specified}, specified, command)
            self.assertLessEqual({"interval", "draws", "seed", "threads"}, set(specified))


if __name__ == "__main__":
    unittest.main()
