"""What each of many testers does with pytest, in a session for each test, while scripts/shared deploys the gateways."""

import json
import os
import time
from urllib.request import Request, urlopen

import pytest
from selenium import webdriver

CALLS = 20
IN_PAGE = """
const [name, input, done] = arguments;
const request = new XMLHttpRequest();
request.onload = () => done(JSON.parse(request.responseText).data);
request.onerror = () => done('the request failed');
request.open('POST', `/__jsbridge__/${name}`);
request.setRequestHeader('Content-Type', 'application/json');
request.send(JSON.stringify(input));
"""


@pytest.fixture(scope="session")
def browser():
    if not os.environ.get("IN_CHROMIUM"):
        yield None
        return
    options = webdriver.ChromeOptions()
    options.arguments.extend(["--headless=new", "--no-sandbox", "--disable-gpu"])
    with webdriver.Chrome(options) as browser:
        yield browser


@pytest.fixture
def call(native, browser):
    """Calls native, from a page where there is a browser."""
    if browser:
        browser.get(native.page())
        return lambda name, input: browser.execute_async_script(IN_PAGE, name, input)

    def send(name, input):
        headers = native.headers | {"Content-Type": "application/json"}
        with urlopen(Request(f"{native.address}/__jsbridge__/{name}", json.dumps(input).encode(), headers)) as answer:
            return json.load(answer)["data"]

    return send


@pytest.mark.parametrize("number", range(10))
def test_session(native, call, number):
    native.reply("pay", {"paid": native.session})
    native.reply("steps", {"$sequence": ["one", "two", "three", "last"]})
    for place in range(CALLS):
        assert call("pay", {"place": place}) == {"paid": native.session}
        time.sleep(0.05)
    assert [call("steps", {}) for _ in range(5)] == ["one", "two", "three", "last", "last"]
    native.wait("pay", count=CALLS)
    assert [record["input"]["place"] for record in native.calls(name="pay")] == list(range(CALLS))
    native.verify("pay", count=CALLS)
    with pytest.raises(AssertionError):
        native.verify("pay", count=CALLS - 1)
