"""What is refused, with which words, before any work."""

import os
import unittest
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import quasar
from support import HEART, PackageTest, gaussian

DATA = {"a": [0.0, 1.0, 2.0], "y": [0.0, 1.0, 0.0]}
DOES_NOT_MATTER: Any = print
MATRIX = np.ones((3, 2))
FUNNEL = quasar.sample("funnel", draws=10, warmup=10, warn=False)
LOGISTIC, LINEAR = (quasar.sample(name, data=DATA, draws=10, warmup=10, warn=False) for name in ("logistic", "linear"))


class HasAddress:
    """A function of Python that has an address of another kind."""

    address = 12

    def __call__(self, x: Any) -> Any:
        return gaussian(x)


def flat(x: Any) -> Any:
    return 0.0 * x.sum()


# What is done: the type and the words of the error.
BAD: dict[str, tuple[Callable[[], object], type[Exception], str]] = {
    "unknown model": (lambda: quasar.sample("eight-scools"), quasar.UsageError, "did you mean 'eight-schools'"),
    "unknown sampler": (lambda: quasar.sample("funnel", "nutz"), quasar.UsageError, "did you mean 'nuts'"),
    "unknown parameter": (lambda: quasar.sample("funnel", stepsize=1), quasar.UsageError, "did you mean 'step_size'"),
    "of another sampler": (lambda: quasar.sample("funnel", "rwm", max_depth=3), quasar.UsageError, "max_depth"),
    "out of range": (lambda: quasar.sample("funnel", target_accept=1.5), quasar.UsageError, "target_accept"),
    "no such choice": (lambda: quasar.sample("funnel", metric="dens"), quasar.UsageError, "metric"),
    "not a number": (lambda: quasar.sample("funnel", step_size="small"), quasar.UsageError, "step_size"),
    "not a setting": (lambda: quasar.sample("funnel", step_size=None), TypeError, "step_size is a .* not NoneType"),
    "a table for a file": (
        lambda: quasar.model("alpha-mf", DATA, rank=2, dictionary=MATRIX),
        TypeError,
        "dictionary is no table; what is in a file is given by the path of the file",
    ),
    "no chains": (lambda: quasar.sample("funnel", chains=0), quasar.UsageError, "chains"),
    "no draws": (lambda: quasar.sample("funnel", draws=0), quasar.UsageError, "draws"),
    "half a draw": (lambda: quasar.sample("funnel", draws=1.5), quasar.UsageError, "draws"),
    "a negative seed": (lambda: quasar.sample("funnel", seed=-1), quasar.UsageError, "seed"),
    "unknown variable": (lambda: quasar.sample("funnel", variables=["w"]), quasar.UsageError, "'w'"),
    "a model without its data": (lambda: quasar.sample("logistic"), quasar.UsageError, "needs data"),
    "data without need": (lambda: quasar.sample("funnel", data=DATA), quasar.UsageError, "takes no data"),
    "a missing file": (lambda: quasar.model("logistic", "no.csv"), quasar.DataError, "no.csv"),
    "no such response": (lambda: quasar.model("logistic", DATA, target="z"), quasar.UsageError, "'z'"),
    "too many classes": (
        lambda: quasar.model("logistic", {**DATA, "b": ["u", "v", "w"]}),
        quasar.DataError,
        r"\('b'\): the target must have two",
    ),
    "a text among missing values": (
        lambda: quasar.model("logistic", {**DATA, "b": ["u", "v", None]}),
        quasar.DataError,
        "'b' is not numeric",
    ),
    "a missing category": (
        lambda: quasar.model("logistic", {**DATA, "b": pd.Categorical(["u", "v", None])}),
        quasar.DataError,
        "'b': the label nan is missing",
    ),
    "an empty label": (
        lambda: quasar.model("logistic", {**DATA, "b": ["u", " ", "v"]}),
        quasar.DataError,
        "'b': a label is empty",
    ),
    "half a letter": (
        lambda: quasar.model("logistic", {**DATA, "b": ["u", "\ud800", "v"]}),
        quasar.DataError,
        "'b': the label .* is not Unicode text",
    ),
    "columns of unequal length": (
        lambda: quasar.model("logistic", {**DATA, "b": [1.0]}),
        quasar.DataError,
        "different length",
    ),
    "a column of columns": (lambda: quasar.model("logistic", {"a": np.ones((2, 2))}), quasar.DataError, "2 axes"),
    "a missing value": (lambda: quasar.model("logistic", {**DATA, "a": [0, 1, np.nan]}), quasar.DataError, "'a'"),
    "too few names": (lambda: quasar.model("logistic", (["a"], np.ones((3, 2)))), quasar.UsageError, "1 names"),
    "an array without names": (lambda: quasar.model("logistic", np.ones((3, 2))), TypeError, "names, array"),
    "no table at all": (lambda: quasar.model("logistic", 3), TypeError, "not int"),
    "a function of how many": (lambda: quasar.sample(gaussian), TypeError, "either dim=3 or shapes"),
    "both": (lambda: quasar.sample(gaussian, dim=2, shapes={"x": (2,)}), TypeError, "either dim=3 or shapes"),
    "no coordinate": (lambda: quasar.sample(gaussian, dim=0), quasar.UsageError, "at least one coordinate"),
    "a variable without a name": (lambda: quasar.sample(gaussian, shapes={"": (2,)}), quasar.UsageError, "name"),
    "not a target": (lambda: quasar.sample(3.5, dim=3), TypeError, "not float"),
    "shapes of a model": (lambda: quasar.sample("funnel", shapes={"x": (2,)}), TypeError, "shapes are for functions"),
    "data of a function": (lambda: quasar.sample(gaussian, dim=2, data=DATA), TypeError, "data is for models"),
    "dim of a target": (
        lambda: quasar.sample(quasar.function(gaussian, dim=2), dim=2),
        TypeError,
        "this target knows its own",
    ),
    "no terms": (lambda: quasar.finite_sum(DOES_NOT_MATTER, 0, dim=1), quasar.UsageError, "at least one term"),
    "address zero": (lambda: quasar.pointer(0, dim=1), quasar.UsageError, "address"),
    "a point of another size": (lambda: quasar.sample(gaussian, dim=2, init=[1.0]), quasar.UsageError, "init|point"),
    "neither a point nor points": (lambda: quasar.sample(gaussian, dim=2, init=3.0), TypeError, r"shape \(dim,\)"),
    "points for too few chains": (
        lambda: quasar.sample(gaussian, dim=2, init=np.ones((3, 2))),
        quasar.UsageError,
        "init|point|chains",
    ),
    "an unknown value": (lambda: quasar.sample(gaussian, dim=2, init={"z": 1.0}), quasar.DataError, "'z'"),
    "logp_grad of another size": (
        lambda: quasar.function(gaussian, dim=2).logp_grad([1.0]),
        quasar.UsageError,
        "1 coordinates, the density 2",
    ),
    "no such run": (lambda: quasar.load("no.nc"), quasar.DataError, "no.nc"),
    "not a run": (lambda: quasar.load(HEART), quasar.DataError, "heart.csv"),
    "no such experiment": (lambda: quasar.reproduce("qnhmc-gausian"), quasar.UsageError, "qnhmc-gaussian"),
    "no such folder": (
        lambda: quasar.reproduce("qnhmc-logistic", data_dir="nowhere"),
        quasar.DataError,
        "nowhere: no such folder",
    ),
    "a sampler of no name": (lambda: quasar.sample("funnel", None), TypeError, "sampler is a text, not None"),
    "half a chain": (
        lambda: quasar.sample("funnel", chains=1.5, init=[0.0] * 10),
        quasar.UsageError,
        "chains is a whole",
    ),
    "half a chain in JAX": (
        lambda: quasar.sample(quasar.jax(flat, dim=2), chains=2.5),
        quasar.UsageError,
        "chains is a whole number, not 2.5",
    ),
    "a huge seed": (
        lambda: quasar.sample("funnel", seed=2**70),
        quasar.UsageError,
        "seed = .* at most 9000000000000000",
    ),
    "half a seed": (lambda: quasar.sample("funnel", seed=1.5), quasar.UsageError, "seed is a whole number, not 1.5"),
    "a negative seed of an experiment": (
        lambda: quasar.reproduce("sghmc-trajectories", seed=-1),
        quasar.UsageError,
        "seed = -1: must be at least 0",
    ),
    "an experiment of no name": (lambda: quasar.reproduce(3), TypeError, "experiment is a text"),
    "quick": (lambda: quasar.reproduce("sghmc-trajectories", quick="no"), TypeError, "quick is True or False"),
    "a model of no name": (lambda: quasar.model(3), TypeError, "a model is a text, not 3"),
    "variables of no name": (lambda: quasar.sample("funnel", variables=[1]), TypeError, "name of a variable is a text"),
    "unknown variables in an array": (
        lambda: quasar.sample("funnel", variables=np.array(["v", "w"])),
        quasar.UsageError,
        "'w'",
    ),
    "points with three axes": (lambda: quasar.sample(gaussian, dim=2, init=np.ones((1, 1, 2))), TypeError, r"\(dim,\)"),
    "points of text": (lambda: quasar.sample(gaussian, dim=2, init=[["a", "b"]]), TypeError, "init is not numeric"),
    "half a dimension": (lambda: quasar.sample(gaussian, dim=2.5), TypeError, "dim is a whole number, not 2.5"),
    "dim in words": (lambda: quasar.function(gaussian, dim="2"), TypeError, "dim is a whole number, not '2'"),
    "dim in JAX": (lambda: quasar.jax(flat, dim=2.5), TypeError, "dim is a whole number, not 2.5"),
    "no coordinate in JAX": (lambda: quasar.jax(flat, dim=0), quasar.UsageError, "at least one coordinate"),
    "an empty example": (lambda: quasar.jax(lambda p: 0.0, example={}), quasar.UsageError, "at least one coordinate"),
    "a shape that is no dict": (lambda: quasar.function(gaussian, shapes=[("a", ())]), TypeError, "shapes is a dict"),
    "a number as a shape": (lambda: quasar.function(gaussian, shapes={"a": 3}), TypeError, "'a' is a tuple"),
    "half an axis": (
        lambda: quasar.function(gaussian, shapes={"a": (1.5,)}),
        TypeError,
        "axis of 'a' is a whole number",
    ),
    "a number as a name": (
        lambda: quasar.function(gaussian, shapes={1: (2,)}),
        TypeError,
        "name of a variable is a text",
    ),
    "a negative shape": (
        lambda: quasar.function(gaussian, shapes={"a": (-1, -2)}),
        quasar.UsageError,
        "shorter than 0",
    ),
    "a huge shape": (
        lambda: quasar.function(gaussian, shapes={"a": (10**10, 10**10)}),
        quasar.UsageError,
        "at most 2147",
    ),
    "a huge dim": (lambda: quasar.function(gaussian, dim=10**12), quasar.UsageError, "at most 2147483647"),
    "no function": (lambda: quasar.function(3, dim=2), TypeError, "logp_grad is a function, not 3"),
    "no function in JAX": (lambda: quasar.jax("f", dim=2), TypeError, "log_density is a function, not 'f'"),
    "no function of terms": (lambda: quasar.finite_sum(None, 9, dim=2), TypeError, "logp_grad is a function, not None"),
    "no prior": (
        lambda: quasar.finite_sum(DOES_NOT_MATTER, 9, prior=0, dim=2),
        TypeError,
        "prior is a function, not 0",
    ),
    "half a term": (
        lambda: quasar.finite_sum(DOES_NOT_MATTER, 2.5, dim=1),
        TypeError,
        "terms is a whole number, not 2.5",
    ),
    "a text as a pointer": (
        lambda: quasar.pointer("abc", dim=1),
        TypeError,
        "numba cfunc, a ctypes function or an addr",
    ),
    "a function as a pointer": (lambda: quasar.pointer(gaussian, dim=1), TypeError, "compiled function is"),
    "an address in disguise": (lambda: quasar.pointer(HasAddress(), dim=1), TypeError, "compiled function is"),
    "True as a pointer": (lambda: quasar.pointer(True, dim=1), TypeError, "compiled function is"),
    "a negative address": (lambda: quasar.pointer(-8, dim=1), TypeError, "compiled function is"),
    "a list as user data": (
        lambda: quasar.pointer(quasar.PointerType(), dim=1, user_data=[1.0]),
        TypeError,
        r"user_data is an array or an address, not \[1.0\]",
    ),
    "a matrix as a point": (
        lambda: quasar.function(gaussian, dim=2).logp_grad([[1, 2]]),
        ValueError,
        r"a point has 1 axis, not the shape \(1, 2\)",
    ),
    "a text as a point": (
        lambda: quasar.function(gaussian, dim=1).logp_grad(["a"]),
        TypeError,
        "a point is not numeric",
    ),
    "data of no columns": (lambda: quasar.model("logistic", {}), quasar.DataError, "data has no column"),
    "one row as a table": (
        lambda: quasar.model("logistic", (["a"], np.ones(3))),
        quasar.DataError,
        r"\(rows, columns\)",
    ),
    "numbers as names": (lambda: quasar.model("logistic", ([1, 2], MATRIX)), TypeError, "name of a column is a text"),
    "names twice": (lambda: quasar.model("logistic", (["a", "a"], MATRIX)), quasar.DataError, "more than one .* 'a'"),
    "names twice in a frame": (
        lambda: quasar.model("logistic", pd.DataFrame(MATRIX, columns=["a", "a"])),
        quasar.DataError,
        "more than one column is called 'a'",
    ),
    "1 and '1'": (lambda: quasar.model("logistic", {1: [0], "1": [1]}), quasar.DataError, "more than one .* '1'"),
    "three things": (lambda: quasar.model("logistic", (["a"], MATRIX, 3)), TypeError, r"pair \(names, array\), not 3"),
    "dates": (
        lambda: quasar.model("logistic", {"a": pd.to_datetime(["2020-01-01"])}),
        quasar.DataError,
        "'a' is not num",
    ),
    "complex numbers": (lambda: quasar.model("logistic", {"a": [1j]}), quasar.DataError, "'a' is not numeric.*complex"),
    "texts in an array": (lambda: quasar.model("logistic", (["a"], [["1"]])), quasar.DataError, "data is not numeric"),
    "texts among objects": (
        lambda: quasar.model("logistic", {"a": np.array(["1", 2], dtype=object)}),
        quasar.DataError,
        "'a' is not numeric.*object",
    ),
    "ragged rows": (
        lambda: quasar.model("logistic", {"a": [[1], [1, 2]]}),
        quasar.DataError,
        "rows of different length",
    ),
    "predictions by a density": (
        lambda: quasar.predict(FUNNEL, DATA),
        quasar.UsageError,
        "the model funnel predicts nothing",
    ),
    "predictions by a function": (
        lambda: quasar.predict(quasar.sample(gaussian, dim=2, draws=10, warn=False), DATA),
        quasar.UsageError,
        "gaussian",
    ),
    "predictions by part of the variables": (
        lambda: quasar.predict(quasar.sample("logistic", data=DATA, variables=["beta"], draws=10, warn=False), DATA),
        quasar.DataError,
        "keeps the variables beta alone .variables., and predictions need all",
    ),
    "predictions by nothing": (lambda: quasar.predict(3, DATA), TypeError, "a run file is a path, not 3"),
    "predictions by a missing file": (lambda: quasar.predict("no.nc", DATA), quasar.DataError, "no.nc"),
    "predictions for a missing file": (lambda: quasar.predict(LOGISTIC, "no.csv"), quasar.DataError, "no.csv"),
    "predictions for nothing": (lambda: quasar.predict(LOGISTIC, None), TypeError, "data is a data frame"),
    "predictions for no rows": (lambda: quasar.predict(LOGISTIC, {"a": [], "y": []}), quasar.DataError, "no rows"),
    "predictions without a column": (
        lambda: quasar.predict(LOGISTIC, {"b": [1.0]}),
        quasar.DataError,
        "data: there is no column 'a', which the model was fitted to: there are 'b'",
    ),
    "predictions by NaN": (
        lambda: quasar.predict(LOGISTIC, {"a": [1.0, np.nan]}),
        quasar.DataError,
        "row 1, column 'a': nan is not a finite number",
    ),
    "predictions by texts": (lambda: quasar.predict(LOGISTIC, {"a": ["x"]}), quasar.DataError, "'a' is not numeric"),
    "predictions by a matrix": (lambda: quasar.predict(LOGISTIC, {"a": MATRIX}), quasar.DataError, "'a' has 2 axes"),
    "an unknown class": (
        lambda: quasar.predict(LOGISTIC, {"a": [1.0], "y": [7]}),
        quasar.DataError,
        r"\('y'\): the target of a logistic regression must be 0 or 1",
    ),
    "an infinite response": (
        lambda: quasar.predict(LINEAR, {"a": [1.0], "y": [np.inf]}),
        quasar.DataError,
        "inf is not a finite number",
    ),
    "a certain interval": (lambda: quasar.predict(LOGISTIC, DATA, interval=1), quasar.UsageError, "interval"),
    "predictions by half a draw": (lambda: quasar.predict(LOGISTIC, DATA, draws=0.5), quasar.UsageError, "draws"),
    "a negative seed of predictions": (lambda: quasar.predict(LOGISTIC, DATA, seed=-1), quasar.UsageError, "seed"),
    "ratings for a regression": (
        lambda: quasar.predict(LOGISTIC, DATA, fold_in={"u": ["a"]}),
        quasar.UsageError,
        "fold_in is for ratings",
    ),
    "ratings without items": (lambda: quasar.sample("bpmf", data={"user": ["a"]}), quasar.DataError, "column"),
    "a pair rated twice": (
        lambda: quasar.sample("bpmf", data={"user": [1, 1], "item": [2, 2], "rating": [3, 4]}),
        quasar.DataError,
        "has rated item '2' before",
    ),
    "a missing rating": (
        lambda: quasar.sample("bpmf", data={"user": [1, 1], "item": [2, 3], "rating": [3, np.nan]}),
        quasar.DataError,
        "row 1, column 'rating': nan",
    ),
    "bytes as a setting": (lambda: quasar.sample("funnel", step_size=b"1"), TypeError, "not bytes"),
    "NUL in a path": (lambda: quasar.load("a\0b"), quasar.UsageError, "NUL"),
    "a path that is not UTF-8": (lambda: quasar.load(b"\xff"), quasar.UsageError, "not UTF-8"),
    "a number as a path": (lambda: quasar.load(3), TypeError, "a run file is a path, not 3"),
    "a number as a library": (lambda: quasar.stan(3), TypeError, "a Stan library is a path, not 3"),
    "yes": (lambda: quasar.stan("a.so", transformed="yes"), TypeError, "transformed is True or False, not 'yes'"),
    "resume without out": (lambda: quasar.sample("funnel", resume=True), quasar.UsageError, "resume .* give out="),
    "overwrite without out": (
        lambda: quasar.sample("funnel", overwrite=True),
        quasar.UsageError,
        "overwrite .* give out=",
    ),
    "checkpoints without out": (lambda: quasar.sample("funnel", checkpoint_every=9), quasar.UsageError, "give out="),
    "a matrix as a chain": (
        lambda: quasar.diagnostics.autocorrelation(MATRIX),
        ValueError,
        r"a chain has 1 axis, not the shape \(3, 2\)",
    ),
    "scores of another shape": (
        lambda: quasar.diagnostics.kernel_stein_discrepancy(MATRIX, MATRIX[:2]),
        ValueError,
        r"points have the shape \(3, 2\), scores \(2, 2\)",
    ),
    "draws without chains": (lambda: quasar.diagnostics.rhat([1.0, 2.0]), ValueError, "chain, draw"),
    "a probability": (lambda: quasar.diagnostics.ess_quantile(np.ones((2, 9)), 1.5), ValueError, "between 0 and 1"),
}


