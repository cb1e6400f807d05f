"""What schemathesis checks besides the description: a handler answers with status 200, and `code` is the true one."""

import schemathesis
from schemathesis import GenerationMode


def code_of(response):
    return response.json().get("code")


@schemathesis.check
def code_is_the_status_of_a_refusal(ctx, response, case):
    if response.status_code != 200:
        assert code_of(response) == response.status_code, "status and code differ"


@schemathesis.check
def negative_body_is_refused(ctx, response, case):
    body = next((part for place, part in case.meta.components.items() if place == "body"), None)
    if body is not None and body.mode == GenerationMode.NEGATIVE:
        assert code_of(response) != 200, "a body that does not fit is taken"


@schemathesis.check
def positive_data_is_taken(ctx, response, case):
    if case.meta.generation.mode == GenerationMode.POSITIVE:
        assert code_of(response) == 200, "a body that fits is refused"
