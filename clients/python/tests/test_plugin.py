"""The fixtures for pytest, in runs of their own: pytest test_plugin.py, with SHOP."""

import os
import re
import subprocess
import sys

import pytest

from drawbridge_gateway import connect, program


@pytest.fixture
def run(tmp_path):
    """Runs tests in a folder of their own; gives what is said of them."""

    def run(tests, settings="", **environment):
        (tmp_path / "test_it.py").write_text(tests)
        (tmp_path / "pytest.ini").write_text(f"[pytest]\n{settings}\n")
        words = [sys.executable, "-m", "pytest", "-q", "-s", "--tb=short", "-p", "no:cacheprovider", tmp_path]
        return subprocess.run(words, capture_output=True, text=True, env=os.environ | environment).stdout

    return run


def test_each_test_has_a_session_of_its_own_in_one_gateway(run):
    said = run(
        """
import pytest
seen = []

@pytest.mark.parametrize("title", ["one", "other"])
def test_session(native, drawbridge, title):
    print(title, native.call("getUser")["code"], len(native.calls()))
    native.reply("getUser", 1)
    seen.extend([native.session, drawbridge])
    if len(seen) == 4:
        print("same", seen[0] == seen[2], seen[1] == seen[3])
""",
        f"drawbridge = {os.environ['SHOP']} --scenario offline")
    for line in ["one -1009 1", "other -1009 1", "same False True", "2 passed"]:
        assert line in said


def test_a_failing_test_shows_the_closest_call_and_leaves_nothing_behind(run):
    token = "t" * 32
    words = [program, "-p", "0", "-q", os.environ["SHOP"]]
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True, env=os.environ | {"DRAWBRIDGE_TOKEN": token}) as child:
        try:
            address = re.search(r"http:\S+", child.stderr.readline())[0]
            said = run(
                """
def test_fails(native):
    print("session", native.session)
    native.reply("getUser", 1)
    native.call("getUser", {"id": 17})
    native.verify("getUser", {"id": 18}, seconds=0)
""",
                DRAWBRIDGE_URL=address, DRAWBRIDGE_TOKEN=token)
            for line in ["id is 17, wanted 18", 'wanted {"id": 18}', 'call 1 {"id": 17}', "1 failed"]:
                assert line in said
            assert "verbs.py" not in said and "__init__" not in said, "what is shown is the line of the test"
            native = connect(address, token).session()
            session = re.search(r"session ([\w-]+)", said)[1]
            assert native.ask("GET", "replies", {"session": session}) == {}
            assert native.ask("GET", "calls", {"session": session}, gives="calls") == []
        finally:
            child.terminate()


def test_the_first_failing_test_shows_what_the_gateway_has_warned_of(run, tmp_path):
    page = tmp_path / "page"
    page.mkdir()
    (page / "drawbridge.json").write_text('{"replies": {"a": 1}}')
    (page / "drawbridge.json").chmod(0o666)
    said = run(
        """
import pytest
from drawbridge_gateway import VerifyError

def test_right(native):
    with pytest.raises(VerifyError):
        native.verify("nobody", seconds=0)

def test_wrong(native):
    assert native.call("a")["by"] == "reply"

def test_wrong_too(native):
    assert False
""",
        "drawbridge = page")
    before, _, after = said.partition("drawbridge: page/drawbridge.json is not read: anybody may write it; chmod o-w")
    assert "___ test_wrong ___" in before and "___ test_wrong_too ___" in after, said
    assert "is not read" not in after and "1 passed" not in before and "2 failed, 1 passed" in after, said


def test_an_error_at_the_start_is_reported(run):
    assert "there is no folder nowhere here" in run("def test_it(native): pass", "drawbridge = nowhere")


def test_calls_that_nobody_answers_fail_a_run_that_wants_it(run):
    said = run("def test_it(native): native.call('nobody')", f"drawbridge = {os.environ['SHOP']} --unanswered fail")
    for line in ["drawbridge ended with code 3", "nobody answered nobody (1)", "1 passed, 1 error"]:
        assert line in said


def test_a_failing_test_shows_the_calls_of_its_own_session(run):
    said = run(
        """
def test_green(native):
    native.call("fine")

def test_red(native):
    native.call("getUser", {"token": "abcdefgh12345678"})
    native.call("no\\u202eSuch", {"long": "x" * 500})
    assert False

def test_red_too(native):
    for number in range(33):
        native.call("getUser" if number else "early", number)
    assert False

def test_gone(native, drawbridge):
    drawbridge.stop()
    assert False
""",
        f"drawbridge = {os.environ['SHOP']}")
    assert "fine" not in said
    _, red, many, gone, *_ = said.split(" drawbridge calls -")
    assert re.search(r'^  \d+ getUser {"token": "\[removed\]"} -> mock getUser answered {', red, re.M)
    assert re.search(r'^! \d+ no\?Such {"long": "x+… -> nobody answers$', red, re.M)
    assert "\n  and 3 before them, of which nobody answered early\n" in many
    assert many.count("-> mock getUser") == 30 and "Such" not in many
    assert "\nThe calls are unknown: drawbridge ended with code 0\n" in gone
