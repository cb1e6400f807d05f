"""Which paths, methods and words the command knows: by its sentences, its sources, and the matrix of who may what."""

import json
import re

from gateway import Gateway, Page

# What pages and browsers ask, and no program: the page runtime and its bridges, its channel, the link for devices, the
# proxy's script.
for_pages = {"enter", "page.js", "global.js", "bridge", "token", "call", "messages", "channel", "proxy.pac"}
# Words that a query may have, and that mean nothing there, so that they are not described.
idle_words = {
    **dict.fromkeys(("getRecord", "copyCallAsCurl", "copyCallAsTest", "resendCall"), {"session"}),
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
    "switchScenario": {"scenario", "on"}, "answerQuestion": {"choice"},
}
# Whose queries nobody looks through.
unread = {"getPage"}

prefix = "/__drawbridge__"
verbs = "GET|HEAD|POST|PUT|DELETE|PATCH|OPTIONS"


def check(check):
    asker = Asker(check)
    first_segments(asker)
    sentences(asker)
    methods(asker)
    words(asker)
    members(asker)
    choices(asker)
    matrix(asker)


class Asker:
    def __init__(self, check):
        self.check, self.fault = check, check.fault
        self.operations = check.api.operations
        self.described = {(operation.method, operation.path) for operation in self.operations.values()}
        self.sources = check.project / "Sources/Drawbridge"
        text = (self.sources / "Gateway/OwnPath.swift").read_text()
        # What is there: a record, a page.
        self.number = check.ask("callName", body={"name": "pay"}).data["number"]
        self.page = Page(check.gateway).id
        self.cases = {
            name: value or name for name, value in re.findall(r"^    case (\w+)(?: = \"(.+)\")?$", text, re.M)
        }
        self.own = set(self.cases.values())

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


def first_segments(asker):
    """The paths that the gateway answers itself, in OwnPath.swift and in the sentence of a 404."""
    asker.differ("OwnPath", asker.own - for_pages, {path.split("/")[1] for _, path in asker.described})
    for name in for_pages - asker.own:
        asker.fault(f"OwnPath has no {name}")
    _, _, said = asker.ask("GET", "/nothing")
    forAll, forTesters = re.search(r"there are (.+?),? and with the tester's token (.+)", said).groups()
    secured = {operation.path.split("/")[1] for operation in asker.operations.values() if operation.security}
    asker.differ("the sentence of a 404", listed(forTesters), secured)
    open_to_all = {operation.path for operation in asker.operations.values() if not operation.security}
    told = {path.removeprefix(prefix).replace("NAME", "{name}") for path in listed(forAll)}
    asker.differ("the sentence of a 404, for all", told, open_to_all)


