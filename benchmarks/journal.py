"""Measures how soon a call is seen, in the inspector and by a program that waits for it, and what the journal keeps."""

import contextlib
import http.client
import json
import os
import pathlib
import random
import re
import socket
import statistics
import subprocess
import threading
import time

from chromium import Chromium
from pages import DOCUMENTS

PROGRAM = pathlib.Path(__file__).parent.parent / ".build" / "release" / "drawbridge"
OPTIONS = [
    "--port", "PORT", "--root", DOCUMENTS, "--quiet", "--log-format", "json", "--reply", 'click={"ok":true}',
    "--reply", 'pay={"code":0,"data":{"orderNo":"R-2041"}}', "--reply", 'wait/*={"ok":true}']
TURNS = 200
# In these seconds come as many records as a journal keeps.
RATE, SECONDS = 1000, 10
CALLS, PARTS = 1_000_000, 4

# Notes when the row of each click stands in the list: in the frame behind the one that has drawn it.
WATCH = r"""
    window.seen = {}, window.mostRows = 0;
    new MutationObserver(changes => {
        mostRows = Math.max(mostRows, document.getElementById('rows').childElementCount);
        for (const { addedNodes } of changes) for (const row of addedNodes) {
            // The row is drawn anew when the answer is there.
            const click = /\{click: (\d+)\}/.exec(row.textContent)?.[1];
            if (!click || click in seen) continue;
            seen[click] = null;
            requestAnimationFrame(() => { seen[click] = performance.timeOrigin + performance.now(); });
        }
    }).observe(document.getElementById('rows'), { childList: true });
    document.visibilityState
"""


def types(words):
    """Filters by these words, all at once."""
    return f"""{{
        const filter = document.getElementById('filter');
        filter.value = '{words}';
        filter.dispatchEvent(new Event('input', {{ bubbles: true }}));
    }}"""


class Command:
    """The command with what its banner says."""

    def __init__(self, work):
        self.server = work.start("the command")
        self.port = self.server.port
        log = work.folder / "command.log"
        while "\n" not in (text := log.read_text()):
            time.sleep(0.01)
        banner = json.loads(text.split("\n")[0])
        self.inspector = banner["inspector"]
        self.token = {"Authorization": f"Bearer {banner['testerToken']}"}

    def connect(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)


class Flood:
    """Calls at a steady rate, in a burst every 20 ms, while `with Flood(port):` lasts."""

    BURST = RATE // 50
    HEAD = "POST /pay?_mobile_bridge=1 HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"

    def __init__(self, port):
        self.port, self.is_over, self.sent = port, False, 0
        self.thread = threading.Thread(target=self.send)

    def send(self):
        with socket.create_connection(("127.0.0.1", self.port), 10) as connection:
            began = time.monotonic()
            while not self.is_over:
                connection.sendall("".join(map(self.call, range(self.BURST))).encode())
                answers = b""
                while answers.count(b"R-2041") < self.BURST:
                    if not (piece := connection.recv(1 << 16)):
                        return
                    answers += piece
                self.sent += self.BURST
                time.sleep(max(0, began + self.sent / RATE - time.monotonic()))

    def call(self, number):
        body = '{"channel":"card","price":%d,"title":"Low tide, framed"}' % (self.sent + number)
        return f"{self.HEAD}Content-Length: {len(body)}\r\n\r\n{body}"

    def __enter__(self):
        self.thread.start()

    def __exit__(self, *_):
        has_ended = not self.thread.is_alive()
        self.is_over = True
        self.thread.join()
        if has_ended:
            raise SystemExit("the calls broke off")


class Screen:
    """A browser that shows the page and the inspector side by side, since what is hidden draws nothing."""

    def __init__(self, browser, command):
        self.browser = browser
        browser.load(f"http://127.0.0.1:{command.port}/clicks.html")
        self.page = browser.session
        browser.open_window()
        self.inspector = browser.session
        browser.load(command.inspector)
        self.until("document.getElementById('connection').textContent === 'live'")
        if {self.at(self.inspector, WATCH), self.at(self.page, "document.visibilityState")} != {"visible"}:
            raise SystemExit("Chromium shows one of its windows alone")
        # Behind a new window Chromium loads pages of its own, with more work than is measured here.
        time.sleep(5)

    def at(self, session, script):
        self.browser.session = session
        return self.browser.value(script)

    def until(self, script):
        """Waits until this is so in the inspector."""
        end = time.monotonic() + 20
        while not self.at(self.inspector, f"Boolean({script})"):
            if time.monotonic() > end:
                raise SystemExit(f"in the inspector this does not come true: {script}")
            time.sleep(0.1)

    def tasks(self, work):
        """Milliseconds of each task of the inspector while that work is done: how long it took, and its CPU time."""
        browser = self.browser
        browser.events, browser.session = [], self.inspector
        browser.ask("Tracing.start", transferMode="ReportEvents", traceConfig={
            "includedCategories": ["toplevel", "blink.user_timing"], "excludedCategories": ["*"]})
        browser.value("performance.mark('inspector').name")
        work()
        browser.ask("Tracing.end")
        browser.wait("Tracing.tracingComplete")
        events = [
            event for part in browser.events if part["method"] == "Tracing.dataCollected"
            for event in part["params"]["value"]]
        thread = next((event["pid"], event["tid"]) for event in events if event["name"] == "inspector")
        # One that has not ended has no duration.
        return [
            (event["dur"] / 1000, event["tdur"] / 1000) for event in events
            if event["name"] == "ThreadControllerImpl::RunTask" and (event["pid"], event["tid"]) == thread
            and "tdur" in event]

    def clicks(self):
        """Milliseconds from each click to its row."""
        before = self.at(self.page, "clicks.length")
        for _ in range(TURNS):
            for kind in ["mousePressed", "mouseReleased"]:
                self.browser.ask("Input.dispatchMouseEvent", type=kind, x=20, y=20, button="left", clickCount=1)
            # No two fall on the same place between two frames.
            time.sleep(random.uniform(0.03, 0.08))
        clicks = self.at(self.page, "clicks")
        self.until(f"Object.values(seen).filter(Boolean).length === {len(clicks)}")
        seen = self.at(self.inspector, "seen")
        return [seen[str(n)] - clicks[n - 1] for n in range(before + 1, before + TURNS + 1)]


