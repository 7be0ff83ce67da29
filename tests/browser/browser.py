"""Opens pages in Chromium, which is not seen, by Debian's packages chromium, chromium-driver and python3-selenium."""

import contextlib
import importlib.util
import shutil
import sys
import time

DEBIAN_PACKAGES = "/usr/lib/python3/dist-packages"  # where another interpreter than Debian's does not look


def why_not():
    """Empty when pages can be opened; else the reason."""
    if importlib.util.find_spec("selenium") is None:
        sys.path.append(DEBIAN_PACKAGES)
    if importlib.util.find_spec("selenium") is None:
        return "the Python module selenium is missing (Debian: python3-selenium)"
    for program in ("chromium", "chromedriver"):
        if not shutil.which(program):
            return f"{program} is missing (Debian: chromium, chromium-driver)"
    return ""


class Browser:
    def __init__(self):
        from selenium import webdriver
        from selenium.webdriver.chrome.service import Service

        options = webdriver.ChromeOptions()
        options.binary_location = shutil.which("chromium")
        # Containers run as root and have little shared memory.
        for flag in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--hide-scrollbars"):
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(service=Service(shutil.which("chromedriver")), options=options)
        self.driver.set_script_timeout(120)

    def close(self):
        self.driver.quit()

    def open(self, path, width=1280, height=900, dark=False, pixel_ratio=1):
        self.resize(width, height, pixel_ratio)
        self.media(dark=dark)
        self.driver.get(path.as_uri())
        self.until("return performance.getEntriesByName('rendered').length > 0")

    def resize(self, width, height, pixel_ratio=1):
        metrics = {"width": width, "height": height, "deviceScaleFactor": pixel_ratio, "mobile": width < 500}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)

    def media(self, medium="", dark=False):
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": medium, "features": [scheme]})

    @contextlib.contextmanager
    def without_scripts(self):
        self.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
        yield
        self.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def until(self, script, *arguments, seconds=30):
        """Waits until the script returns something true, and returns it."""
        end = time.monotonic() + seconds
        while not (found := self.run(script, *arguments)):
            if time.monotonic() > end:
                raise AssertionError(f"not within {seconds} s: {script}")
            time.sleep(0.02)
        return found

    def all(self, selector):
        from selenium.webdriver.common.by import By

        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector):
        return self.all(selector)[0]

    def texts(self, selector):
        return self.run("return [...document.querySelectorAll(arguments[0])].map((e) => e.textContent)", selector)

    def text_in_view(self):
        """All that is laid out, without help of the page's scripts."""
        snapshot = self.driver.execute_cdp_cmd("DOMSnapshot.captureSnapshot", {"computedStyles": []})
        shown = snapshot["documents"][0]["layout"]["text"]
        return " ".join(snapshot["strings"][text] for text in shown if text >= 0)

    def press(self, key):
        from selenium.webdriver.common.action_chains import ActionChains
        from selenium.webdriver.common.keys import Keys

        ActionChains(self.driver).send_keys(getattr(Keys, key)).perform()

    def errors(self):
        """What the page wrote to the console since the last call."""
        return [entry["message"] for entry in self.driver.get_log("browser")]
