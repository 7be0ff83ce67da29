"""quasar pack --corpus: documents of every kind, and what it says of them."""

import unittest

from support import ROOT, CommandLine

NOTES = ROOT / "examples" / "notes.csv"


class PackCorpus(CommandLine):
    def facts(self, *arguments):
        return self.ok_json("pack", "--corpus", *arguments, "--overwrite")

    def test_says_what_it_wrote(self):
        self.write("notes.csv", NOTES.read_bytes())
        result = self.ok("pack", "--corpus", "notes.csv")
        self.assertRegex(result.stdout, r"^notes.qpk written: 60 documents of \d+ words, \d+ tokens, \d+ bytes\n$")
        self.assertEqual(self.ok("pack", "notes.qpk", "--verify").stdout, result.stdout.replace("written", "is sound"))
        facts = self.facts("notes.csv", "--min-documents", 2, "--max-words", 100, "--document", "subject")
        self.assertEqual((facts["documents"], facts["words"]), (60, 100))

    def test_a_corpus_has_one_hash_in_every_form(self):
        self.write("uci", "2\n3\n3\n1 1 2\n1 2 1\n2 3 4\n")
        self.write("matrix", "%%MatrixMarket matrix coordinate real general\n2 3 3\n2 3 4\n1 1 2\n1 2 1\n")
        self.write("words", "cow\nape\nbee\n")
        self.write("rows", "document,word,count\nx,ape,1\nx,cow,2\ny,bee,4\n")
        numbers = [self.facts(name, "--out", "o")["data_hash"] for name in ("uci", "matrix")]
        self.assertEqual(*numbers)
        named = [self.facts(name, "--vocabulary", "words", "--out", "o")["data_hash"] for name in ("uci", "rows")]
        self.assertEqual(*named)
        self.assertNotEqual(numbers[0], named[0])

    def test_says_what_is_left_out(self):
        self.write("lines", "cow ape zebra\n")
        self.write("words", "cow\nape\n")
        result = self.ok("pack", "--corpus", "lines", "--vocabulary", "words")
        self.assertIn("1 of 3 tokens are of words that the vocabulary does not have, and are left out", result.stderr)

    def test_wrong_usage(self):
        self.write("lines", "cow ape\n")
        self.fails(2, "--min-length is for documents: give --corpus too", "pack", "lines", "--min-length", 2, "--out", "x")
        self.fails(2, "ratings or documents, not both", "pack", "--ratings", "--corpus", "lines", "--out", "x")
        self.fails(2, "--format = 'pdf': must be one of", "pack", "--corpus", "lines", "--format", "pdf", "--out", "x")
        self.fails(2, "there is no column 'body'", "pack", "--corpus", "lines", "--text", "body", "--out", "x")
        self.ok("pack", "--corpus", "lines")
        self.fails(3, "lines.qpk: is packed already", "pack", "--corpus", "lines.qpk", "--out", "x")
        self.write("broken", "1\n1\n2\n1 1 1\n")
        self.fails(3, "broken:4: the file ends after 1 of the 2 entries", "pack", "--corpus", "broken", "--out", "x")


if __name__ == "__main__":
    unittest.main()
