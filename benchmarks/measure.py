"""Measures the gateway beside its peers, interleaved, and prints tables in Markdown.

In every round each server of a scenario is loaded in turn, so that a machine that becomes slower does so for all of
them. Ratios are made within a round; what is printed is the median of the rounds. Servers run on one core, the load
on another.
"""

import argparse
import contextlib
import os
import pathlib
import platform
import re
import resource
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time

import bridges
import instructions
import journal
import pages
import upstream

HERE = pathlib.Path(__file__).parent
BUILT = HERE / ".build" / "release"
TICKS = os.sysconf("SC_CLK_TCK")
# The commit that changes are compared with, built in a checkout of its own: `--before`.
BEFORE = BUILT
SERVER_CORE, LOAD_CORE = (0, 1) if os.cpu_count() > 1 else (0, 0)


class Server:
    """A process that listens on a port of its own."""

    def __init__(self, name, command, port=None, log=None, core=SERVER_CORE):
        self.name = name
        self.port = port or free_port()
        self.process = subprocess.Popen(
            [str(part).replace("PORT", str(self.port)) for part in command],
            stdout=subprocess.DEVNULL, stderr=log or subprocess.DEVNULL, start_new_session=True,
            preexec_fn=lambda: os.sched_setaffinity(0, {core}))
        self.await_port()

    def await_port(self):
        end = time.monotonic() + 20
        while time.monotonic() < end:
            if self.process.poll() is not None:
                sys.exit(f"{self.name} ended with {self.process.returncode}")
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1):
                return
            time.sleep(0.002)
        sys.exit(f"{self.name} does not listen on {self.port}")

    def processes(self):
        """The process and its children (nginx has workers)."""
        own = self.process.pid
        children = pathlib.Path(f"/proc/{own}/task/{own}/children").read_text().split()
        return [own, *map(int, children)]

    def cpu_seconds(self):
        total = 0
        for process in self.processes():
            fields = pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(") ", 1)[1].split()
            total += int(fields[11]) + int(fields[12])
        return total / TICKS

    def memory(self):
        """Resident bytes, shared pages in part."""
        total = 0
        for process in self.processes():
            text = pathlib.Path(f"/proc/{process}/smaps_rollup").read_text()
            total += int(re.search(r"^Pss:\s+(\d+) kB", text, re.M).group(1)) * 1024
        return total

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Workplace:
    """Files that are served and written, and how each peer is started."""

    def __init__(self, folder):
        self.folder = folder
        self.root = folder / "root"
        self.root.mkdir()
        # nginx' worker is another user.
        folder.chmod(0o755)
        (self.root / "file1k").write_bytes(os.urandom(1 << 10))
        (self.root / "file1m").write_bytes(os.urandom(1 << 20))
        self.upstreams = {}

    def start(self, name):
        """A server by its name; `before` is `ours` as it was built in the other checkout."""
        program = BUILT / "ours"
        if name.startswith("before"):
            program = BEFORE / "ours"
            name = name.replace("before", "ours", 1)
        ours = [program, "PORT", "--root", self.root]
        bare = [BUILT / "bare", "PORT", "--root", self.root]
        if sized := re.fullmatch(r"(ours|C), (\d+) KB pool", name):
            return Server(name, (ours if sized[1] == "ours" else bare) + ["--pool", str(int(sized[2]) << 10)])
        match name:
            case "ours":
                return Server(name, ours)
            case "ours, log":
                with open(self.folder / "access.log", "wb") as log:
                    return Server(name, ours + ["--log"], log=log)
            case "ours, 10,000 paths":
                return Server(name, ours + ["--paths", "10000"])
            case "ours, 10 paths":
                return Server(name, ours + ["--paths", "10"])
            case "ours, pages":
                return Server(name, [
                    program, "PORT", "--root", pages.DOCUMENTS, "--connections", "15000", "--replies", "10"])
            case "a bare echo":
                return Server(name, [BUILT / "bare", "PORT", "--echo"])
            case "the command":
                with open(self.folder / "command.log", "wb") as log:
                    return Server(name, [journal.PROGRAM, *journal.OPTIONS], log=log)
            case "the command with a bridge":
                return Server(name, [journal.PROGRAM, *bridges.OPTIONS])
            case "C":
                return Server(name, bare)
            case "C, two fields":
                return Server(name, bare + ["--plain"])
            case "C keeping the body":
                return Server(name, bare + ["--keep"])
            case "nginx":
                return self.start_nginx()
            case "ours, upstream":
                return Server(name, [program, "PORT", "--upstream", self.upstream("nginx")])
            case "nginx, upstream":
                return self.start_nginx(self.upstream("nginx"))
            case "ours, https upstream":
                return Server(name, [program, "PORT", "--upstream", self.upstream("https"), "--insecure"])
            case "nginx, https upstream":
                return self.start_nginx(self.upstream("https"))
            case "Caddy, upstream":
                return self.start_caddy(self.upstream("nginx"))
            case "ours, sockets":
                return Server(
                    name, [program, "PORT", "--upstream", self.upstream("sockets"), "--connections", "15000"])
            case "nginx, sockets":
                return self.start_nginx(self.upstream("sockets"))
            case "Hummingbird":
                return Server(name, [BUILT / "hummingbird", "PORT", "--root", self.root])
            case "Node":
                return Server(name, [shutil.which("node"), HERE / "peers" / "node.js", "PORT", "--root", self.root])
        raise ValueError(name)

    def start_nginx(self, upstream=None, core=SERVER_CORE, encrypted=False):
        """nginx with files and `return`, or in front of another server; `encrypted`, it speaks TLS."""
        run = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        run.chmod(0o755)
        port = free_port()
        text = (HERE / "peers" / ("nginx-proxy.conf" if upstream else "nginx.conf")).read_text()
        if encrypted:
            subprocess.run(
                ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                 "-subj", "/CN=localhost", "-days", "1", "-keyout", run / "key.pem", "-out", run / "certificate.pem"],
                check=True, capture_output=True)
            text = text.replace(
                "backlog=4096;", "backlog=4096 ssl; ssl_certificate RUN/certificate.pem; ssl_certificate_key RUN/key.pem;")
        scheme, _, address = (upstream or "http://").partition("://")
        text = text.replace("SCHEME", scheme).replace("UPSTREAM", address)
        text = text.replace("PORT", str(port)).replace("ROOT", str(self.root)).replace("RUN", str(run))
        (run / "nginx.conf").write_text(text)
        return Server(
            "nginx", [shutil.which("nginx") or "/usr/sbin/nginx", "-p", run, "-c", run / "nginx.conf"], port, core=core)

    def start_caddy(self, upstream):
        run = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        port = free_port()
        text = (HERE / "peers" / "Caddyfile").read_text()
        (run / "Caddyfile").write_text(text.replace("PORT", str(port)).replace("UPSTREAM", upstream))
        command = ["env", f"HOME={run}", shutil.which("caddy") or "/usr/bin/caddy", "run", "--config", run / "Caddyfile"]
        return Server("Caddy", command, port)

    def upstream(self, kind):
        """The URL of a server to be in front of, which shares its core with the load."""
        if kind not in self.upstreams:
            self.upstreams[kind] = (
                Server(kind, [shutil.which("node"), HERE / "peers" / "sockets.js", "PORT"], core=LOAD_CORE)
                if kind == "sockets" else self.start_nginx(core=LOAD_CORE, encrypted=kind == "https"))
        scheme = "https" if kind == "https" else "http"
        return f"{scheme}://127.0.0.1:{self.upstreams[kind].port}"

    def stop(self):
        for server in self.upstreams.values():
            server.stop()


