"""Every number of a comparison is what ArviZ computes from the files: three samplers on two targets."""

import json
import math
import unittest
from typing import Any

import arviz
import numpy as np

import quasar
from support import HEART, WITHOUT_EXTRAS, PackageTest

SAMPLERS = {"nuts": {}, "qnhmc": {}, "sghmc": {"step_size": 0.02}}
TARGETS: dict[str, tuple[object, ...]] = {
    "eight-schools": ("--model", "eight-schools"),
    "logistic": ("--model", "logistic", "--data", HEART),
}
TOLERANCE = 1e-8


def element_names(name: str, array: Any) -> dict[str, Any]:
    """theta[1] and the like, with their draws (chain, draw)."""
    if array.ndim == 2:
        return {name: array.values}
    labels = array[array.dims[2]].values
    shown = [str(label + 1) if isinstance(label, (int, np.integer)) else str(label) for label in labels]
    return {f"{name}[{label}]": array.values[:, :, i] for i, label in enumerate(shown)}


def draws_in(file: Any) -> dict[str, Any]:
    posterior = arviz.from_netcdf(file).posterior
    return {name: draws for one in posterior for name, draws in element_names(str(one), posterior[one]).items()}


def mcse_sd(draws: Any) -> float:
    """As ArviZ 0.23 has it, written out: its own function fails where numba and NumPy 2.4 are installed."""
    squares = (draws - draws.mean()) ** 2
    variance = squares.mean()
    error = (np.mean(squares**2) - variance**2) / arviz.ess(squares, method="mean")
    return float(np.sqrt(np.asarray(error).item() / variance / 4))


def by_arviz(draws: Any) -> dict[str, float]:
    return {
        "mean": float(draws.mean()),
        "sd": float(draws.std(ddof=1)),
        "mcse_mean": np.asarray(arviz.mcse(draws, method="mean")).item(),
        "mcse_sd": mcse_sd(draws),
        "ess_bulk": np.asarray(arviz.ess(draws, method="bulk")).item(),
        "ess_tail": np.asarray(arviz.ess(draws, method="tail")).item(),
        "rhat": np.asarray(arviz.rhat(draws)).item(),
    }


class AgainstArviZ(PackageTest):
    def close(self, ours: float, theirs: float, what: str) -> None:
        self.assertTrue(math.isclose(ours, theirs, rel_tol=TOLERANCE), f"{what}: {ours} is not {theirs}")

    def test_three_samplers_on_two_targets(self) -> None:
        for target, arguments in TARGETS.items():
            with self.subTest(target):
                self.command_line(
                    *("compare", *arguments, "--samplers", ",".join(SAMPLERS), "--budget", 500, "--warmup", 300),
                    *("--set", "sghmc.step_size=0.02", "--quiet", "--out-dir", target),
                )
                files = [self.folder / target / f"{sampler}.nc" for sampler in SAMPLERS]
                self.check(json.loads(self.command_line("compare", *files, "--json")), files)

    def check(self, found: dict[str, Any], files: list[Any]) -> None:
        theirs = [{name: by_arviz(draws) for name, draws in draws_in(file).items()} for file in files]
        reference = [run["name"] for run in found["runs"]].index(found["reference"])
        self.assertEqual({one["name"] for one in found["parameters"]}, set(theirs[0]))
        for parameter in found["parameters"]:
            name = parameter["name"]
            for r, (run, ours) in enumerate(parameter["runs"].items()):
                for measure, value in theirs[r][name].items():
                    self.close(ours[measure], value, f"{run} {name} {measure}")
                if r == reference:
                    continue
                for of in ("mean", "sd"):
                    one, other = theirs[r][name], theirs[reference][name]
                    error = math.hypot(one[f"mcse_{of}"], other[f"mcse_{of}"])
                    difference = ours[f"{of}_difference"]
                    # a difference of nearly equal numbers has fewer digits than they have
                    self.assertLess(abs(difference["value"] - (one[of] - other[of])), TOLERANCE * error)
                    self.assertLess(abs(difference["mcse"] - (one[of] - other[of]) / error), 1e-6)
                    self.assertEqual(difference["beyond_chance"], abs(one[of] - other[of]) / error > 4)
        for run, file, estimates in zip(found["runs"], files, theirs, strict=True):
            self.check_run(run, file, estimates)

    def check_run(self, run: dict[str, Any], file: Any, estimates: dict[str, dict[str, float]]) -> None:
        data = arviz.from_netcdf(file)
        bulk = [one["ess_bulk"] for one in estimates.values()]
        spent = data.sample_stats.get("data_passes", data.sample_stats["gradient_evaluations"])
        gradients = float(spent.sum()) / spent.sizes["draw"] * data.attrs["draws"]
        self.close(run["ess_bulk_smallest"]["value"], min(bulk), "smallest bulk ESS")
        self.close(run["ess_bulk_median"], float(np.median(bulk)), "median bulk ESS")
        self.close(run["ess_tail_smallest"]["value"], min(one["ess_tail"] for one in estimates.values()), "tail ESS")
        self.close(run["rhat_largest"]["value"], max(one["rhat"] for one in estimates.values()), "R-hat")
        self.close(run["gradients"], gradients, "gradients")
        self.close(run["ess_per_gradient"], min(bulk) / gradients, "ESS/gradient")
        self.close(run["ess_per_second"], min(bulk) / float(data.posterior.attrs["sampling_time"]), "ESS/s")
        self.assertEqual(run["divergences"], data.attrs["divergences"])
        self.assertEqual((run["chains"], run["draws"]), (data.posterior.sizes["chain"], data.posterior.sizes["draw"]))


