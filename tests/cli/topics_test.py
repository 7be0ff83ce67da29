"""quasar topics: from documents to topics, to a page, to the shares of new documents; what is refused, and how."""

import csv
import io
import random
import signal
import subprocess
import time
import unittest

from support import BIN, ROOT, CommandLine, report_data

NOTES = ROOT / "examples" / "notes.csv"
THEMES = ("garlic onion butter pepper sauce", "planet moon telescope orbit comet", "goal keeper striker match referee")
QUICK = ("--sweeps", 40, "--topics", 10, "--quiet")


def texts(count, seed=1):
    """Each of one theme, but for a word of another."""
    source = random.Random(seed)
    lines = []
    for n in range(count):
        words = source.choices(THEMES[n % 3].split(), k=20) + source.choices(THEMES[(n + 1) % 3].split(), k=1)
        source.shuffle(words)
        lines.append(" ".join(words))
    return "\n".join(lines) + "\n"


def without_times(found):
    """What a fit has found, but for how long it took."""
    for key in ("seconds", "output"):
        found.pop(key, None)
    for point in found.get("held_out", {}).get("curve", ()):
        del point["seconds"]
    return found


class Topics(CommandLine):
    def setUp(self):
        super().setUp()
        self.write("t.txt", texts(60))

    def shown(self, file="topics.nc"):
        return without_times(self.ok_json("topics", "show", file, "--topics", 100, "--documents"))


