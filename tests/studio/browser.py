"""browser.py: the studio's page in a real, headless Chromium, used by real pointer and key events (Selenium).

Debian's packages chromium, chromium-driver and python3-selenium; where they are missing, `available` says so.
"""
import json
import os
import shutil
import tempfile
import time

from wire import Studio

try:
    from selenium import webdriver
    from selenium.common.exceptions import StaleElementReferenceException
    from selenium.webdriver.chrome.options import Options
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
except ImportError:
    webdriver = None

FLAGS = ["--headless=new", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
         "--ignore-gpu-blocklist", "--hide-scrollbars", "--force-device-scale-factor=1", "--disable-background-networking"]
PATIENCE = 90  # seconds until something that must happen counts as failed: the machine may be busy


def available():
    return webdriver is not None and shutil.which("chromium") and shutil.which("chromedriver")


def start_chromium(width, height, dark=False, flags=()):
    options = Options()
    options.binary_location = shutil.which("chromium")
    for flag in FLAGS + [*flags, f"--window-size={width},{height}"] + (["--no-sandbox"] if os.geteuid() == 0 else []):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(service=Service(shutil.which("chromedriver")), options=options)
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                           {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})
    if dark:
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia",
                               {"features": [{"name": "prefers-color-scheme", "value": "dark"}]})
    return driver


