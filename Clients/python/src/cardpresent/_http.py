"""Sends requests with http.client. Every request has its own connection, so none is ever sent twice."""

from __future__ import annotations

import io
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from typing import Any, TypeVar
from urllib.parse import urlsplit

from ._request import Deadline, EventParser, Request
from .errors import DeadlinePassed, ServiceUnreachable
from .values import Event

T = TypeVar("T")


class Transport:
    """Sends requests to a service, each with a deadline."""

    def __init__(self, address: str, token: str | None) -> None:
        self.address = address
        self._token = token
        parts = urlsplit(address)
        self._host, self._port = parts.hostname or "", parts.port
        self._is_secure, self._prefix = parts.scheme == "https", parts.path

    def send(self, request: Request[T], seconds: float) -> T:
        """Sends a request and returns its result."""
        __tracebackhide__ = True
        deadline = Deadline(seconds, f"{request.method} {request.path}")
        with self._response(request, deadline) as response, self._errors(request, deadline):
            body = response.read()
        return request.result(response.status, body)

    @contextmanager
    def stream(self, request: Request[None], seconds: float) -> Iterator[Iterator[Event]]:
        """Sends a request and reads the events of its response as they come."""
        deadline = Deadline(seconds, f"the stream {request.path}")
        with self._response(request, deadline) as response:
            if response.status != 200:
                with self._errors(request, deadline):
                    body = response.read()
                request.result(response.status, body)
            yield self._events(request, response, deadline)

    def _events(self, request: Request[None], response: HTTPResponse, deadline: Deadline) -> Iterator[Event]:
        parser = EventParser()
        while True:
            with self._errors(request, deadline):
                line = response.readline()
            if not line:
                return
            yield from parser.feed(line)

    @contextmanager
    def _response(self, request: Request[Any], deadline: Deadline) -> Iterator[HTTPResponse]:
        make = HTTPSConnection if self._is_secure else HTTPConnection
        connection = make(self._host, self._port, timeout=deadline.remaining())
        try:
            with self._errors(request, deadline):
                connection.request(
                    request.method, self._prefix + request.target, request.content, request.headers(self._token)
                )
                response = _BoundedResponse(connection.sock, deadline, request.method)
            with response:
                with self._errors(request, deadline):
                    response.begin()
                yield response
        finally:
            connection.close()

    @contextmanager
    def _errors(self, request: Request[Any], deadline: Deadline) -> Iterator[None]:
        """Turns the errors of a connection into those of this package."""
        try:
            yield
        except DeadlinePassed:
            raise
        except TimeoutError as error:
            raise deadline.passed() from error
        except (OSError, HTTPException) as error:
            reason = getattr(error, "strerror", None) or type(error).__name__
            raise ServiceUnreachable(f"{request.method} {self.address}{request.path}: {reason}") from error


class _BoundedResponse(HTTPResponse):
    """A response that is read until a deadline, however slowly its bytes come."""

    def __init__(self, connection: socket.socket, deadline: Deadline, method: str) -> None:
        super().__init__(connection, method=method)
        self.fp.close()
        self.fp = io.BufferedReader(_BoundedBytes(connection, deadline))


class _BoundedBytes(io.RawIOBase):
    def __init__(self, connection: socket.socket, deadline: Deadline) -> None:
        self._connection, self._deadline = connection, deadline

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self._connection.settimeout(self._deadline.remaining())
        return self._connection.recv_into(buffer)
