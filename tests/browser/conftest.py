"""The playground in a real browser: Chromium, driven by Selenium."""

from __future__ import annotations

import base64
import json
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from superword.playground import PlaygroundServer

PATIENCE = 20
OPTIONS = [
    "--headless=new",
    # Chromium cannot use its own sandbox as root, as in containers.
    "--no-sandbox",
    "--disable-dev-shm-usage",
    "--disable-gpu",
    "--disable-background-networking",
    "--window-size=1400,1000",
]
# A drop of files, as the page sees it.
DROP = """
const [selector, files] = arguments;
const transfer = new DataTransfer();
for (const [name, content, type] of files) {
  const bytes = Uint8Array.from(atob(content), (character) => character.charCodeAt(0));
  transfer.items.add(new File([bytes], name, { type }));
}
for (const kind of ["dragover", "drop"]) {
  document.querySelector(selector).dispatchEvent(
    new DragEvent(kind, { dataTransfer: transfer, bubbles: true, cancelable: true }));
}
"""
# Long texts are pasted, not typed.
PASTE = """
const [selector, once, times] = arguments;
const text = once.repeat(times);
const transfer = new DataTransfer();
transfer.setData("text/plain", text);
const box = document.querySelector(selector);
box.focus();
const paste = new ClipboardEvent("paste",
  { clipboardData: transfer, bubbles: true, cancelable: true });
if (box.dispatchEvent(paste)) box.setRangeText(text, box.selectionStart, box.selectionEnd, "end");
box.dispatchEvent(new Event("input", { bubbles: true }));
"""
# The clipboard is used as it is; the page notes when something was written to it.
WATCH_CLIPBOARD = """
window.copied = false;
window.writeText ??= navigator.clipboard.writeText.bind(navigator.clipboard);
navigator.clipboard.writeText = async (text) => {
  await window.writeText(text);
  window.copied = true;
};
"""


class PlaygroundPage:
    """The page in a browser, and what a person does with it."""

    def __init__(self, driver: Any, address: str) -> None:
        self.driver = driver
        self.address = address

    def open(self, address: str | None = None) -> None:
        address = address or self.address
        origin = "{0.scheme}://{0.netloc}".format(urlsplit(address))
        wanted = ["clipboardReadWrite", "clipboardSanitizedWrite"]
        permissions = {"origin": origin, "permissions": wanted}
        self.driver.execute_cdp_cmd("Browser.grantPermissions", permissions)
        self.driver.get("about:blank")
        self.driver.get(address)
        self.wait_until("document.querySelectorAll('.column').length > 0")
        self.settle()

    def run(self, script: str, *values: Any) -> Any:
        return self.driver.execute_script(script, *values)

    def wait_until(self, condition: str) -> None:
        """Wait until an expression is true in the page."""
        end = time.monotonic() + PATIENCE
        while not self.run(f"return Boolean({condition})"):
            said = self.run("return document.getElementById('messages').innerText")
            assert time.monotonic() < end, f"{condition} did not become true; messages: {said!r}"
            time.sleep(0.02)

    def settle(self) -> None:
        """Wait until the columns show the text."""
        self.wait_until("document.getElementById('columns').getAttribute('aria-busy') === 'false'")

    def find(self, selector: str) -> Any:
        return self.driver.find_element("css selector", selector)

    def find_all(self, selector: str) -> list[Any]:
        found: list[Any] = self.driver.find_elements("css selector", selector)
        return found

    def write(self, text: str) -> None:
        """Replace the text."""
        self.run("document.getElementById('text').value = ''")
        self.paste("#text", text)
        self.settle()

    def paste(self, selector: str, text: str, times: int = 1) -> None:
        self.run(PASTE, selector, text, times)

    def drop(self, *files: Path, onto: str = "body", type: str = "") -> None:
        contents = [[f.name, base64.b64encode(f.read_bytes()).decode(), type] for f in files]
        self.run(DROP, onto, contents)

    def slide(self, name: str, value: int) -> None:
        """Move a slider."""
        self.run(
            "const slider = document.getElementById(arguments[0]); slider.value = arguments[1];"
            "slider.dispatchEvent(new Event('input', { bubbles: true }));",
            name,
            value,
        )

    def column_names(self) -> list[str]:
        names: list[str] = self.run(
            "return [...document.querySelectorAll('.column h3')].map((each) => each.textContent)"
        )
        return names

    def close_all(self) -> None:
        for name in self.column_names():
            self.find(f"[aria-label={json.dumps('Close ' + name)}]").click()

    def token_counts(self) -> list[int]:
        """The numbers of tokens that the columns say."""
        shown = self.run(
            "return [...document.querySelectorAll('.figure')].map((each) => each.textContent)"
        )
        return [int(each.split()[0].replace(",", "")) for each in shown]

    def copy(self, label: str, column: int = 0) -> str:
        """Press a button of a column, and return what is on the clipboard then."""
        xpath = f"(//article)[{column + 1}]//button[text()='{label}']"
        return self.press_to_copy(self.driver.find_element("xpath", xpath))

    def share(self) -> str:
        """Copy the link, and return it."""
        return self.press_to_copy(self.find("#share"))

    def press_to_copy(self, button: Any) -> str:
        self.run(WATCH_CLIPBOARD)
        self.run("arguments[0].click()", button)
        self.wait_until("window.copied")
        text: str = self.driver.execute_async_script(
            "navigator.clipboard.readText().then(arguments[0], (error) => arguments[0](`${error}`))"
        )
        return text

    def ids(self, column: int = 0) -> list[int]:
        ids: list[int] = json.loads(self.copy("Copy ids", column))
        return ids

    def messages(self) -> list[str]:
        said: list[str] = self.run(
            "return [...document.querySelectorAll('.message span')].map((e) => e.textContent)"
        )
        return said

    def errors(self) -> list[str]:
        """What the browser complained of since the last call."""
        return [entry["message"] for entry in self.driver.get_log("browser")]


@pytest.fixture(scope="session")
def driver() -> Iterator[Any]:
    """Start Chromium; skip the test where there is none."""
    webdriver = pytest.importorskip("selenium.webdriver")
    service = pytest.importorskip("selenium.webdriver.chrome.service")
    chromium = next(filter(None, map(shutil.which, ["chromium", "chromium-browser"])), None)
    chromedriver = shutil.which("chromedriver")
    if chromium is None or chromedriver is None:
        pytest.skip("no chromium and chromedriver; CONTRIBUTING.md says how to get them")
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for option in OPTIONS:
        options.add_argument(option)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    started = webdriver.Chrome(options=options, service=service.Service(chromedriver))
    started.set_script_timeout(PATIENCE)
    yield started
    started.quit()


@pytest.fixture(scope="session")
def serve() -> Iterator[Callable[..., PlaygroundServer]]:
    """Return a function that starts a server, which ends with the tests."""
    servers: list[tuple[PlaygroundServer, threading.Thread]] = []

    def start(server: PlaygroundServer) -> PlaygroundServer:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        servers.append((server, thread))
        return server

    yield start
    for server, thread in servers:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture(scope="session")
def address(serve: Callable[..., PlaygroundServer]) -> str:
    return serve(PlaygroundServer()).address


@pytest.fixture
def page(driver: Any, address: str) -> Iterator[PlaygroundPage]:
    """Open the page anew; afterwards, the browser must have complained of nothing."""
    page = PlaygroundPage(driver, address)
    page.errors()
    page.open()
    yield page
    assert page.errors() == []
