"""Runs stages, tells how long each took, and at the end which were red and why: see scripts/test."""

import dataclasses
import subprocess
import sys
import threading

import suite
import table
import verdict
from stage import LOGS, Stage, Tests, Watch


def usage(why):
    print(f"scripts/test: {why}; stages: {', '.join(table.NAMED)}", file=sys.stderr)
    sys.exit(64)


def chosen(arguments):
    """The stages that the arguments ask for, in rows of lanes, how often, and whether they are to be built."""
    repeats, is_built = 0, False
    while arguments and arguments[0] in ("--repeat", "--built"):
        option = arguments.pop(0)
        if option == "--built":
            is_built = True
        elif not arguments or not arguments[0].isdigit() or arguments[0] == "0":
            usage("--repeat takes a number, as in scripts/test --repeat 10 others")
        else:
            repeats = int(arguments.pop(0))
    if arguments == ["--all"]:
        rows = tuple(tuple(tuple(map(lengthened, lane)) for lane in row) for row in table.GATE) + table.SLOW
    elif arguments and arguments[0].startswith("-"):
        everything = packages(table.GATE)
        rows = (((Stage("chosen", " ".join(arguments), (Tests("", options=tuple(arguments)),), everything),),),)
    elif unknown := [name for name in arguments if name not in table.NAMED]:
        usage(f"there is no stage {unknown[0]}")
    elif arguments:
        rows = ((tuple(table.NAMED[name] for name in arguments),),)
    else:
        rows = table.GATE
    if not repeats and arguments in ([], ["--all"]):
        rows = (((table.FORMAT,),),) + rows
    return rows, repeats, is_built


def packages(rows):
    """The lines of scripts/packages.list that these stages need."""
    return tuple(sorted({line for row in rows for lane in row for stage in lane for line in stage.packages}))


def lengthened(stage):
    """The same stage with its longer tests, for --all."""
    steps = tuple(
        dataclasses.replace(step, environment=step.environment + table.LONG) if isinstance(step, Tests) else step
        for step in stage.steps)
    return dataclasses.replace(stage, steps=steps)


def run(row, repeats=0):
    """Runs the lanes of one row at the same time; gives what came of their stages."""
    outcomes = []

    def run_lane(lane):
        for stage in lane:
            print(f"== {stage.name}: {stage.what}", flush=True)
            outcome = stage.run(repeats)
            outcomes.append(outcome)
            print(outcome, *outcome.notes, sep="\n           ", flush=True)
            for line in outcome.red + [f"{test.name}\n  {test.said[0]}" for test in outcome.failed]:
                print(f"   {line}", flush=True)

    threads = [threading.Thread(target=run_lane, args=(lane,), daemon=True) for lane in row]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return outcomes


def main(arguments):
    rows, repeats, is_built = chosen(arguments)
    LOGS.mkdir(parents=True, exist_ok=True)
    left = []
    if subprocess.run(["scripts/setup", *packages(rows)]).returncode != 0:
        rows, left = table.without_browsers(rows)
        if subprocess.run(["scripts/setup", "--without-browsers", *packages(rows)]).returncode != 0:
            return 1
    outcomes = []
    if not is_built:
        # Without a build nothing else can be tried.
        outcomes += run(((table.BUILD,),))
        if outcomes[-1].is_red:
            verdict.of(outcomes)
            return 1
    if why := Watch.begin():
        print(why)
    for row in rows:
        outcomes += run(row, repeats)
    is_green = verdict.of_repeats(outcomes, repeats) if repeats else verdict.of(outcomes)
    if left:
        print(f"left out, as no browser could be installed: {', '.join(left)}")
    return 0 if is_green else 1


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        suite.end_all()
        sys.exit(130)
