"""Asks the command all that the description of the tester's API says, and counts what was met."""

import json
import re
import time
import traceback
from http.client import HTTPConnection
from urllib.parse import quote, urlencode

import paths
import story
from examples import masked
from gateway import Gateway

prefix = "/__drawbridge__"


class Answer:
    def __init__(self, response, text):
        self.status, self.headers, self.text = response.status, response.headers, text
        self.kind = response.headers["Content-Type"]

    @property
    def json(self):
        return json.loads(self.text)

    @property
    def data(self):
        return self.json.get("data")


class Check:
    # Statuses that are described, and that no test can bring about when it wants to.
    unreachable = {}
    # The same of members.
    unmet = {
        "schemas.CatalogueEntry.methods": "no handler of the command says which methods it takes",
        "schemas.NoticeRecord.why": "only a page that fails without its own script has it; BridgeHintPageTests open some",
        "schemas.Lost.kind": "more files than the journal keeps would have to be asked for; JournalStreamTests do",
    }

    def __init__(self, api, program, project):
        self.api, self.program, self.project = api, program, project
        self.faults, self.count = [], 0
        self.reached, self.sent, self.shown = set(), set(), set()
        # Failures as they were heard, by their statuses, without numbers.
        self.failures = set()

    def run(self):
        file, flags = story.settings, story.flags
        self.gateway = Gateway(self.program, file, *flags)
        try:
            story.tell(self)
            paths.check(self)
            story.refuse(self)
            # The last: it fills the journal, and then the gateway stops.
            story.end(self)
            self.count_what_was_met()
        except SystemExit as error:
            self.fault(f"no more was asked: {error}")
        except Exception:
            # What an answer lacks is the cause as a rule, and was told as a fault before.
            self.fault(f"no more was asked: {traceback.format_exc()}")
        finally:
            self.gateway.stop()

    def fault(self, text):
        if text not in self.faults:
            self.faults.append(text)

    # One request

    def operation(self, id):
        if id not in self.api.operations:
            raise SystemExit(f"there is no operation {id} in the description")
        return self.api.operations[id]

    def ask(self, id, status=200, *, path=(), query=None, fields=None, body=None, raw=None, token=True, shows=None,
            host=None, otherwise=()):
        """Asks an operation, and checks its answer.

        path, query, fields: parameters, which have to be described. A good request has to fit the description.
        body: a JSON value; raw: bytes. shows: the answer is the example of this status, but for times and numbers.
        otherwise: statuses with which the moment was missed; then there is no answer.
        """
        operation = self.operation(id)
        isGood = status < 400
        connection = self.gateway.connect()
        method, target, headers, content = self.compose(operation, isGood, path, query or {}, fields or {}, body, raw)
        if token:
            headers["Authorization"] = f"Bearer {Gateway.token if token is True else token}"
        if host:
            headers["Host"] = host
        connection.request(method, target, content, headers)
        response = connection.getresponse()
        answer = Answer(response, response.read().decode())
        connection.close()
        if answer.status in otherwise:
            return None
        self.judge(operation, status, answer, f"{method} {target} {content[:200] if content else ''}".strip())
        if shows:
            self.compare(operation, answer)
        return answer

    def compose(self, operation, isGood, path, query, fields, body, raw):
        values = dict(zip(re.findall(r"\{(.+?)\}", operation.path), path))
        target = re.sub(r"\{(.+?)\}", lambda match: quote(str(values[match[1]]), safe=""), operation.path)
        said = [("path", values), ("query", query), ("header", fields)]
        for place, items in said:
            for name, value in items.items():
                parameter = operation.parameters.get((place, name))
                if not parameter:
                    if isGood and name not in story.elsewhere:
                        self.fault(f"{operation}: its parameter {name} is not described")
                    continue
                if isGood:
                    self.sent.add((operation.id, place, name))
                    for error in self.api.errors(parameter["schema"], value):
                        self.fault(f"{operation}, {name} is taken and does not fit: {error}")
        items = [(name, ",".join(value) if isinstance(value, list) else value) for name, value in query.items()]
        target = prefix + target + ("?" + urlencode(items) if items else "")
        content, headers = raw, {name: str(value) for name, value in fields.items()}
        if body is not None:
            content = json.dumps(body).encode()
            headers["Content-Type"] = "application/json"
            described = (operation.body or {}).get("content", {}).get("application/json")
            if isGood and not described:
                self.fault(f"{operation}: its body is not described")
            elif isGood:
                self.api.meet(described["schema"], body)
                for error in self.api.errors(described["schema"], body):
                    self.fault(f"{operation} takes {json.dumps(body)}, which does not fit: {error}")
                if body == described["example"]:
                    self.shown.add((operation.id, "body"))
        return operation.method, target, headers, content

    def judge(self, operation, status, answer, request):
        """Whether an answer is what was wanted, and what is described."""
        self.count += 1
        place = f"{request}: {answer.status}"
        if answer.status != status:
            self.fault(f"{place} where {status} was wanted: {answer.text[:500]}")
        described = operation.responses.get(str(answer.status))
        if not described:
            return self.fault(f"{place}, which is not described: {answer.text[:300]}")
        self.reached.add((operation.id, str(answer.status)))
        # A body that is too long by what its head says is refused before there is a request.
        hasID = answer.headers["X-Request-Id"] or answer.status == 413
        if not hasID or answer.headers["X-Content-Type-Options"] != "nosniff":
            self.fault(f"{place} without X-Request-Id, or without nosniff")
        for name, header in described.get("headers", {}).items():
            for error in self.api.errors(header["schema"], answer.headers[name]):
                self.fault(f"{place}, {name}: {error}")
        if not described.get("content"):
            if answer.text or answer.kind:
                self.fault(f"{place} has a body, and none is described")
            return None
        media = described["content"].get(answer.kind)
        if not media:
            return self.fault(f"{place} is {answer.kind}, which is not described")
        value = answer.json if "json" in answer.kind else answer.text
        self.api.meet(media["schema"], value)
        for error in self.api.errors(media["schema"], value):
            self.fault(f"{place} does not fit: {error}")
        if answer.status >= 400 and "json" in answer.kind:
            self.failures.add((answer.status, value["code"], re.sub(r"\d+", "0", value["message"])))
            if value["code"] != answer.status and answer.status != 502:
                self.fault(f"{place}: its code is {value['code']}")
        return None

    def compare(self, operation, answer):
        media = operation.responses.get(str(answer.status), {}).get("content", {}).get(answer.kind)
        if not media:
            return
        value = answer.json if "json" in answer.kind else answer.text
        self.shown.add((operation.id, str(answer.status)))
        if masked(value) != masked(media["example"]):
            self.fault(f"{operation}: its example of {answer.status} is not what comes: {json.dumps(value)}")

    # A stream

    def stream(self, query=None, fields=None):
        """Begins to read the events; a function that gives the next one, as its name, its id and its data."""
        operation = self.operation("streamCalls")
        method, target, headers, _ = self.compose(operation, True, (), query or {}, fields or {}, None, None)
        connection = HTTPConnection("127.0.0.1", self.gateway.port, timeout=30)
        connection.request(method, target, headers={**headers, "Authorization": f"Bearer {Gateway.token}"})
        response = connection.getresponse()
        text = "" if response.status == 200 else response.read().decode()
        self.judge(operation, 200, Answer(response, text), f"{method} {target} {fields}")
        media = operation.responses["200"]["content"]["text/event-stream"]

        def next_event():
            event = {}
            while "data" not in event or line:
                line = response.readline().decode()
                if not line:
                    raise SystemExit(f"the stream {target} has ended")
                line = line.rstrip("\n")
                name, _, value = line.partition(": ")
                if line and name:
                    event[name] = value
            if set(event) - {"id"} != {"event", "data"}:
                self.fault(f"{operation}: an event has {', '.join(event)}")
            schema, data = media["x-events"].get(event["event"]), json.loads(event["data"])
            if not schema:
                self.fault(f"{operation}: the event {event['event']} is not described")
            for error in self.api.errors(schema, data) if schema else []:
                self.fault(f"{operation}, event {event['event']}: {error}")
            self.api.meet(schema, data)
            self.sent.add((operation.id, "event", event["event"]))
            return event["event"], event.get("id"), data

        next_event.close = connection.close
        return next_event

    # What was met

    def count_what_was_met(self):
        for operation in self.api.operations.values():
            for status in operation.responses:
                if (operation.id, status) not in self.reached and (operation.id, status) not in self.unreachable:
                    self.fault(f"{operation}: {status} is described, and no request has it")
            for place, name in operation.parameters:
                if (operation.id, place, name) not in self.sent:
                    self.fault(f"{operation}: {name} is described, and no good request has it")
            if operation.body and (operation.id, "body") not in self.shown:
                self.fault(f"{operation}: the example of its body is not sent")
            for status, answer in operation.node["responses"].items():
                examples = [media for media in answer.get("content", {}).values() if "example" in media]
                if examples and (operation.id, status) not in self.shown:
                    self.fault(f"{operation}: nothing is compared with its example of {status}")
        for name, answer in self.api.document["components"]["responses"].items():
            example = next(iter(answer["content"].values()))["example"]
            failure = (example["code"], masked(example["message"]))
            if example["code"] >= 400 and failure not in {(code, message) for _, code, message in self.failures}:
                self.fault(f"responses.{name}: its example was never heard: {example['message']}")
        for event in self.api.operations["streamCalls"].responses["200"]["content"]["text/event-stream"]["x-events"]:
            if ("streamCalls", "event", event) not in self.sent:
                self.fault(f"the event {event} is described, and never came")
        for schema, place in self.api.schemas():
            for name in schema.get("properties", {}):
                isMet = (id(schema["properties"]), name) in self.api.met
                if isMet == (f"{place}.{name}" in self.unmet):
                    self.fault(f"{place}.{name} is described, and {'is met now' if isMet else 'nothing has it'}")

    @staticmethod
    def until(condition, what):
        """Waits for something that comes by itself."""
        deadline = time.monotonic() + 30
        while not (found := condition()):
            if time.monotonic() > deadline:
                raise SystemExit(f"it does not come: {what}")
            time.sleep(0.01)
        return found
