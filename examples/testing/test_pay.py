"""Tests of what native answers to the shop: pytest, in this folder. In place of native.call, a page would call."""

import pytest


def test_pays_by_card_once(native):
    order = {"orderNo": "PP-17", "item": 11, "price": 24, "channel": "card"}
    call = native.call("pay", order)
    assert call["output"] == {"code": 0, "data": {"orderNo": "PP-17"}}
    assert call["reply"] == "pay, case 2, pay"
    native.verify("pay", equals=order, count=1, state="answered")


def test_says_that_the_payment_was_cancelled(native):
    call = native.call("pay", {"orderNo": "PP-18", "channel": "chat"})
    assert call["output"] == {"code": 6001, "message": "You cancelled the payment."}
    native.verify("pay", {"channel": "chat"}, at_least=1)


def test_knows_the_user_from_login_to_logout(native):
    assert native.call("getUser")["output"]["data"] == {"signedIn": False}
    native.call("login", {"by": "phone"})
    assert native.call("getUser")["output"] == {"code": 0, "data": {"nick": "Ann", "points": 120}}
    native.call("logout")
    assert native.call("getUser")["output"] == {"code": 0, "data": {"signedIn": False}}
    native.verify_order(["login", "getUser", "logout", "getUser"])


def test_takes_another_answer_of_the_test_alone(native):
    native.reply("getUser", {"code": 0, "data": {"nick": "Eve", "points": 0}})
    assert native.call("getUser")["output"]["data"]["nick"] == "Eve"
    native.reset()
    assert native.call("getUser")["output"]["data"] == {"signedIn": False}


@pytest.mark.parametrize("name", ["getUser", "pay", "share"])
def test_answers_nothing_while_it_is_offline(native, name):
    native.scenario("offline")
    assert native.call(name)["output"]["message"] == "You are offline."
    assert len(native.calls(state="error")) == 1


def test_finds_the_place(native):
    place = native.call("requestLocation")["output"]["data"]
    assert place == {"city": "Greenwich", "latitude": 51.4779, "longitude": -0.0015}
    native.scenario("location/denied")
    assert native.call("requestLocation")["output"]["code"] == 403
