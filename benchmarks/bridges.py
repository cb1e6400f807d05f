"""Measures a bridge from outside in Chromium: DSBridge's calls, later and at once."""

import statistics

import journal
from chromium import Chromium


def rows(work):
    """Milliseconds of calls by the command, with the journal that it always keeps."""
    command = work.start("the command with a bridge")
    try:
        with Chromium() as browser:
            browser.load(f"http://127.0.0.1:{command.port}/dsbridge.html")
            found = browser.value("measured")
    finally:
        command.stop()
    yield ["2,000 calls of DSBridge in one task, median of 5", f"{statistics.median(found['rows']):.0f} ms", "1,000 ms"]
    calls, bare = statistics.median(found["calls"]), statistics.median(found["bare"])
    yield ["a synchronous call, median of 200", f"{calls:.2f} ms", ""]
    yield ["a synchronous request of a page's own to /__drawbridge__/health, median of 200", f"{bare:.2f} ms", ""]
    yield ["the one against the other", f"{calls / bare:.2f}", "1.2"]


OPTIONS = [*journal.OPTIONS, "--bridge", "dsbridge", "--reply", 'same={"is":"right"}']