class Load:
    """What wrk sends."""

    TYPED = b'{"user":"ann","age":42,"tags":["one","two","three"]}'

    def __init__(self, path, body=None, content_type="application/json", spread=0):
        self.path, self.body, self.content_type, self.spread = path, body, content_type, spread

    def script(self, folder):
        """The Lua script for wrk, or None where none is needed."""
        if self.body is None and not self.spread:
            return None
        lines = []
        if self.body is not None:
            body = folder / "body"
            body.write_bytes(self.body)
            lines += [
                'wrk.method = "POST"', f'local file = io.open("{body}", "rb")', 'wrk.body = file:read("*a")',
                f'wrk.headers["Content-Type"] = "{self.content_type}"']
        if self.spread:
            lines += [
                f"local next = 0", "request = function()", f"  next = (next + 7919) % {self.spread}",
                '  return wrk.format(nil, "/path/" .. next .. "?_mobile_bridge=1")', "end"]
        script = folder / "load.lua"
        script.write_text("\n".join(lines) + "\n")
        return script


class Sample:
    """What one run of wrk found."""

    UNITS = {"us": 1e-3, "ms": 1, "s": 1000, "m": 60000}

    def __init__(self, server, load, connections, seconds, folder):
        script = load.script(folder)
        command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--latency", "--timeout", "10s"]
        if script:
            command += ["-s", script]
        before = server.cpu_seconds()
        done = subprocess.run(
            command + [f"http://127.0.0.1:{server.port}{load.path}"], capture_output=True, text=True, check=True,
            preexec_fn=lambda: os.sched_setaffinity(0, {LOAD_CORE}), timeout=seconds + 60)
        cpu = server.cpu_seconds() - before
        text = done.stdout
        requests = int(re.search(r"(\d+) requests in", text).group(1))
        self.throughput = float(re.search(r"Requests/sec:\s+([\d.]+)", text).group(1))
        value, unit = re.search(r"99%\s+([\d.]+)(us|ms|s|m)", text).groups()
        self.p99 = float(value) * self.UNITS[unit]
        self.cpu = cpu / max(1, requests) * 100_000
        errors = re.search(r"Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)", text)
        self.errors = sum(map(int, errors.groups())) if errors else 0
        bad = re.search(r"Non-2xx or 3xx responses: (\d+)", text)
        self.errors += int(bad.group(1)) if bad else 0


