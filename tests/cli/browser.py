# SPDX-License-Identifier: GPL-3.0-or-later
"""Chromium without a window, driven by its protocol over a pair of pipes: no port, no package."""

import json
import os
import select
import shutil
import subprocess
import tempfile
import time

KEYS = {"Tab": 9, "Enter": 13, "Escape": 27, " ": 32, "PageUp": 33, "PageDown": 34, "End": 35, "Home": 36,
        "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40}
# Far above what an answer takes, for a machine that is busy.
SECONDS = 60


class Refused(Exception):
    """There is no browser, or it does not run here."""


class Browser:
    """One tab. What it asks the network for and what its console says is kept."""

    def __init__(self):
        program = shutil.which("chromium")
        if program is None:
            raise Refused("chromium is not installed")
        self.folder = tempfile.mkdtemp(prefix="attention-grid-browser-")
        told, self.tell = os.pipe()
        self.hear, heard = os.pipe()
        words = [program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                 "--disable-extensions", "--hide-scrollbars", "--user-data-dir=" + self.folder, "--remote-debugging-pipe",
                 "--host-resolver-rules=MAP * ~NOTFOUND", "about:blank"]
        self.process = subprocess.Popen(
            ["bash", "-c", f'exec "$@" 3<&{told} 4>&{heard}', "bash"] + words, pass_fds=(told, heard),
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(told)
        os.close(heard)
        self.left = b""
        self.count = 0
        self.events = []
        self.session = None
        try:
            targets = self.call("Target.getTargets")["targetInfos"]
            target = next(t["targetId"] for t in targets if t["type"] == "page")
            self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
            for domain in ("Page", "Runtime", "Log", "Network"):
                self.call(domain + ".enable")
        except (OSError, EOFError, StopIteration) as error:
            self.close()
            raise Refused(f"chromium does not run here: {error}") from error

    def close(self):
        self.process.terminate()
        self.process.wait()
        os.close(self.tell)
        os.close(self.hear)
        shutil.rmtree(self.folder, ignore_errors=True)

    def receive(self):
        end = time.monotonic() + SECONDS
        while b"\0" not in self.left:
            if not select.select([self.hear], [], [], max(end - time.monotonic(), 0))[0]:
                raise EOFError("no answer")
            part = os.read(self.hear, 1 << 20)
            if not part:
                raise EOFError("it has ended")
            self.left += part
        message, self.left = self.left.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **parameters):
        self.count += 1
        message = {"id": self.count, "method": method, "params": parameters}
        if self.session is not None:
            message["sessionId"] = self.session
        os.write(self.tell, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == self.count:
                if "error" in answer:
                    raise AssertionError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def await_event(self, method):
        while not any(event["method"] == method for event in self.events):
            self.events.append(self.receive())

    def run(self, script):
        """The value of an expression in the page."""
        result = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise AssertionError(result["exceptionDetails"])
        return result["result"].get("value")

    def resize(self, width, height=1000):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def open(self, path, width=1000, height=1000):
        self.events.clear()
        self.resize(width, height)
        self.call("Page.navigate", url="file://" + os.path.abspath(path))
        self.await_event("Page.loadEventFired")
        self.settle()

    def settle(self):
        """Waits until what has changed is drawn."""
        self.run("""new Promise((done) => {
            const look = () => document.querySelector("[aria-busy=true]") ? requestAnimationFrame(look) : done(0);
            requestAnimationFrame(() => requestAnimationFrame(look)); })""")

    def list_complaints(self):
        """What the console says, and what was asked of the network."""
        for event in self.events:
            values = event.get("params", {})
            if event["method"] in ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"):
                yield json.dumps(values)[:500]
            if event["method"] == "Network.requestWillBeSent":
                url = values["request"]["url"]
                if not url.startswith(("file:", "data:")):
                    yield url

    def set_dark(self, is_dark):
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme",
                                                           "value": "dark" if is_dark else "light"}])

    def point(self, x, y):
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def press(self, key):
        code = KEYS.get(key, ord(key.upper()) if len(key) == 1 else 0)
        text = {"text": key} if len(key) == 1 else {}
        self.call("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", key=key,
                  windowsVirtualKeyCode=code, **text)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=code)

    def screenshot(self, path):
        import base64
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=False)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))
