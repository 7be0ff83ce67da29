"""Ratings in, predictions and recommendations out: what is read, what is said, what is refused."""

import csv
import gzip
import io
import math
import unittest

from support import ROOT, CommandLine

FIT = ROOT / "examples" / "ratings.csv"
TEST = ROOT / "examples" / "ratings-test.csv"
NEWCOMER = ROOT / "examples" / "ratings-newcomer.csv"
SAMPLE = ("sample", "--model", "bpmf", "--chains", 2, "--warmup", 60, "--draws", 40, "--set", "model.rank=2", "--quiet", "--overwrite")


def table(text):
    return list(csv.DictReader(io.StringIO(text)))


class Ratings(CommandLine):
    def fit(self, data=FIT, *options):
        result = self.quasar(*SAMPLE, "--data", data, *options)
        self.assertEqual(result.returncode, 0, result.stderr)

    def triples(self):
        return [(row["guest"], row["dish"], float(row["rating"])) for row in table(FIT.read_text())]

    def draws(self, name="run.nc"):
        self.ok("convert", name, "--to", "csv", "--out", f"{name}.csv", "--overwrite")
        return (self.folder / f"{name}.csv").read_text()


class Files(Ratings):
    def test_every_format_gives_the_same_draws(self):
        self.fit()
        whole = self.draws()
        rows = self.triples()
        self.write("tabs", "".join(f"{u}\t{i}\t{r}\t881250949\n" for u, i, r in rows))
        self.write("colons.dat", "".join(f"{u}::{i}::{r:g}::978300760\n" for u, i, r in rows))
        self.write("mixed.csv", "rating;dish;x;guest\n" + "".join(f"{r};{i};?;{u}\n" for u, i, r in rows))
        self.write("packed.gz", gzip.compress((self.folder / "colons.dat").read_bytes()))
        for data, names in (("tabs", ()), ("colons.dat", ()), ("packed.gz", ()), ("mixed.csv", ("guest", "dish", "rating"))):
            flags = [part for key, name in zip(("user", "item", "rating"), names) for part in ("--set", f"model.{key}={name}")]
            self.fit(data, *flags)
            self.assertEqual(self.draws(), whole, data)

    def test_matrix_market(self):
        users = sorted({u for u, _, _ in self.triples()})
        items = sorted({i for _, i, _ in self.triples()})
        rows = [(users.index(u) + 1, items.index(i) + 1, r) for u, i, r in self.triples()]
        self.write("n.csv", "u,i,r\n" + "".join(f"{u},{i},{r}\n" for u, i, r in rows))
        self.write("m.mtx", f"%%MatrixMarket matrix coordinate real general\n{len(users)} {len(items)} {len(rows)}\n"
                   + "".join(f"{u} {i} {r}\n" for u, i, r in rows))
        self.fit("n.csv")
        whole = self.draws()
        self.fit("m.mtx")
        self.assertEqual(self.draws(), whole)

    def test_refused_files(self):
        def refused(text, pattern, *options):
            self.write("bad", text)
            self.fails(3, pattern, *SAMPLE, "--data", "bad", *options)

        refused("", "^quasar: bad: the file is empty")
        refused("user,item,rating\n", "^quasar: bad: a header but no ratings")
        refused("a,b,5\na,c,x\n", "^quasar: bad:2: the rating 'x' is not a number")
        refused("a,b,5\na,c,nan\n", "^quasar: bad:2: the rating 'nan' is a missing value")
        refused("a,b,5\na,c,inf\n", "^quasar: bad:2: the rating 'inf' is not finite")
        refused("1\t2\t5\n\t2\t5\n", "^quasar: bad:2: the user is missing")
        refused("1::2::5\n1::2\n", "^quasar: bad:2: expected 3 fields, found 2")
        refused("u,i\n1,2\n", "^quasar: bad:1: user, item and rating are three columns")
        refused("1,2,5\n1,3,4\n1,2,5\n", "^quasar: bad:3: .*user '1' has rated item '2' before, at line 1: set model.duplicates=last")
        refused("a,b,1e308\na,c,-1e308\n", "^quasar: bad: ratings from -1e\\+308 to 1e\\+308 are too large")
        refused("a,b,1e-200\na,c,2e-200\n", "^quasar: bad: ratings from 1e-200", "--set", "model.scaling=standardize")
        self.assertFalse((self.folder / "run.nc.part").exists())
        refused(gzip.compress(b"1,2,5\n" * 1000)[:-12], "bad: the gzip data")
        refused("%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 5\n", "^quasar: bad:3: the file ends after 1 of the 2")
        self.write("t.csv", "u,i,r\n1,2,5\n1,3,4\n")
        self.ok("pack", "t.csv", "--out", "t.qpt")
        self.fails(3, "t.qpt: ratings are read from text", *SAMPLE, "--data", "t.qpt")

    def test_parameters_that_name_no_columns(self):
        for text in ("u,i,r\n1,2,5\n", "1,2,5\n"):
            self.write("t", text)
            self.fails(2, "^quasar: t:?1?: .*'who'", *SAMPLE, "--data", "t", "--set", "model.user=who")
            self.fails(2, "three different columns", *SAMPLE, "--data", "t", "--set",
                       "model.user=" + ("u" if "u" in text else "user"), "--set", "model.item=" + ("u" if "u" in text else "user"))

    def test_the_columns_are_named(self):
        self.write("named.csv", "user,item,timestamp,rating\na,b,881250949,5\na,c,881250950,3\n")
        run = [part for part in SAMPLE if part != "--quiet"]
        self.assertNotIn("column", self.quasar(*run, "--data", "named.csv").stderr)
        said = self.ok_json("predict", "run.nc", "--data", "named.csv", "--out", "p.csv")
        self.assertLess(said["scores"]["rmse"], 10)
        result = self.quasar(*run, "--data", FIT)
        self.assertIn("users are in the column 'guest', items in 'dish', ratings in 'rating'", result.stderr)

    def test_prior_only(self):
        self.fails(2, "not with --prior-only", *SAMPLE, "--data", FIT, "--prior-only", "--sampler", "gibbs")

    def test_odd_ids(self):
        self.write("odd.csv", "user,item,rating\n1,5,3\n1,1000000000000,4\n1000000000,5,2\n\"Zoe, A.\",ünter,5\n")
        self.fit("odd.csv")
        said = self.ok_json("recommend", "run.nc", "--user", "Zoe, A.", "--rated", "odd.csv")
        self.assertEqual({row["item"] for row in said["recommendations"]}, {"5", "1000000000000"})

    def test_one_rating(self):
        self.write("one.csv", "1,5,3\n")
        self.fit("one.csv")
        self.assertEqual(len(table(self.ok("predict", "run.nc", "--data", "one.csv").stdout)), 1)


