"""Headless Chromium with one page, driven by its DevTools protocol over a pipe."""

import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import time


class Chromium:
    """A browser with a fresh profile: `with Chromium() as browser: …`."""

    def __init__(self):
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        its_commands, self.commands = os.pipe()
        self.answers, its_answers = os.pipe()

        def hand_over_pipes():
            # Apart first: one of them may be 3 or 4 already.
            commands, answers = os.dup(its_commands), os.dup(its_answers)
            os.dup2(commands, 3)
            os.dup2(answers, 4)

        self.process = subprocess.Popen(
            ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             f"--user-data-dir={self.profile.name}", "--remote-debugging-pipe", "about:blank"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True, close_fds=False,
            preexec_fn=hand_over_pipes, env={**os.environ, "HOME": self.profile.name, "TMPDIR": self.profile.name})
        os.close(its_commands)
        os.close(its_answers)
        self.number, self.read, self.events, self.session = 0, b"", [], None
        while not (pages := [page for page in self.targets() if page["type"] == "page"]):
            time.sleep(0.05)
        self.attach(pages[0]["targetId"])

    def attach(self, target):
        """Speaks to this page from now on."""
        self.session = None
        self.session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.ask("Page.enable")

    def open_window(self):
        """Opens another window and speaks to its page from now on; `session` is set back to speak to the other one."""
        self.session = None
        window = self.ask("Target.createTarget", url="about:blank", newWindow=True, width=1280, height=1000)
        self.attach(window["targetId"])

    def targets(self):
        return self.ask("Target.getTargets")["targetInfos"]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        # It leads its process group, and has nothing to keep.
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        os.close(self.commands)
        os.close(self.answers)
        self.profile.cleanup()

    def next(self):
        while b"\0" not in self.read:
            if not select.select([self.answers], [], [], 120)[0]:
                sys.exit("Chromium does not answer")
            piece = os.read(self.answers, 1 << 16)
            if not piece:
                sys.exit("Chromium has ended")
            self.read += piece
        text, self.read = self.read.split(b"\0", 1)
        return json.loads(text)

    def ask(self, method, **parameters):
        """Sends a command and waits for its result; events that come meanwhile are kept."""
        self.number += 1
        command = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            command["sessionId"] = self.session
        os.write(self.commands, json.dumps(command).encode() + b"\0")
        while (message := self.next()).get("id") != self.number:
            self.events.append(message)
        if "error" in message:
            sys.exit(f"{method}: {message['error']['message']}")
        return message["result"]

    def wait(self, method):
        """Waits for an event that has not come since the last load()."""
        while not any(event.get("method") == method for event in self.events):
            self.events.append(self.next())

    def load(self, url):
        self.events = []
        self.ask("Page.navigate", url=url)
        self.wait("Page.loadEventFired")

    def value(self, script):
        """The value of a script in the page, awaited."""
        answer = self.ask("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            sys.exit(f"{script}: {answer['exceptionDetails']}")
        return answer["result"]["value"]
