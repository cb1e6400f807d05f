"""Pages: what they are asked, what they say, and what becomes of them."""

from concurrent.futures import ThreadPoolExecutor

from gateway import Page


def pages(check):
    ask = check.ask
    page = Page(check.gateway)
    check.until(lambda: ask("listPages").data, "a page")
    ask("listPages", shows=True)
    ask("getPage", path=[page.id[:8]], shows=True)
    ask("callPage", path=[page.id], body={"name": "share", "data": {"to": "ann"}}, shows=True)
    ask("callPage", path=[page.id], body={"name": "same", "by": "wvjb", "seconds": 20, "data": "x" * 100_000})
    # It answers null, which is left out.
    ask("callPage", path=[page.id], body={"name": "same"})
    ask("sendToPage", path=["latest"], body={"name": "share"}, shows=True)
    ask("sendToPage", path=[page.id], body={"name": "share", "data": 1, "by": "function"})
    ask("evaluateInPage", path=[page.id], body={"script": "document.title"}, shows=True)
    ask("evaluateInPage", path=[page.id], body={"script": "document.title", "seconds": 20})
    ask("emitToPage", path=["latest"], body={"event": "greeting", "data": "Good day!"}, shows=True)
    ask("playEvent", path=["deep link"])
    ask("playEvent", path=["back"], query={"page": page.id[:8], "session": "default"})
    ask("playEvent", path=["back"], query={"page": "/cart"}, fields={"X-Drawbridge-Session": "default"})
    ask("playEvent", 404, path=["back"], query={"page": page.id, "session": "ann"})
    ask("emitToPage", 404, path=["/cart"], body={"event": "a"}, query={"session": "ann"})
    for wanted in [("call", "onOpenItem"), ("event", "backbutton"), ("event", "greeting")]:
        check.until(lambda: wanted in [next(iter(message.items())) for message in page.heard], f"{wanted} to the page")

    ask("callPage", 502, path=[page.id], body={"name": "fails"})
    ask("evaluateInPage", 502, path=[page.id], body={"script": "fails"})
    ask("callPage", 504, path=[page.id], body={"name": "never answers", "seconds": 0.05})
    ask("evaluateInPage", 504, path=[page.id], body={"script": "new Promise(() => {})", "seconds": 0.05})
    ask("callPage", 400, path=[page.id], body={"name": "share", "by": "never"})
    ask("getPage", 404, path=["f" * 32])
    verbs = ("callPage", "sendToPage", "evaluateInPage", "emitToPage")
    bodies = ({"name": "share"}, {"name": "share"}, {"script": "document.title"}, {"event": "a"})
    latest(check, page, [("getPage", None), *zip(verbs, bodies)])
    for id in verbs:
        ask(id, 400, path=[page.id], body={})
        ask(id, 404, path=["f" * 32], body={})
    others = [("switchScenario", []), ("setAsk", []), ("answerQuestion", [1])]
    several_parts(check, [(id, [page.id]) for id in verbs] + others)

    page.say(
        {"call": "pay", "id": 1, "bridge": "wvjb", "data": {"channel": "alipay"}}, {"hidden": True},
        {"fault": "error", "message": "x is not defined", "stack": "at pay.js:3", "source": "/pay.js", "line": 3},
        {"fault": "rejection", "message": "no"}, {"missed": "getCoupons", "of": "MyApp"},
    )
    fits = lambda kind: ask("listCalls", query={"kind": [kind], "page": page.id[:4]}).data["calls"]
    check.until(lambda: fits("notice"), "what a page says")
    for kind in ("call", "push", "page", "notice"):
        records = fits(kind)
        if not records or {record["kind"] for record in records} != {kind}:
            check.fault(f"listCalls: of {kind} there are {records}")
        else:
            ask("getRecord", path=[records[0]["number"]])
    push = fits("push")[0]["number"]
    for id in ("copyCallAsCurl", "resendCall"):
        ask(id, 409, path=[push])
    ask("resendCall", path=[fits("call")[0]["number"]])
    connection = check.gateway.connect()
    connection.request("GET", "/index.html?a=b")
    connection.getresponse().read()
    if not ask("listCalls", query={"kind": ["request"]}).data["calls"]:
        check.fault("listCalls: there is no request")

    # For a moment a page that goes is there still, and is asked nothing more.
    bodies = ({"name": "a", "seconds": 0.1}, {"name": "a"}, {"script": "1", "seconds": 0.1}, {"event": "a"})
    for id, body in zip(verbs, bodies):
        # What nobody waits for is not confirmed any more.
        status = 410 if id in ("callPage", "evaluateInPage") else 409
        leaving(check, lambda page, missed: ask(id, status, path=[page.id], body=body, otherwise=missed))
    leaving(check, lambda page, missed: ask(
        "playEvent", 409, path=["back"], query={"page": page.id}, otherwise=missed))
    # One that reads nothing takes 16 MB, and confirms nothing.
    page.sleep()
    check.until(lambda: ask("getPage", path=[page.id]).data["state"] == "away", "a page without a connection")
    with ThreadPoolExecutor(20) as pool:
        sends = [pool.submit(ask, "sendToPage", 409, path=[page.id], body={"name": "a", "data": "x" * (1 << 20)})
                 for _ in range(16)]
        for id, name in (("callPage", "name"), ("evaluateInPage", "script")):
            body = {name: "x" * (1 << 20), "seconds": 0.1}
            check.until(lambda: ask(id, 503, path=[page.id], body=body, otherwise=(504,)), "a page that is full")
        ask("emitToPage", 409, path=[page.id], body={"event": "x" * (1 << 20)})
        ask("playEvent", 409, path=["back"], query={"page": page.id})
        for send in sends:
            send.result()


