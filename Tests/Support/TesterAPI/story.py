"""What the command is started with, and all that it is asked, until it stops."""

import json
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor

from calls import calls, stream
from catalogue import catalogue
from gateway import Gateway
from native import native, questions, sessions
from pages import pages

settings = {
    "replies": {
        "pay": {
            "$cases": [
                {"$when": {"channel": "alipay"}, "$reply": {"status": "cancelled"}},
                {"$reply": {"status": "paid"}},
            ]
        },
        "silent": {"$silence": True},
        "slow": {"$delay": 60000, "$reply": 1},
        "late": {"$delay": 2000, "$reply": 1},
        "share": {"$ask": "Share it?", "$choices": {"post": {"code": 0}, "cancel": {"code": 6001}}},
        "getWeather": {"sky": "clear"},
    },
    "pages": {"/cart": {"replies": {"getBasket": []}}},
    "scenarios": {
        "offline": {"*": {"$error": {"code": -1009, "message": "You are offline."}}},
        "user/signed-in": {}, "user/signed-out": {},
    },
    "scenario": "user/signed-out",
    "events": {
        "deep link": [{"call": "onOpenItem", "data": {"id": 23}}],
        "back": [{"emit": "backbutton"}],
        "leave": [{"scenario": "offline", "after": 600000}],
        "push message": [{"emit": "text", "data": "x" * 70_000}],
    },
}
flags = ["--save", "--no-inspector", "--shortcuts", "MyApp", "--allowed-hosts", "device.test", "--grace", "10"]
elsewhere = {"X-Forwarded-For": "192.0.2.7"}


def tell(check):
    """What a test asks, one after the other."""
    calls(check)
    stream(check)
    catalogue(check)
    native(check)
    sessions(check)
    pages(check)
    questions(check)
    devices(check)
    gateway(check)
    others(check)


def devices(check):
    ask = check.ask
    link = ask("drawLink", shows=True).data["link"]
    connection = check.gateway.connect()
    host = {"Host": f"device.test:{check.gateway.port}", "User-Agent": "Mozilla/5.0"}
    path, ticket = link.split("#")
    connection.request("POST", path, ticket, {**host, **elsewhere})
    if connection.getresponse().status != 204:
        check.fault("drawLink: the link lets nobody in")
    device = ask("listDevices", shows=True).data[0]["id"]
    ask("putOutDevice", path=[device], shows=True)
    # Another copy of the gateway may know one that this one does not.
    ask("putOutDevice", path=[device])
    ask("putOutDevice", 404, path=["no-device"])
    for answers in ("mocks", "app"):
        if ask("drawLink", query={"in-app": answers}).data["inApp"] != answers:
            check.fault(f"drawLink: {answers} do not answer in the app")


def gateway(check):
    ask = check.ask
    ask("getHealth", token=None, shows=True)
    far = ask("getHealth", token=None, fields=elsewhere, host=f"device.test:{check.gateway.port}")
    if far.data != {"status": "ok"}:
        check.fault(f"getHealth: those elsewhere learn {far.text}")
    schema = ask("getSettingsSchema", token=None).text
    if schema != subprocess.run([check.program, "--schema"], stdout=subprocess.PIPE, text=True).stdout.strip():
        check.fault("getSettingsSchema: it is not what --schema prints")
    if ask("getDescription", token=None).json != check.api.document:
        check.fault("getDescription: it is not this file; build the command anew")


def others(check):
    """Where the command is open to programs elsewhere: they may all but see secrets."""
    own, check.gateway = check.gateway, Gateway(check.program, settings, *flags, "--api-for-others")
    there = {"fields": elsewhere, "host": f"device.test:{check.gateway.port}"}
    number = check.ask("callName", body={"name": "pay"}, **there).data["number"]
    for operation in check.api.operations.values():
        if ("query", "secrets") in operation.parameters:
            more = {"for": "curl"} if ("query", "for") in operation.parameters else {}
            path = [number] * operation.path.count("{")
            answer = check.ask(operation.id, 403, path=path, query={**more, "secrets": "1"}, **there)
            if "secrets" not in answer.text:
                check.fault(f"{operation}, secrets elsewhere: {answer.text}")
    check.gateway.stop()
    without_save = [flag for flag in flags if flag != "--save"]
    check.gateway = Gateway(check.program, settings, *without_save, "--shared-store", "unix:/nobody/listens.sock")
    check.ask("putOutDevice", 503, path=["5d0f21c7"])
    check.gateway.stop()
    check.gateway = own


def refuse(check):
    """Whoever shows no token, or too many wrong ones."""
    secured = [operation for operation in check.api.operations.values() if operation.security]
    path = {operation.id: ["1"] * operation.path.count("{") for operation in secured}
    for operation in secured:
        check.ask(operation.id, 403, path=path[operation.id], token=None)
        for fields in ({"Origin": "http://127.0.0.1"}, {"Sec-Fetch-Site": "same-origin"}, elsewhere):
            host = f"device.test:{check.gateway.port}" if fields is elsewhere else None
            check.ask(operation.id, 403, path=path[operation.id], fields=fields, host=host)
    for operation in secured:
        wrong = lambda: check.ask(operation.id, 429, path=path[operation.id], token="wrong", otherwise=(403,))
        check.until(wrong, "a 429")
    # Until then the right token is not looked at either.
    time.sleep(1.2)


def end(check):
    """The journal is full, and the gateway stops."""
    ask = check.ask
    first = ask("listCalls", query={"limit": 1}).data["calls"][0]["number"]
    with ThreadPoolExecutor() as pool:
        # A call that has its answer when its record is given up.
        asked = lambda: ask("listQuestions", query={"session": "bob"}).data
        asked()
        making = pool.submit(ask, "callName", 410, query={"session": "bob"}, body={"name": "share"})
        question = check.until(asked, "a question")[0]["number"]
        connection = check.gateway.connect()
        body = json.dumps({"message": "x" * 60_000})
        for _ in range(700):
            connection.request("POST", "/echo?_mobile_bridge=1", body, {"Content-Type": "application/json"})
            connection.getresponse().read()
        ask("answerQuestion", path=[question], query={"session": "bob"}, body={"choice": "post"})
        making.result()
    for id in ("listCalls", "recordReplies"):
        ask(id, 410, query={"since": first})
    ask("verifyCalls", 409, body={"name": "pay"})
    for id in ("getRecord", "copyCallAsCurl", "resendCall"):
        ask(id, 410, path=[first])
    next_event = check.stream(fields={"Last-Event-ID": check.place_in_stream})
    if next_event()[0] != "lost":
        check.fault("streamCalls: it does not say that records were lost")
    next_event.close()

    with ThreadPoolExecutor() as pool:
        waiting = [
            pool.submit(ask, "listCalls", 503, query={"session": "dan", "name": "x", "count": 1, "seconds": 60}),
            pool.submit(ask, "verifyCalls", 503, query={"session": "dan"}, body={"name": "x", "seconds": 60}),
            pool.submit(ask, "answerQuestion", 503, path=["x"], query={"seconds": 60}, body={"choice": "post"}),
        ]
        # Nothing tells that they wait, and they are sent at once.
        time.sleep(2)
        check.gateway.process.terminate()
        check.until(lambda: ask("getHealth", 503, token=None, otherwise=(200,)), "a health that is bad")
        # A second time ends it at once.
        check.gateway.stop()
        for one in waiting:
            one.result()
