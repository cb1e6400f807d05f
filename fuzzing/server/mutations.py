"""What becomes of bytes that keep the rules of HTTP."""

PIECES = [
    b"\r", b"\n", b"\r\n", b"\0", b" ", b"\t", b":", b"0", b"-1", b"99999999999999999999", b"chunked", b"x" * 20000,
    b"Transfer-Encoding: chunked\r\n", b"Transfer-Encoding: chunked \r\n", b"Content-Length: 3\r\n",
    b"Content-Length: 0x10\r\n", b"Connection: keep-alive\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
    b"HTTP/1.1 101 Switching Protocols\r\n\r\n", b" folded\r\n", b"X : y\r\n", b"\xff\xfe", b"0\r\n\r\n",
    b"5;\r\n", b"0x5\r\n",
]


def of(data, chosen):
    """One to three changes; most of them where the heads are."""
    for _ in range(chosen.randrange(1, 4)):
        end = len(data) if chosen.random() < 0.3 else min(len(data), data.find(b"\r\n\r\n") + 12)
        place = chosen.randrange(max(1, end))
        kind = chosen.randrange(5)
        if kind == 0:
            data = data[:place] + chosen.choice(PIECES) + data[place:]
        elif kind == 1:
            data = data[:place] + data[place + chosen.randrange(1, 20):]
        elif kind == 2:
            data = data[:place] + bytes([chosen.randrange(256)]) + data[place + 1:]
        elif kind == 3:
            data = data[:place]
        else:
            line = data.rfind(b"\n", 0, place) + 1
            stop = data.find(b"\n", place) + 1
            data = data[:stop] + data[line:stop] + data[stop:] if stop > line else data + b"\r\n"
    return data
