"""What can go wrong. Every error of this package is a `CardPresentError`."""

from __future__ import annotations

import json
import re

__all__ = [
    "AccessDenied",
    "CardPresentError",
    "DeadlinePassed",
    "InvalidRequest",
    "LimitReached",
    "NotFound",
    "NotPossibleNow",
    "ProgramError",
    "ServiceError",
    "ServiceUnreachable",
    "Unavailable",
    "UnexpectedAnswer",
    "masked",
]

_DIGITS = r"[1-9][0-9]{12,18}|[1-9][0-9]{3}([ -])[0-9]{4}\1[0-9]{4}\1[0-9]{1,7}|3[0-9]{3}[ -][0-9]{6}[ -][0-9]{5}"
_NUMBER = re.compile(f"(?<![0-9A-Za-z])(?:{_DIGITS})(?![0-9])")


def masked(text: str) -> str:
    """Returns the text with only the last four digits of each card number in it."""
    return _NUMBER.sub(_mask, text)


def _mask(match: re.Match[str]) -> str:
    digits = [int(digit) for digit in match[0] if digit.isdigit()]
    doubled = (digit if place % 2 == 0 else digit * 2 - 9 * (digit > 4) for place, digit in enumerate(digits[::-1]))
    return match[0] if sum(doubled) % 10 else "**** " + "".join(map(str, digits[-4:]))


class CardPresentError(Exception):
    """An error of this package. Its text has no card number."""

    def __init__(self, message: str) -> None:
        super().__init__(masked(message))


class ServiceError(CardPresentError):
    """The service refused a request, and says why."""

    def __init__(
        self, status: int, code: str, message: str, *, fix: str | None = None, path: str | None = None
    ) -> None:
        self.status = status
        """The status of the HTTP response."""
        self.code = code
        """The error's name, which never changes between versions, such as `invalid_body`."""
        self.message = masked(message)
        """What is wrong."""
        self.fix = None if fix is None else masked(fix)
        """How to fix it."""
        self.path = path
        """Where in the request's body the mistake is, such as `cards[0].profile`."""
        place = f"{path}: " if path and path not in message else ""
        hint = f" ({fix})" if fix and fix not in message else ""
        super().__init__(f"{place}{message}{hint} [{status} {code}]")

    def __reduce__(self) -> tuple[object, ...]:
        return (_again, (type(self), self.status, self.code, self.message, self.fix, self.path))


class InvalidRequest(ServiceError):
    """The request has a mistake (400, 405, 413, 422): an unknown key, an unknown card, a wrong amount."""


class AccessDenied(ServiceError):
    """The token is missing or wrong (401), or the address is not the service's own (403)."""


class NotFound(ServiceError):
    """There is no such session, reader, card, or payment (404)."""


class NotPossibleNow(ServiceError):
    """The request fits another moment (409): a payment is running, the disk is full, the till's process is dead."""


class LimitReached(ServiceError):
    """The service has no room for another session or stream (429)."""


class Unavailable(ServiceError):
    """A store or printer that was made to fail failed (502, 503), or the service has too many connections (503)."""


class ServiceUnreachable(CardPresentError):
    """The connection failed or broke off. Whether the service carried out the request is unknown."""


class DeadlinePassed(CardPresentError, TimeoutError):
    """A wait took longer than its deadline. Whether the service carried out the request is unknown."""


class UnexpectedAnswer(CardPresentError):
    """The answer is not one of this service: another program has the address, or its version doesn't fit."""


class ProgramError(CardPresentError):
    """The program `cardpresent` was not found, did not start, or ended."""


_KINDS: dict[int, type[ServiceError]] = {
    400: InvalidRequest,
    401: AccessDenied,
    403: AccessDenied,
    404: NotFound,
    405: InvalidRequest,
    409: NotPossibleNow,
    413: InvalidRequest,
    422: InvalidRequest,
    429: LimitReached,
    502: Unavailable,
    503: Unavailable,
}


def service_error(status: int, body: bytes) -> CardPresentError:
    """Returns the error of a response whose status is not 2xx."""
    try:
        error = json.loads(body)["error"]
        code, message = str(error["code"]), str(error["message"])
        fix, path = error.get("fix"), error.get("path")
    except (ValueError, TypeError, KeyError, AttributeError):
        return UnexpectedAnswer(f"the answer has the status {status}, and is none of 'cardpresent simulate serve'")
    return _again(_KINDS.get(status, ServiceError), status, code, message, fix, path)


def _again(
    kind: type[ServiceError], status: int, code: str, message: str, fix: str | None, path: str | None
) -> ServiceError:
    return kind(status, code, message, fix=fix, path=path)
