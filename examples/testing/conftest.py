"""A fixture for tests of pages and their native side, with nothing but Python's own library.

Copy this file beside your tests, which ask for `native`:

    def test_pays_once(native): ...

Start the gateway with a token of your own, say the same token to the tests, and run them:

    export DRAWBRIDGE_TOKEN=$(openssl rand -hex 16)
    drawbridge --root examples/shop &
    pytest

DRAWBRIDGE_URL says where the gateway is, if it is not at http://127.0.0.1:8080.
"""

import json
import os
import re
import time
import uuid
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlencode
from urllib.request import ProxyHandler, Request, build_opener

import pytest

# The gateway is on this machine, and no proxy of the environment's leads there.
gateway = build_opener(ProxyHandler({}))


# What fails is shown where the test asks for it, and not in this file.
__tracebackhide__ = True


class Native:
    """What a test says to native, in a session of its own: what it sets and counts concerns no other test."""

    def __init__(self, title):
        self.address = os.environ.get("DRAWBRIDGE_URL", "http://127.0.0.1:8080").rstrip("/")
        self.session = re.sub(r"[^A-Za-z0-9]+", "-", title)[:40] + "-" + uuid.uuid4().hex[:10]
        # What a request sends to be in the session of this test.
        self.headers = {"X-Drawbridge-Session": self.session}

    def page(self, to="/"):
        """The address by which a browser comes into the session, and goes on to a path."""
        return f"{self.address}/__drawbridge__/session/{self.session}?{urlencode({'to': to})}"

    def reply(self, name, reply):
        """Answers a name so, before the gateway's file does. A reply is what it is in the file."""
        self._ask("PUT", "replies", {"name": name}, reply)

    def scenario(self, name, on=True):
        """Switches a scenario on, or off."""
        return self._ask("PUT", "scenario", {}, {"scenario": name, "on": on})

    def event(self, name):
        """Plays an event on the newest page, and waits until its steps are done."""
        self._ask("POST", "events/" + quote(name, safe=""))

    def calls(self, **query):
        """The calls so far; a query sorts out, such as name="pay", state="error"."""
        return self._ask("GET", "calls", query)["calls"]

    def call(self, name, input=None):
        """Calls a name in place of a page, and gives the record of the call."""
        return self._ask("POST", "calls", {}, {"name": name, "input": input})

    def wait(self, name, count=1, seconds=5):
        """Waits until so many calls of a name have begun, and gives them."""
        return self.calls(name=name, count=count, seconds=seconds)

    def verify(self, name=None, **check):
        """Fails unless a name was called so: equals or when; count, at_least or at_most; state, seconds.

        Without a name it is about all calls: verify(order=["login", "pay"]).
        """
        words = {"at_least": "atLeast", "at_most": "atMost"}
        check = {"seconds": 5} | {words.get(word, word): value for word, value in check.items()}
        return self._ask("POST", "calls/verify", {}, check if name is None else {"name": name} | check)["calls"]

    def questions(self):
        """The questions that wait.

        Ask once before the page does: from then on they wait for you, and not for a person.
        """
        return self._ask("GET", "questions")

    def answer(self, number, choice):
        """Answers a question, by one of its choices, or by a dict of its fields."""
        word = "fields" if isinstance(choice, dict) else "choice"
        self._ask("POST", f"questions/{number}", {}, {word: choice})

    def reset(self):
        """Takes back all that the test has changed, and forgets its calls."""
        self._ask("POST", "reset")

    def _ask(self, method, path, query={}, *body):
        token = os.environ.get("DRAWBRIDGE_TOKEN")
        assert token, "DRAWBRIDGE_TOKEN has no token; say the one that the gateway was started with"
        headers = self.headers | {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        data = json.dumps(body[0]).encode() if body else None
        url = f"{self.address}/__drawbridge__/{path}?{urlencode(query)}"
        end = time.monotonic() + 10
        while True:
            try:
                with gateway.open(Request(url, data, headers, method=method)) as answer:
                    return json.load(answer).get("data")
            except HTTPError as error:
                answer = json.load(error)
                pytest.fail(answer["message"] + near_miss(answer.get("data")))
            except URLError as error:
                if not isinstance(error.reason, ConnectionRefusedError) or time.monotonic() > end:
                    pytest.fail(f"no gateway at {self.address}: {error.reason}; start it, or name it by DRAWBRIDGE_URL")
            time.sleep(0.1)


def near_miss(data):
    """What was wanted, and below it the call that comes next to it."""
    if not data or "call" not in data:
        return ""
    call = data["call"]
    return f"\n  wanted {json.dumps(data['wanted'])}\n  call {call['number']} {json.dumps(call['input'])}"


@pytest.fixture
def native(request):
    native = Native(request.node.name)
    # Waits for a gateway that was started a moment ago, before a page or a test asks it.
    native.reset()
    yield native
    native.reset()


@pytest.fixture
def shop(native):
    """The address of the shop in the session of the test."""
    return native.page("/")
