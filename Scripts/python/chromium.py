"""Headless Chromium for Scripts/console: steered over its debugging pipe, with fonts of its own."""
import base64
import json
import os
import select
import shutil
import subprocess
import time

# The time limit of one step, in seconds. On a busy machine the browser gets a tenth of a core, and its start alone
# takes ten seconds of processor time.
DEADLINE = 180
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
# The fonts of the golden pictures, so that the page looks alike on every machine.
FONTS = os.path.join(ROOT, "Tests/Support/CTestFonts/fonts.conf")


def fail(text):
    raise SystemExit("Scripts/console: " + text)


def installed():
    """The path of Chromium; None without one."""
    return next((found for found in map(shutil.which, ["chromium", "chromium-browser", "google-chrome"]) if found), None)


class Browser:
    """Chromium, steered over its debugging pipe: JSON messages with a zero byte behind each."""

    def __init__(self, program, profile):
        to_read, self.to = os.pipe()
        self.from_, from_write = os.pipe()
        # Chromium reads from descriptor 3 and writes to 4.
        def connect():
            read, write = os.dup(to_read), os.dup(from_write)
            os.dup2(read, 3)
            os.dup2(write, 4)
        environment = dict(os.environ, FONTCONFIG_FILE=FONTS, XDG_CACHE_HOME=os.path.join(profile, "cache"),
                           LANG="C.UTF-8", TZ="UTC")
        self.process = subprocess.Popen(
            [program, "--headless", "--font-render-hinting=none", "--disable-lcd-text", "--force-color-profile=srgb",
             "--lang=en-US", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--remote-debugging-pipe",
             "--hide-scrollbars", "--no-first-run", "--disable-extensions", "--disable-background-networking",
             "--disable-sync", "--disable-component-update", "--mute-audio", f"--user-data-dir={profile}", "about:blank"],
            preexec_fn=connect, close_fds=False, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(from_write)
        self.buffer, self.number, self.problems = b"", 0, []
        target = next(t for t in self.call("Target.getTargets")["targetInfos"] if t["type"] == "page")
        self.session = None
        self.session = self.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
        for domain in ["Page", "Runtime", "Log", "Network"]:
            self.call(domain + ".enable")

    def message(self, deadline):
        while b"\0" not in self.buffer:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.from_], [], [], left)[0]:
                fail("Chromium does not answer")
            piece = os.read(self.from_, 1 << 16)
            if not piece:
                fail("Chromium has ended")
            self.buffer += piece
        text, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(text)

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if getattr(self, "session", None):
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + DEADLINE
        while True:
            answer = self.message(deadline)
            if answer.get("method") == "Runtime.exceptionThrown":
                details = answer["params"]["exceptionDetails"]
                self.problems.append(details.get("exception", {}).get("description") or details.get("text", "an exception"))
            if answer.get("method") == "Log.entryAdded" and answer["params"]["entry"]["source"] == "security":
                self.problems.append(answer["params"]["entry"]["text"])
            if answer.get("id") == self.number:
                if "error" in answer:
                    fail(f"{method}: {answer['error']['message']}")
                return answer["result"]

    def value(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in result:
            details = result["exceptionDetails"]
            fail(f"{expression[:200]}: {details.get('exception', {}).get('description') or details['text']}")
        return result["result"].get("value")

    def until(self, what, expression, limit=DEADLINE):
        deadline = time.monotonic() + limit
        while not self.value(expression):
            if time.monotonic() > deadline:
                state = self.value("document.body.innerText")
                fail(f"not seen: {what}\n{state}\n{self.problems}")
            time.sleep(0.05)
        print("seen:", what, flush=True)

    def click(self, selector):
        self.until(f"{selector} can be pressed", f"(e => e && e.ariaDisabled !== 'true')(document.querySelector({selector!r}))")
        self.value(f"document.querySelector({selector!r}).click()")

    def choose(self, selector, value):
        self.value(f"(e => {{ e.value = {value!r}; e.dispatchEvent(new Event('change')); }})"
                   f"(document.querySelector({selector!r}))")

    def write(self, selector, value):
        self.value(f"(e => {{ e.value = {value!r}; e.dispatchEvent(new Event('input')); }})"
                   f"(document.querySelector({selector!r}))")

    def type(self, *keys):
        for key in keys:
            text = {"Enter": "\r"}.get(key, key if len(key) == 1 else "")
            code = {"Enter": 13, "Escape": 27, "Backspace": 8, "ArrowUp": 38, "ArrowDown": 40}.get(key) or ord(key[0])
            for kind in ["keyDown", "keyUp"]:
                more = {"text": text} if text and kind == "keyDown" else {}
                self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code, **more)

    def screen(self, width, height, scheme="light"):
        self.shown = width, height, scheme
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                  mobile=width < 600)
        self.call("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": scheme}, {"name": "prefers-reduced-motion", "value": "reduce"}])

    def download(self, folder):
        """Lets the page save files into a folder."""
        session, self.session = self.session, None
        self.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=folder)
        self.session = session

    def picture(self, scale=1):
        """The whole page as PNG, drawn on a screen as high as the page."""
        width, height, scheme = self.shown
        whole = self.value("scrollTo(0, 0), document.documentElement.scrollHeight")
        self.screen(width, max(whole, height), scheme)
        self.value("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        clip = {"x": 0, "y": 0, "width": width, "height": max(whole, height), "scale": scale}
        data = self.call("Page.captureScreenshot", format="png", clip=clip)["data"]
        self.screen(width, height, scheme)
        return base64.b64decode(data)

    def end(self):
        self.process.kill()
        self.process.wait()
