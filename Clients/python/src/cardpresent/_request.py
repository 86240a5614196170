"""Requests as values, so that the synchronous and the asynchronous client send the same ones."""

from __future__ import annotations

import inspect
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Generic, TypeVar
from urllib.parse import quote, urlencode, urlsplit

from . import _wire
from .errors import DeadlinePassed, UnexpectedAnswer, service_error
from .values import Event

T = TypeVar("T")
Method = TypeVar("Method", bound=Callable[..., object])
STREAM = "text/event-stream"


@dataclass(frozen=True)
class Request(Generic[T]):
    """A request, and what to make of the response."""

    method: str
    path: str
    parse: Callable[[bytes], T] = field(repr=False)
    query: Mapping[str, object] = field(default_factory=dict)
    body: Mapping[str, object] | None = field(default=None, repr=False)
    idempotency_key: str | None = None
    accept: str | None = None

    @property
    def target(self) -> str:
        """The path with the query."""
        query = {_wire.key(name): str(value) for name, value in self.query.items() if value is not None}
        return self.path + ("?" + urlencode(query) if query else "")

    @property
    def content(self) -> bytes | None:
        """The bytes of the body."""
        return None if self.body is None else json.dumps(_wire.encoded(self.body)).encode()

    def headers(self, token: str | None) -> dict[str, str]:
        """Returns the header fields."""
        found = {"Connection": "close", "Accept-Encoding": "identity"}
        if token is not None:
            found["Authorization"] = f"Bearer {token}"
        if self.body is not None:
            found["Content-Type"] = "application/json"
        if self.idempotency_key is not None:
            found["Idempotency-Key"] = self.idempotency_key
        if self.accept is not None:
            found["Accept"] = self.accept
        return found

    def result(self, status: int, body: bytes) -> T:
        """Returns the value of the response, or raises its error."""
        __tracebackhide__ = True
        if not 200 <= status <= 299:
            raise service_error(status, body)
        return self.parse(body)


def described_by(make: Callable[..., Request[T]]) -> Callable[[Method], Method]:
    """Gives a method the name, the parameters, and the description of the function that makes its request."""

    def describe(method: Method) -> Method:
        signature = inspect.signature(make)
        handle, *parameters = signature.parameters.values()
        result = inspect.signature(method).return_annotation
        if result == "T":
            result = str(signature.return_annotation).removeprefix("Request[").removesuffix("]")
        shown = signature.replace(parameters=[handle.replace(name="self", annotation=handle.empty), *parameters])
        method.__name__, method.__qualname__, method.__doc__ = make.__name__, make.__qualname__, make.__doc__
        setattr(method, "__wrapped__", make)
        setattr(method, "__signature__", shown.replace(return_annotation=result))
        return method

    return describe


def json_result(decode: Callable[[object], T]) -> Callable[[bytes], T]:
    """Returns a parser of a JSON response."""

    def parse(body: bytes) -> T:
        try:
            value = json.loads(body)
        except ValueError as error:
            raise UnexpectedAnswer("the answer is no JSON") from error
        return decode(value)

    return parse


def text_result(body: bytes) -> str:
    """Parses a response with text."""
    return body.decode()


def no_result(_: bytes) -> None:
    """Parses an empty response."""


def segment(name: str) -> str:
    """Returns a name as a segment of a path."""
    return quote(name, safe="")


def checked_address(address: str) -> str:
    """Returns an address without a final slash.

    Raises:
        ValueError: for an address that is not `http://HOST:PORT`.
    """
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment or parts.username:
        raise ValueError("the address of a service is such as http://127.0.0.1:8200")
    return address.rstrip("/")


class Deadline:
    """The end of a wait."""

    def __init__(self, seconds: float, purpose: str) -> None:
        if not seconds > 0:
            raise ValueError(f"a deadline is more than 0 seconds, not {seconds}")
        self._seconds, self._purpose = seconds, purpose
        self._end = time.monotonic() + seconds

    def remaining(self) -> float:
        """Returns the seconds that are left.

        Raises:
            DeadlinePassed: when there are none.
        """
        left = self.left
        if not left:
            raise self.passed()
        return left

    @property
    def left(self) -> float:
        """The seconds that are left, 0 after the end."""
        return max(0.0, self._end - time.monotonic())

    def passed(self) -> DeadlinePassed:
        """Returns the error of a wait that was too long."""
        return DeadlinePassed(f"{self._purpose} took more than {self._seconds:g} seconds")


class EventParser:
    """Reads server-sent events from bytes as they come."""

    def __init__(self) -> None:
        self._rest = b""
        self._data: list[bytes] = []

    def feed(self, data: bytes) -> list[Event]:
        """Takes bytes, and returns the events that they complete."""
        *lines, self._rest = (self._rest + data).split(b"\n")
        return [event for line in lines if (event := self._event(line.rstrip(b"\r"))) is not None]

    def _event(self, line: bytes) -> Event | None:
        if line.startswith(b"data:"):
            self._data.append(line[5:].removeprefix(b" "))
        if line or not self._data:
            return None
        text, self._data = b"\n".join(self._data), []
        return json_result(_wire.decoder(Event))(text)