class Predictions(Ratings):
    def test_pairs(self):
        self.fit(FIT, "--held-out", TEST)
        said = self.ok_json("predict", "run.nc", "--data", TEST, "--out", "p.csv")
        rows = table((self.folder / "p.csv").read_text())
        errors = [float(row["observed"]) - float(row["mean"]) for row in rows]
        self.assertAlmostEqual(said["scores"]["rmse"], math.sqrt(sum(e * e for e in errors) / len(rows)), places=12)
        self.write("pairs.csv", "dish,guest\nbeef pie,g01\nunicorn,g01\n")
        result = self.ok("predict", "run.nc", "--data", "pairs.csv")
        self.assertIn("1 item is not in the training data", result.stderr)
        known, unseen = table(result.stdout)
        self.assertLess(float(known["sd"]), float(unseen["sd"]))
        self.assertEqual(self.ok("predict", "run.nc", "--data", "pairs.csv", "--threads", 1).stdout, result.stdout)

    def test_columns_whose_names_say_the_contrary(self):
        rows = self.triples()
        self.write("turned.csv", "item,user,rating\n" + "".join(f"{u},{i},{r}\n" for u, i, r in rows))
        self.write("bare.csv", "".join(f"{u},{i},{r}\n" for u, i, r in rows))
        self.fit("turned.csv", "--set", "model.user=item", "--set", "model.item=user", "--held-out", "bare.csv")
        predicted = [self.ok("predict", "run.nc", "--data", data).stdout for data in ("turned.csv", "bare.csv")]
        self.assertEqual(predicted[0], predicted[1])
        first = table(predicted[0])[0]
        self.assertEqual((first["user"], first["item"]), rows[0][:2])

    def test_held_out(self):
        self.fit(FIT, "--held-out", TEST, "--keep", "moments")
        self.fails(3, "keeps moments and no draws", "recommend", "run.nc", "--user", "g01")
        self.write("empty.csv", "")
        self.fails(3, "^quasar: empty.csv: the file is empty", *SAMPLE, "--data", FIT, "--held-out", "empty.csv")
        self.write("header.csv", "guest,dish,rating\n")
        self.fails(3, "^quasar: header.csv: a header but no ratings", *SAMPLE, "--data", FIT, "--held-out", "header.csv")
        self.write("pairs.csv", "guest,dish\ng01,beef pie\n")
        self.fails(3, "has no column of the response", *SAMPLE, "--data", FIT, "--held-out", "pairs.csv")
        self.write("missing.csv", "guest,dish,rating\ng01,beef pie,NA\ng02,beef pie,\n")
        self.fails(3, "^quasar: missing.csv: the response is missing in every row", *SAMPLE, "--data", FIT, "--held-out", "missing.csv")
        self.write("wrong.csv", "who,dish,rating\ng01,beef pie,3\n")
        self.fails(3, "^quasar: wrong.csv:1: there is no column 'guest'", *SAMPLE, "--data", FIT, "--held-out", "wrong.csv")

    def test_fold_in(self):
        self.fit()
        self.write("pairs.csv", "guest,dish\nnewcomer,beef pie\n")
        (before,) = table(self.ok("predict", "run.nc", "--data", "pairs.csv").stdout)
        result = self.ok("predict", "run.nc", "--data", "pairs.csv", "--fold-in", NEWCOMER)
        self.assertNotIn("training data", result.stderr)
        (after,) = table(result.stdout)
        self.assertNotEqual(after["mean"], before["mean"])
        self.assertLess(float(after["sd"]), float(before["sd"]))
        self.write("huge.csv", "guest,dish,rating\nnewcomer,beef pie,1e308\n")
        self.fails(3, "^quasar: huge.csv:2: the rating 1e\\+308 is too large", "predict", "run.nc", "--data", "pairs.csv",
                   "--fold-in", "huge.csv")
        self.write("known.csv", "guest,dish,rating\ng01,beef pie,3\n")
        self.fails(3, "^quasar: known.csv:2: user 'g01' and item 'beef pie' were fitted already", "predict", "run.nc", "--data",
                   "pairs.csv", "--fold-in", "known.csv")


