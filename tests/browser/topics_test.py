"""The page of topics in a real browser: what is shown, what can be clicked, and that words from data stay words."""

import unittest

from hostile import HOSTILE
from page_test_case import PageTestCase
from support import ROOT

DRAWN = """return [...document.querySelectorAll("canvas")].map((canvas) => canvas.width > 0 &&
  canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.some((byte) => byte > 0))"""


def write_hostile_words(path):
    rows = [["document", "word", "count"]]
    for n in range(6):
        rows += [[f"<b>{n}</b>", word, 3 + 20 * ((n + k) % 2)] for k, word in enumerate(HOSTILE)]
    path.write_text("\n".join(",".join(f'"{cell}"' for cell in row) for row in rows) + "\n")


class TopicsPage(PageTestCase):
    @classmethod
    def make_pages(cls):
        write_hostile_words(cls.folder / "hostile.csv")
        for name, data in (("notes", ROOT / "examples" / "notes.csv"), ("hostile", "hostile.csv")):
            cls.quasar("topics", "fit", data, "--topics", 12, "--sweeps", 60, "--held-out", 0.2, "--out", f"{name}.nc", "--report", f"{name}.html", "--quiet")
        cls.quasar("topics", "fit", "hostile.csv", "--topics", 1, "--sweeps", 2, "--shares", "no", "--out", "one.nc", "--report", "one.html", "--quiet")

    def test_every_page_is_drawn_at_any_width_and_loads_nothing(self):
        for name in ("notes", "hostile", "one"):
            for width, dark in ((1280, False), (1280, True), (390, False)):
                with self.subTest(name, width=width):
                    self.open(name, width=width, dark=dark)
                    self.browser.resize(width, self.browser.run("return document.documentElement.scrollHeight"))
                    self.browser.until("return [...document.querySelectorAll('canvas')].every((c) => !c.closest('.plot').plot.stale)")
                    self.assertTrue(all(self.browser.run(DRAWN)))
                    self.assertEqual(self.browser.run("return performance.getEntriesByType('resource').length"), 0)
                    self.assertLessEqual(self.browser.run("return document.documentElement.scrollWidth"), width)
                    self.assertIsNone(self.browser.run("return window.__hacked ?? null"))

    def test_topics_open_and_words_are_found(self):
        self.open("notes")
        self.browser.one("#topics tbody button").click()
        self.assertEqual(self.browser.texts("dialog[open] h2"), ["Topic 1"])
        words = self.browser.texts("dialog[open] [aria-label='words of the topic'] tbody th")
        self.assertEqual(len(words), 30)
        self.browser.press("ARROW_RIGHT")
        self.assertEqual(self.browser.texts("dialog[open] h2"), ["Topic 2"])
        self.browser.press("ESCAPE")
        self.browser.one("#words input[type=search]").send_keys(words[0])
        self.assertIn(words[0], self.browser.texts("#words tbody th"))
        self.browser.one("#topics input[type=search]").send_keys(words[0])
        self.assertIn("1", self.browser.texts("#topics tbody th"))

    def test_hostile_words_are_text(self):
        self.open("hostile")
        self.assertEqual(set(self.browser.texts("#words tbody th")), set(HOSTILE))
        self.assertIn("<b>3</b>", self.browser.texts("#documents tbody th"))


if __name__ == "__main__":
    unittest.main()
