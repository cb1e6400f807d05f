"""The client as it is installed: pytest test_client.py, with SHOP, EXCHANGES and VERBS."""

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from base64 import urlsafe_b64encode
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, HTTPServer
from importlib.metadata import files
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

import drawbridge_gateway
import pytest
from drawbridge_gateway import GatewayError, Native, VerifyError, connect, program, start
from drawbridge_gateway.verbs import Verbs

SHOP = os.environ["SHOP"]
EXCHANGES = json.loads(Path(os.environ["EXCHANGES"]).read_text())
VERBS = json.loads(Path(os.environ["VERBS"]).read_text())


def snake(name):
    return re.sub("[A-Z]", lambda capital: "_" + capital[0].lower(), name)


def has(found, wanted):
    """Whether there is in `found` all that `wanted` has; lists are as long."""
    if isinstance(wanted, dict):
        return isinstance(found, dict) and all(has(found.get(name), wanted[name]) for name in wanted)
    if isinstance(wanted, list):
        return len(found) == len(wanted) and all(map(has, found, wanted))
    return found == wanted


@pytest.fixture
def gateway():
    with start(SHOP) as gateway:
        yield gateway


def test_every_exchange_of_the_list_is_answered_as_it_says(gateway):
    native = gateway.session("every exchange")
    for said in EXCHANGES:
        options = {snake(name): value for name, value in said.get("options", {}).items()}

        def ask():
            return getattr(native, snake(said["verb"]))(*said.get("takes", []), **options)

        if "fails" not in said:
            found = ask()
            assert "gives" not in said or has(found, said["gives"]), said
            continue
        with pytest.raises((GatewayError, VerifyError)) as failure:
            ask()
        assert failure.value.code >= 400
        assert isinstance(failure.value, VerifyError) == said["verb"].startswith("verify")
        # Node writes JSON without spaces.
        for part in said["fails"]:
            assert part.replace(" ", "") in str(failure.value).replace(" ", "")


def test_the_verbs_are_those_of_the_table_and_each_has_an_exchange():
    assert [name for name in vars(Verbs) if name[0] != "_"] == list(map(snake, VERBS))
    assert not set(VERBS) - {said["verb"] for said in EXCHANGES}


def test_sessions_at_the_same_time_do_not_see_each_other(gateway):
    right = []

    def work(number):
        native = gateway.session("the same title")
        native.reply("pay", {"number": number})
        for _ in range(3):
            assert native.call("pay", {"number": number})["output"]["number"] == number
        native.verify("pay", {"number": number}, count=3)
        assert len(native.calls()) == 3
        right.append(number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(right) == list(range(20))


def test_a_question_is_answered_by_its_name(gateway):
    native, other = gateway.session("asks"), gateway.session("is not asked")
    native.reply("a/b ü", {"$ask": "Sure?", "$choices": {"yes": 1, "no": 2}})
    # The test has asked for questions once, so that they wait.
    native.questions()
    called = []
    page = threading.Thread(target=lambda: called.append(native.call("a/b ü")))
    page.start()
    native.choose("a/b ü", "yes", seconds=30)
    page.join()
    assert called[0]["output"] == 1
    with pytest.raises(GatewayError, match="no question a/b ü waits"):
        other.choose("a/b ü", "yes", seconds=0.1)


@pytest.mark.parametrize("title", ["", "ü/../?#", "x" * 500, "\r\n"])
def test_a_title_may_be_of_any_characters(gateway, title):
    native = gateway.session(title)
    assert re.fullmatch(r"[A-Za-z0-9-]{1,64}", native.session)
    assert native.calls() == []


def test_the_end_of_a_gateway_that_dies_is_reported(gateway):
    os.kill(child_of(os.getpid()), signal.SIGKILL)
    with pytest.raises(GatewayError, match="^drawbridge ended by signal 9$"):
        gateway.session().calls()
    with pytest.raises(GatewayError, match="^drawbridge ended by signal 9$"):
        gateway.stop()


def test_an_error_at_the_start_is_reported_in_the_words_of_the_command(gateway):
    with pytest.raises(GatewayError, match="drawbridge ended with code 64\n.*Unknown option '--nope'"):
        start("--nope")
    with pytest.raises(GatewayError, match="drawbridge ended with code 0"):
        start("--help")
    with pytest.raises(GatewayError, match="drawbridge does not start: .*nowhere"):
        start(program="/nowhere")
    port = gateway.address.rpartition(":")[2]
    with pytest.raises(GatewayError, match=f"drawbridge ended with code 1\n.*cannot listen on .*{port}"):
        start("-p", port)


def test_two_gateways_may_be_started_and_each_is_stopped_once_or_twice():
    one, other = start(SHOP), start(SHOP)
    assert one.address != other.address
    one.stop()
    one.stop()
    with pytest.raises(GatewayError, match="drawbridge ended with code 0"):
        one.session().reset()
    other.session().reset()
    other.stop()


def test_a_stop_reports_what_did_not_end_cleanly():
    gateway = start(SHOP, "--unanswered", "fail")
    gateway.session().call("nobody")
    with pytest.raises(GatewayError, match=r"drawbridge ended with code 3\n  nobody answered nobody \(1\)"):
        gateway.stop()
    gateway.stop()


@pytest.fixture
def unread(tmp_path):
    """A folder whose file of mocks is not read, since anybody may write it."""
    (tmp_path / "drawbridge.json").write_text('{"replies": {"a": 1}}')
    (tmp_path / "drawbridge.json").chmod(0o666)
    return tmp_path


def test_the_first_error_shows_what_the_gateway_has_warned_of(unread):
    with start(unread) as gateway:
        native = gateway.session()
        with pytest.raises(VerifyError, match="\n  drawbridge: .*/drawbridge.json is not read: anybody may write it"):
            native.verify("a", seconds=0)
        with pytest.raises(VerifyError) as second:
            native.verify("a", seconds=0)
        assert "is not read" not in str(second.value)
        assert gateway.warned() == []


def test_warnings_that_no_error_has_shown_are_printed_when_a_test_fails(unread, capsys):
    with start(unread):
        pass
    assert capsys.readouterr().err == ""
    with pytest.raises(ZeroDivisionError), start(unread):
        1 / 0
    assert "drawbridge.json is not read: anybody may write it" in capsys.readouterr().err


def test_a_started_gateway_listens_on_this_machine_alone_and_hides_its_token(monkeypatch):
    monkeypatch.setenv("DRAWBRIDGE_HOST", "0.0.0.0")
    monkeypatch.setenv("PORT", "1")
    with start(SHOP) as gateway:
        assert re.fullmatch(r"http://127\.0\.0\.1:\d{4,}", gateway.address)
        child = child_of(os.getpid())
        for file in ("cmdline", "environ"):
            words = Path(f"/proc/{child}/{file}").read_text(errors="replace").split("\0")
            assert not [word for word in words if re.match(r"DRAWBRIDGE_TOKEN=|[\w-]{32,}$", word)]


def test_a_running_gateway_is_used_by_its_address_and_its_token():
    token = "t" * 32
    words = [program, "-p", "0", "-q", SHOP]
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True, env=os.environ | {"DRAWBRIDGE_TOKEN": token}) as child:
        try:
            gateway = connect(re.search(r"http:\S+", child.stderr.readline())[0] + "/", token)
            assert gateway.session().call("getUser")["output"]["data"] == {"signedIn": False}
            gateway.stop()
            gateway.session().reset()
            with pytest.raises(GatewayError, match="token"):
                connect(gateway.address, "x" * 32).session().calls()
        finally:
            child.terminate()
    with pytest.raises(GatewayError, match="no gateway answers at http://127.0.0.1:1: "):
        connect("http://127.0.0.1:1", token).session().calls()
    with pytest.raises(GatewayError, match="DRAWBRIDGE_URL and DRAWBRIDGE_TOKEN"):
        connect()