def latest(check, page, operations):
    """The page that was opened last, and several whose ids begin alike."""
    ask = check.ask
    beginning = page.id[:8]
    ann = Page(check.gateway, session="ann", id=beginning + "0" * 24)
    check.until(lambda: ask("listPages", query={"session": "ann"}).data, "a page of ann's")
    if [found["id"] for found in ask("listPages", query={"session": "ann"}).data] != [ann.id]:
        check.fault("listPages: session does not sort out")
    ask("listPages", 400, query={"session": "*"})
    for id, body in operations:
        for own in ({"query": {"session": "ann"}}, {"fields": {"X-Drawbridge-Session": "ann"}}):
            answer = ask(id, path=["latest"], body=body, **own).json
            if answer["data" if id == "getPage" else "page"]["id"] != ann.id:
                check.fault(f"{id} of latest does not say that it was ann's page: {answer}")
        ask(id, 404, path=["latest"], body=body, query={"session": "nobody"})
        ask(id, 400, path=["latest"], body=body, query={"session": "a b"})
        ask(id, 409, path=[beginning], body=body)
    ask("playEvent", 409, path=["back"], query={"page": beginning})
    other = Page(check.gateway)
    ask("evaluateInPage", 409, path=["latest"], body={"script": "document.title"}, shows=True)
    told = lambda page: ask("listCalls", query={"kind": ["page"], "page": page.id, "session": "*"}).data["calls"]
    next = Page(check.gateway, id=other.id, life=2)
    gone = [record for record in told(other) if record["name"] == "gone"]
    if len(gone) != 1 or "output" not in gone[0]:
        check.fault(f"listCalls: of a page that is gone it does not say why: {gone}")
    for one in (ann, next):
        one.leave()
        check.until(lambda: one.id not in [found["id"] for found in ask("listPages").data], "a page that has left")
    if [record["name"] for record in told(ann)] != ["came", "left"]:
        check.fault(f"listCalls: of a page that has left it says {told(ann)}")


def leaving(check, ask):
    """Asks a page that has said that it goes, before it is gone: in 300 ms."""

    def left():
        page = Page(check.gateway)
        page.leave()
        # It has not heard it yet, or the page is gone already.
        return ask(page, (200, 504, 404))

    check.until(left, "a page that goes")


def several_parts(check, operations):
    """A form of several parts, and a body that is too long, where a body is read as handlers read it."""
    for id, path in operations:
        check.ask(id, 415, path=path, raw=b"--x--", fields={"Content-Type": "multipart/form-data; boundary=x"})
        check.ask(id, 413, path=path, raw=b'"' + b"x" * (8 << 20) + b'"')
