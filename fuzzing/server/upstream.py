"""A server that breaks the rules, by chance and by what its path says: upstream.py; prints its port.

/SEED/MARK is answered with MARK, as the rules want or with what was made of that: the same for the same SEED. Of a
body it reads all, half or nothing before it answers.
"""

import random
import re
import socket
import threading

import mutations


def sound(mark, chosen):
    """An answer with a mark, in one of the framings."""
    mark = mark.encode()
    body = mark * chosen.randrange(1, 2000)
    fields = b"Content-Type: text/plain\r\nX-Mark: " + mark + b"\r\n"
    kind = chosen.randrange(4)
    if kind == 0:
        return b"HTTP/1.1 200 OK\r\n" + fields + b"Content-Length: %d\r\n\r\n" % len(body) + body
    if kind == 1:
        half = len(body) // 2
        first, second = b"%x\r\n%s\r\n" % (half, body[:half]), b"%x;a=b\r\n%s\r\n" % (len(body) - half, body[half:])
        chunks = (first if half else b"") + second + b"0\r\nX-Trailer: x\r\n\r\n"
        return b"HTTP/1.1 200 OK\r\n" + fields + b"Transfer-Encoding: chunked\r\n\r\n" + chunks
    if kind == 2:
        return b"HTTP/1.1 200 OK\r\n" + fields + b"Connection: close\r\n\r\n" + body
    return (b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\n" + fields
            + b"Content-Length: %d\r\n\r\n" % len(body) + body)


def serve(connection):
    with connection:
        connection.settimeout(20)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        data = b""
        while True:
            while b"\r\n\r\n" not in data:
                piece = connection.recv(1 << 16)
                if not piece:
                    return
                data += piece
            head, data = data.split(b"\r\n\r\n", 1)
            _, seed, mark = head.split(b" ")[1].decode().split("/")[-3:]
            chosen = random.Random(int(seed))
            answer = sound(mark, chosen)
            length = re.search(rb"(?i)\r\ncontent-length: *([0-9]+)", head)
            size = int(length[1]) if length else 0
            taken = size * chosen.choice([0, 1, 2, 2]) // 2
            while len(data) < taken:
                piece = connection.recv(1 << 16)
                if not piece:
                    return
                data += piece
            data = data[taken:]
            closes = b"Connection: close" in answer
            is_broken = chosen.random() < 0.7
            if is_broken:
                answer = mutations.of(answer, chosen)
            # In pieces, and sometimes not to the end.
            for _ in range(chosen.randrange(5)):
                count = chosen.choice([1, 7, 100, 4096])
                connection.sendall(answer[:count])
                answer = answer[count:]
                if chosen.random() < 0.02:
                    return
            connection.sendall(answer)
            # One framing ends with the connection.
            if is_broken or closes or taken < size or b"connection: close" in head.lower() or chosen.random() < 0.3:
                return


def quietly(connection):
    try:
        serve(connection)
    except (OSError, ValueError):
        pass


def main():
    listener = socket.create_server(("127.0.0.1", 0), backlog=128)
    print(listener.getsockname()[1], flush=True)
    while True:
        threading.Thread(target=quietly, args=(listener.accept()[0],), daemon=True).start()


if __name__ == "__main__":
    main()
