"""Runs an app's web pages in any browser: starts Drawbridge, which plays the app, and says what it answers.

    with start("my-page") as gateway:
        native = gateway.session("pays")
        native.reply("pay", {"code": 6001})
        ...
        native.verify("pay", {"orderNo": 17}, count=1)
"""

import json
import os
import re
import secrets
import subprocess
import sys
import threading
import time
import weakref
from collections import deque
from http.client import HTTPException, IncompleteRead
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import quote, urlencode, urlsplit
from urllib.request import HTTPRedirectHandler, ProxyHandler, Request, build_opener

from .verbs import Verbs

# What fails is shown where the test asks for it, and not in this file.
__tracebackhide__ = True

#: The program in this package.
program = Path(__file__).parent / "release/drawbridge"

#: How many seconds a gateway may be silent: its API lets nobody wait for more than 600.
_patience = 630

#: What a failing test shows: so many lines of so many characters, and these of the events of pages.
_most_lines, _most_width, _page_errors = 30, 200, ("error", "rejection")
_unseen = re.compile(r"[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]")


class _Here(HTTPRedirectHandler):
    """Goes nowhere else: the token is the gateway's alone."""

    def redirect_request(self, *_):
        return None


# The gateway is on this machine, and no proxy of the environment's leads there.
_opener = build_opener(ProxyHandler({}), _Here())


def main():
    """Runs the command, in place of this process."""
    os.execv(program, ["drawbridge-gateway", *sys.argv[1:]])


def start(*args, program=program, cwd=None):
    """Starts a gateway on a free port of this machine, which ends with this process.

    The arguments are those of the command: start("my-page", "--scenario", "offline").
    """
    return Gateway(process=_Process([program, "--host", "127.0.0.1", "--port", "0", *args], cwd))


def connect(address=None, token=None):
    """A gateway that runs already: DRAWBRIDGE_URL and DRAWBRIDGE_TOKEN say where, and the token that it was started with."""
    address, token = address or os.environ.get("DRAWBRIDGE_URL"), token or os.environ.get("DRAWBRIDGE_TOKEN")
    if not address or not token:
        raise GatewayError("set DRAWBRIDGE_URL and DRAWBRIDGE_TOKEN to the address of the gateway and its token")
    return Gateway(address.rstrip("/"), token)


class GatewayError(Exception):
    """The gateway cannot be started or asked, or refuses what it is asked."""

    #: The code of its answer, which is the page's where a page has failed; None where it has not answered.
    code = None


class VerifyError(AssertionError):
    """Native was not called as a test expects."""


#: The gateways that this process has started.
_started = weakref.WeakSet()


def _let_go():
    """A forked child has no part in the pipes of its parent: it may live longer."""
    for process in _started:
        if not process.child.stdin.closed:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, process.child.stdin.fileno(), inheritable=False)
            os.close(nowhere)


os.register_at_fork(after_in_child=_let_go)


class _Process:
    """A gateway that was started here. The pipe to it stays open for as long as this process lives: its end ends it."""

    def __init__(self, args, cwd):
        self.token = secrets.token_urlsafe(24)
        self.log = deque(maxlen=100)
        #: The first twenty complaints: what is wrong with the start comes first.
        self.warnings = []
        self.address = None
        try:
            # In a session of its own, so that Ctrl-C ends the tests first, which may still ask it something.
            self.child = subprocess.Popen(
                [*args, "--log-format", "json", "--token-stdin"], cwd=cwd, start_new_session=True, text=True,
                stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, encoding="utf-8")
        except OSError as error:
            raise GatewayError(f"drawbridge does not start: {error}") from None
        _started.add(self)
        self._write(f"{self.token}\n")
        for line in self.child.stderr:
            self._keep(line.rstrip("\n"))
            said = _parsed(line)
            if said.get("message") == "listening":
                page = urlsplit(said["page"])
                self.address = f"{page.scheme}://{page.netloc}"
                break
        # Whoever does not read what it says would hold it up.
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        if not self.address:
            why = self.why()
            self.stop()
            raise GatewayError(why)

    def _write(self, text):
        try:
            self.child.stdin.write(text)
            self.child.stdin.flush()
        except BrokenPipeError:
            # It has ended, and its end says why.
            pass

    def _read(self):
        for line in self.child.stderr:
            self._keep(line.rstrip("\n"))

    def _keep(self, line):
        self.log.append(line)
        said = _complaint(line)
        if said and said not in self.warnings and len(self.warnings) < 20:
            self.warnings.append(said)

    def stop(self):
        """Gives why it did not end in good order, the first time."""
        if self.child.stderr.closed:
            return None
        try:
            self.child.stdin.close()
        except BrokenPipeError:
            pass
        try:
            # It gives requests three seconds to end.
            self.child.wait(10)
        except subprocess.TimeoutExpired:
            self.child.kill()
            self.child.wait()
        self._reader.join()
        self.child.stderr.close()
        return None if self.child.returncode == 0 else self.why()

    def why(self):
        """How it ended and what it said was wrong; nothing while it runs."""
        try:
            code = self.child.wait(1)
        except subprocess.TimeoutExpired:
            return None
        self._reader.join()
        how = f"by signal {-code}" if code < 0 else f"with code {code}"
        return "\n  ".join([f"drawbridge ended {how}", *filter(None, map(_complaint, self.log))])