def sentences(asker):
    """What there is below a path, as the sentence of a 404 has it."""
    told = set()
    for first in ("calls", "pages", "questions", "admissions"):
        status, _, said = asker.ask("GET", f"/{first}/1/2/3")
        if status != 404 or "there are " not in said:
            asker.fault(f"/{first}/1/2/3: {status} {said}")
        said = said.split("there are ")[1].removesuffix(", where ID is the beginning of an id, or latest")
        for methods, path, more in re.findall(
            rf"((?:{verbs})(?:(?:, | and )(?:{verbs}))*) {prefix}(/[\w/]+)(?: with one of (.+))?", said
        ):
            paths = [path] if not more else [path + verb for verb in listed(more)]
            told |= {(method, path) for method in listed(methods) for path in paths}
        if below := re.search(r"and below that (.+)", said):
            for name in listed(below[1]):
                of = [method for method, path in asker.described if path == f"/calls/{{number}}/{name}"]
                told |= {(method, f"/calls/NUMBER/{name}") for method in of or ["?"]}
        told = {(method, re.sub(r"/(NUMBER|ID)(?=/|$)", "/{}", path)) for method, path in told}
        below = {
            (method, re.sub(r"\{\w+\}", "{}", path)) for method, path in asker.described
            if path.split("/")[1] == first
        }
        of_first = {(method, path) for method, path in told if path.split("/")[1] == first}
        asker.differ(f"the sentence of a 404 below /{first}", of_first, below)


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
        found = re.search(r"(?:no such member|there is no word qqqqqqqq); there are (.+)", said)
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
        ("/calls", "listCalls", "secrets"), ("/calls.har", "exportCalls", "kind"),
        (f"/calls/{asker.number}/test", "copyCallAsTest", "for"),
    ]:
        # What is a kind of records, and not of an archive.
        word = "push" if id == "exportCalls" else "qqqqqqqq"
        pattern = r"by requests: (.+)" if id == "exportCalls" else r"it is (?:one of )?(.+?)(?:, and not|$)"
        wanted = enum(parameter(id, name)) - ({"all"} if path == "/calls" else set())
        asker.differ(f"{name} of {id}", listed(told(f"GET {path}?{name}={word}", pattern)), wanted)

    def body(id, name):
        api = asker.check.api
        schema = api.resolved(asker.operations[id].body["content"]["application/json"]["schema"])
        return api.resolved(schema["properties"][name])

    never = json.dumps({"name": "a", "script": "a", "seconds": 1e9})
    for request, schema in [
        ("GET /calls?seconds=1e9", parameter("listCalls", "seconds")),
        ("POST /calls/verify", body("verifyCalls", "seconds")),
        (f"POST /pages/{asker.page}/call", body("callPage", "seconds")),
        (f"POST /pages/{asker.page}/evaluate", body("evaluateInPage", "seconds")),
    ]:
        longest = told(request, r"a number up to (\d+)", '{"seconds": 1e9}' if "verify" in request else never)
        if longest != str(schema.get("maximum")):
            asker.fault(f"seconds of {request}: {longest} at most, and described is {schema.get('maximum')}")

    schemas = asker.check.api.document["components"]["schemas"]
    records = (asker.sources / "Journal/JournalRecord.swift").read_text()
    kinds = set(re.findall(r"^        case (\w+)$", records.split("enum Kind")[1].split("typealias")[0], re.M))
    asker.differ("kinds of records", kinds, set(schemas["Record"]["discriminator"]["mapping"]))


def matrix(asker):
    """Each operation has a row in the matrix of who may what, and each row of what is described is an operation."""
    text = (asker.check.project / "Tests/DrawbridgeServerTests/EndpointMatrixTests.swift").read_text()
    rows = text.split("static let rows")[1].split("/// With the tester's token")[0]
    source = (asker.sources / "Pages/TesterEndpoints.swift").read_text()
    page_verbs = re.search(r"enum Verb.*?case ([\w, ]+)", source, re.S)[1]
    tried = set()
    for block in re.split(r"(?<=[ ,])(?=\.\w+: \[)", rows)[1:]:
        case = re.match(r"\.(\w+):", block)[1]
        first = asker.cases[case]
        if first in for_pages:
            continue
        for request, _, status in re.findall(
            r'(?:forTesters\(|request: )"((?:[^"\\]|\\.)*)"(?:, body: #?".*?"#?)?(, (\d+)\))?', block
        ):
            # A method that the path does not take.
            if status == "405":
                continue
            verbs = page_verbs.split(", ") if r"\(verb)" in request else [""]
            for verb in verbs:
                method, _, rest = request.replace(r"\(verb)", verb).replace(r"\(id)", "0" * 32).partition(" ")
                target = f"/{first}{rest}".split("?")[0]
                # A path without a parameter goes before one that has it.
                fitting = sorted(
                    (operation.path.count("{"), operation.id) for operation in asker.operations.values()
                    if operation.method == method and operation.pattern.fullmatch(target)
                )
                if fitting:
                    tried.add(fitting[0][1])
                else:
                    asker.fault(f"EndpointMatrixTests asks {method} {target}, which is not described")
    for id in set(asker.operations) - tried:
        asker.fault(f"EndpointMatrixTests has no row for {asker.operations[id]}")
