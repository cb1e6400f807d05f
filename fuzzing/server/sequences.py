"""What one request alone does not show: sequences.py http|https PORT COUNT SEED

Pipelines, connections that are kept, callers that leave at any byte, frames of WebSockets, and servers behind the
gateway that break the rules. Each answer is read strictly, and belongs to its request: it bears its mark and no other.
"""

import hashlib
import random
import re
import socket
import ssl
import struct
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import mutations
from answers import BrokenOff, Fault, Reader

HOST = "Host: localhost\r\n"


class Gateway:
    def __init__(self, scheme, port):
        self.scheme, self.port = scheme, port
        self.context = ssl._create_unverified_context()

    def connect(self):
        connection = socket.create_connection(("127.0.0.1", self.port), timeout=60)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return self.context.wrap_socket(connection) if self.scheme == "https" else connection


def call(mark, chosen):
    """A request that keeps the rules, its method, and whether its answer bears the mark."""
    text = '{"mark":"%s","pad":"%s"}' % (mark, "p" * chosen.randrange(1 << chosen.randrange(15)))
    size = len(text)
    kind = chosen.randrange(6)
    if kind == 0:
        return f"GET /echo?_mobile_bridge=1&mark={mark} HTTP/1.1\r\n{HOST}\r\n", "GET", True
    if kind == 1:
        return f"POST /__jsbridge__/echo HTTP/1.1\r\n{HOST}Content-Length: {size}\r\n\r\n{text}", "POST", True
    if kind == 2:
        cut = chosen.randrange(1, size)
        chunks = f"{cut:x}\r\n{text[:cut]}\r\n{size - cut:x};x\r\n{text[cut:]}\r\n0\r\nX-T: y\r\n\r\n"
        return f"POST /__jsbridge__/echo HTTP/1.1\r\n{HOST}Transfer-Encoding: chunked\r\n\r\n{chunks}", "POST", True
    if kind == 3:
        return f"HEAD /echo?_mobile_bridge=1&mark={mark} HTTP/1.1\r\n{HOST}\r\n", "HEAD", False
    if kind == 4:
        return f"GET / HTTP/1.1\r\n{HOST}X-Mark: {mark}\r\n\r\n", "GET", False
    return f"GET /nobody/{mark} HTTP/1.1\r\n{HOST}\r\n", "GET", False


ISSUED = set()


def issue(name, number=0):
    """A mark that no other request bears, and that no change of another makes."""
    mark = "m" + hashlib.sha1(f"{name} {number}".encode()).hexdigest()[:16] + "e"
    ISSUED.add(mark)
    return mark


def marks(body):
    """Those of all requests that stand there."""
    return ISSUED.intersection(re.findall("m[0-9a-f]{16}e", body.decode("latin-1")))


def send(connection, data, chosen):
    """In a few pieces of any size."""
    for _ in range(chosen.randrange(6)):
        count = chosen.choice([1, 3, 50, 1000])
        connection.sendall(data[:count])
        data = data[count:]
    connection.sendall(data)


def pipeline(gateway, chosen, name):
    """Many requests at once; the last of them may be broken, and then nothing that follows it is answered."""
    own = [issue(name, number) for number in range(chosen.randrange(1, 12))]
    requests = [call(mark, chosen) for mark in own]
    data = "".join(text for text, _, _ in requests).encode()
    breaks = chosen.random() < 0.5
    if breaks:
        data += mutations.of(call(issue(name, "broken"), chosen)[0].encode(), chosen)
        data += call(issue(name, "behind"), chosen)[0].encode()
    with gateway.connect() as connection:
        reader = Reader(connection)
        send(connection, data, chosen)
        for mark, (text, method, is_marked) in zip(own, requests):
            status, _, body = reader.answer(method)
            if is_marked and (status != 200 or marks(body) != {mark}):
                raise Fault(f"{status} {body[:200]!r} to {text[:200]!r}")
            if not marks(body) <= {mark}:
                raise Fault(f"another's answer: {body[:200]!r} to {text[:200]!r}")
        if not breaks:
            return "answered in order"
        # It may be sound still, or want more than came: so nothing more comes.
        if gateway.scheme == "http":
            connection.shutdown(socket.SHUT_WR)
        else:
            return "broken at the end"
        rest = reader.to_end()
        if b" 500 " in rest[:20]:
            raise Fault(f"a 500: {rest[:300]!r} to {data[-500:]!r}")
        return "broken at the end"


