"""The manual, the reference and completion know what the program knows."""

import re
import shutil
import subprocess
import unittest

from support import BIN, ROOT, CommandLine


def output(*arguments):
    return subprocess.run([BIN, *arguments], capture_output=True, text=True, check=True).stdout


def as_read(roff):
    """What man shows, but for layout."""
    for written, read in (("\\-", "-"), ("\\(aq", "'"), ("\\(dq", '"'), ("\\(ga", "`"), ("\\(ha", "^"), ("\\&", ""), ("\\e", "\\")):
        roff = roff.replace(written, read)
    return roff


def commands(*above):
    """Of the program, or below one of its commands."""
    return re.findall(r"^  ([a-z]+) ", output(*above, "--help").split("Subcommands:")[1], re.MULTILINE)


def deepest_commands():
    """As they are typed, in words."""
    for command in commands():
        below = commands(command) if "Subcommands:" in output(command, "--help") else []
        yield from ([command, name] for name in below) if below else [[command]]


class Manual(CommandLine):
    def setUp(self):
        super().setUp()
        self.roff = output("manual")
        self.markdown = output("manual", "--format", "markdown")

    def test_every_command_and_option_has_its_entry(self):
        self.assertGreater(len(commands()), 10)
        for typed in deepest_commands():
            command = " ".join(typed)
            options = re.findall(r"^  (?:-\w,)?(--[a-z-]+)", output(*typed, "--help"), re.MULTILINE)
            self.assertIn("--help", options)
            of_man = as_read(self.roff).split(f'.SS "quasar {command}"\n')[1].split("\n.S")[0]
            of_page = self.markdown.split(f"### quasar {command}\n")[1].split("\n##")[0]
            for option in options:
                self.assertRegex(of_man, rf'\n\.B ".*{option}[ "]', command)
                self.assertRegex(of_page, rf"\n- `.*{option}[ `]", command)

    def test_everything_listed_has_its_entry(self):
        for kind, prefix in (("samplers", ""), ("models", "model."), ("topics", ""), ("experiments", "")):
            for entry in self.ok_json("list", kind):
                for page in (as_read(self.roff), self.markdown):
                    self.assertIn(entry["name"], page)
                    for parameter in entry.get("parameters", ()):
                        self.assertIn(f"{prefix}{parameter['name']} = ", page)

    def test_roff_keeps_every_character(self):
        for line in self.roff.splitlines():
            if line.startswith("."):
                self.assertRegex(line, r"^\.(TH|SH|SS|PP|TP|B|RS|RE|nf|fi|nh|ad)( |$)")
            else:
                self.assertNotRegex(line, r"^'|(?<!\\)-|[`^~\"]|[^\x20-\x7e]")

    @unittest.skipUnless(shutil.which("groff"), "groff is not installed")
    def test_groff_has_nothing_to_warn_of(self):
        result = subprocess.run(["groff", "-man", "-ww", "-z"], input=self.roff, capture_output=True, text=True)
        self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_the_reference_is_fresh(self):
        page = ROOT / "docs" / "reference" / "command-line.md"
        self.assertTrue(page.read_text() == self.markdown, f"{page} is old: run scripts/refresh_reference.sh")

    def test_unknown_names(self):
        self.fails(2, "unknown format 'mann'; did you mean 'man'", "manual", "--format", "mann")
        self.fails(2, "unknown shell 'bsh'; did you mean 'bash'", "completion", "bsh")


