"""What schemathesis does with the description of the tester's API besides its own: it waits for nothing for long."""

import schemathesis


@schemathesis.hook
def before_call(context, case, kwargs):
    for values in (case.query, case.body):
        if isinstance(values, dict) and is_long(values.get("seconds")):
            values["seconds"] = 0.05
    # Where both name a session the query counts, and the field is not read.
    if isinstance(case.query, dict) and "session" in case.query:
        case.headers.pop("X-Drawbridge-Session", None)


def is_long(seconds):
    try:
        return float(seconds) > 0.05
    except (TypeError, ValueError):
        return False


@schemathesis.check
def nothing_crashes(ctx, response, case):
    assert response.status_code != 500, "a request ended with an error that nobody foresaw"
