# SPDX-License-Identifier: GPL-2.0
"""Opens a page in Debian's chromium-headless-shell. Uses the DevTools protocol over pipes."""

import base64
import contextlib
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

PROGRAM = "chromium-headless-shell"
#: The sandbox does not work as root, and all pages are from this tree. The browser reaches only this machine, because
#: all other host names fail to resolve.
OPTIONS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
           "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", "--remote-debugging-pipe", "about:blank"]

#: Returns each picture as [title, left, top, right, bottom, number of shapes that have a size].
PICTURES = """JSON.stringify(Array.from(document.querySelectorAll("svg")).map(svg => {
    const box = svg.getBoundingClientRect();
    const shapes = Array.from(svg.querySelectorAll("rect, path, line, text")).filter(shape => {
        const size = shape.getBoundingClientRect();
        return size.width > 0 || size.height > 0;
    });
    return [svg.getAttribute("aria-label"), box.left, box.top, box.right, box.bottom, shapes.length];
}))"""


class Browser:
    """A browser with one page, for `with Browser() as browser: ...`."""

    def __init__(self, timeout: float = 120) -> None:
        if not shutil.which(PROGRAM):
            raise RuntimeError(f"{PROGRAM} is not installed: make deps")
        self.until = time.monotonic() + timeout
        self.console: list[str] = []    # messages, errors and exceptions
        self.requests: list[str] = []   # addresses that the page loaded
        self.loaded = False
        self.number, self.session, self.rest = 0, None, b""
        self.open = contextlib.ExitStack()

    def __enter__(self) -> "Browser":
        with self.open:
            folder = self.open.enter_context(tempfile.TemporaryDirectory(
                prefix="limpet-browser-", ignore_cleanup_errors=True))
            theirs, self.to = os.pipe()
            self.come, answers = os.pipe()

            def place() -> None:
                # The browser reads from descriptor 3 and writes to 4.
                one, other = os.dup(theirs), os.dup(answers)
                os.dup2(one, 3)
                os.dup2(other, 4)

            words = [PROGRAM, f"--user-data-dir={folder}", *OPTIONS]
            self.process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                            preexec_fn=place, pass_fds=(3, 4), env={**os.environ, "HOME": folder})
            self.open.callback(self._end)
            os.close(theirs)
            os.close(answers)
            target = self.call("Target.createTarget", url="about:blank")["targetId"]
            self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
            for domain in ("Page", "Runtime", "Log", "Network"):
                self.call(f"{domain}.enable")
            self.open = self.open.pop_all()
        return self

    def __exit__(self, *_exception) -> None:
        self.open.close()

    def _end(self) -> None:
        """Asks the browser to end, and waits for it, because its processes write to its folder until then."""
        try:
            self.session = None
            self.call("Browser.close")
            self.process.wait(10)
        except (OSError, RuntimeError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        os.close(self.to)
        os.close(self.come)

    def _messages(self):
        """Yields messages as they arrive, until the time limit."""
        while True:
            while b"\0" in self.rest:
                message, _, self.rest = self.rest.partition(b"\0")
                yield json.loads(message)
            if not select.select([self.come], [], [], max(self.until - time.monotonic(), 0))[0]:
                raise TimeoutError(f"{PROGRAM} does not answer")
            more = os.read(self.come, 1 << 16)
            if not more:
                raise RuntimeError(f"{PROGRAM} ended: {self.process.wait()}")
            self.rest += more

    def _take(self, message: dict) -> None:
        what, values = message.get("method"), message.get("params", {})
        if what == "Runtime.consoleAPICalled":
            self.console.append(f'{values["type"]}: {[one.get("value") for one in values["args"]]}')
        elif what == "Runtime.exceptionThrown":
            self.console.append(str(values["exceptionDetails"]))
        elif what == "Log.entryAdded":
            self.console.append(values["entry"]["text"])
        elif what == "Network.requestWillBeSent":
            self.requests.append(values["request"]["url"])
        elif what == "Page.loadEventFired":
            self.loaded = True

    def call(self, what: str, **values) -> dict:
        """Calls a method of the protocol and returns its result."""
        self.number += 1
        message = {"id": self.number, "method": what, "params": values}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        for answer in self._messages():
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f'{what}: {answer["error"]}')
                return answer["result"]
            self._take(answer)

    def look(self, page: Path | str, dark: bool = False, width: int = 1200) -> None:
        """Loads a file or an address and waits until it is loaded."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.console, self.requests, self.loaded = [], [], False
        self.call("Page.navigate", url=page if isinstance(page, str) else page.resolve().as_uri())
        for message in () if self.loaded else self._messages():
            self._take(message)
            if self.loaded:
                break

    def wait(self, script: str) -> None:
        """Waits until a JavaScript expression in the page is true, up to the time limit."""
        while not self.value(script):
            if time.monotonic() >= self.until:
                raise TimeoutError(f"not true in time: {script}")
            time.sleep(0.1)

    def value(self, script: str):
        """Returns the value of a JavaScript expression in the page."""
        result = self.call("Runtime.evaluate", expression=script, returnByValue=True)
        if "exceptionDetails" in result:
            raise RuntimeError(str(result["exceptionDetails"]))
        return result["result"].get("value")

    def pictures(self) -> list:
        """Returns all pictures of the page in the format of PICTURES."""
        return json.loads(self.value(PICTURES))

    def shot(self, path: Path) -> None:
        """Writes the whole page as PNG."""
        data = self.call("Page.captureScreenshot", captureBeyondViewport=True)["data"]
        path.write_bytes(base64.b64decode(data))


def page_check(page: Path, pictures: int) -> None:
    """Checks a page in both colour schemes and at two widths. Raises AssertionError if it finds a mistake."""
    colours = set()
    with Browser() as browser:
        for dark, width in ((False, 1200), (True, 1200), (False, 420)):
            browser.look(page, dark, width)
            assert not browser.console, browser.console
            others = [url for url in browser.requests if not url.startswith(("data:", page.resolve().as_uri()))]
            assert not others, f"the page loads {others}"
            seen = browser.pictures()
            assert len(seen) == pictures, f"{len(seen)} pictures, not {pictures}: {[one[0] for one in seen]}"
            for title, left, top, right, bottom, shapes in seen:
                assert right - left > 200 and bottom - top > 15, f"{title}: {right - left} x {bottom - top}"
                assert left >= 0 and right <= width, f"{title}: from {left} to {right} in {width}"
                assert shapes >= 2, f"{title}: {shapes} shapes"
            colours.add((dark, browser.value("getComputedStyle(document.body).backgroundColor"),
                         browser.value("getComputedStyle(document.querySelector('svg .paper')).fill")))
            wide = browser.value("document.documentElement.scrollWidth")
            assert wide <= width, f"the page is {wide} pixels wide in a window of {width}"
    assert len({colour[1] for colour in colours}) == 2 and len({colour[2] for colour in colours}) == 2, colours
