"""Examples beside answers."""

import re


def masked(value):
    """An example or an answer without what is another each time."""
    fleeting = {
        "number", "at", "id", "milliseconds", "next", "since", "came", "userAgent", "remoteAddress", "startedDateTime",
        "time", "wait", "save", "resentFrom", "link", "links", "droppedAnswers", "droppedChunks",
    }
    if isinstance(value, dict):
        # A call is a number here, and its whole record there.
        isFleeting = lambda name, member: name in fleeting or name == "call" and isinstance(member, int)
        return {name: type(member).__name__.replace("int", "float") if isFleeting(name, member) else masked(member)
                for name, member in value.items()}
    if isinstance(value, list):
        return [masked(element) for element in value]
    return re.sub(r"\d+", "0", value) if isinstance(value, str) else value
