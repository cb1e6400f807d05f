"""The fixture `native`: a session for each test, in a gateway for all of them."""

import os

import pytest

from . import Gateway, Native, connect, start


def pytest_addoption(parser):
    parser.addini("drawbridge", "the arguments by which Drawbridge is started: my-page", type="args")


@pytest.fixture(scope="session")
def drawbridge(pytestconfig):
    """The gateway: that of DRAWBRIDGE_URL, or one that is started, in the folder of the settings of pytest."""
    if os.environ.get("DRAWBRIDGE_URL"):
        yield connect()
    else:
        with start(*pytestconfig.getini("drawbridge"), cwd=pytestconfig.rootpath) as gateway:
            gateway._is_watched = True
            yield gateway


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item):
    """A test that fails shows the calls of its session, and what the gateway has warned of, if no test before has."""
    report = (yield).get_result()
    if not report.failed:
        return
    given = getattr(item, "funcargs", {})
    # When the fixture is taken down, it forgets the calls.
    natives = [value for value in given.values() if isinstance(value, Native)] if report.when != "teardown" else []
    lines = [line for native in natives for line in native.told()]
    if isinstance(gateway := given.get("drawbridge"), Gateway):
        lines += gateway.warned()
    if lines:
        report.sections.append(("drawbridge calls", "\n".join(lines)))


@pytest.fixture
def native(request, drawbridge):
    """What the test says to native."""
    native = drawbridge.session(request.node.name)
    yield native
    native.reset()
