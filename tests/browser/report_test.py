"""quasar report in a real browser: what is shown, what can be clicked, and that names from data stay names."""

import json
import statistics
import unittest

from browser import why_not
from hostile import HOSTILE, write_hostile_table
from page_test_case import PageTestCase
from support import ROOT

SHORT = ("--draws", "200", "--warmup", "200")
PAGES = {
    "many": ("--model", "gaussian", "--set", "model.dim=60", *SHORT),
    "one": ("--model", "gaussian", "--set", "model.dim=1"),
    "bad": ("--model", "eight-schools", "--set", "model.parameterization=centered", *SHORT, "--seed", "3"),
    "hostile": ("--model", "linear", "--data", "hostile.csv", *SHORT),
    "moments": ("--model", "gaussian", "--set", "model.dim=3", "--keep", "moments", *SHORT),
    "biased": ("--model", "gaussian", "--set", "model.dim=3", "--sampler", "hmc", "--set", "metropolis=false", "--set", "step_size=1", "--check", "exact,ksd"),
    "ratings": ("--model", "bpmf", "--data", ROOT / "examples/ratings.csv", "--held-out", ROOT / "examples/ratings-test.csv", "--draws", "60", "--warmup", "40"),
}
DRAWN = """return [...document.querySelectorAll(arguments[0])].map((canvas) => canvas.width > 0 &&
  canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.some((byte) => byte > 0))"""
PIXELS = "return document.querySelector(arguments[0]).toDataURL()"


