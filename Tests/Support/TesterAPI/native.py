"""What native answers and does: replies, scenarios, events, questions, and the sessions that have these."""

import time
from concurrent.futures import ThreadPoolExecutor

from gateway import Page


def native(check):
    ask = check.ask
    ask("setReply", query={"name": "pay"}, body={"$error": {"code": 1001}}, shows=True)
    ask("listReplies")
    ask("takeBackReply", query={"name": "pay"})
    for id, body in [("setReply", 12), ("listReplies", None), ("takeBackReply", None)]:
        named = {} if id == "listReplies" else {"name": "user/:id"}
        ask(id, query={**named, "session": "ann"}, body=body)
        if id == "takeBackReply":
            ask("setReply", query=named, fields={"X-Drawbridge-Session": "ann"}, body=[1])
        ask(id, query=named, fields={"X-Drawbridge-Session": "ann"}, body=body)
        ask(id, 400, query={**named, "session": "a b"}, body=body)
    ask("takeBackReply", 404, query={"name": "never"})
    ask("takeBackReply", 400)
    ask("setReply", 400, query={"name": " "}, body=1)
    for body in ({"$dealy": 1}, {"$forward": "http://127.0.0.1:1/"}, {"$reply": 1, "$then": [{"scenario": "never"}]}):
        ask("setReply", 400, query={"name": "pay"}, body=body)
    ask("setReply", 413, query={"name": "pay"}, raw=b'"' + b"x" * (1 << 20) + b'"')

    ask("saveReply", body={"name": "getUser", "reply": {"nick": "Ann"}}, shows=True)
    ask("getSavedReply", query={"name": "getUser"}, shows=True)
    ask("listSaves", shows=True)
    for own in ({"query": {"session": "ann", "page": "/cart"}}, {"fields": {"X-Drawbridge-Session": "ann"}}):
        named = {"name": "getBasket", **own.get("query", {})}
        ask("getSavedReply", query=named, fields=own.get("fields"))
        ask("saveReply", body={"name": "getBasket", "reply": [1], "when": {"$equals": {"level": 3}}}, **own)
    ask("setReply", query={"name": "pay"}, body=1)
    ask("getSavedReply", query={"name": "pay"})
    ask("takeBackReply", query={"name": "pay"})
    ask("getSavedReply", 400, query={"name": " "})
    ask("saveReply", 409, body={"name": "getUser", "reply": 1, "was": "2"}, shows=True)
    ask("saveReply", body={"name": "getUser", "reply": 1, "was": '{"nick": "Ann"}'})
    ask("listSaves", 400, query={"name": "pay"})
    ask("undoSave", 409, body={"save": 1})
    ask("undoSave", shows=True)
    ask("undoSave", body={"save": 1})
    ask("undoSave", 404, body={"save": 1})
    ask("undoSave", 400, body={"save": "all"})
    for body in ({"name": "getUser"}, {"name": "getUser", "reply": {"$forward": "http://127.0.0.1:1/"}}, []):
        ask("saveReply", 400, body=body)
    ask("saveReply", 413, raw=b'"' + b"x" * (1 << 20) + b'"')
    ask("saveMissing")
    ask("callName", body={"name": "vibrate", "input": {"ms": 30}})
    lack(check, "JSPay")
    ask("saveMissing", shows=True)
    number = lack(check, "JSShare")
    if ask("saveMissing", query={"number": number}).data["given"] != [{"message-handler": "JSShare"}]:
        check.fault(f"saveMissing: pages do not get what notice {number} gives")
    ask("saveMissing", 400, query={"name": "vibrate"})
    ask("saveMissing", 400, query={"number": "all"})
    ask("saveMissing", 409, query={"number": "1"})
    ask("callName", body={"name": "vibrateTwice"})
    right = check.gateway.file.read_text()
    check.gateway.file.write_text("a mistake")
    ask("saveReply", 409, body={"name": "getUser", "reply": 1})
    ask("saveMissing", 409)
    check.gateway.file.write_text(right)
    mended = lambda: ask("saveReply", body={"name": "getUser", "reply": 2}, otherwise=(409,))
    check.until(mended, "the file without its mistake")

    ask("switchScenario", body={"scenario": "offline"}, shows=True)
    ask("switchScenario", body={"scenario": "offline", "on": False}, query={"session": "ann"})
    ask("switchScenario", body={"scenario": "user/signed-in"}, fields={"X-Drawbridge-Session": "ann"})
    ask("getScenarios", query={"session": "ann"})
    ask("getScenarios", fields={"X-Drawbridge-Session": "ann"})
    ask("switchScenario", 404, body={"scenario": "never"})
    for body in ({}, {"scenario": 1}, {"scenario": "offline", "on": "perhaps"}):
        ask("switchScenario", 400, body=body)
    ask("listEvents", shows=True)
    ask("listEvents", query={"session": "ann"})
    ask("listEvents", fields={"X-Drawbridge-Session": "ann"})
    for id in ("getScenarios", "listEvents", "resetSession", "listQuestions"):
        ask(id, 400, query={"session": "a b"})
    ask("playEvent", 404, path=["never"])
    ask("playEvent", 409, path=["deep link"])
    ask("playEvent", 409, path=["push message"])
    ask("playEvent", 404, path=["back"], query={"page": "a9ff"})
    ask("playEvent", 400, path=["back"], query={"session": "a b"})
    with ThreadPoolExecutor() as pool:
        playing = pool.submit(ask, "playEvent", 410, path=["leave"], query={"session": "bob"})
        # Nothing tells that an event is under way.
        while not playing.done():
            ask("resetSession", query={"session": "bob"})
            time.sleep(0.05)
        playing.result()


