"""Written by clients/generate from verbs.json."""

from urllib.parse import quote

# What fails is shown where the test asks for it, and not in this file.
__tracebackhide__ = True


def quoted(value):
    return quote(str(value), safe="")


class Verbs:
    """What a test says to native. What is `...` is not sent."""

    def reply(self, name, reply):
        """Answers a name so, before files and handlers do. A reply is what it is in a file."""
        return self.ask("PUT", "replies", query={"name": name}, body=reply)

    def take_back(self, name):
        """Takes back a reply that was set."""
        return self.ask("DELETE", "replies", query={"name": name})

    def scenario(self, scenario, on=True):
        """Switches a scenario on, or off."""
        return self.ask("PUT", "scenario", body={"scenario": scenario, "on": on})

    def event(self, name, *, page=...):
        """Plays an event on the page that is meant, or named by id or path, and waits until its steps are done."""
        return self.ask("POST", f"events/{quoted(name)}", query={"page": page})

    def call(self, name, input=...):
        """Calls a name in place of a page, and gives the record of the call."""
        return self.ask("POST", "calls", body={"name": name, "input": input})

    def calls(self, *, name=..., state=..., by=..., kind=..., page=..., since=..., limit=...):
        """Gives the calls so far, or those that fit."""
        return self.ask(
            "GET",
            "calls",
            query={"name": name, "state": state, "by": by, "kind": kind, "page": page, "since": since, "limit": limit},
            gives="calls",
        )

    def wait(self, name, *, count=1, seconds=5, state=..., since=...):
        """Waits until so many calls of a name have begun, and gives them."""
        return self.ask(
            "GET",
            "calls",
            query={"name": name, "count": count, "seconds": seconds, "state": state, "since": since},
            gives="calls",
        )

    def verify(
        self,
        name,
        when=...,
        *,
        equals=...,
        count=...,
        at_least=...,
        at_most=...,
        state=...,
        kind=...,
        seconds=5,
    ):
        """Fails unless a name was called, with this in what it was sent; gives these calls."""
        return self.ask(
            "POST",
            "calls/verify",
            body={"name": name, "when": when, "equals": equals, "count": count, "atLeast": at_least, "atMost": at_most, "state": state, "kind": kind, "seconds": seconds},
            gives="calls",
        )

    def verify_order(self, order, *, state=..., kind=..., seconds=5):
        """Fails unless these names were called one after the other, whatever came between."""
        return self.ask(
            "POST",
            "calls/verify",
            body={"order": order, "state": state, "kind": kind, "seconds": seconds},
            gives="calls",
        )

    def verify_answered(self):
        """Fails where a call or a question had no answer."""
        return self.ask("POST", "calls/verify", body={"unanswered": 0})

    def questions(self):
        """Gives the questions that wait. Ask once before the page does: for a minute after that they wait for the test."""
        return self.ask("GET", "questions")

    def choose(self, question, choice, *, seconds=...):
        """Answers a question by one of its choices: the one of a number, or the oldest of a name, for which it waits."""
        return self.ask(
            "POST",
            f"questions/{quoted(question)}",
            query={"seconds": seconds},
            body={"choice": choice},
        )

    def fill(self, question, fields, *, seconds=...):
        """Answers a question by values of its fields: the one of a number, or the oldest of a name, for which it waits."""
        return self.ask(
            "POST",
            f"questions/{quoted(question)}",
            query={"seconds": seconds},
            body={"fields": fields},
        )

    def set_ask(self, ask):
        """Says over which pages of the session questions are shown: `page` is over every page, `off` over none."""
        return self.ask("PUT", "questions", body={"ask": ask})

    def call_page(self, name, data=..., *, page="latest", seconds=...):
        """Calls a handler or a function of the page that is meant, or named by id or path, and gives what it answers."""
        return self.ask(
            "POST",
            f"pages/{quoted(page)}/call",
            body={"name": name, "data": data, "seconds": seconds},
        )

    def emit(self, event, data=..., *, page="latest"):
        """Tells an event to the page that is meant, or named by id or path."""
        return self.ask("POST", f"pages/{quoted(page)}/emit", body={"event": event, "data": data})

    def link(self):
        """Draws a link, below the gateway's address, that lets a browser on another machine in for ten minutes."""
        return self.ask("POST", "admissions", gives="link")

    def reset(self):
        """Takes back all that the test has changed, and forgets its calls."""
        return self.ask("POST", "reset")
