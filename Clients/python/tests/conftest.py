"""Fixtures of the client's own tests."""

from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread

import pytest

pytest_plugins = ["pytester"]


class WrongServer:
    """A server at an address where the service is expected: it answers with the same bytes every time, or never."""

    def __init__(self, answer: bytes | None) -> None:
        self.requests = 0
        self.ended = Event()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                outer.requests += 1
                if answer is None:
                    outer.ended.wait(30)
                else:
                    self.wfile.write(answer)

            do_GET = do_POST

            def log_message(self, format: str, *arguments: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self._server.server_port}"
        Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def end(self) -> None:
        self.ended.set()
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def silent_server() -> Iterator[WrongServer]:
    server = WrongServer(None)
    yield server
    server.end()


@pytest.fixture
def rude_server() -> Iterator[WrongServer]:
    """Closes the connection in the middle of a response."""
    server = WrongServer(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{")
    yield server
    server.end()


@pytest.fixture
def other_server() -> Iterator[WrongServer]:
    """Is another program."""
    server = WrongServer(b"HTTP/1.1 404 Not Found\r\nContent-Length: 6\r\n\r\n<html>")
    yield server
    server.end()