def kept(gateway, chosen, name):
    """One request after the other on a connection; some have a wrong length, then it is over."""
    with gateway.connect() as connection:
        reader = Reader(connection)
        for number in range(chosen.randrange(2, 30)):
            mark = issue(name, number)
            text, method, is_marked = call(mark, chosen)
            send(connection, text.encode(), chosen)
            status, _, body = reader.answer(method)
            if is_marked and marks(body) != {mark}:
                raise Fault(f"{status} {body[:200]!r} to {text[:200]!r}")
        if chosen.random() < 0.5:
            return "kept"
        text = '{"mark":"%s"}' % issue(name, "wrong")
        wrong = chosen.choice([1, len(text) - 1, len(text) + 1, len(text) + 1000])
        head = f"POST /__jsbridge__/echo HTTP/1.1\r\n{HOST}Content-Length: {wrong}\r\n\r\n"
        send(connection, (head + text).encode(), chosen)
        if wrong > len(text) + 1:
            # Longer than what comes: it is never whole, and nothing is an answer to it.
            if gateway.scheme == "http":
                connection.shutdown(socket.SHUT_WR)
                if marks(reader.to_end()):
                    raise Fault("a body was taken for whole that was not")
            return "kept, and then too short"
        # What is left over begins the next request; or the body takes the first byte of that.
        status, _, _ = reader.answer() if wrong < len(text) else (400, None, None)
        try:
            send(connection, call(issue(name, "behind"), chosen)[0].encode(), chosen)
            if gateway.scheme == "http":
                connection.shutdown(socket.SHUT_WR)
        except OSError:
            pass
        if gateway.scheme == "http":
            rest = reader.to_end()
            if status == 500 or b"HTTP/1.1 500" in rest or b"HTTP/1.1 200" in rest and wrong < len(text):
                raise Fault(f"{status}, {rest[:300]!r} behind a length of {wrong} for {text}")
    return "kept, and then too long"


def leaves(gateway, chosen, name):
    """A caller that leaves at any byte, of what it sends or of what it reads."""
    mark = issue(name)
    path = f"/up/{chosen.randrange(1 << 30)}/{mark}"
    text = chosen.choice([call(mark, chosen)[0], f"GET {path} HTTP/1.1\r\n{HOST}\r\n"]).encode()
    with gateway.connect() as connection:
        connection.sendall(text[:chosen.randrange(len(text) + 1)])
        if chosen.random() < 0.5:
            connection.settimeout(0.002 * chosen.randrange(1, 10))
            try:
                connection.recv(chosen.randrange(1, 2000))
            except (TimeoutError, OSError):
                pass
        if chosen.random() < 0.5:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    return "left"


def behind(gateway, chosen, name):
    """Answers of a server that breaks the rules: each is whole and its own, or the gateway's, or is broken off."""
    with gateway.connect() as connection:
        reader = Reader(connection)
        seen = Counter()
        for number in range(chosen.randrange(1, 6)):
            mark = issue(name, number)
            path = f"/up/{chosen.randrange(1 << 30)}/{mark}"
            kind = chosen.randrange(4)
            size = chosen.randrange(1 << chosen.randrange(18))
            upgrade = (
                "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n")
            text = {
                0: f"PUT {path} HTTP/1.1\r\n{HOST}Content-Length: {size}\r\n\r\n" + "p" * size,
                1: f"GET {path} HTTP/1.1\r\n{HOST}{upgrade}\r\n",
            }.get(kind, f"GET {path} HTTP/1.1\r\n{HOST}\r\n")
            try:
                connection.sendall(text.encode())
            except OSError:
                # It was refused before it was whole; the answer may be there.
                pass
            try:
                status, fields, body = reader.answer()
            except BrokenOff:
                return "broken off"
            if not marks(body + fields.get("x-mark", "").encode("latin-1")) <= {mark}:
                raise Fault(f"another's answer: {body[:200]!r} to {path}")
            seen[status] += 1
            if status == 101:
                break
            if fields.get("connection", "").lower() == "close":
                break
    return "with " + ", ".join(map(str, sorted(seen)))