def megabyte():
    return os.urandom(1 << 20)


# What people use in its place, and then the limit.
CODE = ["ours", "Node", "Hummingbird", "C"]
PEERS = ["ours", "nginx", *CODE[1:]]
OTHERS = ["nginx", "Node", "Hummingbird", "Caddy"]
LIMITS = ["C", "C keeping the body"]
POOLS = ["C", "ours", "ours, 16 KB pool", "ours, 64 KB pool", "C, 64 KB pool"]
UPLOADED = [*CODE, "C keeping the body"]


def flagged(path):
    return path + "?_mobile_bridge=1"


UPLOAD = Load(flagged("/upload"), megabyte(), "application/octet-stream")

# Name, title, load, connections, servers.
SCENARIOS = [
    ("sync", "hand-written JSON, nothing awaited", Load(flagged("/sync")), [1, 64, 512, 4000], PEERS),
    ("async", "async, nothing suspends", Load(flagged("/async")), [64, 512], CODE),
    ("actor", "a hop to an actor", Load(flagged("/actor")), [64, 512], CODE),
    ("wait", "waits for another thread", Load(flagged("/wait")), [64, 512], CODE),
    ("typed", "typed JSON in and out, 52 B", Load(flagged("/typed"), Load.TYPED), [1, 64, 512, 4000], CODE),
    ("post", "POST of 200 B", Load(flagged("/upload"), b"x" * 200, "application/octet-stream"), [64], CODE),
    ("upload", "POST of 1 MB", UPLOAD, [16], UPLOADED),
    ("file1k", "a file of 1 KB", Load("/file1k"), [64], PEERS),
    ("file1m", "a file of 1 MB", Load("/file1m"), [16], PEERS),
    ("upstream1k", "1 KB from a server behind it", Load("/file1k"), [64], upstream.PEERS),
    ("upstream1m", "1 MB from a server behind it", Load("/file1m"), [16], upstream.PEERS),
    ("https1k", "1 KB from a server behind it, by https", Load("/file1k"), [64], upstream.ENCRYPTED_PEERS),
    ("https1m", "1 MB from a server behind it, by https", Load("/file1m"), [16], upstream.ENCRYPTED_PEERS),
]

