"""Recommendations are those of the command line, for ratings in every form."""

import json
import unittest
import warnings
from typing import Any

import numpy as np
import pandas as pd

import quasar
from support import HEART, PackageTest

RATINGS, TEST, NEWCOMER = (HEART.with_name(f"ratings{which}.csv") for which in ("", "-test", "-newcomer"))
RUN = quasar.sample(quasar.model("bpmf", RATINGS, rank=2), draws=50, warmup=50, chains=2, warn=False)
NUMBERS = ("mean", "sd", "lower", "upper", "probability")


class Recommend(PackageTest):
    def setUp(self) -> None:
        super().setUp()
        warnings.simplefilter("error", quasar.PredictionWarning)

    def on_the_command_line(self, *arguments: object) -> Any:
        RUN.save(self.folder / "run.nc", overwrite=True)
        return json.loads(self.command_line("recommend", "run.nc", "--json", *arguments))

    def test_as_on_the_command_line(self) -> None:
        (self.folder / "users").write_text("g04\ng01\n")
        (self.folder / "items").write_text("bean curry\ntofu soup\nlentil pie\n")
        settings = {"top": 3, "interval": 0.5, "draws": 60}
        flags = [word for name, value in settings.items() for word in (f"--{name}", value)]
        items = ["bean curry", "tofu soup", "lentil pie"]
        cases: dict[str, tuple[list[object], dict[str, Any]]] = {
            "a user": (["--user", "g07", "--rated", RATINGS], {"users": "g07", "rated": RATINGS}),
            "users": (["--users", "users", "--rated", RATINGS], {"users": ["g04", "g01"], "rated": RATINGS}),
            "newcomers": (["--fold-in", NEWCOMER, "--seed", 9], {"fold_in": NEWCOMER, "seed": 9}),
            "a few items": (["--fold-in", NEWCOMER, "--items", "items"], {"fold_in": NEWCOMER, "items": items}),
            "by probability": (
                ["--fold-in", NEWCOMER, "--rank-by", "probability"],
                {"fold_in": NEWCOMER, "rank_by": "probability"},
            ),
        }
        for case, (words, arguments) in cases.items():
            with self.subTest(case):
                theirs = self.on_the_command_line(*words, *flags)
                ours = quasar.recommend(RUN, **arguments, **settings)
                self.assertEqual(ours.draws, theirs["draws"])
                rows = [
                    {
                        "user": user,
                        "rank": rank,
                        "item": item,
                        **{name: getattr(best, name)[rank - 1] for name in NUMBERS},
                    }
                    for user, best in ours.items()
                    for rank, item in enumerate(best.items, start=1)
                ]
                self.assertEqual(rows, theirs["recommendations"])
                self.assertEqual(len(ours.to_pandas()), len(rows))

    def test_scores_as_on_the_command_line(self) -> None:
        theirs = self.on_the_command_line("--evaluate", TEST, "--rated", RATINGS, "--top", 5, "--relevant", 3.5)
        for ratings, rated in ((TEST, RATINGS), (pd.read_csv(TEST), pd.read_csv(RATINGS))):
            ours = quasar.judge_recommendations(RUN, ratings, rated=rated, top=5, relevant=3.5)
            self.assertEqual(ours.scores, theirs["scores"])
            counts = (ours.users, ours.users_not_fitted, ours.ratings, ours.draws)
            self.assertEqual(counts, tuple(theirs[name] for name in ("users", "users_not_fitted", "rows", "draws")))

    def test_ratings_in_every_form(self) -> None:
        expected = quasar.recommend(RUN, fold_in=NEWCOMER).to_pandas()
        frame = pd.read_csv(NEWCOMER)
        for form in (frame, frame[frame.columns[::-1]], frame.to_dict("list"), frame.assign(when="today")):
            pd.testing.assert_frame_equal(quasar.recommend(RUN, fold_in=form, threads=1).to_pandas(), expected)
        rated = pd.read_csv(RATINGS)
        one = quasar.recommend(RUN, ["g04"], rated=rated)
        pd.testing.assert_frame_equal(one.to_pandas(), quasar.recommend(RUN, "g04", rated=RATINGS).to_pandas())
        self.assertFalse(set(one["g04"].items) & set(rated["dish"][rated["guest"] == "g04"]))

    def test_labels_that_are_numbers(self) -> None:
        ratings = {"user": [1, 1, 2, 3, 3, 2], "item": [10, 20, 10, 20, 30, 30], "stars": [1, 2, 2, 5, 4, 3]}
        run = quasar.sample(quasar.model("bpmf", ratings, rank=1), draws=20, warmup=20, warn=False)
        for users in (1, np.int64(1), "1", [1], np.array([1])):
            self.assertEqual(quasar.recommend(run, users, rated=ratings)[1].items, ("30",))
        self.assertEqual(quasar.recommend(run, "01", rated=ratings)["01"].items, ("30",))

    def test_what_users_have_rated_already(self) -> None:
        with self.assertWarnsRegex(quasar.PredictionWarning, "have rated are recommended too; rated takes"):
            quasar.recommend(RUN, "g04")
        quasar.recommend(RUN, "newcomer", fold_in=NEWCOMER)  # warns of nothing
        with self.assertWarnsRegex(quasar.PredictionWarning, "^rated: no pair of a user and an item there was fitted"):
            quasar.recommend(RUN, "g04", rated={"guest": ["x"], "dish": ["y"]})

    def test_new_items(self) -> None:
        unicorn = {"guest": ["g02"], "dish": ["unicorn"], "rating": [5]}
        best = quasar.recommend(RUN, "g04", fold_in=unicorn, rated=RATINGS, top=50)["g04"]
        self.assertIn("unicorn", best.items)

    def test_files_without_a_header(self) -> None:
        ratings = pd.read_csv(RATINGS).rename(columns={"guest": "item", "dish": "user"})
        run = quasar.sample(
            quasar.model("bpmf", ratings, user="item", item="user", rank=2), draws=20, warmup=20, warn=False
        )
        bare = self.folder / "bare.csv"
        ratings.to_csv(bare, header=False, index=False)
        np.testing.assert_array_equal(quasar.predict(run, bare).mean, quasar.predict(run, ratings).mean)

    def test_bad_input(self) -> None:
        of_funnel = quasar.sample("funnel", draws=10, warn=False)
        of_heart = quasar.sample("logistic", data=HEART, draws=10, warn=False)
        rated = pd.read_csv(RATINGS)
        for act, error, words in (
            (lambda: quasar.recommend(RUN), quasar.UsageError, "to whom"),
            (lambda: quasar.recommend(RUN, []), quasar.UsageError, "users is empty"),
            (lambda: quasar.recommend(RUN, b"g04"), TypeError, "users is a label or several, not b'g04'"),
            (lambda: quasar.recommend(RUN, None), quasar.UsageError, "to whom"),
            (lambda: quasar.recommend(RUN, ["g04", None]), quasar.DataError, "label None is missing"),
            (lambda: quasar.recommend(RUN, "g4", rated=rated), quasar.DataError, "fold_in takes .*did you mean 'g04'"),
            (lambda: quasar.recommend(RUN, "g04", rated=rated, items=["x"]), quasar.DataError, "item 'x' is not in"),
            (lambda: quasar.recommend(RUN, "g04", rated=rated, top=0), quasar.UsageError, "top"),
            (lambda: quasar.recommend(RUN, "g04", rated=rated, rank_by="best"), quasar.UsageError, "rank_by"),
            (lambda: quasar.recommend(RUN, "g04", rated=rated, interval=1), quasar.UsageError, "interval"),
            (lambda: quasar.recommend(RUN, "g04", rated=rated["dish"]), TypeError, "rated is a data frame"),
            (lambda: quasar.recommend(RUN, "g04", rated={"dish": ["x"]}), quasar.DataError, "^rated: .*'guest'"),
            (lambda: quasar.recommend(RUN, fold_in=rated), quasar.DataError, "were fitted already"),
            (lambda: quasar.recommend(RUN, fold_in={"guest": [], "dish": []}), quasar.DataError, "fold_in has no rows"),
            (
                lambda: quasar.recommend(RUN, fold_in={"guest": ["x"], "dish": ["beef pie"], "rating": [np.nan]}),
                quasar.DataError,
                "fold_in: has no ratings: .* or all of them are missing",
            ),
            (
                lambda: quasar.recommend(RUN, fold_in={"guest": ["x"] * 2, "dish": ["beef pie"] * 2, "rating": [1, 2]}),
                quasar.DataError,
                r'row 2: user .* before, at row 1: .*use quasar.model\(…, duplicates="last"\) or mean',
            ),
            (lambda: quasar.recommend("no.nc", "g04"), quasar.DataError, "no.nc"),
            (lambda: quasar.recommend(of_funnel, "g04"), quasar.UsageError, "funnel predicts nothing"),
            (lambda: quasar.recommend(of_heart, "g04", rated=rated), quasar.UsageError, "logistic recommends nothing"),
            (
                lambda: quasar.judge_recommendations(RUN, rated, rated=rated, relevant=9),
                quasar.DataError,
                "^ratings: no user .* 9 or more there; relevant says",
            ),
            (
                lambda: quasar.judge_recommendations(RUN, rated[["guest", "dish"]], rated=rated),
                quasar.DataError,
                "^ratings: has no column of ratings",
            ),
        ):
            with self.subTest(words), self.assertRaisesRegex(error, words) as caught:
                act()
            self.assertNotIn("--", str(caught.exception))


if __name__ == "__main__":
    unittest.main()
