"""What is said at the end of `scripts/test`."""

from collections import Counter

from stage import LOGS

# So many tests that pass when they are run again are no chance any more.
MOST_FLAKY = 2


def of(outcomes):
    """Says at the end what was red and what was flaky; gives whether all is green."""
    passed = sum(len(outcome.tests) - len(outcome.failed) for outcome in outcomes)
    failed = sum(len(outcome.failed) for outcome in outcomes)
    flaky = [(outcome, test) for outcome in outcomes for test in outcome.flaky]
    red = [outcome for outcome in outcomes if outcome.is_red]
    for outcome in red:
        print(f"\n== red: {outcome.stage.name}; the output is in {LOGS}/{outcome.stage.name}*.log")
        for line in outcome.red:
            print(line)
        for test in outcome.failed:
            print(f"✘ {test.name}", *test.said, sep="\n    ")
    for outcome, test in flaky:
        print(f"\nflaky: {test.name} passed when it was run again, alone; at first it said", *test.said, sep="\n    ")
    if len(flaky) > MOST_FLAKY:
        print(f"\n== red: {len(flaky)} tests are flaky, and {MOST_FLAKY} are borne")
    print("\n== minutes of each stage", *outcomes, sep="\n")
    print(f"\n{passed} passed, {failed} failed")
    return not red and len(flaky) <= MOST_FLAKY


def of_repeats(outcomes, repeats):
    """Says how often each test failed; gives whether none did."""
    is_green = True
    for outcome in outcomes:
        counts = Counter(test.name for test in outcome.failed)
        for name, count in counts.most_common():
            said = next(test.said[0] for test in outcome.failed if test.name == name)
            print(f"{count:4d} of {repeats}  {name}: {said}")
        for fault in outcome.red:
            print(f"{outcome.stage.name}: {fault}")
        is_green = is_green and not outcome.is_red
    runs = sum(len(outcome.tests) for outcome in outcomes) * repeats
    failed = sum(len(outcome.failed) for outcome in outcomes)
    print(f"\n{runs - failed} passed, {failed} failed")
    return is_green
