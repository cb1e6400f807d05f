"""Counts the instructions of a request by callgrind: the same on every machine and every day, unlike times."""

import pathlib
import re
import signal
import socket
import subprocess
import time

TYPED = b'{"user":"ann","age":42,"tags":["one","two","three"]}'
# Name, path, body, options of the server.
REQUESTS = [
    ("sync: nothing awaited", "/sync", None, []),
    ("async: nothing suspends", "/async", None, []),
    ("actor: a hop to an actor", "/actor", None, []),
    ("typed: JSON in and out, 52 B", "/typed", TYPED, []),
    ("async, behind one middleware that suspends nothing", "/async", None, ["--middleware"]),
    ("sync, with a journal", "/sync", None, ["--journal"]),
    ("typed, with a journal", "/typed", TYPED, ["--journal"]),
    ("sync, with 1,000 replies for other names", "/sync", None, ["--replies", "1000"]),
    ("typed, with 1,000 replies for other names", "/typed", TYPED, ["--replies", "1000"]),
]
CONNECTIONS = 16
# What starts and stops a process is in both numbers, and so in their difference no longer.
FEW, MANY = 4_000, 12_000


def rows(programs, free_port, folder):
    """Rows of a table: what, and the instructions of each program, with the ratio to the first."""
    for title, path, body, options in REQUESTS:
        counts = [
            (count(program, free_port(), folder, path, body, options, MANY)
             - count(program, free_port(), folder, path, body, options, FEW)) / (MANY - FEW)
            for program in programs]
        yield [title, *(f"{count:,.0f} ({count / counts[0]:.3f})" for count in counts)]


def count(program, port, folder, path, body, options, requests):
    """The instructions of a process from its start to its end, with so many requests."""
    out = pathlib.Path(folder) / "callgrind"
    process = subprocess.Popen(
        ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", str(program), str(port), *options],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        load(port, path, body, requests, process)
    finally:
        # The program has no end of its own: callgrind writes its numbers when it is ended.
        process.send_signal(signal.SIGTERM)
        errors = process.communicate(timeout=60)[1]
    found = re.search(r"^(?:summary|totals): (\d+)", out.read_text(), re.M)
    if not found or not int(found.group(1)):
        raise SystemExit(f"callgrind has no numbers of {program}:\n{errors}")
    return int(found.group(1))


def load(port, path, body, requests, process):
    """Sends the requests, one at a time on each of some connections, and checks every answer."""
    head = f"{'POST' if body else 'GET'} {path}?_mobile_bridge=1 HTTP/1.1\r\nHost: localhost\r\n"
    if body:
        head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
    request = (head + "\r\n").encode() + (body or b"")
    sockets = [connect(port, process) for _ in range(CONNECTIONS)]
    for _ in range(requests // CONNECTIONS):
        for connection in sockets:
            connection.sendall(request)
        for connection in sockets:
            answer = b""
            while not is_whole(answer):
                piece = connection.recv(65536)
                if not piece:
                    raise SystemExit(f"{path} broke off after {answer}")
                answer += piece
            if not answer.startswith(b"HTTP/1.1 200"):
                raise SystemExit(f"{path} answers {answer}")
    for connection in sockets:
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