class Gateway:
    """A gateway, in which each test has a session of its own."""

    def __init__(self, address=None, token=None, process=None):
        self._process = process
        self._told = 0
        #: Whether a fixture tells what it warned of, so that no error does.
        self._is_watched = False
        self.address, self._token = (process.address, process.token) if process else (address, token)

    @property
    def log(self):
        """The last lines of its log, as JSON; none where it was not started here."""
        return list(self._process.log) if self._process else []

    def warned(self):
        """What it has warned of since this was asked last, a text each; nothing where it was not started here."""
        warnings = self._process.warnings if self._process else []
        new = warnings[self._told:]
        self._told += len(new)
        return [f"drawbridge: {text}" for text in new]

    def session(self, title=""):
        """A session for a test: what it sets and counts concerns no other test."""
        return Native(self, title)

    def stop(self):
        """Stops it, if it was started here, and waits until it has ended; fails where that is not in good order."""
        # With --unanswered fail it may say now what had no answer.
        if why := self._process and self._process.stop():
            raise GatewayError(why)

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        for line in self.warned() if kind else []:
            print(line, file=sys.stderr)
        self.stop()

    def _fetch(self, method, path, headers, data, patience):
        """Asks it, and gives the status and the answer."""
        headers = headers | {"Authorization": f"Bearer {self._token}"}
        request = Request(f"{self.address}/__drawbridge__/{path}", data, headers, method=method)
        broke = False
        try:
            try:
                status, body, fields = _send(request, patience)
            except (OSError, HTTPException) as error:
                if not _is_broken(error) or not _may_repeat(method, path):
                    raise
                broke, status, fields = True, 503, {"Retry-After": "0"}
            delay = fields.get("Retry-After", "")
            if status == 503 and delay.isdecimal() and _may_repeat(method, path):
                time.sleep(min(int(delay), 5))
                status, body, _ = _send(request, patience)
                if broke and method == "DELETE" and status == 404:
                    # It was taken back before the connection broke.
                    status, body = 200, '{"data": null}'
        except (OSError, HTTPException) as error:
            why = self._process and self._process.why()
            reason = getattr(error, "reason", error)
            if isinstance(reason, TimeoutError):
                reason = f"nothing came for {patience} seconds"
            raise GatewayError(why or f"no gateway answers at {self.address}: {reason}") from None
        answer = _parsed(body)
        if "message" in answer or status == 200 and answer:
            return status, answer
        beginning = " ".join(body.split())[:200] or "with an empty body"
        raise GatewayError(f"{self.address} answered {status}, and not as a gateway does: {beginning}")


