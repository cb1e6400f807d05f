"""Sends broken requests, which boofuzz makes of a grammar, and judges each answer: protocol.py PORT COUNT SEED

Whatever is sent, the answer is nothing or HTTP, it comes soon, and it is no 500.
"""

import random
import socket
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

from boofuzz import Block, Bytes, Delim, Group, Request, Size, Static, String
from boofuzz.mutation_context import MutationContext

CRLF = "\r\n"
CLOSE = "Connection: close\r\n"
POST = "POST /__jsbridge__/echo HTTP/1.1\r\nHost: localhost\r\n" + CLOSE


def request_line():
    return Block("line", children=(
        Group("method", values=["GET", "POST", "HEAD", "OPTIONS", "PUT", "TRACE", "CONNECT", "get"]),
        Delim("space", " "), String("path", "/echo"), Delim("mark", "?"), String("flag", "_mobile_bridge=1"),
        Delim("space2", " "), String("protocol", "HTTP"), Delim("slash", "/"), String("version", "1.1"),
        Static("end", CRLF)))


def header(name, value):
    return Block(name, children=(
        String("name", name), Delim("colon", ":"), Delim("space", " "), String("value", value),
        Delim("end", CRLF)))


def in_one_piece():
    return Request("in-one-piece", children=(
        request_line(), header("Host", "localhost"), header("Cookie", "a=1; b=2"), header("Origin", "http://localhost"),
        header("X-Request-Id", "1"), header("Expect", "100-continue"), header("Range", "bytes=0-1"),
        Static("end", CLOSE + CRLF)))


def with_a_length():
    return Request("with-a-length", children=(
        Static("line", POST),
        Block("length", children=(
            String("name", "Content-Length"), Delim("colon", ": "),
            Size("size", block_name="body", output_format="ascii", fuzzable=True), Delim("end", CRLF))),
        header("Content-Type", "application/json"), Static("end", CRLF),
        Block("body", children=(String("json", '{"message":"Hello"}'),))))


def in_chunks():
    return Request("in-chunks", children=(
        Static("line", POST),
        header("Transfer-Encoding", "chunked"), Static("end", CRLF),
        Block("chunk", children=(
            String("size", "13"), Delim("extension", ";"), String("name", "a"), Delim("end", CRLF),
            Bytes("data", b'{"message":"Hello"}'), Delim("end2", CRLF))),
        Block("last", children=(String("zero", "0"), Delim("end3", CRLF))),
        header("Trailer-Field", "x"), Delim("end4", CRLF)))


def exchange(port, data):
    """Sends, says that nothing more comes, and reads to the end."""
    answer = b""
    with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
        try:
            connection.sendall(data)
            connection.shutdown(socket.SHUT_WR)
            while piece := connection.recv(1 << 16):
                answer += piece
        except TimeoutError:
            raise AssertionError(f"nothing comes for 10 s: {data[:2000]!r} -> {answer[:500]!r}")
        except OSError:
            pass  # What is refused may be cut off.
    return answer


def fault(answer, seconds):
    if seconds > 5:
        return f"took {seconds:.1f} s"
    if answer and not answer.startswith(b"HTTP/1.1 "):
        return "is no HTTP"
    if answer.startswith(b"HTTP/1.1 500") or b'"code":500' in answer:
        return "is a 500"
    return None


def status(port, data):
    """The status of the answer; ends everything with the request that brought a fault to light."""
    begin = time.monotonic()
    answer = exchange(port, data).removeprefix(b"HTTP/1.1 100 Continue\r\n\r\n")
    problem = fault(answer, time.monotonic() - begin)
    if problem:
        raise AssertionError(f"the answer {problem}: {data[:2000]!r} -> {answer[:500]!r}")
    return answer[9:12].decode() or "cut off"


def main(port, count, seed):
    chosen = random.Random(seed)
    for request in (in_one_piece(), with_a_length(), in_chunks()):
        assert status(port, request.render()).startswith("2"), f"{request.name}: the sound request is refused"
        mutations = list(request.get_mutations())
        sample = chosen.sample(mutations, min(count, len(mutations)))
        broken = [request.render(MutationContext(mutation)) for mutation in sample]
        with ThreadPoolExecutor(8) as senders:
            statuses = Counter(senders.map(lambda data: status(port, data), broken))
        counts = ", ".join(f"{number} {status}" for status, number in sorted(statuses.items()))
        print(f"{request.name}: {len(sample)} of {len(mutations)} mutations: {counts}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:4]))