class BadInputs(PackageTest):
    def test_each_is_refused_in_words_that_help(self) -> None:
        for case, (act, error, words) in BAD.items():
            with self.subTest(case), self.assertRaisesRegex(error, words) as caught:
                act()
            self.assertIs(type(caught.exception), error, case)
            said = str(caught.exception)
            self.assertNotIn("--", said, "the command line's words")
            self.assertNotIn("incompatible function arguments", said)
            self.assertNotIn("\n", said)

    def test_a_function_with_an_address_is_a_function(self) -> None:
        settings = {"dim": 2, "draws": 20, "warmup": 20, "warn": False}
        self.assert_same_draws(quasar.sample(HasAddress(), **settings), quasar.sample(gaussian, **settings))

    def test_files_that_exist_are_kept(self) -> None:
        path = self.folder / "run.nc"
        run = quasar.sample("funnel", draws=10, out=path, warn=False)
        before = path.read_bytes()
        for act in (lambda: run.save(path), lambda: quasar.sample("funnel", draws=10, out=path)):
            with self.assertRaisesRegex(quasar.UsageError, "exists; overwrite=True replaces it"):
                act()
        self.assertEqual(path.read_bytes(), before)
        quasar.sample("funnel", draws=20, out=path, overwrite=True, warn=False)
        self.assertEqual(quasar.load(path).draws, 20)

    def test_errors_are_of_a_family(self) -> None:
        self.assertTrue(issubclass(quasar.UsageError, ValueError))
        self.assertTrue(issubclass(quasar.DataError, ValueError))
        self.assertTrue(issubclass(quasar.Diverged, quasar.RunError))
        self.assertTrue(issubclass(quasar.RunError, RuntimeError))

    def test_a_chain_that_runs_away_says_so(self) -> None:
        with self.assertRaisesRegex(quasar.Diverged, "step_size"):
            quasar.sample(gaussian, "sgld", dim=2, step_size=10.0)

    def test_settings_of_every_python_type(self) -> None:
        settings = {"draws": np.int64(20), "warmup": 20, "warn": False}
        one = quasar.sample("gamma", step_size=np.float64(0.25), **settings)
        two = quasar.sample(quasar.model("gamma", shapes=[2, 5], rates=(1.0, 2.0)), step_size="0.25", **settings)
        self.assert_same_draws(one, two)
        hmc = quasar.sample("gamma", "hmc", metropolis=True, **settings)
        self.assert_same_draws(hmc, quasar.sample("gamma", "hmc", metropolis="true", **settings))

    def test_a_parameter_may_be_a_path(self) -> None:
        path = self.folder / "w.npy"
        np.save(path, MATRIX)
        one, two = (quasar.model("alpha-mf", DATA, rank=2, dictionary=w) for w in (path, str(path)))
        settings = {"draws": 10, "warmup": 10, "warn": False}
        self.assert_same_draws(quasar.sample(one, **settings), quasar.sample(two, **settings))

    def test_what_is_read_is_not_replaced(self) -> None:
        data = self.folder / "x.csv"
        data.write_text("a,b\n1,2\n3,4\n5,6\n")
        with self.assertRaisesRegex(quasar.UsageError, "x.csv is read; out names another file"):
            quasar.sample("alpha-mf", data=data, out=data, overwrite=True)
        words = self.folder / "t.txt"
        words.write_text("one two\ntwo three\n")
        with self.assertRaisesRegex(quasar.UsageError, "t.txt is read; out names another file"):
            quasar.topics.fit(words, out=words, overwrite=True)
        self.assertEqual(words.read_text(), "one two\ntwo three\n")

    def test_paths_of_every_kind(self) -> None:
        run = quasar.sample("funnel", draws=10, warn=False)
        for path in (self.folder / "ü b.nc", str(self.folder / "c.nc"), os.fsencode(self.folder / "d.nc")):
            run.save(path)
            self.assert_same_draws(run, quasar.load(path))
            self.assertTrue(Path(os.fsdecode(path)).exists())
        out = self.folder / "e.nc"
        quasar.sample("funnel", draws=10, out=os.fsencode(out), warn=False)
        self.assert_same_draws(run, quasar.load(out))
        again = quasar.sample("funnel", draws=10, init=os.fsencode(out), warn=False)
        self.assert_same_draws(again, quasar.sample("funnel", draws=10, init=out, warn=False))


if __name__ == "__main__":
    unittest.main()