class Newcomer(Topics):
    def test_from_texts_to_topics_to_new_documents(self):
        result = self.ok("topics", "fit", "t.txt", "--topics", 10, "--sweeps", 60, "--held-out", 0.1, "--report", "t.html")
        self.assertRegex(result.stdout, r"t\.txt: 60 documents, 15 words, 1[01]\d\d tokens\n")
        self.assertRegex(result.stdout, r"gamma-gp: \d+ of 10 topics in use, \d+ of them with 99 % of the tokens\n60 sweeps in .* s, 30 of them burn-in; 10 draws kept\n")
        self.assertRegex(result.stdout, r"held out, 0\.1 of the tokens: perplexity [\d.]+ \(unigram [\d.]+, uniform 15\) of \d+ tokens")
        self.assertRegex(result.stdout, r"hyperparameter +mean +5% +95% +ess\n")
        self.assertIn("topics.nc and t.html written", result.stdout)
        found = self.ok_json("topics", "show", "topics.nc")
        self.assertEqual([one["topic"] for one in found["topics"]], list(range(1, 11)))
        self.assertEqual({frozenset(w["word"] for w in one["words"][:5]) for one in found["topics"][:3]}, {frozenset(t.split()) for t in THEMES})
        judged = found["held_out"]
        self.assertLess(judged["perplexity"], judged["unigram"])
        self.assertLess(judged["unigram"], judged["uniform"])
        self.assertEqual(len(judged["curve"]), 20)
        self.assertAlmostEqual(sum(one["share"] for one in found["topics"]), 1)

        one = self.ok_json("topics", "show", "topics.nc", "--topic", 2)
        self.assertEqual(one["words"], found["topics"][1]["words"])
        self.assertGreater(one["words"][0]["lift"], 1.5)
        self.assertEqual(len(one["documents"]), 5)
        self.assertRegex(self.ok("topics", "show", "topics.nc", "--topic", 2).stdout, r"topic 2 of 10: .* % of the tokens")
        self.assertRegex(self.ok("topics", "show", "topics.nc", "--documents").stdout, r"\ndocument 1 +\d+: \d+")

        self.write("new.txt", "the planet and the moon and the comet planet orbit orbit\n" + "zebra\n" + THEMES[0] + "\n")
        result = self.ok("topics", "infer", "topics.nc", "new.txt", "--out", "shares.csv")
        self.assertIn("1 of 12 tokens are of words that the vocabulary does not have", result.stderr)
        self.assertIn("1 document has no word that the topics know", result.stderr)
        rows = list(csv.DictReader(io.StringIO((self.folder / "shares.csv").read_text())))
        self.assertEqual([row["document"] for row in rows], ["document 1", "document 2", "document 3"])
        space = 1 + next(k for k in range(3) if found["topics"][k]["words"][0]["word"] in THEMES[1])
        self.assertGreater(float(rows[0][f"topic_{space}"]), 0.6)
        for row in rows:
            self.assertAlmostEqual(sum(float(row[f"topic_{k}"]) for k in range(1, 11)), 1, places=5)
        inferred = self.ok_json("topics", "infer", "topics.nc", "new.txt")
        self.assertEqual(inferred["unknown_tokens"], 1)
        self.assertAlmostEqual(inferred["documents"][0]["shares"][space - 1], float(rows[0][f"topic_{space}"]), places=6)

        self.write("more.txt", texts(30, seed=2))
        score = self.ok_json("topics", "score", "topics.nc", "more.txt")
        self.assertLess(score["perplexity"], 0.7 * score["unigram"])
        self.assertEqual(score["uniform"], 15)
        self.assertRegex(self.ok("topics", "score", "topics.nc", "more.txt").stdout, r"more\.txt: perplexity [\d.]+ \(unigram [\d.]+, uniform 15\) of \d+ held-out tokens, by 10 draws")

    def test_the_page_holds_what_was_found(self):
        self.write("bad.csv", 'document,word,count\n"</script><b>",<img>,30\n"</script><b>",plain,9\nother,<img>,2\nother,more,20\n')
        self.ok("topics", "fit", "bad.csv", *QUICK, "--report", "p.html")
        page = (self.folder / "p.html").read_text()
        self.assertNotIn("<img>", page)
        self.assertEqual(page.count("</script>"), 2)
        data = report_data(self.folder / "p.html")
        self.assertIn("<img>", data["words"]["names"])
        self.assertEqual(data["documents"]["names"], ["</script><b>", "other"])
        self.assertTrue(data["command"].startswith("quasar topics fit bad.csv --sweeps 40 --burn-in 20"), data["command"])
        self.assertIn("--set topics=10", data["command"])
        self.fails(2, r"p\.html exists; --overwrite replaces it, --report names another file", "topics", "show", "topics.nc", "--report", "p.html")
        self.ok("topics", "show", "topics.nc", "--report", "again.html")
        self.assertEqual(report_data(self.folder / "again.html"), data)

    def test_every_method_and_kind_of_file(self):
        uci = "3\n4\n5\n1 1 9\n1 2 7\n2 3 8\n2 4 9\n3 1 5\n"
        self.write("uci.txt", uci)
        self.write("vocab.txt", "a\nb\nc\nd\n")
        for method in (one["name"] for one in self.ok_json("list", "topics")):
            found = self.ok_json("topics", "fit", "uci.txt", "--vocabulary", "vocab.txt", "--method", method, "--topics", 4, "--sweeps", 30, "--out", f"{method}.nc")
            self.assertEqual(found["method"], method)
            self.assertAlmostEqual(sum(one["share"] for one in found["topics"]), 1, places=4)
            self.assertEqual({w["word"] for w in found["topics"][0]["words"]}, set("abcd"))
            self.ok_json("topics", "infer", f"{method}.nc", "uci.txt")
        nameless = self.ok_json("topics", "fit", "uci.txt", *QUICK, "--held-out", "uci.txt", "--out", "n.nc")
        self.assertIn("word 1", {w["word"] for w in nameless["topics"][0]["words"]})
        self.assertEqual(nameless["held_out"]["source"], "uci.txt")
        self.ok("topics", "score", "n.nc", "uci.txt", "--held-out", 0.5)


