"""Counts the instructions of a request by callgrind: the same on every machine and every day, unlike times.

libmicrohttpd clears a connection's memory after each request by one `memset`, a few string instructions that callgrind
counts once for each byte. So each number is given without that too.
"""

import contextlib
import json
import pathlib
import re
import signal
import socket
import subprocess
import threading
import time
from dataclasses import dataclass

from pages import Pages

DOCUMENTS = pathlib.Path(__file__).parent / "documents"
TYPED = b'{"user":"ann","age":42,"tags":["one","two","three"]}'
# What browsers send with each request, 200 bytes of input, and what a server behind the gateway answers.
FIELDS = [f"X-Field-{number}: some value" for number in range(10)]
BODY = json.dumps({"text": "x" * 189}).encode()
BEHIND = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nhello"


@dataclass
class Row:
    """What is sent, and with which options of the server."""

    title: str
    path: str = "/sync"
    body: bytes = None
    fields: tuple = ()
    options: tuple = ()
    # Whether each request has a field of its own, so that its head is not known; whether a page calls a mock.
    is_new: bool = False
    is_page: bool = False

    def request(self, number):
        flag = "" if self.path.startswith("/plain") else "?_mobile_bridge=1"
        lines = [f"{'POST' if self.body else 'GET'} {self.path}{flag} HTTP/1.1", "Host: localhost", *self.fields]
        if self.is_new:
            lines.append(f"X-Number: {number:09}")
        if self.body:
            lines += ["Content-Type: application/json", f"Content-Length: {len(self.body)}"]
        return ("\r\n".join(lines) + "\r\n\r\n").encode() + (self.body or b"")


def rows_with(behind):
    """All rows; `behind` is the address of the server behind the gateway."""
    return [
        Row("sync: nothing awaited", ),
        Row("sync, a known head of 2 fields", fields=FIELDS[:1]),
        Row("sync, a known head of 12 fields", fields=(*FIELDS, "X-Field-10: some value")),
        Row("sync, always another head", fields=FIELDS[:1], is_new=True),
        Row("async: nothing suspends", "/async"),
        Row("actor: a hop to an actor", "/actor"),
        Row("typed: JSON in and out, 52 B", "/typed", TYPED),
        Row("sync, POST of 200 B", body=BODY),
        Row("a GET with six fields for a server behind", "/plain", fields=FIELDS[:5], options=("--upstream", behind)),
        Row("a document", "/plain.html", options=("--root", str(DOCUMENTS))),
        Row("a mock, called by a page", options=("--replies", "10"), is_page=True),
        Row("async, behind one middleware that suspends nothing", "/async", options=("--middleware",)),
        Row("sync, with a journal", options=("--journal",)),
        Row("typed, with a journal", "/typed", TYPED, options=("--journal",)),
        Row("sync, with 1,000 replies for other names", options=("--replies", "1000")),
        Row("typed, with 1,000 replies for other names", "/typed", TYPED, options=("--replies", "1000")),
    ]


CONNECTIONS = 16
# What starts and stops a process is in both numbers, and so in their difference no longer.
FEW, MANY = 4_000, 12_000


def rows(programs, free_port, folder):
    """Rows of a table: what, and of each program the instructions, with the ratio to the first, without `memset` too."""
    with server_behind() as behind:
        for row in rows_with(behind):
            cells, first = [], None
            for program in programs:
                many, few = (counts(program, free_port(), folder, row, times) for times in (MANY, FEW))
                own = [(more - less) / (MANY - FEW) for more, less in zip(many, few)]
                first = first or own
                cells += [f"{count:,.0f} ({count / compared:.3f})" for count, compared in zip(own, first)]
            yield [row.title, *cells]


