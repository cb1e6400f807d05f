"""One run of the tests: which ran, how long, which failed and with what words.

Read from its stream of events, never from its lines: those of tests that run at the same time are mixed.
"""

import json
import os
import re
import signal
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

# A whole stage takes a few minutes, also on a slow machine.
LONGEST_SECONDS = 30 * 60
SANITIZER = re.compile(r"(WARNING: ThreadSanitizer|ERROR: (?:Address|Leak)Sanitizer).*")


@dataclass
class Test:
    """A test function with all its arguments."""

    id: str
    began: float = 0
    seconds: float = 0
    has_ended: bool = False
    said: list = field(default_factory=list)

    @property
    def name(self):
        """Its module, suite and function: the id without the place in the file."""
        return self.id.rpartition("/")[0]

    @property
    def is_over_its_limit(self):
        return any("Time limit was exceeded" in text for text in self.said)


class Suite:
    """What came of one run."""

    def __init__(self):
        self.tests = {}
        # Why some were left out, by their names.
        self.left_out = {}
        # What no second run makes good: a signal, a report of a sanitizer, a run that does not end.
        self.faults = []

    @property
    def failed(self):
        return [test for test in self.tests.values() if test.said]

    def read(self, events):
        """Takes a file of events; gives whether the run came to its end."""
        has_ended = False
        functions = set()
        if not events.exists():
            return False
        for line in events.read_text(errors="replace").splitlines():
            try:
                record = json.loads(line)
            except json.JSONDecodeError:
                # The process ended in the middle of a line.
                continue
            payload = record["payload"]
            kind, id = payload["kind"], payload.get("testID")
            if record["kind"] == "test":
                if kind == "function":
                    functions.add(payload["id"])
            elif kind == "runEnded":
                has_ended = True
            elif kind == "testStarted" and id in functions:
                self.tests[id] = Test(id, payload["instant"]["absolute"])
            elif kind == "testEnded" and id in self.tests:
                self.tests[id].seconds = payload["instant"]["absolute"] - self.tests[id].began
                self.tests[id].has_ended = True
            elif kind in ("testCancelled", "testCaseCancelled", "testSkipped") and id in functions:
                # Of one that is cancelled, its log has the reason.
                text = " ".join(message["text"] for message in payload["messages"])
                self.left_out[id.rpartition("/")[0]] = text or f"{id.rpartition('/')[0]} was cancelled"
            elif kind == "issueRecorded" and payload["issue"].get("isFailure", not payload["issue"]["isKnown"]):
                place = payload["issue"].get("sourceLocation") or {"fileID": "?", "line": 0}
                text = "\n    ".join(message["text"] for message in payload["messages"])
                # What belongs to no test that runs is kept under a name of its own.
                test = self.tests.setdefault(id, Test(id or "outside of all tests/"))
                test.said.append(f"{place['fileID']}:{place['line']}: {text[:1500]}")
        return has_ended

    def judge(self, code, has_ended, output):
        """Finds what is wrong with the run itself, beside its tests."""
        if found := SANITIZER.search(output):
            self.faults.append(found[0])
        if not has_ended:
            begun = [test.name for test in self.tests.values() if not test.has_ended]
            said = "" if self.tests else "".join(f"\n{line}" for line in output.splitlines()[-20:])
            self.faults.append(
                f"ended in the middle, {ending(code)}; begun and not ended: {', '.join(begun) or 'no test'}{said}")
        elif code and not self.failed and not self.faults:
            self.faults.append(f"ended with code {code}, and no test failed")
        elif not self.tests:
            self.faults.append("no test has this name")


def ending(code):
    """Names the signal that ended a process; the watch of files ends as a shell does, with 128 and its number."""
    number = -code if code < 0 else code - 128
    try:
        return f"by {signal.Signals(number).name}"
    except ValueError:
        return f"with code {code}"


def run(built, arguments, log, environment=(), watch=()):
    """Runs the tests that are built in this folder, into a file of their output; gives what came of them.

    `swift test` would start the same program after it has read the package again, which takes seconds of each stage and
    can fail where two of them read it at once.
    """
    events = log.with_suffix(".events")
    events.unlink(missing_ok=True)
    program = next(Path(built, "debug").glob("*PackageTests.xctest"))
    command = [*watch, str(program), "--testing-library", "swift-testing",
               "--event-stream-output-path", str(events), "--event-stream-version", "6.3", *arguments]
    code = execute(command, log, dict(environment))
    suite = Suite()
    output = log.read_text(errors="replace")
    if code is None:
        code = -signal.SIGKILL
        suite.faults.append(f"not over after {LONGEST_SECONDS // 60} minutes")
    suite.judge(code, suite.read(events), output)
    events.unlink(missing_ok=True)
    return suite


def execute(command, log, environment=None, seconds=LONGEST_SECONDS):
    """Runs a command into a file; gives its code, or None where it was not over in time and was ended."""
    with Path(log).open("w") as output:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, start_new_session=True,
            env={**os.environ, **(environment or {})})
    running.add(process)
    try:
        return process.wait(seconds)
    except subprocess.TimeoutExpired:
        end(process)
        process.wait()
        return None
    finally:
        running.discard(process)


# Each is the first of a session of processes, and is ended with that: the tests are a group of their own in it.
running = set()


def end(process):
    subprocess.run(["pkill", "-KILL", "--session", str(process.pid)])
    process.kill()


def end_all():
    """Ends what still runs, where this script is interrupted."""
    for process in list(running):
        end(process)
