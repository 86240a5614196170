"""The asynchronous client, over httpx: `pip install httpx`. It has the methods of the synchronous one.

    async with asynchronous.serve() as service, service.session("visa-credit") as session:
        payment = await session.pay("12.50")
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Generator
from contextlib import asynccontextmanager
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, TypeVar

from . import _operations, _program, values
from ._request import Deadline, EventParser, Request, checked_address, described_by, segment
from .errors import NotFound, ServiceUnreachable, UnexpectedAnswer
from .service import DEADLINE

try:
    import httpx
except ImportError as error:
    raise ImportError("the asynchronous client needs httpx: pip install httpx") from error

__all__ = ["AsyncReader", "AsyncService", "AsyncSession", "connect", "serve"]

P = ParamSpec("P")
T = TypeVar("T")


class _Transport:
    """Sends requests to a service, each with a deadline and over its own connection, so none is ever sent twice."""

    def __init__(self, address: str, token: str | None) -> None:
        self.address = address
        self._token = token
        limits = httpx.Limits(max_connections=None, max_keepalive_connections=0)
        self._client = httpx.AsyncClient(limits=limits, timeout=None, trust_env=False)

    async def close(self) -> None:
        await self._client.aclose()

    async def send(self, request: Request[T], seconds: float) -> T:
        """Sends a request and returns its result."""
        __tracebackhide__ = True
        deadline = Deadline(seconds, f"{request.method} {request.path}")
        response = await self._bounded(request, deadline, self._client.send(self._message(request)))
        return request.result(response.status_code, response.content)

    @asynccontextmanager
    async def stream(self, request: Request[None], seconds: float) -> AsyncIterator[AsyncIterator[values.Event]]:
        """Sends a request and reads the events of its response as they come."""
        deadline = Deadline(seconds, f"the stream {request.path}")
        send = self._client.send(self._message(request), stream=True)
        response = await self._bounded(request, deadline, send)
        try:
            if response.status_code != 200:
                request.result(response.status_code, await self._bounded(request, deadline, response.aread()))
            yield self._events(request, response, deadline)
        finally:
            await response.aclose()

    async def _events(
        self, request: Request[None], response: httpx.Response, deadline: Deadline
    ) -> AsyncIterator[values.Event]:
        parser, pieces = EventParser(), response.aiter_raw()
        while (piece := await self._bounded(request, deadline, anext(pieces, None))) is not None:
            for event in parser.feed(piece):
                yield event

    def _message(self, request: Request[Any]) -> httpx.Request:
        headers = request.headers(self._token)
        return self._client.build_request(
            request.method, self.address + request.target, content=request.content, headers=headers
        )

    async def _bounded(self, request: Request[Any], deadline: Deadline, work: Awaitable[T]) -> T:
        try:
            async with asyncio.timeout(deadline.left) as timeout:
                return await work
        except httpx.TransportError as error:
            reason = str(error) or type(error).__name__
            raise ServiceUnreachable(f"{request.method} {self.address}{request.path}: {reason}") from error
        except TimeoutError as error:
            if timeout.expired():
                raise deadline.passed() from error
            raise


class _Handle:
    """Something at a path of the service."""

    def __init__(self, transport: _Transport, path: str, deadline: float) -> None:
        self._transport, self._path, self._deadline = transport, path, deadline

    async def _send(self, request: Request[T]) -> T:
        __tracebackhide__ = True
        return await self._transport.send(request, self._deadline)


def _operation(
    make: Callable[Concatenate[str, P], Request[T]],
) -> Callable[Concatenate[_Handle, P], Coroutine[Any, Any, T]]:
    @described_by(make)
    async def method(self: _Handle, /, *arguments: P.args, **options: P.kwargs) -> T:
        __tracebackhide__ = True  # A failed test shows its own line.
        return await self._send(make(self._path, *arguments, **options))

    return method


class _SessionStart:
    """A session to be started: `await` it, or use it in `async with`, which ends it."""

    def __init__(self, start: Callable[[], Coroutine[Any, Any, AsyncSession]]) -> None:
        self._start = start
        self._session: AsyncSession | None = None

    def __await__(self) -> Generator[Any, Any, AsyncSession]:
        return self._start().__await__()

    async def __aenter__(self) -> AsyncSession:
        self._session = await self._start()
        return self._session

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._session is not None:
            try:
                await self._session.delete()
            except NotFound:
                pass  # It ended already.


class AsyncService(_Handle):
    """A service that runs. As a context manager, it closes its connections."""

    def __init__(self, address: str, *, token: str | None = None, deadline: float = DEADLINE) -> None:
        super().__init__(_Transport(checked_address(address), token), "", deadline)

    def __repr__(self) -> str:
        return f"AsyncService({self.address!r})"

    async def __aenter__(self) -> AsyncService:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._transport.close()

    @property
    def address(self) -> str:
        """The address, such as `http://127.0.0.1:8200`."""
        return self._transport.address

    state = _operation(_operations.state)
    catalog = _operation(_operations.catalog)
    sessions = _operation(_operations.sessions)
    play_scenario = _operation(_operations.play_scenario)

    async def attach(self, session: str) -> AsyncSession:
        """Returns a session that was started elsewhere, by its ID."""
        path = f"{_operations.SESSIONS}/{segment(session)}"
        return AsyncSession(self._transport, self._deadline, await self._send(_operations.read_session(path)))

    @staticmethod
    def _session(
        make: Callable[Concatenate[str, P], Request[values.SessionState]],
    ) -> Callable[Concatenate[AsyncService, P], _SessionStart]:
        @described_by(make)
        def method(self: AsyncService, /, *arguments: P.args, **options: P.kwargs) -> _SessionStart:
            request = make(self._path, *arguments, **options)

            async def start() -> AsyncSession:
                return AsyncSession(self._transport, self._deadline, await self._send(request))

            return _SessionStart(start)

        return method

    session = _session(_operations.session)


class AsyncSession(_Handle):
    """A simulated shop: readers, cards, an issuer, a printer, a disk, perhaps a store, and the shipped till."""

    def __init__(self, transport: _Transport, deadline: float, state: values.SessionState) -> None:
        super().__init__(transport, f"{_operations.SESSIONS}/{segment(state.id)}", deadline)
        self.id = state.id
        """The session's name."""
        self.seed = state.seed
        """The seed that repeats it."""
        self._state = state

    def __repr__(self) -> str:
        return f"AsyncSession({self.id!r}, seed={self.seed})"

    def within(self, seconds: float) -> AsyncSession:
        """Returns the same session with another deadline for each request."""
        return AsyncSession(self._transport, seconds, self._state)

    def reader(self, name: str | None = None) -> AsyncReader:
        """Returns a reader; without a name, the first one of the plan."""
        return AsyncReader(self, self._state.readers[0].name if name is None else name)

    @asynccontextmanager
    async def stream_events(
        self, *, after: int | None = None, kind: values.EventKind | None = None, deadline: float | None = None
    ) -> AsyncIterator[AsyncIterator[values.Event]]:
        """Opens a stream of the events after the number `after`. It ends with the session or `DeadlinePassed`."""
        request = _operations.stream(self._path, after)
        async with self._transport.stream(request, self._deadline if deadline is None else deadline) as events:
            yield (event async for event in events if kind in (None, event.kind))

    async def wait_for_event(
        self, kind: values.EventKind, text: str = "", *, after: int | None = None, deadline: float | None = None
    ) -> values.Event:
        """Returns the first event of this kind with the text in its details, also when it already happened.

        Raises:
            DeadlinePassed: when it does not happen in time.
        """
        async with self.stream_events(after=after, kind=kind, deadline=deadline) as events:
            async for event in events:
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


