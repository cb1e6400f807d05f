"""A test of the shop in Chromium, by Selenium: pytest, in this folder"""
import pytest
from selenium import webdriver


@pytest.fixture
def browser():
    options = webdriver.ChromeOptions()
    options.arguments.extend(["--headless=new", "--no-sandbox"])
    with webdriver.Chrome(options) as browser:
        browser.implicitly_wait(10)
        yield browser


def test_shows_why_the_app_did_not_pay(native, browser):
    native.reply("pay", {"code": 6001, "message": "The card was refused."})
    browser.get(native.page())
    browser.find_element("id", "payByCard").click()
    browser.find_element("xpath", "//p[.='The card was refused.']")
    native.verify("pay", {"item": 11, "channel": "card"}, count=1)
