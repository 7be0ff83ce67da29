"""The page of quasar compare in a real browser: what is shown and can be found, and that names from data stay names."""

import unittest

from browser import why_not
from hostile import HOSTILE, write_hostile_table
from page_test_case import PageTestCase

HOSTILE_RUN = "<img src=x onerror=window.__hacked=1>"
SHORT = ("--draws", "100", "--warmup", "100", "--quiet")


class Compare(PageTestCase):
    @classmethod
    def make_pages(cls):
        write_hostile_table(cls.folder / "hostile.csv")
        for sampler, name in (("nuts", "nuts"), ("hmc", HOSTILE_RUN)):
            cls.quasar("sample", "--model", "linear", "--data", "hostile.csv", "--sampler", sampler, *SHORT, "--out", f"{name}.nc")
            cls.quasar("sample", "--model", "gaussian", "--set", "model.dim=60", "--sampler", sampler, *SHORT, "--out", f"many-{sampler}.nc")
        cls.quasar("compare", "nuts.nc", f"{HOSTILE_RUN}.nc", "--page", "hostile.html")
        cls.quasar("compare", "many-nuts.nc", "many-hmc.nc", "--page", "many.html")

    def test_names_from_data_are_only_names(self):
        self.open("hostile")
        shown = self.browser.texts("#differences tbody th")
        for name in HOSTILE:
            self.assertTrue(any(name in text for text in shown), (name, shown))
        self.assertIn(HOSTILE_RUN, self.browser.texts("h1")[0])
        self.assertIsNone(self.browser.run("return window.__hacked ?? null"))
        self.assertEqual(self.browser.run("return document.querySelectorAll('img').length"), 0)
        self.assertEqual(self.browser.run("return performance.getEntriesByType('resource').map((e) => e.name)"), [])

    def test_a_phone_scrolls_only_downward(self):
        for name in ("hostile", "many"):
            self.open(name, width=360, height=740)
            self.assertLessEqual(self.browser.run("return document.documentElement.scrollWidth"), 360)

    def test_parameters_are_found_by_name(self):
        self.open("many")
        self.assertEqual(self.browser.texts("#differences .pager span"), ["1–25 of 60"])
        self.browser.one("#differences input[type=search]").send_keys("x[41]")
        self.assertEqual(self.browser.texts("#differences tbody th"), ["x[41]"])

    def test_a_run_has_one_colour_everywhere(self):
        self.open("hostile")
        colour = "return getComputedStyle(document.querySelector(arguments[0])).backgroundColor"
        bar, row, head = (self.browser.run(colour, at) for at in (".bars dd:last-child i", "#differences td i", ".runs th:nth-child(3) i"))
        self.assertEqual((bar, row), (head, head))
        self.assertNotEqual(head, self.browser.run(colour, ".runs th:nth-child(2) i"))

    def test_bars_are_as_long_as_their_numbers_are_large(self):
        for width in (360, 1280):
            self.open("many", width=width)
            bars = self.browser.run("""return [...document.querySelectorAll('.bars dd')].map((bar) => {
              return [bar.querySelector('i').getBoundingClientRect().width, +bar.textContent]})""")
            for one, other in (bars[:2], bars[2:]):
                short, long = sorted((one, other))
                self.assertAlmostEqual(short[0] / long[0], short[1] / long[1], delta=0.02)

    def test_each_run_can_be_repeated(self):
        self.open("many")
        commands = self.browser.texts("#repeat pre.wraps")
        self.assertEqual(len(commands), 2)
        self.assertRegex(commands[1], r"^quasar sample .*--sampler hmc.* --set model\.dim=60")


if __name__ == "__main__":
    if why_not():
        print(f"skipped: {why_not()}")
    unittest.main()
