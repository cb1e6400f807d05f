"""Examples beside answers."""

import re


def masked(value):
    """An example or an answer without what is another each time."""
    fleeting = {
        "number", "at", "id", "milliseconds", "next", "since", "came", "userAgent", "remoteAddress", "startedDateTime",
        "time", "wait", "resentFrom", "link", "links", "droppedAnswers", "droppedChunks",
    }
    if isinstance(value, dict):
        return {name: type(member).__name__.replace("int", "float") if name in fleeting else masked(member)
                for name, member in value.items()}
    if isinstance(value, list):
        return [masked(element) for element in value]
    return re.sub(r"\d+", "0", value) if isinstance(value, str) else value