class Completion(CommandLine):
    def bash(self, line):
        """What bash offers at the end of the line, which it has cut at blanks, = and :, as it does."""
        words = [word for word in re.split(r"([=:])|(?<!\\) ", line) if word is not None]
        words = [word for i, word in enumerate(words) if word or i == len(words) - 1 and not line.endswith("=")]
        words[0] = BIN
        script = 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _quasar; printf "%s\\n" "${COMPREPLY[@]}"'
        command = ["bash", "-c", script, "bash", ROOT / "cli" / "completion" / "quasar.bash", *words]
        result = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, check=True)
        self.assertEqual(result.stderr, "")
        return result.stdout.split("\n")[:-1]

    def test_commands_and_options(self):
        self.assertEqual(self.bash("quasar sam"), ["sample"])
        self.assertEqual(self.bash("quasar "), commands())
        self.assertEqual(self.bash("quasar --v"), ["--version"])
        self.assertEqual(self.bash("quasar sample --s"), ["--seed", "--sampler", "--shards", "--save-warmup", "--set"])
        self.assertEqual(self.bash("quasar sample --seed 3 --se"), ["--set"])
        self.assertEqual(self.bash("quasar sample --set a=1 --se"), ["--seed", "--set"])
        self.assertEqual(self.bash("quasar list models --"), ["--help", "--json"])
        self.assertEqual(self.bash("quasar nonsense --"), [""])
        self.assertEqual(self.bash("quasar topics "), ["fit", "show", "infer", "score"])
        self.assertEqual(self.bash("quasar topics show --j"), ["--json"])
        self.assertEqual(self.bash("quasar topics --"), ["--help"])
        self.assertEqual(self.bash("quasar denoise "), ["train", "run"])
        self.assertEqual(self.bash("quasar denoise run --ref"), ["--reference"])
        self.assertEqual(self.bash("quasar denoise run --coordinates n"), ["natural"])

    def test_names(self):
        self.assertEqual(self.bash("quasar sample --sampler sgl"), ["sgld"])
        self.assertEqual(self.bash("quasar sample --sampler=sgl"), ["sgld"])
        self.assertEqual(self.bash("quasar sample --model eig"), ["eight-schools"])
        self.assertEqual(self.bash("quasar reproduce sghmc-d"), ["sghmc-double-well"])
        self.assertEqual(self.bash("quasar sample --keep "), ["all", "thin", "moments"])
        self.assertEqual(self.bash("quasar convert --to=stan"), ["stan-csv"])
        self.assertEqual(self.bash("quasar completion "), ["bash", "zsh", "fish"])
        self.assertEqual(self.bash("quasar sample --draws "), [""])
        self.assertEqual(self.bash("quasar topics fit --method gamma-n"), ["gamma-nb"])

    def test_parameters(self):
        self.assertEqual(self.bash("quasar sample --set max"), ["max_depth="])  # of nuts, the default
        self.assertEqual(self.bash("quasar sample --sampler hmc --set max"), [""])
        self.assertEqual(self.bash("quasar topics fit --set word"), ["word_prior="])
        self.assertEqual(self.bash("quasar topics fit --method stochastic-gradient --set phi="), ["expanded_mean", "rhmc", "gibbs"])
        self.assertEqual(self.bash("quasar sample --sampler hmc --set leap"), ["leapfrog_steps="])
        self.assertEqual(self.bash("quasar sample --set metric=wel"), ["welford", "welford_dense"])
        self.assertEqual(self.bash("quasar sample --sampler hmc --set metropolis="), ["true", "false"])
        self.assertEqual(self.bash("quasar sample --model funnel --set mod"), ["model.dim="])
        self.assertEqual(self.bash("quasar sample --model logistic --set model.miss"), ["model.missing="])
        self.assertEqual(self.bash("quasar sample --model logistic --set model.missing="), ["error", "drop"])
        self.assertEqual(self.bash("quasar sample --set max_depth=3 --set max"), [""])
        self.assertEqual(self.bash("quasar optimize --set max"), [""])
        self.assertEqual(self.bash("quasar compare --samplers nuts,rw"), ["nuts,rwm"])
        self.assertEqual(self.bash("quasar compare --samplers nuts,hmc --set nuts.max"), ["nuts.max_depth="])
        self.write("own.toml", '[run]\nsampler = "hmc"\nmodel = "logistic"\n')
        self.assertEqual(self.bash("quasar sample own.toml --set leap"), ["leapfrog_steps="])
        self.assertEqual(self.bash("quasar optimize own.toml --set model.miss"), ["model.missing="])

    def test_files(self):
        for name in ("one run.nc", "other.nc", "table.csv"):
            self.write(name, "")
        (self.folder / "old runs").mkdir()
        self.assertEqual(sorted(self.bash("quasar summary o")), ["old runs", "one run.nc", "other.nc"])
        self.assertEqual(self.bash("quasar summary one"), ["one run.nc"])
        self.assertEqual(self.bash("quasar summary t"), ["table.csv"])  # none is a run: all are shown
        self.assertEqual(self.bash("quasar sample --data=t"), ["table.csv"])
        self.assertEqual(self.bash("quasar reproduce --data-dir o"), ["old runs"])

    def test_scripts_are_those_of_the_program(self):
        for shell in ("bash", "zsh", "fish"):
            script = ROOT / "cli" / "completion" / f"quasar.{shell}"
            self.assertEqual(output("completion", shell), script.read_text())
            if shutil.which(shell):
                subprocess.run([shell, "-n", script], check=True)

    @unittest.skipUnless(shutil.which("fish"), "fish is not installed")
    def test_fish(self):
        self.write("one run.nc", "")

        def offered(line):
            script = ROOT / "cli" / "completion" / "quasar.fish"
            command = ["fish", "--no-config", "-c", f"source {script}; complete -C '{BIN} {line}'"]
            result = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, check=True)
            self.assertEqual(result.stderr, "")
            return [offer.split("\t")[0] for offer in result.stdout.splitlines()]

        self.assertEqual(offered("sam"), ["sample"])
        self.assertEqual(sorted(offered("sample --set metric=wel")), ["metric=welford", "metric=welford_dense"])
        self.assertEqual(offered("sample --sampler=sgl"), ["--sampler=sgld"])
        self.assertEqual(offered("summary o"), ["one run.nc"])


if __name__ == "__main__":
    unittest.main()
