"""Size of a report and the time Chromium needs for it: 4 chains of 1000 draws of 200 and of 10 000 parameters.

    python3 bench/report_page.py [path of quasar]

"rendered": from the start of navigation until what is in view is drawn. "all pictures": how long the pictures of the page that
are out of view then take, were all of them asked for at once, as on paper.
"""

import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT / "tests" / "browser"))
from browser import Browser, why_not  # noqa: E402

REPEATS = 5
DRAW_ALL = """const before = performance.now(); drawForPrint();
  return [performance.now() - before, everyPlot().length]"""


def make_page(quasar, folder, parameters):
    run, page = folder / f"{parameters}.nc", folder / f"{parameters}.html"
    started = time.monotonic()
    subprocess.run([quasar, "sample", "--model", "gaussian", "--set", f"model.dim={parameters}", "--out", run, "--quiet"], check=True, stdout=subprocess.DEVNULL)
    sampled = time.monotonic()
    subprocess.run([quasar, "report", run, "--out", page], check=True, stdout=subprocess.DEVNULL)
    print(f"4 x 1000 x {parameters}: sampled in {sampled - started:.1f} s, page of {page.stat().st_size / 1e6:.2f} MB written in {time.monotonic() - sampled:.1f} s")
    return page


def time_page(browser, page):
    rendered = []
    for _ in range(REPEATS):
        browser.open(page)
        rendered.append(browser.run("return performance.getEntriesByName('rendered')[0].startTime") / 1000)
    seconds, pictures = browser.run(DRAW_ALL)
    print(f"  rendered in {min(rendered):.2f} to {max(rendered):.2f} s of {REPEATS}; all {pictures} pictures in {seconds / 1000:.2f} s")


def main():
    if reason := why_not():
        sys.exit(reason)
    quasar = sys.argv[1] if len(sys.argv) > 1 else ROOT / "build" / "release" / "quasar"
    browser = Browser()
    with tempfile.TemporaryDirectory() as folder:
        for parameters in (200, 10000):
            time_page(browser, make_page(quasar, pathlib.Path(folder), parameters))
    browser.close()


if __name__ == "__main__":
    main()