class Recommendations(Ratings):
    def setUp(self):
        super().setUp()
        self.fit()

    def test_a_user(self):
        rows = table(self.csv("--user", "g07", "--rated", FIT, "--interval", 0.8))
        self.assertEqual(list(rows[0]), ["user", "rank", "item", "mean", "sd", "q10", "q90", "probability"])
        self.assertEqual([row["rank"] for row in rows], [str(i) for i in range(1, 11)])
        means = [float(row["mean"]) for row in rows]
        self.assertEqual(means, sorted(means, reverse=True))
        rated = {item for user, item, _ in self.triples() if user == "g07"}
        self.assertFalse(rated & {row["item"] for row in rows})
        self.assertTrue(all(float(row["q10"]) < float(row["mean"]) < float(row["q90"]) for row in rows))
        # Among 40 dishes every probability counts ten places of each draw.
        everything = table(self.csv("--user", "g07", "--top", 40))
        self.assertEqual({row["probability"] for row in everything}, {"1"})

    def csv(self, *options):
        self.ok("recommend", "run.nc", *options, "--out", "r.csv", "--overwrite", "--quiet")
        return (self.folder / "r.csv").read_text()

    def test_means_are_those_of_predict(self):
        (best, *_) = table(self.csv("--user", "g07"))
        self.write("pair.csv", f"guest,dish\ng07,{best['item']}\n")
        (row,) = table(self.ok("predict", "run.nc", "--data", "pair.csv").stdout)
        self.assertAlmostEqual(float(row["mean"]), float(best["mean"]), places=12)
        (best, *_) = table(self.csv("--fold-in", NEWCOMER))
        self.write("pair.csv", f"guest,dish\nnewcomer,{best['item']}\n")
        (row,) = table(self.ok("predict", "run.nc", "--data", "pair.csv", "--fold-in", NEWCOMER).stdout)
        self.assertAlmostEqual(float(row["mean"]), float(best["mean"]), places=12)

    def test_many_users_and_threads(self):
        self.write("users", "g03\n\ng01\ng03\n")
        for ranking, column in (("mean", "mean"), ("lower", "q5"), ("upper", "q95"), ("probability", "probability")):
            one = self.csv("--users", "users", "--rank-by", ranking, "--top", 4, "--threads", 1)
            self.assertEqual(self.csv("--users", "users", "--rank-by", ranking, "--top", 4, "--threads", 3), one)
            rows = table(one)
            self.assertEqual([row["user"] for row in rows], ["g03"] * 4 + ["g01"] * 4)
            keys = [float(row[column]) for row in rows[:4]]
            self.assertEqual(keys, sorted(keys, reverse=True))

    def test_new_users(self):
        rows = table(self.csv("--fold-in", NEWCOMER, "--top", 50))
        rated = {row["dish"] for row in table(NEWCOMER.read_text())}
        self.assertEqual({row["user"] for row in rows}, {"newcomer"})
        self.assertEqual(len(rows), 40 - len(rated))
        self.assertFalse(rated & {row["item"] for row in rows})

    def test_new_items(self):
        self.write("unicorn.csv", "guest,dish,rating\ng02,unicorn,5\ng03,unicorn,5\n")
        rows = table(self.csv("--user", "g01", "--fold-in", "unicorn.csv", "--top", 50))
        self.assertEqual(len(rows), 41)
        (unicorn,) = (row for row in rows if row["item"] == "unicorn")
        self.write("pair.csv", "guest,dish\ng01,unicorn\n")
        (row,) = table(self.ok("predict", "run.nc", "--data", "pair.csv", "--fold-in", "unicorn.csv").stdout)
        self.assertAlmostEqual(float(row["mean"]), float(unicorn["mean"]), places=12)
        self.assertNotIn("unicorn", self.csv("--user", "g02", "--fold-in", "unicorn.csv", "--top", 50))
        self.write("items", "unicorn\n")
        self.assertEqual([row["item"] for row in table(self.csv("--user", "g01", "--fold-in", "unicorn.csv", "--items", "items"))],
                         ["unicorn"])

    def test_what_is_said_of_rated_items(self):
        rated_too = "items that users have rated are recommended too"
        said = lambda *options: self.ok("recommend", "run.nc", *options).stderr
        self.assertIn(rated_too, said("--user", "g01"))
        self.assertNotIn(rated_too, said("--user", "newcomer", "--fold-in", NEWCOMER))
        self.write("others.csv", "guest,dish,rating\nx,y,3\n")
        self.assertIn("others.csv: no pair of a user and an item there was fitted", said("--user", "g01", "--rated", "others.csv"))
        self.write("all.csv", "guest,dish\n" + "".join(f"g01,{item}\n" for item in {item for _, item, _ in self.triples()}))
        self.write("users", "g01\ng02\n")
        self.assertRegex(said("--users", "users", "--rated", "all.csv"), "no item is left for user 'g01'\nat most 10 items for each of 2 users")
        self.assertEqual(self.ok_json("recommend", "run.nc", "--user", "g01", "--rated", "all.csv")["users_without_items"], ["g01"])

    def test_labels_are_shown_on_one_line(self):
        self.write("odd.csv", 'user,item,rating\na,"b\n\x1b[31mc",3\na,d,4\n')
        self.fit("odd.csv")
        text = self.ok("recommend", "run.nc", "--user", "a").stdout
        self.assertEqual(len(text.splitlines()), 3)
        self.assertNotIn("\x1b", text)

    def test_items(self):
        self.write("items", "beef pie\ntofu pie\n")
        self.assertEqual({row["item"] for row in table(self.csv("--user", "g01", "--items", "items"))}, {"beef pie", "tofu pie"})
        self.write("items", "beef pie\nbeef pi\n")
        self.fails(3, "^quasar: items:2: item 'beef pi' is not in the training data; did you mean 'beef pie'", "recommend",
                   "run.nc", "--user", "g01", "--items", "items")

    def test_evaluation(self):
        said = self.ok_json("recommend", "run.nc", "--evaluate", TEST, "--rated", FIT, "--top", 5)
        liked = [(row["guest"], row["dish"]) for row in table(TEST.read_text()) if float(row["rating"]) >= 4]
        users = sorted({user for user, _ in liked})
        self.write("users", "\n".join(users))
        lists = table(self.csv("--users", "users", "--rated", FIT, "--top", 5))
        hits = {user: [(user, row["item"]) in liked for row in lists if row["user"] == user] for user in users}
        counts = {user: sum(u == user for u, _ in liked) for user in users}
        gains = {user: sum(hit / math.log2(2 + k) for k, hit in enumerate(hits[user])) for user in users}
        best = {user: sum(1 / math.log2(2 + k) for k in range(min(5, counts[user]))) for user in users}
        mean = lambda values: sum(values) / len(users)
        self.assertEqual(said["users"], len(users))
        self.assertAlmostEqual(said["scores"]["precision@5"], mean([sum(hits[u]) / 5 for u in users]), places=12)
        self.assertAlmostEqual(said["scores"]["recall@5"], mean([sum(hits[u]) / counts[u] for u in users]), places=12)
        self.assertAlmostEqual(said["scores"]["ndcg@5"], mean([gains[u] / best[u] for u in users]), places=12)
        scores = self.ok_json("predict", "run.nc", "--data", TEST, "--out", "p.csv")["scores"]
        self.assertEqual((said["scores"]["rmse"], said["scores"]["mae"]), (scores["rmse"], scores["mae"]))
        twice = TEST.read_text() + "".join(f"{user},unicorn,5\n" for user, _ in liked) + "x,unicorn,5\n"
        self.write("once.csv", twice)
        self.write("twice.csv", twice + "".join(twice.splitlines(keepends=True)[1:]))
        lists = [self.ok_json("recommend", "run.nc", "--evaluate", data, "--rated", FIT) for data in ("once.csv", "twice.csv")]
        self.assertEqual(lists[0]["scores"]["recall@10"], lists[1]["scores"]["recall@10"])
        self.assertEqual(lists[0]["notes"], ["once.csv: 1 user and 1 item are not in the training data: predicted by the prior"])
        self.assertIn("are not in the training data", self.ok("recommend", "run.nc", "--evaluate", "once.csv").stderr)
        self.fails(3, "no user of the training data has rated an item 6 or more", "recommend", "run.nc", "--evaluate", TEST,
                   "--relevant", 6)

    def test_refusals(self):
        self.fails(2, "recommend to whom", "recommend", "run.nc")
        self.fails(2, "--evaluate judges by the users of its file", "recommend", "run.nc", "--evaluate", TEST, "--user", "g01")
        self.fails(2, "--relevant belongs to --evaluate", "recommend", "run.nc", "--user", "g01", "--relevant", 3)
        self.fails(2, "--rank-by = 'luck'", "recommend", "run.nc", "--user", "g01", "--rank-by", "luck")
        self.fails(2, "--top = '0': must be at least 1", "recommend", "run.nc", "--user", "g01", "--top", 0)
        self.fails(3, "user 'g1' is not in the training data; --fold-in .*; did you mean 'g01'", "recommend", "run.nc", "--user", "g1")
        self.write("users", "g01\nnobody-like-that\n")
        self.fails(3, "^quasar: users:2: user 'nobody-like-that' is not in the training data; --fold-in", "recommend", "run.nc",
                   "--users", "users")
        self.write("users", "\n")
        self.fails(3, "users: the file is empty", "recommend", "run.nc", "--users", "users")
        self.write("there.csv", "")
        self.fails(2, "there.csv exists", "recommend", "run.nc", "--user", "g01", "--out", "there.csv")
        self.write("rated.csv", "guest,dish\ng01,beef pie\n")
        self.fails(2, "rated.csv is read", "recommend", "run.nc", "--user", "g01", "--rated", "rated.csv", "--out", "rated.csv")
        self.ok("sample", "--model", "logistic", "--data", ROOT / "examples" / "heart.csv", "--draws", 20, "--quiet", "--out", "heart.nc")
        self.fails(2, "the model logistic recommends nothing", "recommend", "heart.nc", "--user", "g01")
        self.fails(2, "--fold-in is for ratings", "predict", "heart.nc", "--data", ROOT / "examples" / "heart.csv", "--fold-in",
                   NEWCOMER)


if __name__ == "__main__":
    unittest.main()