class HeldOutFiles(Topics):
    """The same documents judge alike in every format, whatever was fitted."""

    def setUp(self):
        super().setUp()
        vocabulary = sorted(" ".join(THEMES).split())
        more = texts(30, seed=2)
        counts = [(n, v, line.split().count(word)) for n, line in enumerate(more.splitlines(), 1) for v, word in enumerate(vocabulary, 1)]
        entries = [f"{n} {v} {count}" for n, v, count in counts if count]
        self.write("vocab.txt", "\n".join(vocabulary) + "\n")
        self.write("more.txt", more)
        self.write("more.csv", "id,text\n" + "".join(f"{n},{line}\n" for n, line in enumerate(more.splitlines())))
        self.write("more.uci", "\n".join(["30", "15", str(len(entries)), *entries]) + "\n")
        self.write("t.csv", "text\n" + texts(60))

    def judged(self, data, held_out, *arguments):
        found = self.ok_json("topics", "fit", data, *QUICK, "--held-out", held_out, *arguments, "--overwrite")["held_out"]
        self.assertEqual(found.pop("source"), held_out)
        for point in found["curve"]:
            del point["seconds"]
        return found

    def test_texts_and_tables(self):
        expected = self.judged("t.txt", "more.txt")
        self.assertLess(expected["perplexity"], 0.7 * expected["unigram"])
        for data, held_out in (("t.txt", "more.csv"), ("t.csv", "more.txt"), ("t.csv", "more.csv")):
            self.assertEqual(self.judged(data, held_out), expected, (data, held_out))
        self.fails(2, "the words of the model have no names", "topics", "fit", "more.uci", "--held-out", "more.txt", "--out", "n.nc")

    def test_with_a_vocabulary(self):
        given = ("--vocabulary", "vocab.txt")
        expected = self.judged("t.txt", "more.txt", *given)
        self.assertLess(expected["perplexity"], 0.7 * expected["unigram"])
        for data, held_out in (("t.txt", "more.uci"), ("t.csv", "more.uci"), ("t.csv", "more.csv")):
            self.assertEqual(self.judged(data, held_out, *given), expected, (data, held_out))
        self.assertEqual(self.judged("more.uci", "more.txt", *given), self.judged("more.uci", "more.uci", *given))

    def test_what_is_packed_judges_only_as_another_file(self):
        self.ok("pack", "--corpus", "t.txt")
        self.assertEqual(self.judged("t.qpk", "more.txt"), self.judged("t.txt", "more.txt"))
        self.fails(2, "t.qpk is packed and read as it is needed: no words can be held out of it", "topics", "fit", "t.qpk", "--held-out", 0.1, "--out", "n.nc")


class CutAsFitted(Topics):
    def test_new_texts_are_cut_as_those_of_the_fit(self):
        self.write("short.txt", "the ox is by the sea\nan ox is in the sea\n" * 10)
        self.write("new.txt", "by the ox\n")
        self.ok("topics", "fit", "short.txt", *QUICK, "--min-length", 2, "--stop-words", "none")
        self.assertEqual(self.ok("topics", "infer", "topics.nc", "new.txt").stderr, "")
        self.assertEqual(self.ok_json("topics", "score", "topics.nc", "short.txt", "--held-out", 0.9)["unknown_tokens"], 0)
        for flags in (("--min-length", 4), ("--stop-words", "english", "--min-length", 3)):
            self.fails(3, "no words in 1 documents", "topics", "infer", "topics.nc", "new.txt", *flags)

    def test_stop_words_of_a_file_that_is_gone(self):
        stop = self.write("stop.txt", "garlic planet\n")
        self.write("new.txt", "onion garlic\n")
        self.ok("topics", "fit", "t.txt", *QUICK, "--stop-words", "stop.txt")
        self.assertEqual(self.ok_json("topics", "infer", "topics.nc", "new.txt")["unknown_tokens"], 0)
        stop.unlink()
        self.assertEqual(self.ok_json("topics", "infer", "topics.nc", "new.txt")["unknown_tokens"], 1)


class Refused(Topics):
    def test_before_any_work(self):
        fit = ("topics", "fit")
        self.write("words.txt", "garlic\nonion\n")
        for read in ("t.txt", "words.txt"):
            self.fails(2, f"{read} is read; --out names another file", *fit, "t.txt", "--vocabulary", "words.txt", "--out", read, "--overwrite")
        self.fails(2, "words.txt is read; --report names another file", *fit, "t.txt", "--vocabulary", "words.txt", "--report", "words.txt", "--overwrite")
        self.fails(2, "topics needs a command: fit, show, infer or score", "topics")
        self.fails(2, "unknown command of topics 'fot'; did you mean 'fit'", "topics", "fot")
        self.fails(2, "unknown option of topics fit '--topicz'; did you mean '--topics'", *fit, "t.txt", "--topicz", 3)
        self.fails(2, "topics fit needs an argument: data", *fit)
        self.fails(2, "topics show takes no further argument 'b'", "topics", "show", "a", "b")
        self.fails(2, "unknown method 'gamma-pg'; did you mean 'gamma-gp'", *fit, "t.txt", "--method", "gamma-pg")
        self.fails(2, "unknown parameter 'topicz' of gamma-gp; did you mean 'topics'|topicz", *fit, "t.txt", "--set", "topicz=3")
        self.fails(2, "topics is given twice", *fit, "t.txt", "--set", "topics=3", "--topics", 4)
        self.fails(2, "topics = '0'", *fit, "t.txt", "--topics", 0)
        self.fails(2, "--sweeps = 'many': must be a number of passes", *fit, "t.txt", "--sweeps", "many")
        self.fails(2, "--burn-in = 40: must be below", *fit, "t.txt", "--sweeps", 40, "--burn-in", 40)
        self.fails(2, "--held-out 1.5: a share of the tokens is between 0 and 1", *fit, "t.txt", "--held-out", 1.5)
        self.fails(3, r"none\.txt: ", *fit, "none.txt")
        self.fails(3, r"none\.txt: ", *fit, "t.txt", "--held-out", "none.txt")
        self.fails(3, "there is no folder", *fit, "t.txt", "--out", "no/t.nc")
        self.fails(2, "--out and --report name the same file", *fit, "t.txt", "--out", "a.html", "--report", "a.html")

    def test_files_that_are_there_or_are_no_topics(self):
        self.ok("topics", "fit", "t.txt", *QUICK)
        self.fails(2, r"topics\.nc exists; --overwrite replaces it", "topics", "fit", "t.txt")
        self.fails(3, r"t\.txt: is not a file of topics", "topics", "show", "t.txt")
        self.fails(3, r"holds topics, not a run", "summary", "topics.nc")
        self.fails(2, "--topic 11: there are 10", "topics", "show", "topics.nc", "--topic", 11)
        self.fails(3, r"other\.txt: has 2 words, and the model knows 15", "topics", "infer", "topics.nc", self.write("other.txt", "1\n2\n1\n1 1 1\n"))
        self.fails(3, r"empty\.txt: no words in 1 documents that are in the vocabulary", "topics", "infer", "topics.nc", self.write("empty.txt", "zebra zebra\n"))
        self.fails(3, "no words are left to judge by", "topics", "score", "topics.nc", self.write("one.txt", "garlic\n"))


