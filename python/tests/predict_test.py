"""Predictions are those of the command line, for rows in every form."""

import json
import unittest
from typing import Any

import numpy as np
import pandas as pd

import quasar
from support import HEART, TRIAL, PackageTest

RATINGS = HEART.with_name("ratings.csv")
RATINGS_TEST = HEART.with_name("ratings-test.csv")
NEWCOMER = HEART.with_name("ratings-newcomer.csv")
QUICK: dict[str, Any] = {"draws": 50, "warmup": 50, "chains": 2, "warn": False}

# Data, and what the model is told of them.
MODELS: dict[str, tuple[Any, dict[str, Any]]] = {
    "logistic": (TRIAL, {"predictors": ["age", "sex", "arm"], "target": "recovered", "group": "clinic"}),
    "linear": (HEART, {"target": "cholesterol"}),
    "softmax": (HEART, {"target": "chest_pain"}),
    "poisson": (HEART, {"target": "vessels"}),
    "network": (HEART, {"target": "y", "hidden": 3}),
    "bpmf": (RATINGS, {"rank": 2}),
}


def fitted(model: str) -> tuple[quasar.Run, Any]:
    """A run, and rows that its model can predict."""
    data, parameters = MODELS[model]
    run = quasar.sample(quasar.model(model, data, **parameters), **QUICK)
    return run, RATINGS_TEST if model == "bpmf" else data