class Native(Verbs):
    """What a test says to native, in a session of its own."""

    def __init__(self, gateway, title=""):
        self._gateway = gateway
        self.session = re.sub(r"[^A-Za-z0-9]+", "-", title)[:40] + "-" + secrets.token_hex(6)
        #: What a request sends to be in the session.
        self.headers = {"X-Drawbridge-Session": self.session}

    @property
    def address(self):
        """The address of the gateway."""
        return self._gateway.address

    def page(self, to="/"):
        """The address by which a browser comes into the session, and goes on to a path."""
        return f"{self.address}/__drawbridge__/session/{self.session}?to={quote(to, safe='')}"

    def admit(self):
        """The cookies with which a browser on another machine than the gateway's may load pages; none where this test is
        on that machine.

        With Playwright `context.add_cookies(native.admit())`, with Selenium `browser.add_cookie` for each, on any page
        of the gateway.
        """
        path, _, ticket = self.link().partition("#")
        try:
            request = Request(self.address + path, ticket.encode(), self.headers, method="POST")
            status, _, headers = _send(request, 60)
        except (OSError, HTTPException) as error:
            raise GatewayError(f"no gateway answers at {self.address}: {error}") from None
        if status != 204:
            raise GatewayError(f"{self.address} let no browser in: it answered {status}")
        return [_cookie(text, self.address) for text in headers.get_all("Set-Cookie", [])]

    def told(self):
        """What has happened in the session, as a failing test shows it: a text each, the newest last.

        They are the last 30 calls, errors of pages, and what pages looked for in vain. One that nobody answers has a
        `!` before it. Secrets are left out.
        """
        query = {"kind": ["call", "push", "page", "notice"], "limit": 10_000}
        try:
            records = self.ask("GET", "calls", query, gives="calls", patience=10)
        except GatewayError as error:
            return [f"The calls are unknown: {error}"]
        records = [record for record in records if record["kind"] != "page" or record["name"] in _page_errors]
        before = records[:-_most_lines]
        missed = ", ".join(dict.fromkeys(record["name"] for record in before if _is_wrong(record)))
        said = _shown(f"  and {len(before)} before them{f', of which nobody answered {missed}' if missed else ''}")
        lines = [said] * bool(before) + [_line(record) for record in records[-_most_lines:]]
        return lines or ["Nothing was called."]

    def ask(self, method, path, query={}, body=..., gives=None, patience=_patience):
        """Asks the tester's API something that no verb asks."""
        said = urlencode({
            name: ",".join(value) if isinstance(value, list) else value
            for name, value in query.items() if value is not ...})
        if isinstance(body, dict):
            body = {name: value for name, value in body.items() if value is not ...}
        data = None if body is ... else json.dumps(body).encode()
        headers = self.headers | {"Content-Type": "application/json"}
        status, answer = self._gateway._fetch(method, f"{path}?{said}", headers, data, patience)
        if status != 200:
            warned = [] if self._gateway._is_watched else self._gateway.warned()
            lines = [answer["message"] + _near_miss(answer.get("data")), *warned]
            error = (VerifyError if status == 417 else GatewayError)("\n  ".join(lines))
            error.code = answer.get("code")
            raise error
        return answer.get("data", {})[gives] if gives else answer.get("data")


def _send(request, patience):
    """Gives status, body and headers of the answer, whatever it is."""
    try:
        answer = _opener.open(request, timeout=patience)
    except HTTPError as error:
        answer = error
    with answer:
        return answer.status, answer.read().decode(errors="replace"), answer.headers


def _is_broken(error):
    """Whether a connection broke: its gateway, or the server in front of it, went away."""
    return isinstance(getattr(error, "reason", error), (ConnectionError, IncompleteRead))


def _may_repeat(method, path):
    """What may be asked again when nobody knows whether it was done: done twice, it is as done once."""
    return method in ("GET", "PUT", "DELETE") or path.split("?")[0] in ("calls/verify", "reset")


def _cookie(text, address):
    name, _, value = text.split(";")[0].partition("=")
    return {
        "name": name, "value": value, "url": address, "httpOnly": True, "secure": "; Secure" in text, "sameSite": "Lax"}


def _is_wrong(record):
    return record.get("by") == "nobody" or record["kind"] == "page" or record.get("given") is False


def _line(record):
    kind, by, value, output = (record.get(name) for name in ("kind", "by", "input", "output"))
    if kind == "notice":
        text = str(output)
    elif kind == "page":
        text = f"{record['name']}: {value.get('message') if isinstance(value, dict) else value}"
    else:
        who = {"reply": f"mock {record.get('reply')}", "handler": record.get("handler")}.get(by, by)
        end = "nobody answers" if by == "nobody" else "waits" if record["state"] == "waiting" else " ".join(
            [*filter(None, [who, record["state"]]), json.dumps(output, ensure_ascii=False)])
        sent = "" if value is None else " " + json.dumps(value, ensure_ascii=False)
        sent = _shown(sent, max(40, _most_width - 30 - len(record["name"]) - len(end)))
        text = f"{'native calls ' if kind == 'push' else ''}{record['name']}{sent} -> {end}"
    return _shown(f"{'!' if _is_wrong(record) else ' '} {record['number']} {text}")


def _shown(text, most=_most_width):
    """A page may say anything: a line has no signs that turn or move others, and an end."""
    text = _unseen.sub("?", text)
    return text if len(text) <= most else f"{text[:most]}…"


def _near_miss(data):
    """What was wanted, and below it the call that comes next to it."""
    if not data or "call" not in data:
        return ""
    call = data["call"]
    return f"\n  wanted {json.dumps(data['wanted'])}\n  call {call['number']} {json.dumps(call['input'])}"


def _parsed(line):
    """A JSON object; anything else is an empty one."""
    try:
        said = json.loads(line)
    except ValueError:
        return {}
    return said if isinstance(said, dict) else {}


def _complaint(line):
    """A line of the log as people read it, if something is wrong; an error in the arguments is not JSON."""
    said = _parsed(line)
    return None if said.get("level") in ("info", "notice", "debug") else said.get("message", line)