class AsyncReader(_Handle):
    """A reader of a session, and the person before it."""

    def __init__(self, session: AsyncSession, name: str) -> None:
        super().__init__(session._transport, f"{session._path}/readers/{segment(name)}", session._deadline)
        self.session = session
        """The session of the reader."""
        self.name = name
        """Its name in the session."""

    def __repr__(self) -> str:
        return f"AsyncReader({self.name!r}, session={self.session.id!r})"

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


@asynccontextmanager
async def connect(
    address: str, *, token: str | None = None, deadline: float = DEADLINE
) -> AsyncIterator[AsyncService]:
    """Connects to a service that runs, and checks that it answers."""
    async with AsyncService(address, token=token, deadline=deadline) as service:
        await service.state()
        yield service


@asynccontextmanager
async def serve(
    program: str | os.PathLike[str] | None = None,
    *,
    token: str | None = None,
    sessions_limit: int | None = None,
    deadline: float = DEADLINE,
    start_deadline: float = DEADLINE,
) -> AsyncIterator[AsyncService]:
    """Starts `cardpresent simulate serve` on a free port, and ends it afterwards; see `cardpresent.serve`."""
    start = Deadline(start_deadline, "the start of the service")
    process = _program.ServiceProcess(program, token=token, sessions_limit=sessions_limit)
    try:
        while (address := process.address()) is None:
            await asyncio.sleep(min(_program.INTERVAL, start.remaining()))
        async with AsyncService(address, token=token, deadline=deadline) as service:
            yield service
    finally:
        try:
            process.end()
            async with asyncio.timeout(start_deadline):
                while not process.has_ended():
                    await asyncio.sleep(_program.INTERVAL)
        except TimeoutError:
            pass  # Removing kills it.
        finally:
            process.remove()
