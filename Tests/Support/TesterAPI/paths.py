"""Which methods and words the command knows, by what it says of others."""

import json
import re

from gateway import Gateway, Page

# Words that a query may have, and that mean nothing there, so that they are not described.
idle_words = {
    **dict.fromkeys(("getRecord", "copyCallAsCurl", "resendCall"), {"session"}),
    "listReplies": {"name"}, "listEvents": {"page"}, "getScenarios": {"scenario", "on"}, "listQuestions": {"choice"},
}
# The same of members of a body.
idle_members = {
    "callPage": {"script", "event"}, "sendToPage": {"script", "event", "seconds"},
    "evaluateInPage": {"name", "data", "event", "by"}, "emitToPage": {"name", "script", "by", "seconds"},
}
# What the body says may stand in the query too.
in_the_query = {
    **dict.fromkeys(idle_members, {"name", "data", "script", "event", "by", "seconds"}),
    "switchScenario": {"scenario", "on"}, "answerQuestion": {"choice"}, "setAsk": {"ask"},
}
# Whose queries nobody looks through.
unread = {"getPage"}

prefix = "/__drawbridge__"
verbs = "GET|HEAD|POST|PUT|DELETE|PATCH|OPTIONS"


def check(check):
    asker = Asker(check)
    methods(asker)
    words(asker)
    members(asker)
    choices(asker)


class Asker:
    def __init__(self, check):
        self.check, self.fault = check, check.fault
        self.operations = check.api.operations
        self.described = {(operation.method, operation.path) for operation in self.operations.values()}
        self.sources = check.project / "Sources"
        # What is there: a record, a page.
        self.number = check.ask("callName", body={"name": "pay"}).data["number"]
        self.page = Page(check.gateway).id

    def target(self, operation):
        """The path of an operation, with what is there."""
        path = operation.path.replace("/calls/{number}", f"/calls/{self.number}").replace("{page}", self.page)
        return re.sub(r"\{\w+\}", "1", path)

    def ask(self, method, path, body=None):
        """Status, Allow and message, whatever comes."""
        connection = self.check.gateway.connect()
        connection.request(method, prefix + path, body, {"Authorization": f"Bearer {Gateway.token}"})
        response = connection.getresponse()
        text = response.read().decode()
        connection.close()
        said = re.search(r'"message":"((?:[^"\\]|\\.)*)"', text)
        return response.status, response.headers["Allow"], said[1] if said else ""

    def differ(self, what, known, described):
        """Says what of two sets only one has."""
        for name in sorted(map(str, known - described)):
            self.fault(f"{what}: the command knows {name}, which is not described")
        for name in sorted(map(str, described - known)):
            self.fault(f"{what}: {name} is described, and the command does not know it")


def listed(text):
    return set(re.split(r",? (?:and|or) |, ", text))


def methods(asker):
    """What a path takes: other methods are refused, and the refusal says which there are."""
    for operation in {operation.path: operation for operation in asker.operations.values()}.values():
        path = operation.path
        taken = {method for method, other in asker.described if other == path}
        for method in set(verbs.split("|")) - taken:
            status, allow, _ = asker.ask(method, asker.target(operation))
            if method == "HEAD" and status == 200 and path in ("/health", "/schema.json", "/api.json"):
                continue
            if status != 405 or not allow or listed(allow) - {"HEAD"} != taken:
                asker.fault(f"{method} {path}: {status}, Allow: {allow}; described are {', '.join(sorted(taken))}")


def words(asker):
    """The words of queries, which the command lists where it does not know one."""
    for operation in asker.operations.values():
        if not operation.security:
            continue
        body = "{}" if operation.body else None
        status, _, said = asker.ask(operation.method, f"{asker.target(operation)}?qqqqqqqq=1", body)
        if (status != 400 or "no such word" not in said) != (operation.id in unread):
            asker.fault(f"{operation} with an unknown word: {status} {said}; or is it no more in unread?")
        if operation.id in unread:
            continue
        known = listed(said.split("there are ")[1]) - {"none here"}
        described = {name for place, name in operation.parameters if place == "query"}
        beside = idle_words.get(operation.id, set()) | in_the_query.get(operation.id, set())
        asker.differ(f"query of {operation}", known, described | beside)


def members(asker):
    """The members of bodies, in the same way."""
    for operation in asker.operations.values():
        if not operation.body:
            continue
        schema = asker.check.api.resolved(operation.body["content"]["application/json"]["schema"])
        if "properties" not in schema:
            continue
        # What else is wrong with the body counts for nothing beside that.
        status, _, said = asker.ask(operation.method, asker.target(operation), '{"qqqqqqqq": 1}')
        found = re.search(r"(?:no such member; |unknown key qqqqqqqq; |unknown keyword qqqqqqqq \()there are ([^)]+)", said)
        if status != 400 or not found:
            asker.fault(f"{operation} with an unknown member: {status} {said}")
        else:
            beside = idle_members.get(operation.id, set())
            asker.differ(f"body of {operation}", listed(found[1]), set(schema["properties"]) | beside)


def choices(asker):
    """What words may say, which the command lists as well; and how long a deadline may be."""

    def enum(schema):
        schema = asker.check.api.resolved(schema)
        return set(asker.check.api.resolved(schema.get("items", schema)).get("enum", []))

    def parameter(id, name):
        return asker.operations[id].parameters["query", name]["schema"]

    def told(request, pattern, body=None):
        _, _, said = asker.ask(*request.split(" "), body)
        found = re.search(pattern, said)
        if not found:
            asker.fault(f"{request}: {said}")
        return found[1] if found else ""

    for path, id, name in [
        ("/calls", "listCalls", "kind"), ("/calls", "listCalls", "by"), ("/calls", "listCalls", "state"),
        ("/calls", "listCalls", "secrets"),
    ]:
        said = told(f"GET {path}?{name}=qqqqqqqq", r"must be (?:one of )?(.+?)(?:, and not|$)")
        asker.differ(f"{name} of {id}", listed(said), enum(parameter(id, name)) - {"all"})

    def body(id, name):
        api = asker.check.api
        schema = api.resolved(asker.operations[id].body["content"]["application/json"]["schema"])
        return api.resolved(schema["properties"][name])

    never = json.dumps({"name": "a", "script": "a", "seconds": 1e9})
    for request, schema in [
        ("GET /calls?seconds=1e9", parameter("listCalls", "seconds")),
        ("POST /calls/verify", body("verifyCalls", "seconds")),
        ("POST /questions/x?seconds=1e9", asker.operations["answerQuestion"].parameters["query", "seconds"]["schema"]),
        (f"POST /pages/{asker.page}/call", body("callPage", "seconds")),
        (f"POST /pages/{asker.page}/evaluate", body("evaluateInPage", "seconds")),
    ]:
        longest = told(request, r"a number up to (\d+)", '{"seconds": 1e9}' if "verify" in request else never)
        if longest != str(schema.get("maximum")):
            asker.fault(f"seconds of {request}: {longest} at most, and described is {schema.get('maximum')}")

    schemas = asker.check.api.document["components"]["schemas"]
    records = (asker.sources / "DrawbridgeJournal/Journal/JournalRecord.swift").read_text()
    kinds = set(re.findall(r"^        case (\w+)$", records.split("enum Kind")[1].split("typealias")[0], re.M))
    asker.differ("kinds of records", kinds, set(schemas["Record"]["discriminator"]["mapping"]))
