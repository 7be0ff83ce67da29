"""quasar.segment: the command's numbers from arrays, frames and lists; what is refused."""

import json
import unittest

import numpy as np
import pandas

import quasar
from support import WITHOUT_EXTRAS, PackageTest

T = np.arange(120)
WIGGLE = 0.3 * np.sin(12.9898 * T * T)
X = np.repeat([10.0, 20.0, 10.0, 30.0], 30) + WIGGLE
STATES = np.repeat([0, 1, 0, 2], 30)
FRAME = pandas.DataFrame({"a": [1.0, 2.0], "b": [3.0, 4.0]})
DAY = pandas.Timestamp("2020-01-01")


class Segment(PackageTest):
    def test_the_numbers_are_those_of_the_command_line(self) -> None:
        other = np.where(T // 30 == 1, 5000.0, 0.0) + 30 * WIGGLE[::-1]
        frame = pandas.DataFrame({"x": X, "y": other})
        frame.loc[[3, 70], "x"] = np.nan
        frame.to_csv(self.folder / "x.csv", index=False)
        for method, options in {
            "asymp-ihmm": {"ahead": 4, "window": 90},
            "asymp-hmm": {"states": 3},
            "hmm-em": {"states": 3, "covariance": "state"},
            "ihmm-beam": {"warmup": 30, "sweeps": 30, "seed": 7},
        }.items():
            flags = [part for name, value in options.items() for part in (f"--{name}", value)]
            printed = json.loads(self.command_line("segment", "x.csv", "--method", method, *flags, "--json"))
            found = quasar.segment(frame, method, **options).to_dict()  # type: ignore[arg-type]
            for facts in (printed, found):
                del facts["seconds"], facts["file"]
            self.assertEqual(found, printed, method)

    def test_what_a_series_may_be(self) -> None:
        found = quasar.segment(X, ahead=2)
        np.testing.assert_array_equal(found.states, STATES)
        np.testing.assert_array_equal(found.change_points, [30, 60, 90])
        np.testing.assert_allclose(found.means, [10, 20, 30], atol=0.1)
        np.testing.assert_allclose(found.means[1], X[30:60].mean())
        np.testing.assert_allclose(found.sds[1], X[30:60].std())
        self.assertEqual((len(found), found.forecast.shape, found.transition.shape), (3, (2,), (3, 3)))
        np.testing.assert_allclose(found.transition.sum(axis=1), 1)
        self.assertRegex(repr(found), "asymp-ihmm: 3 states, 3 changes")
        self.assertTrue(found._repr_svg_().startswith("<svg"))
        gaps = X.copy()
        gaps[[5, 40]] = np.nan
        masked = np.ma.masked_array(X, np.isnan(gaps))
        for series in (gaps, masked, pandas.Series(gaps, name="x"), list(X), gaps[:, None], X.astype(np.float32)):
            np.testing.assert_array_equal(quasar.segment(series).states, STATES)
        self.assertEqual(quasar.segment(gaps[:, None]).means.shape, (3, 1))
        several = quasar.segment([X[:60], X[60:]])
        np.testing.assert_array_equal(several.states[1], STATES[60:])
        np.testing.assert_array_equal(several.change_points[1], [30])
        self.assertEqual(len(several.forecast), 2)

    def test_counts_and_labels(self) -> None:
        counts = np.where(T < 60, 2 + T % 3, 40 + T % 5)
        np.testing.assert_array_equal(quasar.segment(counts, emission="poisson").change_points, [60])
        labels = ["walk" if t < 60 else ("sit", "stand")[t % 2] for t in T]
        found = quasar.segment([*labels[:-1], None], "hmm-em", emission="categorical", states=2)
        self.assertEqual(found.categories, ("sit", "stand", "walk"))
        np.testing.assert_array_equal(found.states[[0, 59, 60, 119]], [0, 0, 1, 1])
        np.testing.assert_allclose(found.means[0], [0, 0, 1], atol=1e-6)

    def test_dates_and_indices_say_when(self) -> None:
        days = pandas.date_range("2020-01-01", periods=120, name="day")
        by_index = pandas.Series(X, index=days, name="x")
        by_column = pandas.DataFrame({"day": days, "x": X})
        for series in (by_index, by_column, by_column.set_index(days.to_period()).drop(columns="day")):
            found = quasar.segment(series)
            self.assertEqual(found.columns, ("x",))
            np.testing.assert_array_equal(found.states, STATES)
            self.assertRegex(repr(found), r"from day +to +points.*\n.*2020-01-01 +2020-01-30 +30 +1\n")
            self.assertEqual([one["from"] for one in found.to_dict()["segments"]][1], "2020-01-31")
        table = quasar.segment(by_column).to_pandas()
        self.assertTrue(table.index.equals(days))
        self.assertEqual(list(table.columns), ["state", "mean[x]"])
        np.testing.assert_allclose(table.loc["2020-02-10", "mean[x]"], X[30:60].mean())
        part = by_index.reset_index(drop=True)[30:]
        self.assertEqual(quasar.segment(part).to_pandas().index[0], 30)
        self.assertNotIn("from", repr(quasar.segment(part.reset_index(drop=True))))
        both = quasar.segment([by_column[:60], by_column[60:]]).to_pandas()
        self.assertEqual(both.loc[(1, days[60]), "state"], 0)

    def test_columns_are_matched_by_name(self) -> None:
        frame = pandas.DataFrame({"a": X, "b": np.where(T < 60, 0.0, 900.0) + WIGGLE})
        one = quasar.segment([frame[:60], frame[60:]])
        other = quasar.segment([frame[:60], frame.loc[60:, ["b", "a"]]])
        np.testing.assert_array_equal(one.states[1], other.states[1])
        np.testing.assert_array_equal(one.means, other.means)

    def test_gaps_of_labels_as_pandas_writes_them(self) -> None:
        labels = pandas.Series(["walk" if t < 60 else "sit" for t in T], dtype="string")
        labels[[3, 70]] = pandas.NA
        numbers = pandas.Series(np.where(T < 60, 7, 4)).astype("Int64")
        numbers[[3, 70]] = pandas.NA
        for series in (labels, labels.astype(object), labels.astype("category"), numbers, labels.to_frame("act")):
            found = quasar.segment(series, "asymp-hmm", emission="categorical", states=2)
            self.assertEqual((len(found.categories), found.to_dict()["missing"]), (2, 2))
            np.testing.assert_array_equal(found.change_points, [60])

    def test_pictures(self) -> None:
        found = quasar.segment(X)
        found.plot(self.folder / "x.svg")
        found.plot(self.folder / "x.html")
        self.assertIn("state 3", (self.folder / "x.html").read_text())
        with self.assertRaisesRegex(quasar.UsageError, "overwrite=True"):
            found.plot(self.folder / "x.svg")
        with self.assertRaisesRegex(quasar.UsageError, "NAME.svg or a page.*rsvg-convert"):
            found.plot("x.png")

    def test_refusals(self) -> None:
        for error, words, arguments, options in (
            (quasar.UsageError, r"^states is not for asymp-ihmm", (X,), {"states": 3}),
            (quasar.UsageError, r"needs states; method=\"asymp-ihmm\"", (X, "hmm-em"), {}),
            (quasar.UsageError, r"window=120: the longest", (X,), {"window": 120}),
            (quasar.DataError, "not a count", (X,), {"emission": "poisson"}),
            (quasar.DataError, "not finite", ([1.0, np.inf],), {}),
            (quasar.DataError, "all are missing", ([np.nan, np.nan],), {}),
            (quasar.DataError, "at least one point", ([],), {}),
            (quasar.DataError, "one or two axes", (np.zeros((2, 2, 2)),), {}),
            (quasar.DataError, "same columns", ([np.zeros((3, 2)), np.zeros((3, 1))],), {}),
            (quasar.DataError, "same columns, not .'a'. and .'b'.", ([FRAME[["a"]], FRAME[["b"]]],), {}),
            (quasar.DataError, "emission='categorical'", (["a", "b"],), {}),
            (quasar.DataError, "column 'd' does not hold numbers", (FRAME.assign(d="u")[["a", "d"]],), {}),
            (quasar.DataError, "x holds dates", (np.array(["2020-01-01"], dtype="M8[D]"),), {}),
            (quasar.DataError, "columns .'s', 't'. hold dates", (FRAME.assign(s=DAY, t=DAY),), {}),
            (quasar.DataError, "no column of values", (pandas.DataFrame({"s": [DAY]}),), {}),
            (quasar.DataError, "column 'a' holds complex numbers", (FRAME["a"] * 1j,), {}),
            (quasar.DataError, "one column", (FRAME,), {"emission": "categorical"}),
        ):
            with self.assertRaisesRegex(error, words):
                quasar.segment(*arguments, **options)  # type: ignore[arg-type]

    def test_without_pandas(self) -> None:
        program = self.folder / "plain.py"
        series = [1, 1.2, 0.7] * 5 + [9, 9.3, 8.9] * 5
        program.write_text(WITHOUT_EXTRAS + f"import quasar\nprint(len(quasar.segment({series})))\n")
        self.assertEqual(self.python(program), "2\n")


if __name__ == "__main__":
    unittest.main()