class Predict(PackageTest):
    def assert_same(self, one: Any, other: Any) -> None:
        pd.testing.assert_frame_equal(one.to_pandas(), other.to_pandas(), check_exact=True)
        self.assertEqual((one.scores, one.draws), (other.scores, other.draws))

    def test_as_on_the_command_line(self) -> None:
        for model in MODELS:
            with self.subTest(model):
                run, rows = fitted(model)
                run.save(self.folder / f"{model}.nc")
                settings = {"draws": 60, "seed": 7}
                flags = [word for name, value in settings.items() for word in (f"--{name}", value)]
                table = self.folder / f"{model}.csv"
                facts = json.loads(
                    self.command_line("predict", f"{model}.nc", "--data", rows, "--out", table, "--json", *flags)
                )
                found = quasar.predict(run, rows, **settings)
                self.assertEqual((found.scores, found.draws), (facts["scores"], facts["draws"]))
                written = pd.read_csv(table, dtype=str).drop(columns="row")
                ours = found.to_pandas()
                if isinstance(found, quasar.PredictedClasses):
                    self.assertEqual(list(found.classes), facts["classes"])
                self.assertEqual(list(ours), list(written))
                for name in ours:
                    np.testing.assert_array_equal(ours[name], written[name].astype(ours[name].dtype), name)

    def test_rows_in_every_form(self) -> None:
        for model in ("logistic", "linear", "bpmf"):
            run, path = fitted(model)
            expected = quasar.predict(run, path)
            frame = pd.read_csv(path)
            columns = {name: frame[name].to_numpy() for name in frame}
            run.save(self.folder / f"{model}.nc")
            forms = {
                "text": str(path),
                "frame": frame[frame.columns[::-1]],
                "columns": columns,
                "lists": {name: column.tolist() for name, column in columns.items()},
                "categories": frame.astype({name: "category" for name in frame if frame[name].dtype == object}),
                "other columns": frame.assign(when=pd.Timestamp("2020-01-01"), note=None),
            }
            for form, data in forms.items():
                with self.subTest(f"{model}: {form}"):
                    self.assert_same(quasar.predict(run, data), expected)
            self.assert_same(quasar.predict(self.folder / f"{model}.nc", frame, threads=1), expected)
        run, path = fitted("linear")
        frame = pd.read_csv(path)
        pair = (list(frame.columns), frame.to_numpy())
        self.assert_same(quasar.predict(run, pair), quasar.predict(run, path))

    def test_numbers_that_are_labels(self) -> None:
        """Users and items by number, and a response of 0 and 1 as truth values."""
        numbers = {"user": [1, 1, 2, 3, 3, 2], "item": [10, 20, 10, 20, 30, 30], "stars": [1, 2, 2, 5, 4, 3]}
        run = quasar.sample(quasar.model("bpmf", numbers, rank=1), **QUICK)
        self.assertEqual((run.coords["user"], run.coords["item"]), (["1", "2", "3"], ["10", "20", "30"]))
        expected = quasar.predict(run, {"user": [3, 1], "item": [10, 30]})
        for users in (["3", "1"], [3.0, 1.0], np.array([3, 1], dtype=np.int8), pd.Series([3, 1], dtype="Int64")):
            self.assert_same(quasar.predict(run, {"user": users, "item": [10, 30]}), expected)
        frame = pd.read_csv(HEART)
        of_heart = quasar.sample("logistic", data=frame, **QUICK)
        truth = frame.assign(y=frame["y"] == 1)
        self.assert_same(quasar.predict(of_heart, truth), quasar.predict(of_heart, frame))

    def test_responses_that_are_not_known(self) -> None:
        run, path = fitted("logistic")
        frame = pd.read_csv(path)
        everything = quasar.predict(run, frame)
        self.assertIsNotNone(everything.scores)
        for form, rows in {
            "no column": frame.drop(columns="recovered"),
            "nothing": frame.assign(recovered=None),
            "not a number": frame.assign(recovered=np.nan),
        }.items():
            with self.subTest(form):
                found = quasar.predict(run, rows)
                self.assertIsNone(found.scores)
                self.assertIsNone(found.observed)
                np.testing.assert_array_equal(found.probability, everything.probability)
        some = frame.copy()
        some.loc[3:, "recovered"] = None
        observed = quasar.predict(run, some).observed
        self.assertEqual(list(observed[:4]), [*frame["recovered"][:3], ""])
        run, path = fitted("linear")
        numbers = pd.read_csv(path)
        one_missing = numbers.astype({"cholesterol": "Int64"})
        one_missing.loc[2, "cholesterol"] = pd.NA
        observed = quasar.predict(run, one_missing).observed
        np.testing.assert_array_equal(np.isnan(observed), [i == 2 for i in range(len(numbers))])

    def test_rows_are_those_of_the_file(self) -> None:
        model = quasar.model("logistic", TRIAL, predictors="age,bmi,arm", missing="drop")
        run = quasar.sample(model, **QUICK)
        with self.assertWarnsRegex(quasar.PredictionWarning, "left out"):
            found = quasar.predict(run, TRIAL)
        kept = pd.read_csv(TRIAL).dropna(subset=["age", "bmi", "arm"])
        self.assertEqual(list(found.rows), list(kept.index))
        self.assertEqual(list(found.to_pandas()["observed"]), list(kept["recovered"]))
        self.assertEqual(list(found.to_pandas().index), list(kept.index))

    def test_intervals(self) -> None:
        run, path = fitted("linear")
        wide, narrow = (quasar.predict(run, path, interval=level) for level in (0.9, 0.5))
        np.testing.assert_array_equal(wide.median, narrow.median)
        self.assertTrue((wide.lower < narrow.lower).all() and (narrow.lower < narrow.median).all())
        self.assertTrue((wide.upper > narrow.upper).all() and (narrow.upper > narrow.median).all())
        self.assertEqual(list(narrow.to_pandas())[-3:], ["q25", "q50", "q75"])

    def test_newcomers(self) -> None:
        """By the prior with a word of warning; by the ratings they come with, from a file or in memory, without."""
        run = quasar.sample(quasar.model("bpmf", RATINGS, rank=2), **QUICK)
        pair = {"guest": ["newcomer", "g04"], "dish": ["bean curry", "bean curry"]}
        with self.assertWarnsRegex(quasar.PredictionWarning, "1 user is not in the training data"):
            by_prior = quasar.predict(run, pair)
        self.assertEqual(len(by_prior.warnings), 1)
        by_ratings = quasar.predict(run, pair, fold_in=pd.read_csv(NEWCOMER))
        self.assertEqual(by_ratings.warnings, ())
        self.assert_same(by_ratings, quasar.predict(run, pair, fold_in=NEWCOMER))
        self.assertEqual(by_ratings.mean[1], by_prior.mean[1])
        self.assertLess(by_ratings.sd[0], by_prior.sd[0])

    def test_warnings(self) -> None:
        run, path = fitted("logistic")
        with self.assertWarnsRegex(quasar.PredictionWarning, "^interval is for numbers"):
            quasar.predict(run, path, interval=0.5)
        run, path = fitted("linear")
        huge = pd.read_csv(path)[:3].astype(float)
        huge.loc[1, "age"] = 1e308
        huge.loc[1, "rest_bp"] = -1e308
        with self.assertWarnsRegex(quasar.PredictionWarning, "^data: row 1 is predicted as infinite or NaN"):
            found = quasar.predict(run, huge)
        self.assertFalse(np.isfinite(found.mean[1]))
        self.assertTrue(np.isfinite(found.mean[[0, 2]]).all())


if __name__ == "__main__":
    unittest.main()
