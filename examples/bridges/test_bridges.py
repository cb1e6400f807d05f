"""Tries each bridge of this folder in a browser, by its page and its list of exchanges: pytest, in this folder

BROWSER=firefox takes Firefox in place of Chromium; PATIENCE is how many seconds to wait for each exchange.
"""

import json
import os
import re
import time
from pathlib import Path

import pytest
from drawbridge_gateway import GatewayError, start
from selenium import webdriver

FOLDER = Path(__file__).parent
NAMES = sorted(file.stem for file in FOLDER.glob("*.js") if file.name != "heard.js")
PATIENCE = float(os.environ.get("PATIENCE", 10))
KINDS = {
    "pageCalls": "the page calls", "pageHears": "the page hears", "nativeCalls": "native calls", "nativeTells": "native tells"}
# What may come with each, apart from `hears`.
BESIDE = {"pageCalls": {"with", "answer"}, "pageHears": set(), "nativeCalls": {"with", "answer", "bridge"}, "nativeTells": {"with"}}


@pytest.fixture(scope="module")
def browser():
    if os.environ.get("BROWSER") == "firefox":
        options = webdriver.FirefoxOptions()
        options.add_argument("-headless")
        driver = webdriver.Firefox(options)
    else:
        options = webdriver.ChromeOptions()
        options.arguments.extend(["--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--no-proxy-server"])
        driver = webdriver.Chrome(options)
    with driver:
        yield driver


@pytest.mark.parametrize("name", NAMES)
def test_bridge(name, browser, subtests):
    # A line of the list may be a comment.
    said = json.loads(re.sub(r"(?m)^\s*//.*$", "", (FOLDER / f"{name}.json").read_text()))
    assert said.keys() <= {"exchanges", "options", "userAgent"} and said["exchanges"]
    words = ["--bridge", f"{FOLDER / name}.js={json.dumps(said.get('options', {}))}"]
    if "userAgent" in said:
        words += ["--user-agent", said["userAgent"]]
    with start(str(FOLDER), *words) as gateway:
        native = gateway.session(name)
        for call, reply in replies(said["exchanges"]).items():
            native.reply(call, reply)
        browser.get(native.page(f"/{name}.html"))
        trial = Trial(native)
        for exchange in said["exchanges"]:
            kind, call = kind_of(exchange)
            with subtests.test(f"{KINDS[kind]} {call}"):
                trial.play(kind, call, exchange)
        others, wrong = trial.others(), faults(name, gateway, native)
        assert not others, f"what is not in the list: {others}"
        assert not wrong, "\n".join(wrong)
        # A page that is left holds up nobody's end.
        browser.get("about:blank")


def kind_of(exchange):
    """What an exchange is, and of which name."""
    kinds = exchange.keys() & KINDS.keys()
    assert len(kinds) == 1, exchange
    kind = kinds.pop()
    assert exchange.keys() <= BESIDE[kind] | {kind, "hears"}, exchange
    return kind, exchange[kind]


def replies(exchanges):
    """What native answers to each name: one after the other where it is called several times."""
    answers = {"heard": [None]}
    for exchange in exchanges:
        if "pageCalls" in exchange:
            answers.setdefault(exchange["pageCalls"], []).append(exchange.get("answer", {"$missing": True}))
    return {name: each[0] if len(each) == 1 else {"$sequence": each} for name, each in answers.items()}


class Trial:
    """The page's exchanges with native so far."""

    def __init__(self, native):
        self.native = native
        self.seconds = PATIENCE
        #: How many calls, and how many heard values, of each name were in the list.
        self.called, self.heard = {}, {}

    def play(self, kind, name, exchange):
        """Does native's part of an exchange, and compares the page's with the list."""
        data, hears = exchange.get("with"), exchange.get("hears", [])
        first = self.heard.get(name, 0)
        last = self.heard[name] = first + len(hears)
        if kind == "pageCalls":
            count = self.called[name] = self.called.get(name, 0) + 1
            calls = self.until(lambda: self.calls(name), count)
            assert len(calls) >= count, f"only these were called: {[call['name'] for call in self.calls()]}"
            sent = calls[count - 1]["input"]
            assert text(sent) == text(exchange.get("with", sent)), "what the page sent"
        elif kind == "nativeCalls":
            answer = self.answer({"name": name, "data": data, "by": exchange.get("bridge")})
            assert text(answer) == text(wanted_of(answer, exchange)), "what the page answered"
        elif kind == "nativeTells":
            self.reach_page()
            self.native.emit(name, data)
        found = self.until(lambda: self.values(name), last)[first:last]
        assert text(found) == text(hears), "what the page heard"

    def others(self):
        """What the page has called and heard that is not in the list; it has a moment for it."""
        time.sleep(0.3)
        called, heard = dict(self.called), dict(self.heard)
        calls = [f"{call['name']} with {text(call['input'])}" for call in self.calls() if is_beyond(called, call["name"])]
        return calls + [said for said in self.all_heard() if is_beyond(heard, said["name"])]

    def records(self, name):
        """Calls, whole: one that has just begun may have no input yet."""
        query = {"name": name, "kind": "call", "secrets": 1}
        calls = self.native.ask("GET", "calls", query, gives="calls")
        return [call for call in calls if call["state"] != "waiting" or call["input"] is not None]

    def calls(self, name=...):
        return [call for call in self.records(name) if call["name"] != "heard"]

    def all_heard(self):
        return [call["input"] for call in self.records("heard") if "name" in call["input"]]

    def values(self, name):
        return [said["value"] for said in self.all_heard() if said["name"] == name]

    def answer(self, call):
        """What the page answers; an error as `$error` has it."""
        self.reach_page()
        try:
            said = {word: value for word, value in call.items() if value is not None}
            return self.native.ask("POST", "pages/latest/call", body=said | {"seconds": PATIENCE})
        except GatewayError as error:
            return {"$error": {"code": error.code, "message": str(error)}}

    def reach_page(self):
        """Waits for a page that has told native of a bridge by which it is called."""
        query = {"session": self.native.session}
        pages = self.until(lambda: [page for page in self.native.ask("GET", "pages", query) if page["bridges"]], 1)
        assert pages, "no bridge of the page says by native.listens(), or by a call, that native can call it"

    def until(self, find, count):
        """What is found, as soon as there is so much of it. Once something has not come, little patience is left."""
        end = time.monotonic() + self.seconds
        while len(found := find()) < count:
            if time.monotonic() > end:
                self.seconds = min(1, PATIENCE)
                break
            time.sleep(0.02)
        return found


def is_beyond(counts, name):
    counts[name] = counts.get(name, 0) - 1
    return counts[name] < 0


def wanted_of(answer, exchange):
    """The wanted answer, where one is in the list; of an error only what is said there is compared."""
    wanted = exchange.get("answer", answer)
    if answer and isinstance(wanted, dict) and "$error" in wanted and "$error" in answer:
        return {"$error": answer["$error"] | wanted["$error"]}
    return wanted


def faults(name, gateway, native):
    """What went wrong in the bridge's script or in the page, with file and line."""
    logged = [line for line in gateway.warned() if f"{name}.js:" in line]
    thrown = [call["input"] for call in native.calls(kind="page") if call["name"] in ("error", "rejection")]
    return logged + [error.get("stack", error["message"]) for error in thrown]


def text(value):
    """JSON, in which 1 is neither true nor 1.0."""
    return json.dumps(value, sort_keys=True)