# Those in which it is compared with itself or with C alone; the first server is what the others are compared with.
OWN = [
    ("fields", "the same beside C without the gateway's fields", Load(flagged("/sync")), [64], ["C, two fields", "ours"]),
    ("pool", "POST of 1 MB by the size of a connection's pool, 32 KB unless it is named", UPLOAD, [16, 64], POOLS),
    ("syncpool", "hand-written JSON by the size of a connection's pool", Load(flagged("/sync")), [64], POOLS),
    ("paths", "10,000 paths beside 10", Load("/", spread=10), [64], ["ours, 10 paths", "ours, 10,000 paths"]),
    ("log", "the access log to a file, beside none", Load(flagged("/sync")), [64], ["ours", "ours, log"]),
]


# Those that have tables of their own.
ALONE = ["memory", "start", "upstream", "pages", "journal", "bridges"]


def with_before(servers):
    """The servers, and behind each of ours what it was before."""
    return [own for name in servers for own in ([name, name.replace("ours", "before", 1)] if "ours" in name else [name])]


def measure(scenario, work, rounds, seconds):
    """Runs one scenario; yields title, connections and the samples of each server for each number of connections."""
    name, title, load, counts, names = scenario
    for connections in counts:
        samples = {server: [] for server in names}
        for turn in range(-1, rounds):
            for server_name in names:
                own = load
                if load.spread:
                    own = Load(load.path, spread=10 if "10 paths" in server_name else 10_000)
                server = work.start(server_name)
                try:
                    # The first requests of a process are its slowest, and so is the first round of all.
                    Sample(server, own, min(connections, 64), 1, work.folder)
                    if turn >= 0:
                        samples[server_name].append(Sample(server, own, connections, seconds, work.folder))
                finally:
                    server.stop()
        yield title, connections, samples


REQUESTS = [
    "", "connections", "server", "requests/s", "ratio (lowest–highest)", "CPU s / 100,000", "CPU ratio", "p99 ms",
    "errors"]


def compared(title, connections, samples):
    """Rows of `REQUESTS`: each server beside the first one."""
    first = next(iter(samples))
    for server, own in samples.items():
        is_first = server == first
        rate, cpu = against(own, samples[first])
        yield [
            title if is_first else "", str(connections) if is_first else "", server,
            f"{median(own, 'throughput'):,.0f}", rate, f"{median(own, 'cpu'):.2f}", cpu, f"{median(own, 'p99'):.2f}",
            str(sum(sample.errors for sample in own))]


def ours_beside(others, title, connections, samples):
    """A row of what ours does, and how that is beside each of the others; what one of them does not do is empty."""
    servers = {name.partition(",")[0]: own for name, own in samples.items()}
    ours = servers["ours"]
    row = [title, str(connections), f"{median(ours, 'throughput'):,.0f}"]
    row += [f"{median(ours, 'cpu'):.2f}", f"{median(ours, 'p99'):.2f}"]
    for other in others:
        row.append("{}, CPU {}".format(*against(ours, servers[other])) if other in servers else "")
    return [*row, str(sum(sample.errors for own in servers.values() for sample in own))]