class Report(PageTestCase):
    @classmethod
    def make_pages(cls):
        write_hostile_table(cls.folder / "hostile.csv")
        for name, arguments in PAGES.items():
            cls.quasar("sample", *arguments, "--out", f"{name}.nc", "--quiet")
            cls.quasar("report", f"{name}.nc", "--out", f"{name}.html")

    def show(self, section):
        self.browser.run("document.querySelector(arguments[0]).scrollIntoView()", section)
        self.browser.until("return !document.querySelector(`${arguments[0]} .plot`).plot.stale", section)

    def names(self):
        return self.browser.texts("#summary tbody th")

    def test_every_page_is_drawn_and_loads_nothing(self):
        for name in PAGES:
            with self.subTest(name):
                self.open(name)
                height = self.browser.run("return document.documentElement.scrollHeight")
                self.browser.resize(1280, height)  # all is in view
                self.browser.until("return [...document.querySelectorAll('canvas')].every((c) => !c.closest('.plot, .spark').plot.stale)")
                drawn = self.browser.run(DRAWN, "canvas")
                self.assertTrue(all(drawn), f"{drawn.count(False)} of {len(drawn)} are blank")
                self.assertEqual(bool(self.browser.all("#pictures canvas")), name != "moments")
                self.assertEqual(self.browser.run("return performance.getEntriesByType('resource').map((e) => e.name)"), [])

    def test_pictures_show_the_numbers_of_the_table(self):
        self.open("many")
        unpacked = self.browser.run("""const data = JSON.parse(document.getElementById("data").textContent), last = data.names.length - 1;
          return {data, trace: traceOf(data, last), ranks: ranksOf(data, last), rho: autocorrelationOf(data, last), density: densityOf(data, last)}""")
        data, draws = unpacked["data"], [value for chain in unpacked["trace"] for value in chain]
        self.assertEqual(len(draws), 800)
        rounding = (data["trace"]["high"][-1] - data["trace"]["low"][-1]) / 65534
        mean, sd = (data["summary"][-1][data["columns"].index(name)] for name in ("mean", "sd"))
        self.assertLess(abs(statistics.fmean(draws) - mean), rounding)
        self.assertLess(abs(statistics.stdev(draws) - sd), rounding)
        self.assertEqual([sum(chain) for chain in unpacked["ranks"]], [200] * 4)
        self.assertEqual([chain[0] for chain in unpacked["rho"]], [1] * 4)
        self.assertEqual(max(max(chain) for chain in unpacked["density"]), 1)

    def test_pictures_out_of_view_wait(self):
        self.open("many")
        self.assertGreater(self.browser.run("return [...document.querySelectorAll('.plot')].filter((p) => p.plot.stale).length"), 20)

    def test_warnings_stand_first_and_say_what_to_try(self):
        self.open("bad")
        self.assertEqual(self.browser.run("return document.querySelector('section').id"), "problems")
        self.assertRegex(self.browser.texts("#problems .problem")[0], "diverg.*Try: ")
        marked = self.browser.one("#summary td.marked")
        self.assertIn("▲", self.browser.run("return getComputedStyle(arguments[0], '::before').content", marked))
        self.assertRegex(self.browser.texts("#pairs .note")[0], r"✕ .*divergent draw")
        self.assertRegex(self.browser.texts("#energy .numbers")[0], r"E-BFMI.*chain 4")
        self.open("one")
        self.assertIn("No problems", self.browser.texts("#problems")[0])

    def test_search_pages_and_order(self):
        self.open("many")
        self.assertEqual(len(self.names()), 25)
        self.browser.one("#summary [aria-label='Next page']").click()
        self.assertEqual(self.browser.texts("#summary .pager span"), ["26–50 of 60"])
        self.browser.one("#summary [aria-label='Last page']").click()
        self.assertEqual(len(self.names()), 10)
        self.browser.one("#summary input[type=search]").send_keys("[5")
        self.assertEqual(sorted(self.names()), sorted(["x[5]"] + [f"x[{k}]" for k in range(50, 60)]))
        self.assertEqual(self.browser.texts("#pictures article .name")[:10], self.names()[:10])  # pictures follow
        self.browser.one("#summary input[type=search]").send_keys("nowhere")
        self.assertEqual(self.browser.texts("#summary tbody td"), ["Nothing found."])

    def test_sorting_by_a_column(self):
        self.open("many")
        data = json.loads(self.browser.texts("#data")[0])
        for column, first_descending in (("mean", False), ("r_hat", True)):
            values = [row[data["columns"].index(column)] for row in data["summary"]]
            for descending in (first_descending, not first_descending):
                head = self.browser.one(f"#summary th:nth-child({data['columns'].index(column) + 2}) button")
                head.click()
                expected = sorted(range(60), key=lambda i: (-values[i] if descending else values[i], i))
                self.assertEqual(self.names(), [data["names"][i] for i in expected[:25]])
                sort = self.browser.run("return arguments[0].parentElement.getAttribute('aria-sort')", head)
                self.assertEqual(sort, "descending" if descending else "ascending")

    def test_a_row_opens_its_parameter(self):
        self.open("many")
        names = self.names()
        self.browser.one("#summary tbody tr:nth-child(3) td:nth-child(4)").click()
        self.assertEqual(self.browser.texts("dialog[open] h2"), [names[2]])
        self.browser.until("return [...document.querySelectorAll('dialog .plot')].filter((p) => !p.plot.stale).length === 4")
        self.assertEqual(self.browser.run(DRAWN, "dialog canvas"), [True] * 4)
        self.browser.press("ARROW_RIGHT")
        self.assertEqual(self.browser.texts("dialog[open] h2"), [names[3]])
        self.browser.press("ESCAPE")
        self.browser.until("return document.querySelector('dialog[open]') === null")
        self.browser.run("document.querySelector('#summary tbody th button').focus()")
        self.browser.press("ENTER")  # without a mouse
        self.assertEqual(self.browser.texts("dialog[open] h2"), [names[0]])

    def test_a_chain_stands_out_and_the_pointer_reads_values(self):
        self.open("bad")
        self.show("#pictures")
        before = self.browser.run(PIXELS, "#pictures canvas")
        self.browser.one("#pictures .legend button").click()
        self.assertNotEqual(self.browser.run(PIXELS, "#pictures canvas"), before)
        self.browser.one("#pictures .legend button").click()
        self.assertEqual(self.browser.run(PIXELS, "#pictures canvas"), before)
        self.browser.run("""const box = document.querySelector('#pictures .plot').getBoundingClientRect();
          document.querySelector('#pictures .plot').dispatchEvent(new PointerEvent('pointermove',
            {clientX: box.left + box.width / 2, clientY: box.top + 40, bubbles: true}))""")
        self.assertRegex(self.browser.texts(".readout")[0], r"draw \d+chain 1 .*chain 4 ")

    def test_dark_and_light(self):
        ground = "return getComputedStyle(document.body).backgroundColor"
        self.open("bad", dark=True)
        self.show("#energy")
        dark, dark_pixels = self.browser.run(ground), self.browser.run(PIXELS, "#energy canvas")
        self.browser.one("#theme").click()
        self.assertNotEqual(self.browser.run(ground), dark)
        self.assertNotEqual(self.browser.run(PIXELS, "#energy canvas"), dark_pixels)
        self.open("bad")
        self.assertEqual(self.browser.run(ground), "rgb(255, 255, 255)")
        self.browser.one("#theme").click()
        self.assertEqual(self.browser.run(ground), dark)

    def test_names_from_data_are_only_names(self):
        self.open("hostile")
        shown = self.names()
        for name in HOSTILE:
            self.assertTrue(any(name in text for text in shown), (name, shown))
        for row in self.browser.all("#summary tbody th button")[:3]:
            row.click()
            self.browser.press("ESCAPE")
        self.assertIsNone(self.browser.run("return window.__hacked ?? null"))
        self.assertEqual(self.browser.run("return document.querySelectorAll('img').length"), 0)

    def test_a_phone_scrolls_only_downward(self):
        for name in PAGES:
            with self.subTest(name):
                self.open(name, width=360, height=740)
                self.assertLessEqual(self.browser.run("return document.documentElement.scrollWidth"), 360)
                self.assertLessEqual(*self.browser.run("const nav = document.querySelector('nav'); return [nav.scrollWidth, nav.clientWidth]"))

    def test_a_phone_shows_the_chains_agreement_and_that_there_is_more(self):
        self.open("bad", width=360, height=740)
        ends = self.browser.run("""const box = document.querySelector('#summary .scroll'), heads = [...box.querySelectorAll('th')];
          const head = heads.find((th) => th.textContent === 'r_hat');
          return [head.getBoundingClientRect().right, box.getBoundingClientRect().right, box.scrollWidth - box.clientWidth]""")
        self.assertLessEqual(ends[0], ends[1])
        self.assertGreater(ends[2], 0)
        shadow = self.browser.run("return getComputedStyle(document.querySelector('#summary .scroll')).backgroundAttachment")
        self.assertEqual(shadow, "local, scroll, scroll")  # the cover scrolls away from the shadow

    def test_numbers_and_ticks(self):
        self.open("one")
        self.assertEqual(self.browser.run("return [-0.04, -0.06, 0.04].map((x) => fixedText(x, 1))"), ["0.0", "−0.1", "0.0"])
        few = self.browser.run("""const few = [];
          for (let k = 1; k < 400; ++k) {
            const low = Math.sin(k) * k, high = low + 10 ** (3 * Math.cos(7 * k));
            for (const most of [1, 2, 4, 7]) if (roundTicks(low, high, most).ticks.length < 2) few.push([low, high, most]);
          }
          return few""")
        self.assertEqual(few, [])

    def test_a_draw_far_out_does_not_crush_the_others(self):
        self.open("one")
        values = [k / 100 for k in range(100)] + [1e6]
        self.assertLess(self.browser.run("return cellRange(arguments[0])[1]", values), 2)
        self.assertEqual(self.browser.run("return drawsBeyond([arguments[0]])", values), 1)
        self.assertEqual(self.browser.run("return cellRange(arguments[0])", values[:100]), [0, 0.99])

    def test_a_fine_screen_has_finer_pictures_of_the_same_size(self):
        self.open("many", pixel_ratio=2)
        self.browser.until("return [...document.querySelectorAll('#summary .spark')].some((s) => !s.plot.stale)")
        sizes = """return [...document.querySelectorAll('.spark')].filter((s) => !s.plot.stale)
          .map((s) => [s.clientWidth, s.firstChild.clientWidth, s.firstChild.width / 2])"""
        for holder, canvas, drawn in self.browser.run(sizes):
            self.assertEqual((canvas, drawn), (holder, holder))

    def test_paper_shows_everything_in_light_colours(self):
        self.open("bad", dark=True)
        self.browser.media("print", dark=True)
        self.browser.until("return [...document.querySelectorAll('main canvas')].every((c) => !c.closest('.plot, .spark').plot.stale)")
        self.assertTrue(all(self.browser.run(DRAWN, "main canvas")))
        # Pages are counted before pictures are drawn for them: one that grew would push the end off the last page.
        grown = "return [...document.querySelectorAll('main .plot')].filter((p) => p.offsetHeight !== parseInt(p.style.height)).length"
        self.assertEqual(self.browser.run(grown), 0)
        hidden = "return [...document.querySelectorAll(arguments[0])].filter((e) => e.getClientRects().length === 0).length"
        self.assertEqual(self.browser.run(hidden, "section"), 0)
        self.assertEqual(self.browser.run(hidden, ".bar"), 1)
        self.assertEqual(self.browser.run("return getComputedStyle(document.body).backgroundColor"), "rgb(255, 255, 255)")

    def test_without_scripts_the_page_says_why_it_is_empty(self):
        with self.browser.without_scripts():
            self.browser.driver.get((self.folder / "one.html").as_uri())
            self.assertIn("Allow scripts to see it.", self.browser.text_in_view())

    def test_what_the_check_found(self):
        self.open("biased")
        self.assertIn("differ from nuts", self.browser.texts("#check .problem")[0])
        self.assertEqual(len(self.browser.all("#check tbody td.marked")), 3)
        self.assertIn("this run", self.browser.texts("#check")[0])
        self.show("#check")
        under = "return document.querySelector('#check .plot').plot.read(200, 15).lines[0].text"
        self.assertRegex(self.browser.run(under), r"^x\[\d\]$")

    def test_held_out_scores(self):
        self.open("ratings")
        self.assertRegex(self.browser.texts("#held-out table")[0], "rmse.*lower is better")
        self.assertEqual(self.browser.texts("#held-out .legend button"), [f"chain {k}" for k in range(1, 5)])
        self.assertGreaterEqual(len(self.browser.all("#held-out canvas")), 1)

    def test_the_command_repeats_the_run(self):
        self.open("many")
        command, configuration = self.browser.texts("#repeat pre")
        self.assertRegex(command, r"^quasar sample .*model\.dim=60")
        self.assertIn("[sampler]", configuration)


if __name__ == "__main__":
    if why_not():
        print(f"skipped: {why_not()}")
    unittest.main()
