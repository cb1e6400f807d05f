"""What a stage of `scripts/test` is made of, and what came of it."""

import os
import re
import shutil
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

import suite

LOGS = Path(os.environ.get("DRAWBRIDGE_TEST_LOGS", ".build/test"))


@dataclass(frozen=True)
class Command:
    """A command that ends with 0 where all is right."""

    words: tuple
    environment: tuple = ()

    def run(self, stage, outcome):
        log = outcome.new_log()
        code = suite.execute(self.words, log, dict(self.environment))
        text = log.read_text(errors="replace")
        outcome.notes += [line for line in text.splitlines() if line.startswith("skipped:")]
        if code != 0:
            said = "\n".join(text.splitlines()[-40:])
            outcome.red.append(f"{' '.join(self.words)} ended with {code or 'no code, as it was not over in time'}\n{said}")


@dataclass(frozen=True)
class Tests:
    """The tests whose names these expressions choose, in one process: one at a time, or as many as there are.

    Where the options choose, filter is empty: of several filters, a test needs to match only one.
    """

    filter: str = "."
    skip: tuple = ()
    at_once: bool = False
    options: tuple = ()
    environment: tuple = ()
    built: str = ".build"

    def arguments(self):
        width = "--parallel" if self.at_once else "--no-parallel"
        skipped = [word for name in self.skip for word in ("--skip", name)]
        chosen = ["--filter", self.filter] if self.filter else []
        return [*self.options, width, *chosen, *skipped]

    def run(self, stage, outcome):
        found = self.once(self.arguments(), stage, outcome)
        outcome.tests.update(found.tests)
        outcome.red += found.faults
        outcome.notes += [f"skipped: {why}" for why in found.left_out.values()]
        for test in found.failed:
            if outcome.repeats:
                outcome.failed.append(test)
            elif test.is_over_its_limit or found.faults or len(found.failed) > MOST_AGAIN:
                outcome.failed.append(test)
            else:
                self.run_again(test, stage, outcome)

    def run_again(self, test, stage, outcome):
        """A test that failed is run once more, alone: a fault fails again."""
        arguments = ["--no-parallel", "--filter", f"^{re.escape(test.id)}$"]
        again = self.once(arguments, stage, outcome)
        if again.faults or again.failed:
            test.said += [f"alone: {text}" for text in again.faults + [t for f in again.failed for t in f.said]]
            outcome.failed.append(test)
        else:
            outcome.flaky.append(test)

    def once(self, arguments, stage, outcome):
        with Watch(stage, outcome, is_whole=arguments == self.arguments()) as watch:
            return suite.run(self.built, arguments, outcome.new_log(), self.environment, watch.command)


# Where more tests fail, it is no chance.
MOST_AGAIN = 5


class Watch:
    """Sees which files tests open: one of a package that the stage does not list is missing on a fresh machine."""

    program = None

    @classmethod
    def begin(cls):
        """Gives why the kernel lets nobody watch here; the program is a copy, which no later build changes."""
        cls.program = shutil.copy(".build/debug/file-watch", LOGS / "file-watch")
        if subprocess.run([cls.program, "/dev/null", "true"], stdout=subprocess.DEVNULL).returncode != 0:
            cls.program = None
            return "skipped: which packages the tests use is not checked, as only root may watch what they open"
        return None

    def __init__(self, stage, outcome, is_whole):
        self.stage, self.outcome, self.is_whole = stage, outcome, is_whole
        self.opened = LOGS / f"{stage.name}.opened"
        self.command = [self.program, str(self.opened)] if self.program and stage.packages else []

    def __enter__(self):
        self.opened.write_text("")
        return self

    def __exit__(self, *_):
        if not self.command:
            return
        found = subprocess.run(
            ["scripts/packages", "--others", str(self.opened), *self.stage.packages], capture_output=True, text=True)
        if found.returncode != 0:
            self.outcome.red.append(
                f"tests open files of packages that scripts/packages.list does not have for "
                f"{' '.join(self.stage.packages)}:\n{found.stdout}{found.stderr}")
        # The engine's tests start openssl, so a watch that has not seen that works not at all.
        if self.is_whole and self.stage.name == "engine" and "/usr/bin/openssl\n" not in self.opened.read_text():
            self.outcome.red.append("the engine's tests use openssl, and the watch of the files that tests open missed it")


@dataclass(frozen=True)
class Stage:
    """Some steps with one name, and the lines of scripts/packages.list that they need.

    Of those that are in_browsers, nothing is left where there is no browser; tests of others see that one is missing.
    """

    name: str
    what: str
    steps: tuple
    packages: tuple = ()
    in_browsers: bool = False

    def run(self, repeats=0):
        outcome = Outcome(self, repeats)
        for _ in range(repeats or 1):
            for step in self.steps:
                step.run(self, outcome)
        outcome.seconds = time.monotonic() - outcome.began
        return outcome


@dataclass
class Outcome:
    """What came of a stage; while it is repeated, nothing is run again, and all that fails is counted."""

    stage: Stage
    repeats: int = 0
    began: float = field(default_factory=time.monotonic)
    seconds: float = 0
    tests: dict = field(default_factory=dict)
    failed: list = field(default_factory=list)
    flaky: list = field(default_factory=list)
    red: list = field(default_factory=list)
    notes: list = field(default_factory=list)
    logs: int = 0

    @property
    def is_red(self):
        return bool(self.red or self.failed)

    def new_log(self):
        self.logs += 1
        return LOGS / f"{self.stage.name}{'' if self.logs == 1 else f'-{self.logs}'}.log"

    def __str__(self):
        minutes, seconds = divmod(round(self.seconds), 60)
        line = f"{minutes:4d}:{seconds:02d}  {self.stage.name}"
        if self.tests:
            longest = max(self.tests.values(), key=lambda test: test.seconds)
            line += f": {len(self.tests)} tests, the longest {longest.name} {longest.seconds:.1f} s"
        return line + (": RED" if self.is_red else "")
