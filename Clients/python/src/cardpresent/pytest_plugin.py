"""The pytest plugin: each test gets its own simulated reader, and a failed test shows what happened at it."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator

import pytest

from . import service as client
from .errors import CardPresentError, masked

ADDRESS, TOKEN = "CARDPRESENT_SIMULATOR", "CARDPRESENT_TOKEN"
REPORT_DEADLINE = 5.0
"""The seconds that each request for the report of a failed test may take."""
SHOWN_EVENTS = 200
"""The number of events that the report of a failed test has, the last ones."""
_SESSION = pytest.StashKey[client.Session]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the options of the plugin."""
    group = parser.getgroup("cardpresent", "simulated card payments")
    group.addoption(
        "--cardpresent-program", metavar="PATH", help="the program to start; default: $CARDPRESENT_PROGRAM, or the PATH"
    )
    group.addoption(
        "--cardpresent-service",
        metavar="ADDRESS",
        help=f"use this running service instead of starting one; default: ${ADDRESS}. Its token is in ${TOKEN}",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Registers the marker."""
    config.addinivalue_line(
        "markers",
        "simulated_reader(cards, *, readers, seed, …): the plan of the test's session, with the arguments of Service.session",
    )


@pytest.fixture(scope="session")
def cardpresent_service(pytestconfig: pytest.Config) -> Iterator[client.Service]:
    """The simulation service: one that is started for the tests, or the one of `--cardpresent-service`."""
    address = pytestconfig.getoption("cardpresent_service") or os.environ.get(ADDRESS)
    if address:
        with client.connect(address, token=os.environ.get(TOKEN)) as service:
            yield service
    else:
        with client.serve(pytestconfig.getoption("cardpresent_program")) as service:
            yield service


@pytest.fixture
def simulated_session(
    request: pytest.FixtureRequest, cardpresent_service: client.Service
) -> Iterator[client.Session]:
    """A session of the test's own, with the plan of its marker `simulated_reader`. It ends with the test."""
    marker = request.node.get_closest_marker("simulated_reader")
    arguments, options = (marker.args, marker.kwargs) if marker else ((), {})
    with cardpresent_service.session(*arguments, **options) as session:
        request.node.stash[_SESSION] = session
        yield session
        del request.node.stash[_SESSION]


@pytest.fixture
def simulated_reader(simulated_session: client.Session) -> client.Reader:
    """The first reader of the test's session; `simulated_reader.session` is the session."""
    return simulated_session.reader()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Adds the session of a failed test to its report."""
    report = yield
    session = item.stash.get(_SESSION, None)
    if report.failed and session is not None:
        report.sections.append((f"simulated session {session.id}", _text(session.within(REPORT_DEADLINE))))
    return report


def _text(session: client.Session) -> str:
    lines = [f"seed {session.seed}"]
    try:
        state = session.state()
        lines += [f"display: {state.display}"] if state.display else []
        lines += [f"waits for: {state.waiting_for}"] if state.waiting_for else []
        lines += [] if state.process_runs else ["the till's process is dead"]
        lines += [
            f"payment {payment.id}: {payment.amount} {payment.currency} {payment.outcome} ({payment.state})"
            + (f", {payment.error_code}: {payment.error_message}" if payment.error_code else "")
            for payment in session.payments()
        ]
        events = session.events(after=max(0, state.events - SHOWN_EVENTS)).events
        lines += [f"{event.milliseconds / 1000:10.3f} s  {event.kind} {event.detail}".rstrip() for event in events]
    except CardPresentError as error:
        lines.append(f"the session can't be read: {error}")
    return masked("\n".join(lines))
