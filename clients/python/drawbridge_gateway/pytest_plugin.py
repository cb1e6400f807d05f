"""The fixture `native`: a session for each test, in a gateway for all of them."""

import os

import pytest

from . import connect, start


def pytest_addoption(parser):
    parser.addini("drawbridge", "the arguments by which Drawbridge is started: my-page", type="args")


@pytest.fixture(scope="session")
def drawbridge(pytestconfig):
    """The gateway: that of DRAWBRIDGE_URL, or one that is started, in the folder of the settings of pytest."""
    if os.environ.get("DRAWBRIDGE_URL"):
        yield connect()
    else:
        with start(*pytestconfig.getini("drawbridge"), cwd=pytestconfig.rootpath) as gateway:
            yield gateway


@pytest.fixture
def native(request, drawbridge):
    """What the test says to native."""
    native = drawbridge.session(request.node.name)
    yield native
    native.reset()
