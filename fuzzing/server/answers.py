"""Reads answers strictly, as one who trusts nobody: what is no HTTP/1.1 is a Fault."""

import re

FIELD = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+:[ \t]*([^\x00-\x08\x0a-\x1f\x7f]*)")


class Fault(AssertionError):
    pass


class BrokenOff(Exception):
    """The connection ended before the answer did."""


class Reader:
    def __init__(self, connection):
        self.connection = connection
        self.buffer = b""

    def more(self):
        try:
            piece = self.connection.recv(1 << 16)
        except TimeoutError:
            raise Fault(f"nothing comes for {self.connection.gettimeout()} s, after {self.buffer[-200:]!r}")
        except OSError:
            piece = b""
        if not piece:
            raise BrokenOff(self.buffer)
        self.buffer += piece

    def up_to(self, end):
        while end not in self.buffer:
            self.more()
        found, self.buffer = self.buffer.split(end, 1)
        return found

    def bytes(self, count):
        while len(self.buffer) < count:
            self.more()
        found, self.buffer = self.buffer[:count], self.buffer[count:]
        return found

    def to_end(self):
        try:
            while True:
                self.more()
        except BrokenOff:
            found, self.buffer = self.buffer, b""
            return found

    def answer(self, method="GET"):
        """Status, fields in lower case and body of the next answer that is none of the hundreds."""
        while True:
            lines = self.up_to(b"\r\n\r\n").split(b"\r\n")
            match = re.fullmatch(rb"HTTP/1\.1 ([1-5][0-9][0-9]) ?([^\x00-\x08\x0a-\x1f\x7f]*)", lines[0])
            if not match:
                raise Fault(f"no status line: {lines[0][:200]!r}")
            fields = {}
            for line in lines[1:]:
                field = FIELD.fullmatch(line)
                if not field:
                    raise Fault(f"no field: {line[:200]!r}")
                name = line.split(b":", 1)[0].lower().decode()
                if name in fields and name in ("content-length", "transfer-encoding"):
                    raise Fault(f"{name} twice")
                fields[name] = field[1].strip().decode("latin-1")
            status = int(match[1])
            if status >= 200 or status == 101:
                return status, fields, self.body(status, fields, method)

    def body(self, status, fields, method):
        if "transfer-encoding" in fields and "content-length" in fields:
            raise Fault("two framings")
        if method == "HEAD" or status in (101, 204, 304):
            return b""
        if fields.get("transfer-encoding", "").lower() == "chunked":
            body = b""
            while True:
                size = self.up_to(b"\r\n").split(b";")[0]
                if not re.fullmatch(rb"[0-9a-fA-F]{1,8}", size):
                    raise Fault(f"no chunk size: {size[:100]!r}")
                body += self.bytes(int(size, 16))
                if int(size, 16) == 0:
                    while self.up_to(b"\r\n"):
                        pass
                    return body
                if self.bytes(2) != b"\r\n":
                    raise Fault("no end of a chunk")
        if "content-length" in fields:
            return self.bytes(int(fields["content-length"]))
        return self.to_end()
