"""Measures pages that speak to the gateway: in headless Chromium, and ten thousand of them as plain sockets."""

import base64
import contextlib
import json
import os
import pathlib
import select
import signal
import socket
import statistics
import struct
import sys
import threading
import time
import urllib.request

from chromium import Chromium

DOCUMENTS = pathlib.Path(__file__).parent / "documents"
IDLE = 10_000


def get(server, path, **headers):
    request = urllib.request.Request(f"http://127.0.0.1:{server.port}{path}", headers=headers)
    with urllib.request.urlopen(request, timeout=10) as answer:
        return answer.read()


class Pages:
    """Plain sockets that say what a page says."""

    def __init__(self, port):
        self.port, self.origin = port, f"http://127.0.0.1:{port}"
        token = json.loads(get(self, "/__drawbridge__/token", **{"X-Drawbridge-Page": "x"}))["token"]
        # As Chromium sends it.
        self.handshake = "\r\n".join([
            "GET /__drawbridge__/channel HTTP/1.1", f"Host: 127.0.0.1:{port}", "Connection: Upgrade",
            "Pragma: no-cache", "Cache-Control: no-cache",
            "User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 "
            "Safari/537.36",
            "Upgrade: websocket", f"Origin: {self.origin}", "Sec-WebSocket-Version: 13",
            "Accept-Encoding: gzip, deflate", "Accept-Language: en-US,en;q=0.9",
            "Sec-WebSocket-Key: " + base64.b64encode(bytes(16)).decode(),
            f"Sec-WebSocket-Protocol: drawbridge, token.{token}", "", ""]).encode()

    def open(self):
        """The channel of a page that has said hello."""
        connection = socket.create_connection(("127.0.0.1", self.port), 10)
        connection.sendall(self.handshake)
        self.expect(connection, b"HTTP/1.1 101 ", b"\r\n\r\n")
        self.say(connection, {"hello": {
            "page": os.urandom(16).hex(), "life": 1, "epoch": "", "received": 0, "bridges": ["wvjb"], "top": True,
            "url": f"{self.origin}/index.html", "title": "A page"}})
        self.expect(connection, b"\x81", b"}}")
        return connection

    @staticmethod
    def say(connection, said):
        text = json.dumps(said, separators=(",", ":")).encode()
        length = struct.pack("!B", 0x80 | len(text)) if len(text) < 126 else struct.pack("!BH", 0x80 | 126, len(text))
        # A mask of zeroes changes nothing.
        connection.sendall(b"\x81" + length + bytes(4) + text)

    @staticmethod
    def expect(connection, start, end):
        answer = b""
        while not answer.endswith(end):
            piece = connection.recv(4096)
            answer += piece
            if not piece or not answer.startswith(start[:len(answer)]):
                sys.exit(f"a page was not taken: {answer}")


class IdlePages:
    """Pages that have said hello and say nothing more, but answer pings."""

    def __init__(self, server, count):
        pages = Pages(server.port)
        self.sockets = {}
        self.epoll = select.epoll()
        self.is_over = False
        self.lost = 0
        for _ in range(count):
            connection = pages.open()
            connection.setblocking(False)
            self.sockets[connection.fileno()] = connection
            self.epoll.register(connection, select.EPOLLIN)
        self.thread = threading.Thread(target=self.answer_pings, daemon=True)
        self.thread.start()

    def answer_pings(self):
        while not self.is_over:
            for descriptor, _ in self.epoll.poll(0.5):
                connection = self.sockets[descriptor]
                with contextlib.suppress(OSError):
                    if connection.recv(4096) == b"\x89\x00":
                        connection.sendall(b"\x8a\x80\0\0\0\0")
                        continue
                self.epoll.unregister(descriptor)
                self.lost += 1

    def close(self):
        self.is_over = True
        self.thread.join()
        for connection in self.sockets.values():
            connection.close()


class Cost:
    """What one load of a page without a bridge spends on the page runtime, as Chromium's own trace tells."""

    def __init__(self, browser, url):
        browser.ask("Network.enable")
        browser.ask("Tracing.start", transferMode="ReportEvents", traceConfig={
            "includedCategories": ["devtools.timeline", "v8"], "excludedCategories": ["*"]})
        browser.load(url)
        # What it does when the page is there.
        time.sleep(0.3)
        browser.ask("Tracing.end")
        browser.wait("Tracing.tracingComplete")
        self.sockets = sum(event["method"] == "Network.webSocketCreated" for event in browser.events)
        events = [
            event for part in browser.events if part["method"] == "Tracing.dataCollected"
            for event in part["params"]["value"] if "/__drawbridge__/page.js" in json.dumps(event.get("args", {}))]

        def cpu(name):
            return sum(event.get("tdur", 0) for event in events if event["name"] == name) / 1000

        self.script, self.later = cpu("EvaluateScript"), cpu("FunctionCall")
        if not self.script:
            sys.exit("the page runtime did not run")


