"""quasar.topics: the command's numbers from texts, frames, counts and files; what is refused."""

import json
import unittest
import warnings

import numpy as np
import pandas
import scipy.sparse  # type: ignore[import-untyped]

import quasar
from support import ROOT, PackageTest

NOTES = ROOT / "examples" / "notes.csv"
FRAME = pandas.read_csv(NOTES)
COUNTS = np.array([[9, 7, 0, 0], [0, 0, 8, 9], [5, 6, 0, 1], [0, 0, 0, 0]])
QUICK = {"topics": 6, "sweeps": 20}


def fit(*arguments: object, **options: object) -> quasar.topics.Topics:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return quasar.topics.fit(*arguments, **{**QUICK, **options})  # type: ignore[arg-type]


class Topics(PackageTest):
    def test_the_numbers_are_those_of_the_command_line(self) -> None:
        for method in ("gamma-gp", "vgp"):
            flags = ("--method", method, "--topics", 6, "--sweeps", 20, "--held-out", 0.2, "--seed", 3)
            self.command_line("topics", "fit", NOTES, *flags, "--out", f"{method}.nc", "--quiet")
            printed = json.loads(self.command_line("topics", "show", f"{method}.nc", "--json"))
            found = fit(NOTES, method, held_out=0.2, seed=3)
            self.assertEqual(without_times(found.to_dict()), without_times(printed))
            loaded = quasar.topics.load(self.folder / f"{method}.nc")
            np.testing.assert_array_equal(found.phi_draws, loaded.phi_draws)
            np.testing.assert_array_equal(found.shares, loaded.shares)
            inferred = json.loads(self.command_line("topics", "infer", f"{method}.nc", NOTES, "--json"))
            np.testing.assert_allclose(found.infer(NOTES), [one["shares"] for one in inferred["documents"]], atol=1e-7)
            scored = json.loads(self.command_line("topics", "score", f"{method}.nc", NOTES, "--json"))
            self.assertEqual(found.score(NOTES).perplexity, scored["perplexity"])

    def test_what_documents_may_be(self) -> None:
        of_file = fit(NOTES)
        of_texts = fit(list(FRAME.text))
        of_frame = fit(FRAME)
        of_series = fit(FRAME.text.set_axis(FRAME.subject, axis=0))
        for other in (of_texts, of_frame, of_series):
            np.testing.assert_array_equal(of_file.phi, other.phi)
        self.assertEqual(of_series.documents[:2], tuple(FRAME.subject[:2]))
        self.assertEqual(of_file.words, of_texts.words)
        dense = fit(COUNTS, words=list("abcd"), titles=list("pqrs"))
        sparse = fit(scipy.sparse.coo_matrix(COUNTS), words=list("abcd"))
        np.testing.assert_array_equal(dense.phi, sparse.phi)
        np.testing.assert_array_equal(dense.phi, fit(COUNTS.astype(float)).phi)
        self.assertEqual((dense.words, dense.documents), (tuple("abcd"), tuple("pqrs")))
        rows = [(n, word, count) for n, row in enumerate(COUNTS) for word, count in zip("abcd", row, strict=True)]
        counted = fit(pandas.DataFrame(rows, columns=["document", "word", "count"]))
        self.assertEqual(counted.to_dict()["tokens"], COUNTS.sum())

    def test_lists_of_words_are_taken_as_they_are(self) -> None:
        documents = [["Tea", "tea", "a", "tea"], [], ("the", "New York", "a", "\udc80")]
        found = fit(documents, titles=list("pqr"))
        self.assertEqual(found.words, ("a", "tea", "?", "New York", "Tea", "the"))
        self.assertEqual((found.to_dict()["tokens"], found.documents), (8, tuple("pqr")))
        self.assertEqual(fit(documents, reading={"min_documents": 2}).words, ("a",))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            self.assertEqual(found.infer([["a", "the", "New York"]]).shape, (1, 6))
        with self.assertWarnsRegex(quasar.PredictionWarning, "1 of 2 tokens are of words that the vocabulary does not"):
            found.infer([["A", "a"]])

    def test_a_held_out_file_is_read_as_what_it_is(self) -> None:
        lines = self.folder / "notes.txt"
        lines.write_text("".join(text + "\n" for text in FRAME.text))
        expected = judged(fit(NOTES, held_out=NOTES))
        for documents in (list(FRAME.text), FRAME, FRAME[["text"]]):
            for held_out in (NOTES, lines):
                self.assertEqual(judged(fit(documents, held_out=held_out)), expected)
        of_bodies = FRAME.rename(columns={"text": "body"})
        of_bodies.to_csv(self.folder / "bodies.csv", index=False)
        found = fit(of_bodies, held_out=self.folder / "bodies.csv", reading={"text": "body"})
        self.assertEqual(judged(found), expected)

    def test_new_texts_are_cut_as_those_of_the_fit(self) -> None:
        texts = ["the ox is by the sea", "an ox is in the sea"] * 10
        cut = {"min_length": 2, "stop_words": "none"}
        (self.folder / "texts.txt").write_text("\n".join(texts))
        for documents in (texts, pandas.DataFrame({"text": texts}), self.folder / "texts.txt"):
            found = fit(documents, reading=cut)
            self.assertEqual(found.to_dict()["configuration"]["documents"], {"min_length": "2", "stop_words": "none"})
            found.save(self.folder / "t.nc", overwrite=True)
            for topics in (found, quasar.topics.load(self.folder / "t.nc")):
                np.testing.assert_array_equal(topics.infer(["by the ox"]), topics.infer(["by the ox"], **cut))
                self.assertEqual(topics.score(texts).unknown_tokens, 0)
                with self.assertRaisesRegex(quasar.DataError, "no words in 1 documents"):
                    topics.infer(["by the ox"], min_length=3, stop_words="english")

    def test_what_is_found(self) -> None:
        found = fit(COUNTS, words=list("abcd"), held_out=0.2, draws=4)
        self.assertEqual((len(found), found.phi.shape, found.phi_draws.shape), (6, (6, 4), (4, 6, 4)))
        self.assertEqual((found.weights.shape, found.weight_draws.shape, found.shares.shape), ((6,), (4, 6), (4, 6)))
        np.testing.assert_allclose(found.phi.sum(axis=1), 1, rtol=1e-5)
        np.testing.assert_allclose(found.shares.sum(axis=1), 1, rtol=1e-5)
        np.testing.assert_allclose(found.phi, found.phi_draws.mean(axis=0), rtol=1e-5)
        self.assertEqual(found.top_words(2)[0], [found.words[k] for k in np.argsort(-found.phi[0])[:2]])
        self.assertEqual(len(found.trace["sweeps"]), 20)
        self.assertIn("alpha", found.trace)
        assert found.held_out is not None
        self.assertEqual(found.held_out["uniform"], 4)
        self.assertRegex(repr(found), r"documents: 4 documents, 4 words, \d+ tokens\ngamma-gp: ")
        self.assertEqual(list(found.to_pandas(2).columns), ["share", "weight", "words"])
        found.save(self.folder / "t.nc")
        again = quasar.topics.load(self.folder / "t.nc")
        self.assertEqual(again.to_dict(), found.to_dict())
        np.testing.assert_array_equal(again.infer(COUNTS), found.infer(COUNTS, threads=2))
        found.report(self.folder / "t.html")
        self.assertIn("Topics of documents, gamma-gp", (self.folder / "t.html").read_text())
        with self.assertRaisesRegex(quasar.UsageError, "exists; overwrite=True replaces it"):
            found.save(self.folder / "t.nc")

    def test_words_that_are_not_known(self) -> None:
        found = fit(list(FRAME.text))
        with self.assertWarnsRegex(quasar.PredictionWarning, "1 of 2 tokens are of words that the vocabulary does not"):
            self.assertEqual(found.infer(["telescope zebra"]).shape, (1, 6))
        named = fit(COUNTS, words=list("abcd"))
        np.testing.assert_array_equal(named.infer(COUNTS[:, ::-1], words=list("dcba")), named.infer(COUNTS))
        with self.assertRaisesRegex(quasar.DataError, "has 3 words, and the model knows 4"):
            named.infer(COUNTS[:, :3])

    def test_a_file_that_survives(self) -> None:
        out = self.folder / "t.nc"
        found = fit(NOTES, out=out)
        np.testing.assert_array_equal(fit(NOTES, out=out, resume=True).phi, found.phi)
        with self.assertRaisesRegex(quasar.UsageError, "exists; overwrite=True replaces it"):
            fit(NOTES, out=out)
        with self.assertRaisesRegex(quasar.UsageError, "cannot be resumed: .*sweeps: 20 there, 30 here"):
            fit(NOTES, out=out, resume=True, sweeps=30)

    def test_methods(self) -> None:
        listed = quasar.topics.methods()
        self.assertEqual(listed["gamma-gp"].law, "exact")
        self.assertEqual(listed["nb-lda"].topic_count, "fixed")
        self.assertIn("word_prior", listed["gamma-gp"].parameters)

    def test_what_is_refused(self) -> None:
        refused = self.assertRaisesRegex
        with refused(quasar.UsageError, "unknown method 'gamma-pg'; did you mean 'gamma-gp'"):
            fit(NOTES, "gamma-pg")
        with refused(quasar.UsageError, "word_priors"):
            fit(NOTES, word_priors=1)
        with refused(quasar.UsageError, "reading: there is no 'minimum'"):
            fit(NOTES, reading={"minimum": 3})
        with refused(quasar.UsageError, "held_out 2: a share of the tokens is between 0 and 1"):
            fit(NOTES, held_out=2)
        with refused(quasar.UsageError, "overwrite is for a fit that is written to a file"):
            fit(NOTES, overwrite=True)
        with refused(quasar.UsageError, "words is for counts, not for texts"):
            fit(["a text"], words=["text"])
        with refused(quasar.UsageError, "min_length is for texts and files, and documents are counts"):
            fit(COUNTS, reading={"min_length": 3})
        with refused(quasar.UsageError, "min_length is for texts and files, and documents are lists of words"):
            fit([["tea", "milk"]], reading={"min_length": 2})
        with refused(quasar.DataError, "document 2: a word is empty"):
            fit([["tea"], ["milk", ""]])
        with refused(quasar.DataError, "words: there are 3 of them, and 4 columns of counts"):
            fit(COUNTS, words=list("abc"))
        with refused(quasar.DataError, "documents: has the word 'a' twice"):
            fit(COUNTS, words=["a", "b", "a", "c"])
        with refused(quasar.DataError, "titles: there are 1 of them, and 2 documents"):
            fit(pandas.DataFrame({"text": ["one text", "another text"]}), titles=["one"])
        with refused(quasar.DataError, "documents: a count is a whole number"):
            fit(COUNTS + 0.5)
        with refused(quasar.DataError, "documents: a count is a whole number"):
            fit(-COUNTS)
        with refused(quasar.DataError, "two axes"):
            fit(np.arange(3))
        with refused(quasar.DataError, "documents: no words in 4 documents"):
            fit(COUNTS * 0)
        with refused(quasar.DataError, "none.csv: "):
            fit(self.folder / "none.csv")
        with refused(TypeError, "each is a text, or each a list of words, not 3"):
            fit(["a", 3])
        with refused(TypeError, "documents are a path, texts"):
            fit(3)


def judged(found: quasar.topics.Topics) -> tuple[float, float]:
    assert found.held_out is not None
    return found.held_out["perplexity"], found.held_out["unigram"]


def without_times(facts: dict[str, object]) -> dict[str, object]:
    for name in ("seconds", "file"):
        del facts[name]
    for point in facts["held_out"]["curve"]:  # type: ignore[index]
        del point["seconds"]
    return facts


if __name__ == "__main__":
    unittest.main()