def lack(check, name):
    """A page looks for a message handler that it does not have; the number of the notice that says so."""
    page = Page(check.gateway)
    page.say({"missed": name, "of": "webkit.messageHandlers"})
    told = lambda: [record for record in check.ask("listCalls", query={"kind": ["notice"]}).data["calls"]
                    if record.get("gives") == {"message-handler": [name]}]
    number = check.until(told, f"a notice of {name}")[0]["number"]
    page.leave()
    gone = lambda: page.id not in [found["id"] for found in check.ask("listPages").data]
    check.until(gone, "a page that has left")
    return number


def sessions(check):
    ask = check.ask
    ask("resetSession")
    ask("resetSession", fields={"X-Drawbridge-Session": "ann"})
    on = ask("getScenarios").data["on"]
    if on != ["user/signed-out"]:
        check.fault(f"resetSession: {on} are on")
    answer = ask("enterSession", 303, path=["ann"], query={"to": "/cart"}, token=None)
    if answer.headers["Location"] != "/cart":
        check.fault(f"enterSession goes on to {answer.headers['Location']}")
    ask("enterSession", 303, path=["default"], token=None)
    ask("enterSession", 400, path=["a b"], token=None)
    ask("enterSession", 400, path=["ann"], query={"to": "//example.com"}, token=None)


def questions(check):
    ask = check.ask
    ask("listQuestions", query={"session": "ann"})
    ask("listQuestions", fields={"X-Drawbridge-Session": "bob"})
    waiting = lambda **own: check.until(lambda: ask("listQuestions", **own).data, "a question")[0]
    with ThreadPoolExecutor() as pool:
        ask("listQuestions")
        making = pool.submit(ask, "callName", body={"name": "share"})
        question = waiting()
        number = question["number"]
        ask("listQuestions", shows=True)
        waits = ask("listCalls", query={"name": "share"}).data["calls"][-1]
        if question["call"] != waits["number"]:
            check.fault(f"listQuestions: call {waits['number']} asks, and not {question['call']}")
        if waits["state"] != "waiting" or set(waits["asked"]) != {"question"}:
            check.fault(f"listCalls: a call that waits for a person is {waits}")
        ask("answerQuestion", 400, path=[number], body={"choice": "neither"})
        ask("answerQuestion", 400, path=[number], body={})
        ask("answerQuestion", path=[number], body={"choice": "post"}, shows=True)
        record = making.result().data
        if record["output"] != {"code": 0} or record["asked"]["by"] != "program":
            check.fault(f"answerQuestion: the call came to {record}")
        for own in ({"query": {"session": "ann"}}, {"fields": {"X-Drawbridge-Session": "bob"}}):
            making = pool.submit(ask, "callName", body={"name": "login"}, **own)
            question = waiting(**own)
            ask("answerQuestion", 404, path=[question["number"]], body={"fields": "cancel"})
            fields = {name: "ann" for name in question["fields"]}
            ask("answerQuestion", path=[question["number"]], body={"fields": fields}, **own)
            making.result()
        answering = pool.submit(ask, "answerQuestion", path=["share"], query={"seconds": 10}, body={"choice": "post"})
        record = ask("callName", body={"name": "share"}).data
        answering.result()
        if record["asked"] != {"question": "share", "choice": "post", "by": "program"}:
            check.fault(f"answerQuestion by name: the call came to {record}")
        answering = pool.submit(
            ask, "answerQuestion", 410, path=["share"], query={"seconds": 60, "session": "eve"}, body={"choice": "post"})
        # Nothing tells that it waits.
        while not answering.done():
            ask("resetSession", query={"session": "eve"})
            time.sleep(0.05)
        answering.result()
    ask("answerQuestion", 404, path=["a/b c"], query={"seconds": 0}, body={"choice": "post"})
    for word in ("page", "auto", "off"):
        ask("setAsk", query={"session": "ann"}, body={"ask": word})
    ask("setAsk", fields={"X-Drawbridge-Session": "bob"}, body={"ask": "page"})
    ask("setAsk", 400, body={"ask": "never"})
    ask("setAsk", 400, query={"session": "a b"}, body={"ask": "page"})
    ask("answerQuestion", 404, path=[1_000_000], body={"choice": "post"})
    ask("answerQuestion", 400, path=[1], query={"session": "a b"}, body={"choice": "post"})