def spread(values, unit=""):
    """The median, and the lowest and the highest."""
    middle, low, high = (f"{value:.2f}" for value in (statistics.median(values), min(values), max(values)))
    return f"{middle}{unit} ({low}–{high})"


def percentile(values, percent):
    return statistics.quantiles(values, n=100)[percent - 1]


def in_a_browser(work, rounds):
    """Rows of what is found in pages, each round in browsers of its own."""
    reports, first, again = [], [], []
    for _ in range(rounds):
        server, echo = work.start("ours, pages"), work.start("a bare echo")
        site = f"http://127.0.0.1:{server.port}"
        try:
            with Chromium() as browser:
                browser.load(f"{site}/bridge.html?echo={echo.port}")
                reports.append(browser.value("measured"))
            with Chromium() as browser:
                costs = [Cost(browser, f"{site}/plain.html") for _ in range(8)]
                # The second stores what was compiled.
                first.append(costs[0])
                again += costs[2:]
        finally:
            server.stop()
            echo.stop()
    for name, bridge in [("ping", "WebViewJavascriptBridge"), ("add", "a global function")]:
        title = f"native → page → native by {bridge}"
        middle = [statistics.median(own[name]) for own in reports]
        yield [f"{title}, median of 1,000", spread(middle, unit=" ms"), "3 ms"]
        p99 = [percentile(own[name], 99) for own in reports]
        yield [f"{title}, p99", spread(p99, unit=" ms"), ""]
    for name, kind, percent, aim in [("median of 1,000", "ofTen", 50, "1.3"), ("p99", "each", 99, "1.5")]:
        call, echo = ([percentile(own["mock"][what][kind], percent) for own in reports] for what in ["call", "echo"])
        yield [f"a page's call that a mock answers, {name}", spread(call, unit=" ms"), ""]
        ratios = [mine / its for mine, its in zip(call, echo)]
        yield [f"the same, against a bare WebSocket echo in the same page, {name}", spread(ratios), aim]
    took = [own["row"]["took"] / 1000 for own in reports]
    yield ["10,000 `callHandler` in a row, until the last answer", spread(took, unit=" s"), "2 s"]
    yield ["answers in order", "all" if all(own["row"]["isInOrder"] for own in reports) else "**not all**", "all"]
    for costs, when in [(first, "the first load of a browser"), (again, "later loads")]:
        title = f"the runtime in a page without a bridge, CPU time, {when}"
        yield [f"{title}: its script", spread([cost.script for cost in costs], unit=" ms"), "2 ms"]
        yield [f"{title}: what it does later", spread([cost.later for cost in costs], unit=" ms"), ""]
    yield ["WebSockets that such a page opens", str(sum(cost.sockets for cost in first + again)), "0"]


def with_idle_pages(work, rounds, sample):
    """Rows of what ten thousand idle pages cost, in memory and to those who ask."""
    with_pages, without = work.start("ours, pages"), work.start("ours, pages")
    pages = None
    try:
        paths = ["/sync", "/wait"]
        warm = IdlePages(with_pages, 50)
        time.sleep(1)
        before = with_pages.memory()
        pages = IdlePages(with_pages, IDLE)
        time.sleep(1)
        known = int(get(with_pages, "/pages?_mobile_bridge=1"))
        each = (with_pages.memory() - before) / IDLE / 1024
        yield [f"memory of each of {known - 50:,} idle pages", f"{each:.1f} KB", "4 KB"]
        warm.close()
        for server in [with_pages, without]:
            for path in paths:
                sample(server, path)
        for path in paths:
            ratios, cpu = [], []
            for turn in range(rounds):
                found = {}
                # Each goes first as often as the other, and has its core for itself.
                for server in [with_pages, without] if turn % 2 else [without, with_pages]:
                    other = without if server is with_pages else with_pages
                    other.process.send_signal(signal.SIGSTOP)
                    try:
                        found[server] = sample(server, path)
                    finally:
                        other.process.send_signal(signal.SIGCONT)
                mine, its = found[with_pages], found[without]
                ratios.append(mine.throughput / its.throughput)
                cpu.append(mine.cpu / its.cpu)
            yield [f"requests/s of `{path}` beside them, against without", spread(ratios), "0.95"]
            yield [f"CPU time of `{path}` beside them, against without", spread(cpu), ""]
        if pages.lost:
            sys.exit(f"{pages.lost} of the idle pages were lost")
    finally:
        if pages:
            pages.close()
        with_pages.stop()
        without.stop()


def rows(work, rounds, sample):
    """All of it; `sample` loads a path of a server for a second."""
    yield from in_a_browser(work, rounds)
    # Many short ones: what is between two of them changes the less.
    yield from with_idle_pages(work, 5 * rounds, sample)