@pytest.fixture
def elsewhere():
    """Makes a session of a gateway that is something else, which answers so."""
    servers = []

    def make(answer):
        handler = type("Handler", (BaseHTTPRequestHandler,), {
            **dict.fromkeys(["do_GET", "do_PUT", "do_POST", "do_DELETE"], answer), "log_message": lambda *_: None})
        server = HTTPServer(("127.0.0.1", 0), handler)
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        servers.append((server, thread))
        return connect(f"http://127.0.0.1:{server.server_port}", "t" * 32).session()

    yield make
    for server, thread in servers:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.mark.parametrize("status, body, said", [
    (200, "<html>", "<html>"), (403, "<html>\n  Not\tyou", "<html> Not you"), (200, "", "with an empty body"),
    (502, "", "with an empty body"), (403, '{"error": "no"}', '{"error": "no"}'), (200, '"ok"', '"ok"'),
    (302, "Log in", "Log in"), (500, "x" * 500, "x" * 200)])
def test_a_server_that_is_not_a_gateway_is_reported(elsewhere, status, body, said):
    def answer(self):
        self.send_response(status)
        self.send_header("Location", "/")
        self.end_headers()
        self.wfile.write(body.encode())

    native = elsewhere(answer)
    with pytest.raises(GatewayError) as failure:
        native.calls()
    assert str(failure.value) == f"{native.address} answered {status}, and not as a gateway does: {said}"


def test_the_client_waits_longer_than_one_request_may_and_reports_what_did_not_come(elsewhere, monkeypatch):
    over, limits = threading.Event(), []
    native = elsewhere(lambda _: over.wait())
    ask = drawbridge_gateway._opener.open

    def ask_impatiently(request, timeout=None):
        limits.append(timeout)
        return ask(request, timeout=0.01)

    monkeypatch.setattr(drawbridge_gateway._opener, "open", ask_impatiently)
    with pytest.raises(GatewayError) as failure:
        native.wait("pay", seconds=600)
    over.set()
    assert str(failure.value) == f"no gateway answers at {native.address}: nothing came for 630 seconds"
    assert limits == [630]


@pytest.mark.parametrize("delay, verb, takes, count", [
    ("0", "reply", ["pay", 1], 2), ("0", "calls", [], 2), ("0", "verify", ["pay"], 2),
    ("0", "call", ["pay"], 1), (None, "calls", [], 1),
    ("Fri, 31 Dec 1999 23:59:59 GMT", "calls", [], 1)])
