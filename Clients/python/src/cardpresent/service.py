"""The synchronous client: a service, its sessions, and their readers. It needs nothing but Python."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Concatenate, ParamSpec, TypeVar

from . import _operations, _program, values
from ._http import Transport
from ._request import Deadline, Request, checked_address, described_by, segment
from .errors import NotFound, UnexpectedAnswer

__all__ = ["Reader", "Service", "Session", "connect", "serve"]

P = ParamSpec("P")
T = TypeVar("T")
DEADLINE = 30.0
"""The seconds that a request may take, unless told otherwise. Waits of a session take no real time."""


class _Handle:
    """Something at a path of the service."""

    def __init__(self, transport: Transport, path: str, deadline: float) -> None:
        self._transport, self._path, self._deadline = transport, path, deadline

    def _send(self, request: Request[T]) -> T:
        __tracebackhide__ = True
        return self._transport.send(request, self._deadline)


def _operation(make: Callable[Concatenate[str, P], Request[T]]) -> Callable[Concatenate[_Handle, P], T]:
    @described_by(make)
    def method(self: _Handle, /, *arguments: P.args, **options: P.kwargs) -> T:
        __tracebackhide__ = True  # A failed test shows its own line.
        return self._send(make(self._path, *arguments, **options))

    return method


class Service(_Handle):
    """A service that runs."""

    def __init__(self, address: str, *, token: str | None = None, deadline: float = DEADLINE) -> None:
        super().__init__(Transport(checked_address(address), token), "", deadline)

    def __repr__(self) -> str:
        return f"Service({self.address!r})"

    @property
    def address(self) -> str:
        """The address, such as `http://127.0.0.1:8200`."""
        return self._transport.address

    state = _operation(_operations.state)
    catalog = _operation(_operations.catalog)
    sessions = _operation(_operations.sessions)
    play_scenario = _operation(_operations.play_scenario)

    def attach(self, session: str) -> Session:
        """Returns a session that was started elsewhere, by its ID."""
        path = f"{_operations.SESSIONS}/{segment(session)}"
        return Session(self._transport, self._deadline, self._send(_operations.read_session(path)))

    @staticmethod
    def _session(
        make: Callable[Concatenate[str, P], Request[values.SessionState]],
    ) -> Callable[Concatenate[Service, P], Session]:
        @described_by(make)
        def method(self: Service, /, *arguments: P.args, **options: P.kwargs) -> Session:
            __tracebackhide__ = True
            state = self._send(make(self._path, *arguments, **options))
            return Session(self._transport, self._deadline, state)

        return method

    session = _session(_operations.session)


class Session(_Handle):
    """A simulated shop: readers, cards, an issuer, a printer, a disk, perhaps a store, and the shipped till above them.

    As a context manager, it ends the session.
    """

    def __init__(self, transport: Transport, deadline: float, state: values.SessionState) -> None:
        super().__init__(transport, f"{_operations.SESSIONS}/{segment(state.id)}", deadline)
        self.id = state.id
        """The session's name."""
        self.seed = state.seed
        """The seed that repeats it."""
        self._state = state

    def __repr__(self) -> str:
        return f"Session({self.id!r}, seed={self.seed})"

    def __enter__(self) -> Session:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self.delete()
        except NotFound:
            pass  # It ended already.

    def within(self, seconds: float) -> Session:
        """Returns the same session with another deadline for each request."""
        return Session(self._transport, seconds, self._state)

    def reader(self, name: str | None = None) -> Reader:
        """Returns a reader; without a name, the first one of the plan."""
        return Reader(self, self._state.readers[0].name if name is None else name)

    @contextmanager
    def stream_events(
        self, *, after: int | None = None, kind: values.EventKind | None = None, deadline: float | None = None
    ) -> Iterator[Iterator[values.Event]]:
        """Opens a stream of the events after the number `after`. It ends with the session, or raises `DeadlinePassed`.

        with session.stream_events(deadline=10) as events:
            for event in events: ...
        """
        request = _operations.stream(self._path, after)
        with self._transport.stream(request, self._deadline if deadline is None else deadline) as events:
            yield (event for event in events if kind in (None, event.kind))

    def wait_for_event(
        self, kind: values.EventKind, text: str = "", *, after: int | None = None, deadline: float | None = None
    ) -> values.Event:
        """Returns the first event of this kind with the text in its details, also when it already happened.

        Raises:
            DeadlinePassed: when it does not happen in time.
        """
        with self.stream_events(after=after, kind=kind, deadline=deadline) as events:
            for event in events:
                if text in event.detail:
                    return event
        raise UnexpectedAnswer(f"the session {self.id} ended before the event '{kind} {text}'")

    state = _operation(_operations.read_session)
    delete = _operation(_operations.delete)
    reset = _operation(_operations.reset)
    clock = _operation(_operations.clock)
    advance = _operation(_operations.advance)
    cards = _operation(_operations.cards)
    readers = _operation(_operations.readers)
    add_reader = _operation(_operations.add_reader)
    choose = _operation(_operations.choose)
    pay = _operation(_operations.pay)
    payments = _operation(_operations.payments)
    payment = _operation(_operations.payment)
    cancel = _operation(_operations.cancel)
    retry = _operation(_operations.retry)
    refund = _operation(_operations.refund)
    receipt = _operation(_operations.receipt)
    print_receipt = _operation(_operations.print_receipt)
    ledger = _operation(_operations.ledger)
    set_issuer_rules = _operation(_operations.set_issuer_rules)
    add_issuer_fault = _operation(_operations.add_issuer_fault)
    remove_issuer_faults = _operation(_operations.remove_issuer_faults)
    store = _operation(_operations.store)
    add_store_fault = _operation(_operations.add_store_fault)
    printer = _operation(_operations.printer)
    set_printer = _operation(_operations.set_printer)
    set_disk = _operation(_operations.set_disk)
    crash = _operation(_operations.crash)
    restart = _operation(_operations.restart)
    events = _operation(_operations.events)
    trace = _operation(_operations.trace)
    decode_event = _operation(_operations.decode_event)
    requests = _operation(_operations.requests)
    set_breakpoints = _operation(_operations.set_breakpoints)
    resume = _operation(_operations.resume)
    repeat = _operation(_operations.repeat)
    unlock = _operation(_operations.unlock)
    reconcile = _operation(_operations.reconcile)