def frame(chosen):
    """A frame, which may break any rule."""
    payload = chosen.choice([
        b'{"up":[[1,{"call":"echo","id":1}]]}', b'{"hello":{"page":"' + b"a" * 32 + b'"}}', b'{"bye":true}',
        b'{"ack":1}', b"{", b"", b"\x03\xe8", b"\x03\xedno", b"\xff\xfe", b"x" * 130, b"x" * 70000])
    if chosen.random() < 0.5:
        payload = mutations.of(payload or b"x", chosen)
    first = chosen.choice([0x81, 0x81, 0x81, 0x82, 0x88, 0x89, 0x8A, 0x01, 0x00, 0x80, chosen.randrange(256)])
    size = len(payload) if chosen.random() < 0.9 else chosen.choice([0, 125, 126, 65536, 1 << 40, (1 << 63) + 1])
    bit = 0x80 if chosen.random() < 0.95 else 0
    if size < 126:
        head = bytes([first, bit | size])
    elif size < 65536:
        head = bytes([first, bit | 126]) + struct.pack(">H", size)
    else:
        head = bytes([first, bit | 127]) + struct.pack(">Q", size)
    mask = bytes(chosen.randrange(256) for _ in range(4))
    return head + (mask + bytes(byte ^ mask[place % 4] for place, byte in enumerate(payload)) if bit else payload)


def frames(gateway, chosen, name, token):
    """A page's channel, and frames of any kind on it; what comes back are sound frames, up to the end."""
    with gateway.connect() as connection:
        connection.sendall((
            f"GET /__drawbridge__/channel HTTP/1.1\r\n{HOST}Upgrade: websocket\r\nConnection: Upgrade\r\n"
            "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
            f"Sec-WebSocket-Protocol: drawbridge, token.{token}\r\n\r\n").encode())
        reader = Reader(connection)
        status, _, _ = reader.answer()
        if status != 101:
            raise Fault(f"no channel, but a {status}")
        hello = b'{"hello":{"page":"%s","life":1}}' % hashlib.md5(name.encode()).hexdigest().encode()
        try:
            connection.sendall(bytes([0x81, 0x80 | len(hello)]) + b"\0" * 4 + hello)
            for _ in range(chosen.randrange(1, 8)):
                connection.sendall(frame(chosen))
            # A farewell, so that it ends where nothing was wrong.
            connection.sendall(b"\x88\x82\0\0\0\0\x03\xe8")
            if gateway.scheme == "http":
                connection.shutdown(socket.SHUT_WR)
        except OSError:
            return "closed early"
        count = 0
        try:
            while True:
                head = reader.bytes(2)
                if head[0] & 0x70 or head[1] & 0x80 or head[0] & 0xF not in (1, 2, 8, 9, 10) or not head[0] & 0x80:
                    raise Fault(f"no sound frame: {head!r}")
                size = head[1] & 0x7F
                if size == 126:
                    size = struct.unpack(">H", reader.bytes(2))[0]
                elif size == 127:
                    size = struct.unpack(">Q", reader.bytes(8))[0]
                payload = reader.bytes(size)
                count += 1
                if head[0] & 0xF == 8:
                    code = struct.unpack(">H", payload[:2])[0] if payload else 0
                    return f"closed with {code}"
        except BrokenOff:
            return "broken off"


def token_of(gateway):
    with gateway.connect() as connection:
        connection.sendall(f"GET / HTTP/1.1\r\n{HOST}\r\n".encode())
        body = Reader(connection).answer()[2].decode()
    return re.search(r'data-token="([^"]+)"', body)[1]


def main(scheme, port, count, seed):
    gateway = Gateway(scheme, int(port))
    token = token_of(gateway)
    kinds = {
        "pipelines": pipeline, "kept connections": kept, "leaving callers": leaves, "broken upstreams": behind,
        "frames": lambda *all: frames(*all, token),
    }
    for title, kind in kinds.items():
        def one(number, kind=kind):
            chosen = random.Random(f"{seed} {title} {number}")
            try:
                return kind(gateway, chosen, f"{title} {number}")
            except BrokenOff as end:
                raise AssertionError(f"{title}, number {number}: the connection ended after {end.args[0][-300:]!r}")
            except Fault as fault:
                raise AssertionError(f"{title}, number {number}: {fault}")
        begin = time.monotonic()
        with ThreadPoolExecutor(8) as senders:
            outcomes = Counter(senders.map(one, range(int(count))))
        if title == "broken upstreams" and not any("200" in outcome for outcome in outcomes):
            raise AssertionError(f"no answer of the server behind the gateway came through: {outcomes}")
        seconds = time.monotonic() - begin
        most = ", ".join(f"{number} {outcome}" for outcome, number in outcomes.most_common(8))
        print(f"{scheme}, {title}, {seconds:.0f} s: {most}")


if __name__ == "__main__":
    main(*sys.argv[1:5])