class Browser:
    """A studio with a page. `with Browser(limber, scene) as page: ...` ends both, and checks the console."""

    def __init__(self, limber, scene=None, width=1024, height=640, dark=False, arguments=()):
        self.folder = tempfile.mkdtemp(prefix="limber-page-")
        self.into = os.path.join(self.folder, "into")
        self.limber, self.given = limber, ([scene] if scene else []) + ["--into", self.into, *arguments]
        self.studio = Studio(limber, *self.given, cwd=self.folder)
        self.driver = None
        try:
            self.driver = start_chromium(width, height, dark)
            self.driver.set_script_timeout(PATIENCE)
            self.driver.get(f"http://{self.studio.host}/#token={self.studio.token}")
            self.until("window.studio && studio.hello")
            if scene:
                self.until("studio.drawn > 1")
        except BaseException:
            self.end()
            raise

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        try:
            if kind is None:
                self.check_console()
            elif self.driver is not None:
                self.say_why()
        finally:
            self.end()

    def say_why(self):
        place = os.path.join(tempfile.gettempdir(), "limber-page-failed.png")
        try:
            print("    told:", self.js("studio.told"))
            print("    console:", [entry["message"] for entry in self.driver.get_log("browser")])
            self.driver.save_screenshot(place)
            print("    picture:", place)
        except Exception as trouble:  # what failed first counts
            print("    and then:", trouble)

    def end(self):
        if self.driver is not None:
            self.driver.quit()
        self.studio.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def restart(self, how):
        """Ends the studio by a signal and starts it anew, with what the old one left."""
        self.studio.stop(how)
        self.studio = Studio(self.limber, *self.given, "--port", str(self.studio.port), cwd=self.folder)
        self.driver.get(f"http://{self.studio.host}/#token={self.studio.token}")
        self.driver.refresh()
        self.until("window.studio && studio.hello")
        self.driver.get_log("browser")  # that nobody answered meanwhile is no mistake of the page

    def check_console(self):
        bad = [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]
        # Chromium's own remarks about drawing by the processor are not the page's.
        bad = [text for text in bad if "GL Driver Message" not in text and "swiftshader" not in text.lower()]
        assert not bad, bad

    # ---- looking ----

    def js(self, expression):
        return self.driver.execute_script(f"return {expression}")

    def until(self, condition, patience=PATIENCE):
        """Waits until an expression of the page is true, and returns it."""
        end = time.monotonic() + patience
        while True:
            found = self.js(condition)
            if found or time.monotonic() > end:
                break
            time.sleep(0.05)
        assert found, f"never: {condition}"
        return found

    def all(self, css):
        return self.driver.find_elements(By.CSS_SELECTOR, css)

    def one(self, css):
        return self.driver.find_element(By.CSS_SELECTOR, css)

    def button(self, text, inside="body"):
        """A button that can be seen, by its text or its name for screen readers."""
        for node in self.all(f"{inside} button"):
            name = node.get_attribute("aria-label") or ""
            if node.is_displayed() and (node.text.strip().split("\n")[0] == text or name.startswith(text)):
                return node
        raise AssertionError(f"no button {text!r}")

    # ---- doing ----

    def pause(self):
        self.focus()
        if self.js("studio.state.playing"):
            self.key(" ")
        self.until("!studio.state.playing")

    def focus(self):
        self.driver.execute_script("document.getElementById('picture').focus()")

    def key(self, key, control=False, shift=False):
        chain = ActionChains(self.driver)
        held = ([Keys.CONTROL] if control else []) + ([Keys.SHIFT] if shift else [])
        for one in held:
            chain.key_down(one)
        chain.send_keys(key)
        for one in reversed(held):
            chain.key_up(one)
        chain.perform()

    def press(self, key):
        ActionChains(self.driver).key_down(key).perform()

    def lift(self, key):
        ActionChains(self.driver).key_up(key).perform()

    def where(self, name):
        return self.until(f"studio.where({json.dumps(name)})")

    def pointer(self, x, y):
        chain = ActionChains(self.driver, duration=20)
        chain.w3c_actions.pointer_action.move_to_location(round(x), round(y))
        return chain

    def drag(self, x, y, dx, dy, steps=8, shift=False, release=True):
        chain = ActionChains(self.driver, duration=20)
        if shift:
            chain.key_down(Keys.SHIFT)
        chain.w3c_actions.pointer_action.move_to_location(round(x), round(y))
        chain.click_and_hold()
        for _ in range(steps):
            chain.w3c_actions.pointer_action.move_by(round(dx / steps), round(dy / steps))
        if release:
            chain.release()
        if shift:
            chain.key_up(Keys.SHIFT)
        chain.perform()

    def grab(self, name, dx, dy):
        """Takes hold of an object and drags it. It may move: where the pointer comes too late and misses it, again."""
        for _ in range(20):
            self.drag(*self.where(name), dx, dy, release=False)
            end = time.monotonic() + 5
            while time.monotonic() < end:
                if self.js("studio.holding") == 1:
                    return
                time.sleep(0.05)
            self.release()
        raise AssertionError(f"{name} cannot be grabbed")

    def mouse(self, kind, x, y):
        """mousePressed, mouseMoved or mouseReleased, one at a time: a drag that goes on between other things."""
        self.driver.execute_cdp_cmd("Input.dispatchMouseEvent", {
            "type": kind, "x": x, "y": y, "button": "left", "buttons": 0 if kind == "mouseReleased" else 1, "clickCount": 1})

    def release(self):
        ActionChains(self.driver).release().perform()

    def click(self, x, y):
        self.pointer(x, y).click().perform()

    def double_click(self, x, y):
        self.pointer(x, y).double_click().perform()

    def drop(self, *paths, at=(700, 300)):
        """Files that are dragged onto the page and dropped there."""
        data = {"items": [], "files": list(paths), "dragOperationsMask": 1}
        for kind in "dragEnter", "dragOver", "drop":
            self.driver.execute_cdp_cmd("Input.dispatchDragEvent", {"type": kind, "x": at[0], "y": at[1], "data": data})

    def steadily(self, work):
        """Does work again when what it had in hand was made anew meanwhile, as the panel is."""
        for _ in range(20):
            try:
                return work()
            except StaleElementReferenceException:
                time.sleep(0.2)
        raise AssertionError("the panel never stays")

    def push(self, text, inside="body"):
        self.steadily(lambda: self.button(text, inside).click())

    def type_into(self, css, text):
        def work():
            node = self.one(css)
            node.click()
            node.send_keys(Keys.CONTROL, "a")
            node.send_keys(text, Keys.ENTER)
        self.steadily(work)