def answer(connection):
    found = connection.getresponse()
    body = found.read()
    if found.status != 200:
        raise SystemExit(f"{found.status}: {body}")
    return json.loads(body)


def waiting(command):
    """Milliseconds from each call to the answer of a program that waits for it."""
    caller, waiter = command.connect(), command.connect()
    for turn in range(TURNS):
        path = f"/__drawbridge__/calls?name=wait/{turn}&count=1&seconds=5"
        waiter.request("GET", path, headers=command.token)
        time.sleep(random.uniform(0.02, 0.05))
        began = time.perf_counter()
        caller.request("GET", f"/wait/{turn}?_mobile_bridge=1")
        found = answer(waiter)
        yield (time.perf_counter() - began) * 1000
        answer(caller)
        if len(found["data"]["calls"]) != 1:
            raise SystemExit(f"not the call that was waited for: {found}")


def memory(command, work, core):
    """Resident MB before the first call, and after each part of a million."""
    script = work.folder / "call.lua"
    script.write_text("""
        wrk.method, wrk.body = "POST", '{"channel":"card","price":24,"title":"Low tide, framed"}'
        wrk.headers["Content-Type"] = "application/json"
    """)
    url = f"http://127.0.0.1:{command.port}/pay?_mobile_bridge=1"
    yield command.server.memory() / (1 << 20)
    calls = 0
    for part in range(1, PARTS + 1):
        while calls < CALLS * part // PARTS:
            done = subprocess.run(
                ["wrk", "-t1", "-c16", "-d1s", "-s", script, url], capture_output=True, text=True, check=True,
                preexec_fn=lambda: os.sched_setaffinity(0, {core}))
            calls += int(re.search(r"(\d+) requests in", done.stdout)[1])
            if "Non-2xx" in done.stdout or "Socket errors" in done.stdout:
                raise SystemExit(f"not all calls were answered:\n{done.stdout}")
        yield command.server.memory() / (1 << 20)


def times(title, values, aim):
    """Rows of the median and of the time that 95 of 100 keep."""
    values = list(values)
    yield [f"{title}, median of {TURNS}", f"{statistics.median(values):.1f} ms", ""]
    yield [f"{title}, p95", f"{statistics.quantiles(values, n=20)[18]:.1f} ms", f"{aim} ms"]


@contextlib.contextmanager
def running(work):
    command = Command(work)
    try:
        yield command
    finally:
        command.server.stop()


def rows(work, core):
    """All of it, once."""
    with running(work) as command:
        with Chromium() as browser:
            yield from in_the_inspector(Screen(browser, command), command)
        yield from times("a call → the answer of a program that waits for it, in a full journal", waiting(command), 50)
    with running(work) as command:
        sizes = " → ".join(f"{size:.1f}" for size in memory(command, work, core))
        yield [f"resident MB before the first call, and after each quarter of {CALLS:,}", sizes, "level"]


def in_the_inspector(screen, command):
    """Rows of what a person sees, at rest and under load."""
    title = "a click → its row in the inspector"
    yield from times(title, screen.clicks(), 100)

    def flood():
        with Flood(command.port):
            time.sleep(SECONDS)
        screen.until(f"document.querySelector('.row:last-child').ariaSetSize >= {RATE * SECONDS}")

    def filters():
        # What stands in the input of every record, and then a name that none has as well.
        for words, found in [("tide", "records of"), ("tide name:click", "Nothing matches")]:
            screen.at(screen.inspector, types(words))
            screen.until(f"document.getElementById('found').textContent.includes('{found}')")

    load = f"{RATE:,} records a second for {SECONDS} s"
    for what, work in [(load, flood), ("then two filters", filters)]:
        took, cpu = zip(*screen.tasks(work))
        above = f"{sum(one > 50 for one in took)} of {len(took):,} above 50 ms"
        yield [f"{what}: the inspector's longest task", f"{max(took):.0f} ms, {above}", "50 ms"]
        yield [f"{what}: the same in CPU time", f"{max(cpu):.0f} ms", ""]
    yield [f"{load}: most rows in its document", str(screen.at(screen.inspector, "mostRows")), "500"]
    screen.browser.ask("HeapProfiler.collectGarbage")
    heap = screen.browser.ask("Runtime.getHeapUsage")["usedSize"] / 1e6
    yield [f"{load}: its heap behind that", f"{heap:.1f} MB", "40 MB"]
    screen.at(screen.inspector, types("name:click"))
    with Flood(command.port):
        yield from times(f"{title}, during {RATE:,} records a second", screen.clicks(), 100)
