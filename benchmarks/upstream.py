"""Measures the gateway in front of another server: what wrk does not measure."""

import os
import selectors
import socket
import statistics
import time

PEERS = ["ours, upstream", "nginx, upstream", "Caddy, upstream"]
ENCRYPTED_PEERS = ["ours, https upstream", "nginx, https upstream"]
SLOW_READERS = 1000
SOCKETS = 64
MESSAGE = 16


def rows(work, rounds, core):
    """Rows of a table: what, figures, aim."""
    os.sched_setaffinity(0, {core})
    yield slow_readers(work, rounds)
    for batch in [1, 100]:
        yield echoes(work, rounds, batch)


def shown(values, form):
    return f"{form.format(statistics.median(values))} ({form.format(min(values))}–{form.format(max(values))})"


def slow_readers(work, rounds):
    """Resident memory while so many callers hardly read what they asked for."""
    found = []
    for _ in range(rounds):
        server = work.start("ours, upstream")
        callers = []
        try:
            for _ in range(SLOW_READERS):
                caller = socket.socket()
                # What the system keeps for a caller is not the gateway's.
                caller.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                caller.connect(("127.0.0.1", server.port))
                caller.sendall(b"GET /file1m HTTP/1.1\r\nHost: localhost\r\n\r\n")
                callers.append(caller)
            deadline = time.monotonic() + 5
            most = 0
            while time.monotonic() < deadline:
                for caller in callers:
                    caller.recv(512)
                most = max(most, server.memory() / (1 << 20))
                time.sleep(0.2)
            found.append(most)
        finally:
            for caller in callers:
                caller.close()
            server.stop()
    return [f"resident MB, {SLOW_READERS:,} transfers of 1 MB to slow readers", shown(found, "{:.0f}"), "200"]


def echoes(work, rounds, batch):
    """Messages a second through WebSockets, beside the same through nginx."""
    ratios, ours = [], []
    for _ in range(rounds):
        throughput = {}
        for name in ["nginx, sockets", "ours, sockets"]:
            server = work.start(name)
            try:
                echo(server.port, batch, 0.5)
                throughput[name] = echo(server.port, batch, 2)
            finally:
                server.stop()
        ours.append(throughput["ours, sockets"])
        ratios.append(throughput["ours, sockets"] / throughput["nginx, sockets"])
    what = "one at a time" if batch == 1 else f"{batch} at a time"
    return [
        f"WebSocket echoes a second, {SOCKETS} sockets, {what}; ratio to nginx",
        f"{statistics.median(ours):,.0f}; {shown(ratios, '{:.2f}')}", "0.90"]


def echo(port, batch, seconds):
    frames = (bytes([0x82, 0x80 | MESSAGE]) + bytes(4) + b"x" * MESSAGE) * batch
    expected = (2 + MESSAGE) * batch
    selector = selectors.DefaultSelector()
    sockets = []
    for _ in range(SOCKETS):
        caller = socket.create_connection(("127.0.0.1", port), 10)
        caller.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        caller.sendall(
            b"GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n")
        head = b""
        while b"\r\n\r\n" not in head:
            piece = caller.recv(4096)
            assert piece, f"no 101: {head!r}"
            head += piece
        assert head.startswith(b"HTTP/1.1 101"), head
        selector.register(caller, selectors.EVENT_READ, [expected])
        sockets.append(caller)
    for caller in sockets:
        caller.sendall(frames)
    count = 0
    begin = time.monotonic()
    while time.monotonic() - begin < seconds:
        for key, _ in selector.select(1):
            key.data[0] -= len(key.fileobj.recv(65536))
            if key.data[0] == 0:
                count += batch
                key.data[0] = expected
                key.fileobj.sendall(frames)
    took = time.monotonic() - begin
    for caller in sockets:
        caller.close()
    return count / took