def against(own, others):
    """The ratio of the rates, with the lowest and the highest of the rounds, and that of the CPU time."""
    rates = [mine.throughput / its.throughput for mine, its in zip(own, others)]
    cpu = [mine.cpu / its.cpu for mine, its in zip(own, others) if its.cpu]
    rate = f"{statistics.median(rates):.2f} ({min(rates):.2f}–{max(rates):.2f})"
    return rate, f"{statistics.median(cpu):.2f}" if cpu else ""


def median(samples, name):
    return statistics.median(getattr(sample, name) for sample in samples)


def open_connections(port, count, request):
    """Opens connections that have sent one request each; reads the answer where one comes at once."""
    sockets = []
    for _ in range(count):
        connection = socket.create_connection(("127.0.0.1", port), 5)
        connection.sendall(request)
        sockets.append(connection)
    return sockets


def memory(work, rounds):
    """Bytes per connection that is idle after a request, and per one whose handler waits."""
    count = 2000
    for name in ["C", "ours", "C, 8 KB pool", "ours, 8 KB pool", "ours, 16 KB pool", "ours, 64 KB pool", "nginx", "Hummingbird", "Node"]:
        row = [name]
        for kind, path in [("idle", flagged("/sync")), ("waiting", flagged("/hold"))]:
            if kind == "waiting" and name == "nginx":
                row.append("–")
                continue
            found = []
            for _ in range(rounds):
                server = work.start(name)
                try:
                    request = f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
                    warm = open_connections(server.port, 50, request)
                    time.sleep(0.5)
                    before = server.memory()
                    sockets = open_connections(server.port, count, request)
                    if kind == "idle":
                        for connection in sockets:
                            connection.settimeout(5)
                            connection.recv(4096)
                    time.sleep(1)
                    found.append((server.memory() - before) / count / 1024)
                    for connection in sockets + warm:
                        connection.close()
                finally:
                    server.stop()
            row.append(f"{statistics.median(found):.1f}")
        yield row


