"""The same seed gives the same draws here and on the command line, bit for bit."""

import unittest

import numpy as np
import pandas as pd

import quasar
from support import HEART, TRIAL, PackageTest

SAMPLERS = {
    "nuts": {"metric": "welford_dense"},
    "hmc": {"jitter": 0.2},
    "mala": {},
    "rwm": {"step_size": 0.5},
    "qnhmc": {},
    "hmc-bfgs": {"members": 3},
    "rhmc": {"geometry": "softabs"},
    "sgld": {"step_size": 0.01},
}


class SameDraws(PackageTest):
    def test_every_kind_of_sampler(self) -> None:
        for sampler, parameters in SAMPLERS.items():
            with self.subTest(sampler):
                settings = [word for name, value in parameters.items() for word in ("--set", f"{name}={value}")]
                out = f"{sampler}.nc"
                self.command_line(
                    *("sample", "--quiet", "--model", "eight-schools", "--sampler", sampler, "--seed", 3, "--out", out),
                    *("--draws", 60, "--warmup", 50, "--thin", 2, "--save-warmup", "--chains", 2, *settings),
                )
                run = quasar.sample(
                    *("eight-schools", sampler),
                    seed=3,
                    draws=60,
                    warmup=50,
                    thin=2,
                    save_warmup=True,
                    chains=2,
                    **parameters,
                    warn=False,
                )
                self.assert_same_draws(run, quasar.load(self.folder / out))

    def test_data_in_every_form(self) -> None:
        self.command_line(
            *("sample", "--quiet", "--model", "logistic", "--data", HEART, "--set", "model.target=sex"),
            *("--draws", 50, "--warmup", 50),
        )
        saved = quasar.load(self.folder / "run.nc")
        frame = pd.read_csv(HEART)
        columns = {name: frame[name].to_numpy() for name in frame}
        forms = {
            "path": HEART,
            "text": str(HEART),
            "frame": frame,
            "columns": columns,
            "lists": {name: column.tolist() for name, column in columns.items()},
            "pair": (list(frame.columns), frame.to_numpy()),
        }
        for form, data in forms.items():
            with self.subTest(form):
                run = quasar.sample(quasar.model("logistic", data, target="sex"), draws=50, warmup=50, warn=False)
                self.assert_same_draws(run, saved)
                self.assertEqual(run.coords, {"predictor": [name for name in frame if name != "sex"]})

    def test_labels_in_every_form(self) -> None:
        settings = {"predictors": ["age", "sex", "arm", "clinic"], "interactions": "age:sex"}
        with_path = quasar.model("logistic", TRIAL, **settings)
        frame = pd.read_csv(TRIAL).drop(columns="bmi")
        forms = {
            "frame": frame,
            "categories": frame.astype(dict.fromkeys(("sex", "arm", "clinic", "recovered"), "category")),
            "columns": {name: frame[name].to_numpy() for name in frame},
            "lists": {name: frame[name].tolist() for name in frame},
        }
        quick = {"draws": 50, "warmup": 50, "warn": False}
        saved = quasar.sample(with_path, **quick)
        self.assertIn("sex=male", saved.coords["predictor"])
        for form, data in forms.items():
            with self.subTest(form):
                run = quasar.sample(quasar.model("logistic", data, **settings), **quick)
                self.assert_same_draws(run, saved)
                self.assertEqual(run.coords, saved.coords)

    def test_numbers_as_categories(self) -> None:
        frame = pd.read_csv(TRIAL)[["age", "recovered"]].assign(site=lambda f: f["age"] % 3)
        named = quasar.sample(
            quasar.model("logistic", frame, target="recovered", categorical="site"), draws=50, warmup=50, warn=False
        )
        self.assertEqual(named.coords, {"predictor": ["age", "site=1", "site=2"]})
        frame["site"] = frame["site"].astype("category")
        run = quasar.sample(quasar.model("logistic", frame, target="recovered"), draws=50, warmup=50, warn=False)
        self.assert_same_draws(run, named)

    def test_any_number_of_threads(self) -> None:
        one, two = (quasar.sample("funnel", threads=threads, draws=100, warn=False) for threads in (1, 2))
        self.assert_same_draws(one, two)

    def test_on_disk_as_in_memory(self) -> None:
        settings = {"draws": 100, "seed": 5, "save_warmup": True, "warn": False}
        durable = quasar.sample("eight-schools", out=self.folder / "run.nc", **settings)
        self.assert_same_draws(durable, quasar.sample("eight-schools", **settings))

    def test_a_start_from_values_from_points_and_from_a_file(self) -> None:
        settings = {"draws": 20, "warmup": 0, "step_size": 0.1, "warn": False, "chains": 2}
        by_name = quasar.sample("gaussian", dim=2, init={"x": np.array([3.0, -1.0])}, **settings)
        by_point = quasar.sample("gaussian", dim=2, init=[3.0, -1.0], **settings)
        by_points = quasar.sample("gaussian", dim=2, init=[[3.0, -1.0], [3.0, -1.0]], **settings)
        self.assert_same_draws(by_name, by_point)
        self.assert_same_draws(by_name, by_points)
        by_names = quasar.sample("gaussian", dim=2, init=[{"x": [3, -1]}, {"x": np.array([3.0, -1.0])}], **settings)
        self.assert_same_draws(by_name, by_names)
        path = self.folder / "init.json"
        path.write_text('{"x": [3, -1]}')
        self.assert_same_draws(by_name, quasar.sample("gaussian", dim=2, init=path, **settings))
        self.assertLess(np.abs(by_point.posterior["x"][:, 0] - [3.0, -1.0]).max(), 1.0)

    def test_only_some_variables(self) -> None:
        run = quasar.sample("eight-schools", variables=["mu", "tau"], draws=20, warn=False)
        self.assertEqual(list(run.posterior), ["mu", "tau"])


if __name__ == "__main__":
    unittest.main()