def test_what_is_safe_to_repeat_is_sent_once_more_when_its_gateway_is_busy(elsewhere, delay, verb, takes, count):
    said = []

    def answer(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        said.append(self.command)
        status = 503 if len(said) == 1 else 200
        self.send_response(status)
        if delay:
            self.send_header("Retry-After", delay)
        self.end_headers()
        self.wfile.write(b'{"code": %d, "data": {"calls": []}, "message": "not now"}' % status)

    ask = getattr(elsewhere(answer), verb)
    if count > 1:
        ask(*takes)
    else:
        with pytest.raises(GatewayError, match="not now"):
            ask(*takes)
    assert len(said) == count


@pytest.mark.parametrize("verb, takes, words", [
    ("calls", [], "GET calls"), ("reply", ["pay", 1], "PUT replies"), ("take_back", ["pay"], "DELETE replies"),
    ("verify", ["pay"], "POST calls/verify"), ("reset", [], "POST reset"),
    ("call", ["pay"], None), ("event", ["paid"], None), ("emit", ["paid"], None), ("link", [], None)])
def test_what_is_safe_to_repeat_is_sent_once_more_when_its_connection_broke_and_nothing_else(elsewhere, verb, takes, words):
    said, breaks, status = [], [1], [200]

    def answer(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        said.append(f"{self.command} {self.path.split('/', 2)[2].split('?')[0]}")
        self.close_connection = True
        if breaks:
            breaks.pop()
            return
        self.send_response(status[0])
        self.end_headers()
        self.wfile.write(b'{"code": 200, "data": {"calls": []}, "message": "it is not there"}')

    ask = getattr(elsewhere(answer), verb)
    if not words:
        with pytest.raises(GatewayError, match="no gateway answers"):
            ask(*takes)
        assert len(said) == 1
        return
    ask(*takes)
    assert said == [words, words]
    breaks += [1, 1]
    with pytest.raises(GatewayError, match="no gateway answers"):
        ask(*takes)
    assert len(said) == 4
    if verb == "take_back":
        # What was taken back before the connection broke is not there any more.
        breaks.append(1)
        status[0] = 404
        ask(*takes)
        with pytest.raises(GatewayError, match="it is not there"):
            ask(*takes)


def test_a_browser_on_another_machine_is_let_in_by_the_cookie_of_a_ticket(gateway):
    assert gateway.session().admit() == []
    # It takes nobody for its own machine.
    with start(SHOP, "--no-local-trust", "--api-for-others") as closed:
        native = closed.session()
        [cookie] = native.admit()
        name, value = cookie.pop("name"), cookie.pop("value")
        assert cookie == {"url": closed.address, "httpOnly": True, "secure": False, "sameSite": "Lax"}
        with pytest.raises(HTTPError, match="403"):
            urlopen(closed.address)
        with urlopen(Request(closed.address, headers={"Cookie": f"{name}={value}"})) as answer:
            assert answer.status == 200
        assert re.fullmatch("/__drawbridge__/enter#[0-9a-f]{40}", native.link())


@pytest.mark.parametrize("number, end", [
    (signal.SIGKILL, "time.sleep(1000)"), (signal.SIGINT, "time.sleep(1000)"), (None, "1 / 0"), (None, "pass")])
def test_a_gateway_ends_with_the_process_that_started_it(number, end):
    script = f"""
import os, time
from drawbridge_gateway import start
gateway = start(os.environ["SHOP"])
gateway.session().reply("pay", 1)
print(gateway.address, flush=True)
{end}
"""
    words = [sys.executable, "-c", script]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as parent:
        address = parent.stdout.readline().strip()
        if number:
            parent.send_signal(number)
        while answers(address):
            time.sleep(0.02)


def test_a_forked_child_that_lives_longer_keeps_no_gateway():
    script = """
import os, signal, sys
from drawbridge_gateway import start
gateway = start(os.environ["SHOP"])
if os.fork() == 0:
    sys.stdin.read()
    os._exit(0)
print(gateway.address, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""
    words = [sys.executable, "-c", script]
    # The child ends with its input, at the end of this block.
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as parent:
        address = parent.stdout.readline().decode().strip()
        while answers(address):
            time.sleep(0.02)


def answers(address):
    try:
        with urlopen(f"{address}/__drawbridge__/health"):
            return True
    except (URLError, ConnectionError):
        return False


def test_the_command_is_installed_and_all_files_are_those_of_the_package():
    for file in files("drawbridge-gateway"):
        if file.hash and "dist-info" not in file.parts[0]:
            assert file.hash.value == urlsafe_b64encode(sha256(file.read_binary()).digest()).rstrip(b"=").decode()
    said = subprocess.check_output([Path(sys.executable).parent / "drawbridge-gateway", "--help"], text=True)
    assert "drawbridge-gateway my-page --open" in said


def child_of(process):
    """The newest child of a process."""
    return int(Path(f"/proc/{process}/task/{process}/children").read_text().split()[-1])
