"""The journal: records, checks, copies, the stream."""

import json
from concurrent.futures import ThreadPoolExecutor

from examples import masked


def calls(check):
    ask = check.ask
    pay = {"name": "pay", "input": {"orderNo": 17}}
    number = ask("callName", body=pay, shows=True).data["number"]
    ask("getRecord", path=[number], shows=True)
    ask("verifyCalls", body={"name": "pay", "when": {"orderNo": 17}, "count": 1}, shows=True)
    ask("verifyCalls", 417, body={"name": "pay", "when": {"orderNo": 18}, "count": 1}, shows=True)
    ask("listCalls", 504, query={"name": "order", "count": 1, "seconds": 0.1})
    ask("copyCallAsCurl", path=[number], shows=True)
    ask("resendCall", path=[number], body={"input": {"orderNo": 18}}, shows=True)
    ask("resendCall", path=[number])
    ask("resendCall", path=[number], body={})

    # Another session, with a secret.
    secret = {"name": "pay", "input": {"orderNo": 17, "token": "s3cret"}}
    made = ask("callName", query={"session": "ann"}, body=secret).data["number"]
    ask("listCalls", query={"session": "ann"}, shows=True)
    for id, path in [
        ("listCalls", []), ("getRecord", [made]), ("copyCallAsCurl", [made]), ("resendCall", [made]),
    ]:
        own = {"session": "ann"} if not path else {}
        for query, isShown in [({}, False), ({"secrets": "0"}, False), ({"secrets": "1"}, True)]:
            answer = ask(id, path=path, query={**own, **query})
            if ("s3cret" in answer.text) != isShown:
                check.fault(f"{id} {query}: the secret is {'not ' if isShown else ''}shown")
    said = ask("callName", query={"secrets": "1"}, body=secret, fields={"X-Drawbridge-Session": "ann"})
    if said.data["session"] != "ann" or said.data["input"]["token"] != "s3cret":
        check.fault("callName: neither the field X-Drawbridge-Session nor secrets counts")
    ask("listCalls", fields={"X-Drawbridge-Session": "ann"})
    every = {"session": "*", "name": "pay", "kind": ["call", "push"], "by": "reply", "state": "answered"}
    ask("listCalls", query={**every, "since": made, "limit": 2})
    ask("listCalls", query={"kind": ["all"]})
    ask("listCalls", query={"page": "a9ff"})
    ask("listCalls", query={"name": "pay", "count": 1, "seconds": 5})
    ask("listCalls", query={"name": "pay", "seconds": 5})
    ask("callName", body={"name": "nobodyHasThis"})
    ask("callName", body={"name": "echo", "input": {"message": "Hi"}})
    ask("callName", body={"name": "silent"})
    # More than is kept of each value.
    large = ask("callName", body={"name": "echo", "input": {"message": "x" * 100_000}}).data["number"]
    ask("copyCallAsCurl", 409, path=[large])
    ask("resendCall", 409, path=[large])

    verify = lambda body, status=200, **more: ask("verifyCalls", status, body=body, **more)
    verify({"name": "pay", "equals": {"orderNo": 17, "token": "s3cret"}, "atLeast": 1}, query={"session": "*"})
    verify({"name": "pay", "atMost": 100, "state": "answered", "kind": "call", "seconds": 0.1})
    verify({"name": "pay", "atLeast": 1}, fields={"X-Drawbridge-Session": "ann"}, query={"secrets": "1"})
    verify({"order": ["pay", "echo"], "kind": "call", "state": "answered", "seconds": 1})
    verify({"unanswered": 1})
    verify({"name": "neverCalled"}, 417)
    ask("forgetCalls", query={"session": "ann"})
    ask("forgetCalls", fields={"X-Drawbridge-Session": "ann"})
    if ask("listCalls", query={"session": "ann"}).data["calls"]:
        check.fault("forgetCalls: the calls are there still")

    # What is wrong.
    ask("callName", query={"session": "late"}, body={"name": "pay"})
    ask("listCalls", 504, query={"session": "late", "name": "order", "count": 1, "seconds": 0.1})
    # Without a count it is one call.
    ask("listCalls", 504, query={"session": "late", "name": "order", "seconds": 0.05})
    ask("listCalls", 400, query={"nam": "pay"})
    for query in ({"kind": ["calls"]}, {"kind": [""]}, {"by": "handlr"}, {"state": "done"}, {"secrets": "true"}):
        ask("listCalls", 400, query=query)
    ask("listCalls", 410, query={"since": 1_000_000})
    for id in ("listCalls", "callName", "forgetCalls", "verifyCalls", "streamCalls"):
        ask(id, 400, query={"session": "a b"}, body={} if id in ("callName", "verifyCalls") else None)
    for body in (
        {"nam": "pay"}, [], {"name": 1}, {"count": -1}, {"when": {}, "equals": 1}, {"count": 1, "atMost": 1},
        {"order": ["pay"], "count": 1}, {"seconds": "5"},
    ):
        verify(body, 400)
    for id in ("getRecord", "copyCallAsCurl", "resendCall"):
        ask(id, 404, path=[1_000_000])
        ask(id, 404, path=[0])
        ask(id, 400, path=[number], query={"scret": 1})
    ask("callName", 400, body={"input": 1})
    ask("callName", 400, raw=b"no JSON")
    ask("resendCall", 400, path=[number], raw=b"no JSON")
    more_than_fits = b'"' + b"x" * (1 << 20) + b'"'
    ask("callName", 413, raw=more_than_fits)
    ask("verifyCalls", 413, raw=more_than_fits)
    ask("resendCall", 413, path=[number], raw=more_than_fits)

    # A call whose record is forgotten by all before it has its answer is answered all the same.
    with ThreadPoolExecutor() as pool:
        making = pool.submit(ask, "callName", query={"session": "bob"}, body={"name": "late"})
        ask("listCalls", query={"session": "bob", "name": "late", "count": 1, "seconds": 20})
        ask("forgetCalls", query={"session": "*"})
        making.result()


