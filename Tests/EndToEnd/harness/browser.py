"""A real browser, without a window, that looks at the pages."""

import json
from importlib.resources import files

from selenium import webdriver
from selenium.common.exceptions import (
    NoSuchElementException,
    StaleElementReferenceException,
    WebDriverException,
)
from selenium.webdriver import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.expected_conditions import alert_is_present
from selenium.webdriver.support.ui import Select

from .process import REPOSITORY
from .waiting import eventually

WIDE, NARROW = (1280, 900), (360, 740)
SCREENSHOTS = REPOSITORY / ".build/screenshots"


class Browser:
    """Chromium from Debian's packages `chromium` and `chromium-driver`."""

    def __init__(self):
        options = webdriver.ChromeOptions()
        options.binary_location = "/usr/bin/chromium"
        for argument in ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage"]:
            options.add_argument(argument)
        options.add_argument("--hide-scrollbars")
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        service = webdriver.ChromeService("/usr/bin/chromedriver")
        self.driver = webdriver.Chrome(options=options, service=service)

    def begin(self):
        """As if it had just been opened, for the next test."""
        self.driver.get("about:blank")
        self.driver.execute_cdp_cmd("Network.clearBrowserCookies", {})
        self.read_in("en")
        self.prefer("light")
        self.resize(WIDE)
        self.complaints()

    def end(self):
        self.driver.quit()

    # How it looks

    def resize(self, size):
        """The size of what is shown, which a window without a frame can't be narrow enough for."""
        width, height = size
        self.driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False},
        )

    def read_in(self, language):
        """Sets the language that the browser asks pages for."""
        self.driver.execute_cdp_cmd("Network.enable", {})
        self.driver.execute_cdp_cmd(
            "Network.setExtraHTTPHeaders", {"headers": {"Accept-Language": language}}
        )

    def prefer(self, colours):
        feature = {"name": "prefers-color-scheme", "value": colours}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})

    def screenshot(self, name):
        """Writes a picture of the whole page to a folder that isn't committed."""
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        size = self.driver.execute_script(
            "const root = document.documentElement;"
            "return [root.clientWidth, Math.max(root.scrollHeight, innerHeight)]"
        )
        self.resize(size)
        self.driver.save_screenshot(str(SCREENSHOTS / f"{name}.png"))

    @property
    def overflow(self):
        """By how many pixels the page is wider than the screen."""
        return self.driver.execute_script(
            "return document.documentElement.scrollWidth - document.documentElement.clientWidth"
        )

    # Going about

    def open(self, url):
        self.driver.get(url)

    def sign_in(self, url, token):
        self.driver.delete_all_cookies()
        self.open(f"{url}/dashboard/sign-in")
        self.fill("token", token)
        self.send(".card form.fields button")

    @property
    def path(self):
        return self.driver.execute_script("return location.pathname + location.search")

    @property
    def text(self):
        return self.driver.find_element(By.TAG_NAME, "body").text

    def element(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def elements(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def press(self, selector):
        self.element(selector).click()

    def send(self, selector):
        """Presses what sends a form, and waits for the page that follows."""
        page = self.element("html")
        self.press(selector)
        eventually(lambda: is_gone(page), "the next page")

    def send_and_confirm(self, selector):
        """As `send`, where the page asks whether it is meant."""
        # The page's script asks; it runs when the page has come whole.
        eventually(
            lambda: self.driver.execute_script("return document.readyState") == "complete",
            "the whole page",
        )
        page = self.element("html")
        self.press(selector)
        eventually(lambda: alert_is_present()(self.driver), "the question").accept()
        eventually(lambda: is_gone(page), "the next page")

    def fill(self, name, value):
        field = self.element(f"[name={name}]")
        if field.tag_name == "select":
            return Select(field).select_by_value(value)
        field.clear()
        field.send_keys(value)

    def choose(self, name, value):
        """Chooses in a list that is sent at once, and waits for the page that follows."""
        page = self.element("html")
        self.fill(name, value)
        eventually(lambda: is_gone(page), "the next page")

    def tab(self):
        """Presses the tab key; returns what is then in focus."""
        ActionChains(self.driver).send_keys(Keys.TAB).perform()
        return self.driver.switch_to.active_element.get_attribute("textContent").strip()

    def enter(self):
        ActionChains(self.driver).send_keys(Keys.ENTER).perform()

    def shows(self, text, selector="body"):
        """Waits until an element has a text, as one whose figures move has it in the end."""

        def has_it():
            try:
                return text in self.element(selector).text
            except StaleElementReferenceException:
                return False

        eventually(has_it, f"{text!r} in {selector}")

    # Faults

    def complaints(self):
        """The browser's complaints about the page, such as breaches of its policy."""
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def violations(self):
        """The breaches of the rules for accessibility (WCAG 2, A and AA) that axe-core finds."""
        axe = files("axe_selenium_python") / "node_modules/axe-core/axe.min.js"
        # Evaluated as a debugger does: the page's own policy lets no other script in.
        self.driver.execute_cdp_cmd("Runtime.evaluate", {"expression": axe.read_text()})
        rules = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]}
        result = self.driver.execute_cdp_cmd(
            "Runtime.evaluate",
            {
                "expression": f"axe.run(document, {json.dumps(rules)})"
                ".then(result => result.violations)",
                "awaitPromise": True,
                "returnByValue": True,
            },
        )
        found = result["result"]["value"]
        return [
            f"{each['id']}: {each['help']}: {node['html'][:200]} {node.get('failureSummary', '')}"
            for each in found
            for node in each["nodes"]
        ]


def is_gone(element):
    try:
        element.is_enabled()
        return False
    except (StaleElementReferenceException, NoSuchElementException):
        return True
    except WebDriverException as failure:
        # The driver's message if the next page comes while it looks.
        if "does not belong to the document" not in failure.msg:
            raise
        return True
