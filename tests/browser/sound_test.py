"""The page of a cleaned sound in a real browser: what is drawn, what the pointer reads, what is played."""

import unittest

from page_test_case import PageTestCase
from support import ROOT

SOUNDS = ROOT / "examples" / "sounds"
HOSTILE = "<img src=x onerror=window.__hacked=1>.wav"
DRAWN = """return [...document.querySelectorAll("canvas")].map((canvas) => canvas.width > 0 &&
  canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.some((byte) => byte > 0))"""


class SoundPage(PageTestCase):
    @classmethod
    def make_pages(cls):
        cls.quasar("denoise", "train", *sorted(SOUNDS.glob("train-*.wav")), "--rounds", 20, "--components", 20, "--quiet")
        run = ("--iterations", 20, "--rounds", 20, "--overwrite", "--quiet")
        cls.quasar("denoise", "run", SOUNDS / "noisy.wav", "--reference", SOUNDS / "clean.wav", "--report", "noisy.html", *run)
        (cls.folder / HOSTILE).write_bytes((SOUNDS / "noisy.wav").read_bytes())
        cls.quasar("denoise", "run", HOSTILE, "--report", "hostile.html", *run)
        header = bytearray((SOUNDS / "noisy.wav").read_bytes()[:44])
        header[4:8], header[40:44] = (236).to_bytes(4, "little"), (200).to_bytes(4, "little")
        (cls.folder / "silence.wav").write_bytes(header + bytes(200))
        cls.quasar("denoise", "run", "silence.wav", "--report", "silence.html", *run)
        size = 2 * 1_500_001
        header[4:8], header[40:44] = (36 + size).to_bytes(4, "little"), size.to_bytes(4, "little")
        (cls.folder / "long.wav").write_bytes(header + bytes(size))
        cls.quasar("denoise", "run", "long.wav", "--report", "long.html", *run)

    def test_every_page_is_drawn_at_any_width_and_loads_nothing(self):
        for name in ("noisy", "hostile", "silence"):
            for width, dark in ((1280, False), (1280, True), (390, False)):
                with self.subTest(name, width=width):
                    self.open(name, width=width, dark=dark)
                    self.browser.resize(width, self.browser.run("return document.documentElement.scrollHeight"))
                    self.browser.until("return [...document.querySelectorAll('canvas')].every((c) => !c.closest('.plot').plot.stale)")
                    self.assertEqual(self.browser.run(DRAWN), [True] * 3)
                    self.assertEqual(self.browser.run("return performance.getEntriesByType('resource').length"), 0)
                    self.assertLessEqual(self.browser.run("return document.documentElement.scrollWidth"), width)
                    self.assertIsNone(self.browser.run("return window.__hacked ?? null"))

    def test_pictures_are_where_the_sound_is(self):
        """The loudest cell of the bytes is the brightest place of the picture."""
        self.open("noisy")
        self.browser.until("return !document.querySelector('#sounds .plot').plot.stale")
        found = self.browser.run("""
          const {pictures} = JSON.parse(document.getElementById("data").textContent);
          const bytes = bytesOf(pictures.before, 0, pictures.rows * pictures.columns);
          const loudest = bytes.indexOf(Math.max(...bytes));
          const image = imageOf(bytes, pictures, MAGMA);
          const pixels = image.getContext("2d").getImageData(0, 0, image.width, image.height).data;
          let brightest = 0;
          for (let at = 0; at < pixels.length; at += 4) {
            if (pixels[at] + pixels[at + 1] + pixels[at + 2] > pixels[brightest] + pixels[brightest + 1] + pixels[brightest + 2]) brightest = at;
          }
          return [Math.floor(loudest / pictures.rows), loudest % pictures.rows, (brightest / 4) % image.width, image.height - 1 - Math.floor(brightest / 4 / image.width), pixels[brightest]]""")
        self.assertEqual(found[:2], found[2:4])
        self.assertEqual(found[4], 0xFC)  # the last colour of the map

    def test_the_pointer_reads_all_three(self):
        self.open("noisy")
        self.browser.run("document.querySelector('#sounds').scrollIntoView()")
        self.browser.until("return !document.querySelector('#sounds .plot').plot.stale")
        self.browser.run("""const box = document.querySelector('#sounds .plot').getBoundingClientRect();
          document.querySelector('#sounds .plot').dispatchEvent(new PointerEvent('pointermove',
            {clientX: box.left + box.width / 2, clientY: box.top + 200, bubbles: true}))""")
        self.assertRegex(self.browser.texts(".readout")[0], r"^\d\.\d\d s, \d\.\d\d kHzbefore  .*dBafter  .*dBuncertainty  .*(dB|too faint to tell)$")

    def test_both_sounds_play(self):
        self.open("noisy")
        lengths = self.browser.driver.execute_async_script("""
          const done = arguments[0], players = [...document.querySelectorAll("audio")];
          Promise.all(players.map((one) => new Promise((resolve, reject) => {
            one.onloadedmetadata = () => resolve(one.duration);
            one.onerror = () => reject(one.error);
            one.preload = "metadata";
            one.load();
          }))).then(done, (error) => done(String(error)))""")
        self.assertEqual(len(lengths), 2)
        for length in lengths:
            self.assertAlmostEqual(length, 25234 / 8000, places=2)

    def test_sounds_that_are_too_long_are_told(self):
        self.open("long")
        self.assertEqual(self.browser.all("audio"), [])
        self.assertRegex(self.browser.texts("#listen")[0], "too long to be in this page")

    def test_scores_and_names(self):
        self.open("noisy")
        self.assertEqual(self.browser.texts("#scores tbody th"), ["before", "after"])
        self.assertRegex(self.browser.texts("#scores tbody td")[0], r"^5\.\d\d$")
        self.open("hostile")
        self.assertIn(HOSTILE, self.browser.texts("h1")[0])
        self.assertEqual(self.browser.all("#scores"), [])
        self.open("silence")
        self.assertRegex(self.browser.texts("#problems .what")[0], "silence")


if __name__ == "__main__":
    unittest.main()