def start_and_size(work, rounds):
    """Milliseconds from the start of a process to its first answer, resident memory then, and the size of its file."""
    binaries = {"C": BUILT / "bare", "ours": BUILT / "ours", "Hummingbird": BUILT / "hummingbird"}
    for name in ["C", "ours", "nginx", "Hummingbird", "Node"]:
        times, sizes = [], []
        for _ in range(max(5, rounds)):
            begin = time.monotonic()
            server = work.start(name)
            with socket.create_connection(("127.0.0.1", server.port), 5) as connection:
                connection.sendall(f"GET {flagged('/sync')} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
                connection.recv(4096)
            times.append((time.monotonic() - begin) * 1000)
            sizes.append(server.memory() / (1 << 20))
            server.stop()
        row = [name, f"{statistics.median(times):.0f}", f"{statistics.median(sizes):.1f}"]
        if name in binaries:
            with tempfile.NamedTemporaryFile() as stripped:
                subprocess.run(["strip", "-o", stripped.name, binaries[name]], check=True)
                row += [f"{binaries[name].stat().st_size / 1e6:.1f}", f"{os.stat(stripped.name).st_size / 1e6:.1f}"]
        else:
            row += ["–", "–"]
        yield row


def table(title, head, rows):
    """Prints a table, each row as soon as it is known; nothing without rows."""
    for number, row in enumerate(rows):
        if number == 0:
            print(f"\n### {title}\n")
            print("| " + " | ".join(head) + " |")
            print("|" + "---|" * len(head))
        print("| " + " | ".join(row) + " |", flush=True)


def main():
    names = [scenario[0] for scenario in SCENARIOS + OWN] + ALONE
    parser = argparse.ArgumentParser(prog="benchmarks/run", description=__doc__.split("\n\n")[0])
    parser.add_argument("scenario", nargs="*", help=f"all of them unless named: {', '.join(names)}")
    parser.add_argument("--rounds", type=int, default=5, help="rounds of each scenario (default 5)")
    parser.add_argument("--seconds", type=int, default=3, help="seconds of each run (default 3)")
    parser.add_argument("--connections", type=int, action="append", help="only these numbers of connections")
    parser.add_argument("--peers", help="only these servers, by commas, the first to compare with: C,ours")
    parser.add_argument(
        "--before", metavar="FOLDER", help="another checkout whose benchmarks are built: its gateway is measured beside ours")
    parser.add_argument(
        "--instructions", action="store_true", help="nothing but the instructions of a request, by callgrind")
    options = parser.parse_args()
    if options.before:
        global BEFORE
        BEFORE = pathlib.Path(options.before) / "benchmarks" / ".build" / "release"
        if not (BEFORE / "ours").exists():
            parser.error(f"there is no {BEFORE / 'ours'}; run benchmarks/run start in that checkout once")
    if options.instructions:
        programs = {"ours": BUILT / "ours"} | ({"before": BEFORE / "ours"} if options.before else {})
        with tempfile.TemporaryDirectory() as folder:
            table(
                "Instructions of a request",
                ["", *(cell for name in programs for cell in (name, f"{name}, without the pool's memset"))],
                instructions.rows(list(programs.values()), free_port, folder))
        return
    unknown = set(options.scenario) - set(names)
    if unknown:
        parser.error(f"there is no scenario {', '.join(sorted(unknown))}; there are {', '.join(names)}")
    chosen = options.scenario or names
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(limit, 20_000) if limit > 0 else 20_000, limit))

    processor = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())
    print(
        f"{os.cpu_count()} cores of {processor.group(1) if processor else platform.machine()}, "
        f"Linux {platform.release()}; {options.rounds} rounds of {options.seconds} s, interleaved; the server on one "
        "core, wrk with one thread on another.")
    with tempfile.TemporaryDirectory() as folder:
        work = Workplace(pathlib.Path(folder))

        def measured(scenarios):
            for name, title, load, counts, servers in scenarios:
                if name not in chosen:
                    continue
                counts = options.connections or counts
                if options.peers:
                    servers = options.peers.split(",")
                if options.before:
                    servers = with_before(servers)
                yield from measure((name, title, load, counts, servers), work, options.rounds, options.seconds)

        def each_server(scenarios):
            return (row for found in measured(scenarios) for row in compared(*found))

        if options.peers or options.before:
            table("Requests", REQUESTS, each_server(SCENARIOS + OWN))
        else:
            head = ["", "connections", "requests/s", "CPU s / 100,000", "p99 ms"]
            found = []

            def beside_others():
                for one in measured(SCENARIOS):
                    found.append(one)
                    yield ours_beside(OTHERS, *one)

            table("Requests, beside other servers", [*head, *OTHERS, "errors"], beside_others())
            table(
                "Beside C, the limit", [*head, *LIMITS, "errors"],
                (ours_beside(LIMITS, *one) for one in found if "C" in one[2]))
            table("By itself", REQUESTS, each_server(OWN))
        if "memory" in chosen:
            table(
                "Memory per connection, KB of 1,024 bytes", ["server", "idle", "waiting for its handler"],
                memory(work, min(3, options.rounds)))
        if "start" in chosen:
            table(
                "Start and size", ["server", "ms to the first answer", "resident MB then", "binary MB", "stripped MB"],
                start_and_size(work, options.rounds))
        if "upstream" in chosen:
            table(
                "In front of a server", ["", "median of the rounds (lowest–highest)", "aim"],
                upstream.rows(work, options.rounds, LOAD_CORE))
        if "pages" in chosen:
            table(
                "Pages", ["", "median of the rounds (lowest–highest)", "aim"],
                pages.rows(work, options.rounds, lambda server, path: Sample(
                    server, Load(flagged(path)), 64, 1, work.folder)))
        if "journal" in chosen:
            table("The journal", ["", "", "aim"], journal.rows(work, LOAD_CORE))
        if "bridges" in chosen:
            table("A bridge from outside", ["", "", "aim"], bridges.rows(work))
        work.stop()


main()