def counts(program, port, folder, row, requests):
    """The instructions of a process from its start to its end, with so many requests: all, and those without `memset`."""
    out = pathlib.Path(folder) / "callgrind"
    process = subprocess.Popen(
        ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", str(program), str(port), *row.options],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        (load_page if row.is_page else load)(port, row, requests, process)
    finally:
        # The program has no end of its own: callgrind writes its numbers when it is ended.
        process.send_signal(signal.SIGTERM)
        errors = process.communicate(timeout=60)[1]
    text = out.read_text()
    found = re.search(r"^(?:summary|totals): (\d+)", text, re.M)
    if not found or not int(found.group(1)):
        raise SystemExit(f"callgrind has no numbers of {program}:\n{errors}")
    cleared = pool_clearing(text)
    if not cleared:
        raise SystemExit("callgrind saw no memset of libmicrohttpd")
    return int(found.group(1)), int(found.group(1)) - cleared


def pool_clearing(text):
    """The instructions of `memset` where libmicrohttpd calls it, of a file of callgrind's.

    Names of objects and functions are written once, and are numbers afterwards.
    """
    names, total = {"ob": {}, "fn": {}}, 0
    current = called = None
    lines = iter(text.splitlines())
    for line in lines:
        if match := re.match(r"(c?)(ob|fn)=(\(\d+\))(?: (.*))?$", line):
            if match[4]:
                names[match[2]][match[3]] = match[4]
            name = names[match[2]][match[3]]
            if match[2] == "ob" and not match[1]:
                current = name
            elif match[2] == "fn" and match[1]:
                called = name
        elif line.startswith("calls="):
            cost = int(next(lines).split()[1])
            if "libmicrohttpd" in (current or "") and "memset" in (called or ""):
                total += cost
    return total


def load(port, row, requests, process):
    """Sends the requests, one at a time on each of some connections, and checks every answer."""
    sockets = [connect(port, process) for _ in range(CONNECTIONS)]
    for turn in range(requests // CONNECTIONS):
        for place, connection in enumerate(sockets):
            connection.sendall(row.request(turn * CONNECTIONS + place))
        for connection in sockets:
            answer = b""
            while not is_whole(answer):
                piece = connection.recv(65536)
                if not piece:
                    raise SystemExit(f"{row.path} broke off after {answer}")
                answer += piece
            if not answer.startswith(b"HTTP/1.1 200"):
                raise SystemExit(f"{row.path} answers {answer}")
    for connection in sockets:
        connection.close()


def load_page(port, row, requests, process):
    """Calls a mock from a page by its channel, and takes every answer."""
    connect(port, process).close()
    pages = Pages(port)
    connection, received = pages.open(), b""
    for number in range(1, requests + 1):
        pages.say(connection, {
            "life": 1, "up": [[number, {"call": "other7", "data": None, "id": number, "bridge": "wvjb"}]],
            "ack": number - 1})
        while f'"reply":{number},'.encode() not in received:
            piece = connection.recv(65536)
            if not piece:
                raise SystemExit(f"the page's channel broke off after {received}")
            received = received[-4096:] + piece
    connection.close()


def is_whole(answer):
    head, end, body = answer.partition(b"\r\n\r\n")
    length = re.search(rb"content-length: (\d+)", head, re.I)
    return bool(end) and len(body) == (int(length.group(1)) if length else 0)


def connect(port, process):
    end = time.monotonic() + 60
    while time.monotonic() < end and process.poll() is None:
        try:
            return socket.create_connection(("127.0.0.1", port), 30)
        except OSError:
            time.sleep(0.05)
    raise SystemExit(f"nothing listens on {port}")


@contextlib.contextmanager
def server_behind():
    """A server that answers each request alike; gives its address."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        threading.Thread(target=answer_all, args=(listening,), daemon=True).start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"


def answer_all(listening):
    with contextlib.suppress(OSError):
        while True:
            connection, _ = listening.accept()
            threading.Thread(target=answer, args=(connection,), daemon=True).start()


def answer(connection):
    with connection, contextlib.suppress(OSError):
        while piece := connection.recv(65536):
            # A request is small, and comes in one piece.
            connection.sendall(BEHIND * piece.count(b"\r\n\r\n"))