class Reader(_Handle):
    """A reader of a session, and the person before it."""

    def __init__(self, session: Session, name: str) -> None:
        super().__init__(session._transport, f"{session._path}/readers/{segment(name)}", session._deadline)
        self.session = session
        """The session of the reader."""
        self.name = name
        """Its name in the session."""

    def __repr__(self) -> str:
        return f"Reader({self.name!r}, session={self.session.id!r})"

    state = _operation(_operations.read_reader)
    insert = _operation(_operations.insert)
    swipe = _operation(_operations.swipe)
    tap = _operation(_operations.tap)
    move_away = _operation(_operations.move_away)
    remove = _operation(_operations.remove)
    press = _operation(_operations.press)
    type_pin = _operation(_operations.type_pin)
    plug = _operation(_operations.plug)
    unplug = _operation(_operations.unplug)
    connect = _operation(_operations.connect)
    disconnect = _operation(_operations.disconnect)
    add_fault = _operation(_operations.add_fault)
    remove_faults = _operation(_operations.remove_faults)
    set_battery = _operation(_operations.set_battery)


@contextmanager
def connect(address: str, *, token: str | None = None, deadline: float = DEADLINE) -> Iterator[Service]:
    """Connects to a service that runs, and checks that it answers.

    Args:
        address: such as `http://127.0.0.1:8200`.
        token: the token, where the service wants one.
        deadline: the seconds that a request may take.
    """
    service = Service(address, token=token, deadline=deadline)
    service.state()
    yield service


@contextmanager
def serve(
    program: str | os.PathLike[str] | None = None,
    *,
    token: str | None = None,
    sessions_limit: int | None = None,
    deadline: float = DEADLINE,
    start_deadline: float = DEADLINE,
) -> Iterator[Service]:
    """Starts `cardpresent simulate serve` on a free port, and ends it afterwards.

    Args:
        program: the program; by default that of the variable `CARDPRESENT_PROGRAM`, or the one on the `PATH`.
        token: the token that the service shall want, of 16 characters or more; none by default.
        sessions_limit: the largest number of sessions.
        deadline: the seconds that a request may take.
        start_deadline: the seconds that the program may take to start, and to end.

    Raises:
        ProgramError: when there is no program, or it ends at once.
        DeadlinePassed: when it does not listen in time.
    """
    start = Deadline(start_deadline, "the start of the service")
    process = _program.ServiceProcess(program, token=token, sessions_limit=sessions_limit)
    try:
        while (address := process.address()) is None:
            time.sleep(min(_program.INTERVAL, start.remaining()))
        yield Service(address, token=token, deadline=deadline)
    finally:
        try:
            process.end()
            last = time.monotonic() + start_deadline
            while not process.has_ended() and time.monotonic() < last:
                time.sleep(_program.INTERVAL)
        finally:
            process.remove()