class Durable(Topics):
    LONG = ("topics", "fit", "t.txt", "--topics", 12, "--sweeps", 3000, "--draws", 6, "--held-out", 0.2, "--checkpoint-every", 50, "--quiet")

    def start(self, *arguments):
        return subprocess.Popen([BIN, *map(str, (*self.LONG, *arguments))], cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

    def wait_for_state(self, process):
        state = self.folder / "topics.nc.part" / "chain-1.state"
        while not state.exists() and process.poll() is None:
            time.sleep(0.002)

    def test_killed_and_resumed_it_finds_the_same(self):
        self.ok(*self.LONG, "--out", "whole.nc", "--threads", 1)
        whole = self.shown("whole.nc")
        source = random.Random(1)
        kills = 0
        for attempt in range(8):
            process = self.start("--resume", "--threads", 1 + attempt % 2)
            self.wait_for_state(process)
            time.sleep(source.uniform(0, 0.15))
            process.kill()
            process.stderr.close()
            kills += process.wait() == -signal.SIGKILL
        self.assertGreater(kills, 0)
        self.ok(*self.LONG, "--resume")
        self.assertEqual(self.shown(), whole)
        self.assertFalse((self.folder / "topics.nc.part").exists())
        again = self.ok(*self.LONG, "--resume")
        self.assertIn("topics.nc is complete; nothing to resume", again.stderr)
        other = self.quasar("topics", "fit", "t.txt", "--sweeps", 10, "--resume")
        self.assertEqual(other.returncode, 2)
        self.assertRegex(other.stderr, r"topics\.nc cannot be resumed: .*sweeps: 3000 there, 10 here")

    def test_ctrl_c_keeps_what_is_there(self):
        process = self.start()
        self.wait_for_state(process)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
        if process.returncode == 0:
            self.skipTest("the fit was faster")
        self.assertEqual(process.returncode, 130, errors)
        self.assertIn("stopped early; topics.nc has the topics so far, --resume goes on", errors)
        self.assertTrue(self.shown()["stopped_early"])
        self.fails(2, "topics.nc.part holds an unfinished run; --resume goes on with it", *self.LONG)
        self.ok(*self.LONG, "--resume")
        self.ok(*self.LONG, "--out", "whole.nc")
        self.assertEqual(self.shown(), self.shown("whole.nc"))

    def test_the_number_of_threads_changes_nothing(self):
        found = []
        for threads in (1, 2, 3):
            self.ok("topics", "fit", NOTES, *QUICK, "--held-out", 0.2, "--threads", threads, "--out", f"{threads}.nc")
            found.append(self.shown(f"{threads}.nc"))
            found[-1]["score"] = self.ok_json("topics", "score", f"{threads}.nc", NOTES, "--threads", 4 - threads)
        self.assertEqual(found[0], found[1])
        self.assertEqual(found[0], found[2])


if __name__ == "__main__":
    unittest.main()
