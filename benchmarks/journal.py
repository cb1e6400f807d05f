"""Measures how soon a call is seen by a program that waits for it, and what the journal keeps."""

import contextlib
import http.client
import json
import os
import pathlib
import random
import re
import statistics
import subprocess
import time

from pages import DOCUMENTS

PROGRAM = pathlib.Path(__file__).parent.parent / ".build" / "release" / "drawbridge"
OPTIONS = [
    "--port", "PORT", "--root", DOCUMENTS, "--quiet", "--log-format", "json", "--reply", 'click={"ok":true}',
    "--reply", 'pay={"code":0,"data":{"orderNo":"R-2041"}}', "--reply", 'wait/*={"ok":true}']
TURNS = 200
CALLS, PARTS = 1_000_000, 4


class Command:
    """The command with what its banner says."""

    def __init__(self, work):
        self.server = work.start("the command")
        self.port = self.server.port
        log = work.folder / "command.log"
        while "\n" not in (text := log.read_text()):
            time.sleep(0.01)
        banner = json.loads(text.split("\n")[0])
        self.token = {"Authorization": f"Bearer {banner['testerToken']}"}

    def connect(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)


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
        yield from times("a call → the answer of a program that waits for it, in a full journal", waiting(command), 50)
    with running(work) as command:
        sizes = " → ".join(f"{size:.1f}" for size in memory(command, work, core))
        yield [f"resident MB before the first call, and after each quarter of {CALLS:,}", sizes, "level"]
