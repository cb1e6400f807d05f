"""The shop in Chromium, by Selenium and the fixture `native`: pytest test_browser.py, with SHOP."""

import os

import pytest
from drawbridge_gateway import start
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait


@pytest.fixture(scope="module")
def drawbridge():
    with start(os.environ["SHOP"], "--choose", "pay=pay") as gateway:
        yield gateway


@pytest.fixture(scope="module")
def browser():
    options = webdriver.ChromeOptions()
    options.arguments.extend(["--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--no-proxy-server"])
    with webdriver.Chrome(options) as browser:
        yield browser


@pytest.fixture
def page(browser, native):
    browser.get(native.page())
    return Page(browser)


class Page:
    """The shop as a person has it: buttons to click, and texts that appear."""

    def __init__(self, browser):
        self.browser = browser

    def click(self, name):
        self.browser.find_element(By.ID, name).click()

    def shows(self, name, text):
        def found(browser):
            return text in browser.find_element(By.ID, name).text

        WebDriverWait(self.browser, 10).until(found, f"{name} never shows {text}")


def test_pays_by_card(native, page):
    page.shows("title", "Low tide")
    page.click("payByCard")
    page.shows("payment", "Paid: order PP-")
    # Native says it of its own accord.
    page.shows("receipt", "Receipt R-2041, €24")
    native.verify("pay", {"item": 11, "price": 24, "channel": "card"}, count=1, state="answered")
    native.verify("onPaid", kind="push", count=1)


def test_shows_why_the_app_did_not_pay(native, page):
    native.reply("pay", {"code": 6002, "message": "The card was refused."})
    page.click("payByCard")
    page.shows("payment", "The card was refused.")
    native.verify("pay", count=1)


def test_signs_in_and_out(native, page):
    page.shows("user", "Not signed in")
    page.click("login")
    page.shows("user", "Ann, 120 points")
    page.click("logout")
    page.shows("user", "Not signed in")
    native.verify_order(["getUser", "login", "getUser", "logout", "getUser"])
    native.verify("login", equals={"by": "phone"}, count=1)


def test_knows_the_user_at_its_first_call(native, browser):
    native.scenario("user/signed-in")
    browser.get(native.page())
    Page(browser).shows("user", "Ann, 120 points")


def test_shares_when_a_person_says_so(native, page):
    assert native.questions() == []
    page.click("share")
    page.shows("shared", "The app is not ready; try again.")
    page.click("share")
    native.choose("share", "post", seconds=10)
    page.shows("shared", "Shared with everybody")


def test_opens_a_deep_link(native, page):
    page.shows("user", "Not signed in")
    native.event("deep link", page="/")
    page.shows("title", "Fog, then gulls")


def test_native_calls_the_page(native, page):
    page.shows("user", "Not signed in")
    assert native.call_page("onPaid", {"receipt": "R-1", "price": 24}) == {"code": 0}
    page.shows("receipt", "Receipt R-1, €24")
    page.browser.execute_script("addEventListener('drawbridge:shown', event => { document.title = event.detail.id; })")
    native.emit("shown", {"id": "11"}, page="/")
    WebDriverWait(page.browser, 10).until(lambda browser: browser.title == "11")