class Compare(PackageTest):
    def runs(self) -> list[quasar.Run]:
        settings: dict[str, Any] = {"draws": 300, "warmup": 200, "warn": False}
        return [quasar.sample("gaussian", sampler=name, **settings) for name in ("nuts", "hmc")]

    def test_as_on_the_command_line(self) -> None:
        runs = self.runs()
        for run, name in zip(runs, ("a", "b"), strict=True):
            run.save(self.folder / f"{name}.nc")
        ours = quasar.compare(self.folder / "a.nc", self.folder / "b.nc")
        self.assertEqual(repr(ours), self.command_line("compare", "a.nc", "b.nc").rstrip())
        self.assertEqual(ours.to_dict()["parameters"], quasar.compare(*runs, names=["a", "b"]).to_dict()["parameters"])

    def test_tables(self) -> None:
        comparison = quasar.compare(*self.runs(), reference="nuts")
        self.assertEqual(list(comparison.runs.index), ["nuts", "hmc"])
        self.assertEqual(comparison.reference, "nuts")
        self.assertGreater(comparison.runs.loc["hmc", "ess_per_gradient"], 0)
        self.assertLess(abs(comparison.parameters.loc[("x[1]", "hmc"), "mean_difference_mcse"]), 5)
        self.assertEqual(len(comparison.parameters), 20)
        comparison.page(self.folder / "page.html")
        self.assertIn('id="differences"', (self.folder / "page.html").read_text())
        with self.assertRaisesRegex(quasar.UsageError, "overwrite=True"):
            comparison.page(self.folder / "page.html")
        comparison.page(self.folder / "page.html", overwrite=True)
        with self.assertRaisesRegex(quasar.DataError, "there is no folder"):
            comparison.page(self.folder / "nowhere" / "page.html")

    def test_a_page_does_not_replace_a_run(self) -> None:
        files = [self.folder / "nuts.nc", self.folder / "hmc.nc"]
        for run, file in zip(self.runs(), files, strict=True):
            run.save(file)
        with self.assertRaisesRegex(quasar.UsageError, "is one of the runs"):
            quasar.compare(*files).page(files[1], overwrite=True)
        quasar.load(files[1])

    def test_mistakes(self) -> None:
        nuts, hmc = self.runs()
        with self.assertRaisesRegex(quasar.UsageError, "two runs or more"):
            quasar.compare(nuts)
        with self.assertRaisesRegex(quasar.UsageError, "no run of that name"):
            quasar.compare(nuts, hmc, reference="rwm")
        with self.assertRaisesRegex(quasar.UsageError, "1 names for 2 runs"):
            quasar.compare(nuts, hmc, names=["a"])
        self.assertEqual([run["name"] for run in quasar.compare(nuts, nuts).to_dict()["runs"]], ["nuts", "nuts 2"])
        with self.assertRaisesRegex(quasar.UsageError, "allow_different=True"):
            quasar.compare(nuts, quasar.sample("funnel", draws=50, warmup=50, warn=False))

    def test_without_pandas(self) -> None:
        program = "import quasar\n" + (
            "run = quasar.sample('gaussian', draws=50, warmup=50, warn=False)\n"
            "print(quasar.compare(run, run).runs[1]['name'])\n"
        )
        self.assertEqual(self.python("-c", WITHOUT_EXTRAS + program).strip(), "nuts 2")


if __name__ == "__main__":
    unittest.main()
