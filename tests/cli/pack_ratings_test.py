"""quasar pack --ratings, sampling from what it writes, and ratings that are made up on the fly."""

import gzip
import unittest

from support import ROOT, CommandLine

RATINGS = ROOT / "examples" / "ratings.csv"
GIBBS = ("--model", "bpmf", "--sampler", "gibbs", "--set", "model.rank=2", "--chains", 1, "--warmup", 20, "--draws", 20, "--quiet")


class PackRatings(CommandLine):
    def setUp(self):
        super().setUp()
        self.write("ratings.csv", RATINGS.read_bytes())

    def means(self, data):
        self.ok("sample", *GIBBS, "--data", data, "--out", "run.nc", "--overwrite")
        return {name: row["mean"] for name, row in self.parameters().items()}

    def parameters(self):
        return {row["name"]: row for row in self.ok_json("summary", "run.nc")["parameters"]}

    def test_says_what_it_wrote(self):
        result = self.ok("pack", "--ratings", "ratings.csv")
        self.assertEqual(result.stdout, "ratings.qpk written: 991 ratings by 60 users of 40 items, 19952 bytes\n")
        facts = self.ok_json("pack", "--ratings", "ratings.csv", "--out", "other")
        self.assertEqual({key: facts[key] for key in ("output", "ratings", "users", "items", "bytes")},
                         {"output": "other", "ratings": 991, "users": 60, "items": 40, "bytes": 19952})
        self.assertEqual(self.ok("pack", "other", "--verify").stdout, "other is sound: 991 ratings by 60 users of 40 items, 19952 bytes\n")
        self.write("zipped.csv.gz", gzip.compress(RATINGS.read_bytes()))
        self.ok("pack", "--ratings", "zipped.csv.gz")
        self.assertEqual((self.folder / "zipped.qpk").read_bytes(), (self.folder / "other").read_bytes())

    def test_the_model_is_that_of_the_text(self):
        """Sums over ratings are in another order, so means agree to rounding as long as chains have not forgotten it."""
        self.ok("pack", "--ratings", "ratings.csv")
        expected, found = self.means("ratings.csv"), self.means("ratings.qpk")
        self.assertEqual(expected.keys(), found.keys())
        for name, mean in expected.items():
            self.assertAlmostEqual(found[name], mean, delta=1e-6 * (1 + abs(mean)), msg=name)

    def test_a_run_does_not_go_on_with_another_order(self):
        self.ok("pack", "--ratings", "ratings.csv")
        self.ok("sample", *GIBBS, "--data", "ratings.csv", "--out", "run.nc")
        self.fails(2, "data", "sample", *GIBBS, "--data", "ratings.qpk", "--out", "run.nc", "--resume")

    def test_packed_ratings_are_predicted_and_scored(self):
        self.ok("pack", "--ratings", "ratings.csv")
        self.ok("sample", *GIBBS, "--data", "ratings.qpk", "--out", "run.nc", "--log-likelihood")
        errors = [self.ok_json("predict", "run.nc", "--data", data, "--out", data + ".csv")["scores"] for data in ("ratings.csv", "ratings.qpk")]
        for name in ("rmse", "log_score"):  # others look at random replicates, which go by the order of the rows
            self.assertAlmostEqual(errors[0][name], errors[1][name], places=9, msg=name)

    def test_wrong_usage(self):
        self.ok("pack", "--ratings", "ratings.csv")
        self.fails(2, "--user is for ratings: give --ratings too", "pack", "ratings.csv", "--user", "guest", "--out", "x")
        self.fails(2, "duplicates = 'maybe': must be one of", "pack", "--ratings", "ratings.csv", "--duplicates", "maybe", "--out", "x")
        self.fails(2, "there is no column 'nobody' for the user", "pack", "--ratings", "ratings.csv", "--user", "nobody", "--out", "x")
        self.fails(2, "ratings.qpk exists; --overwrite", "pack", "--ratings", "ratings.csv")
        self.fails(3, "ratings.qpk: is packed already", "pack", "--ratings", "ratings.qpk", "--out", "x")
        self.fails(3, "ratings.qpk: is packed already", "pack", "ratings.qpk", "--out", "x")
        self.fails(3, "ratings.qpk: holds ratings of items by users", "sample", "--model", "logistic", "--data", "ratings.qpk")
        self.write("twice.csv", "user,item,rating\na,b,1\nc,d,2\na,b,3\n")
        self.fails(3, "twice.csv:4: .*has rated item 'b' before, at line 2", "pack", "--ratings", "twice.csv")
        self.ok("pack", "--ratings", "twice.csv", "--duplicates", "last")
        self.write("swapped.csv", "item,user,rating\na,b,1\n")
        self.fails(2, "would be taken for each other", "pack", "--ratings", "swapped.csv", "--user", "item", "--item", "user")

    def test_damaged_files_are_refused(self):
        self.ok("pack", "--ratings", "ratings.csv")
        packed = (self.folder / "ratings.qpk").read_bytes()
        sample = ("sample", *GIBBS, "--data")
        self.write("cut", packed[:-8])
        self.fails(3, "cut: is cut short: 19944 of 19952 bytes are there", *sample, "cut")
        self.write("long", packed + b"\n")
        self.fails(3, "long: is too long", *sample, "long")
        self.write("damaged", packed[:200] + b"?" + packed[201:])
        self.fails(3, "damaged: is damaged: its header", *sample, "damaged")
        self.write("newer", packed[:8] + b"\2" + packed[9:])
        self.fails(3, "newer: has packed ratings of version 2", *sample, "newer")
        self.write("stranger", packed[:4096] + b"\xff" + packed[4097:])
        self.fails(3, "stranger: is damaged: its ratings", "pack", "stranger", "--verify")
        self.fails(3, "stranger: is damaged: rating 1 has a user", *sample, "stranger")

    def test_synthetic_ratings(self):
        run = ("sample", *GIBBS, "--overwrite", "--out", "run.nc", "--data")
        self.ok(*run, "synthetic:30x20x200")
        first = self.parameters()
        self.ok(*run, "synthetic:30x20x200:1")
        self.assertEqual(self.parameters(), first)
        self.ok(*run, "synthetic:30x20x200:2")
        self.assertNotEqual(self.parameters(), first)
        self.ok("pack", "--ratings", "synthetic:30x20x200", "--out", "made.qpk")
        self.ok(*run, "made.qpk")
        self.assertEqual(self.parameters(), first)
        self.fails(2, "fewer ratings than users or items", *run, "synthetic:30x20x20")
        self.fails(2, "--out has to name the file", "pack", "--ratings", "synthetic:30x20x200")
        self.fails(3, "synthetic:30x20x200: ", "sample", "--model", "logistic", "--data", "synthetic:30x20x200", "--out", "other.nc")


if __name__ == "__main__":
    unittest.main()