def stream(check):
    ask = check.ask
    ask("callName", body={"name": "silent"})
    next_event = check.stream({"name": "silent"})
    # Whoever begins anew has lost nothing, though records were forgotten before.
    name, id, record = next_event()
    if name != "record":
        check.fault(f"streamCalls: it begins with {name}")
    check.shown.add(("streamCalls", "200"))
    example = check.api.operations["streamCalls"].responses["200"]["content"]["text/event-stream"]["example"]
    lines = dict(line.split(": ", 1) for line in example.strip().split("\n") if line and line[0] != ":")
    if masked(json.loads(lines["data"])) != masked(record) or lines["event"] != "record":
        check.fault(f"streamCalls: its example is not what comes: {json.dumps(record)}")
    number = ask("callName", body={"name": "silent"}).data["number"]
    while next_event()[2].get("number") != number:
        pass
    next_event.close()
    check.place_in_stream = id
    # It goes on behind the place that is named.
    next_event = check.stream({"name": "silent"}, {"Last-Event-ID": id})
    if next_event()[2].get("number", number) != number:
        check.fault("streamCalls: it does not go on behind Last-Event-ID")
    next_event.close()
    every = {"session": "*", "kind": ["call"], "by": "reply", "state": "silent", "secrets": "1"}
    next_event = check.stream(every)
    next_event()
    next_event.close()
    check.stream({"page": "a9ff"}, {"X-Drawbridge-Session": "ann"}).close()
    ask("streamCalls", 400, query={"sinc": 1})
    ask("streamCalls", 410, fields={"Last-Event-ID": "otherprocess.17"})
    readers = [check.stream() for _ in range(16)]
    # A reader that has gone leaves its place when something is written to it.
    ask("streamCalls", 503)
    for reader in readers:
        reader.close()
