"""What pages can call, and the answered calls as a file of replies."""

import json


def catalogue(check):
    ask = check.ask
    ask("callName", body={"name": "getWeather", "input": {"city": "Kyoto"}})
    ask("listHandlers", query={"name": "getWeather"}, shows=True)
    names = [entry["name"] for entry in ask("listHandlers").data]
    if names != sorted(names) or not {"alert", "pay", "getBasket"} <= set(names):
        check.fault(f"listHandlers: there are {names}")
    ask("callName", body={"name": "echo", "input": {"text": "x" * 70_000}})
    if not ask("listHandlers", query={"name": "echo"}).data[0].get("outputIsCut"):
        check.fault("listHandlers: an answer of which the beginning is kept does not say so")
    own = {"session": "ann"}
    ask("setReply", query={**own, "name": "user/:id"}, body={"token": 1})
    ask("callName", query=own, body={"name": "user/7", "input": {"token": "s3cret"}})
    for query, isShown in [({}, False), ({"secrets": "1"}, True)]:
        answer = ask("listHandlers", query={**own, "name": "user/7", **query})
        if [entry["name"] for entry in answer.data] != ["user/:id"] or ("s3cret" in answer.text) != isShown:
            check.fault(f"listHandlers {query}: {answer.text}")
    ask("listHandlers", 404, query={"name": "nobody has this"})

    made = ask("callName", body={"name": "pay"}).data["number"]
    ask("recordReplies", query={"name": "pay"}, shows=True)
    recorded(check, {"since": made}, {"pay": {"status": "paid"}})
    recorded(check, {"page": "a9ff"}, {})
    recorded(check, {"session": "ann", "name": "user/7"}, {"user/7": {"token": 1}})
    ask("recordReplies", 410, query={"since": 1_000_000})
    for id in ("listHandlers", "recordReplies"):
        for text in ("*", "ann"):
            ask(id, query={"session": text})
        answer = ask(id, fields={"X-Drawbridge-Session": "ann"})
        if "user/" not in answer.text:
            check.fault(f"{id}: the field X-Drawbridge-Session does not count")
        ask(id, 400, query={"session": "a b"})
    ask("takeBackReply", query={**own, "name": "user/:id"})


def recorded(check, query, replies):
    """Compares what is recorded with replies."""
    text = check.ask("recordReplies", query=query).text
    found = json.loads("".join(line for line in text.splitlines() if not line.startswith("//")))
    if found != {"replies": replies}:
        check.fault(f"recordReplies {query}: {text}")
