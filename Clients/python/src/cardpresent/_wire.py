"""Converts between the service's JSON and dataclasses: `cardTimeoutSeconds` is the field `card_timeout_seconds`."""

from __future__ import annotations

import functools
import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, Field, fields, is_dataclass
from datetime import datetime, timezone
from decimal import Decimal, InvalidOperation
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from .errors import UnexpectedAnswer

T = TypeVar("T")


def key(name: str) -> str:
    """Returns the JSON key of a field."""
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


def encoded(value: object) -> object:
    """Returns the JSON of a value. Fields and keys without a value are left out."""
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, Decimal | float):
        return amount(value)
    if isinstance(value, datetime):
        if value.tzinfo is None:
            raise ValueError("a time needs a zone: write datetime(…, tzinfo=timezone.utc)")
        return value.astimezone(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    if is_dataclass(value):
        return encoded({field.name: getattr(value, field.name) for field in fields(value)})
    if isinstance(value, Mapping):
        return {key(name): encoded(each) for name, each in value.items() if each is not None}
    if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray):
        return [encoded(each) for each in value]
    raise TypeError(f"a value of the type {type(value).__name__} can't be sent")


def amount(value: Decimal | str | int | float) -> str:
    """Returns the decimal text of an amount.

    Raises:
        TypeError: for a binary fraction, because 0.1 + 0.2 is not 0.30.
        ValueError: for an infinite amount.
    """
    if isinstance(value, bool) or not isinstance(value, Decimal | str | int):
        name = type(value).__name__
        raise TypeError(f"an amount is a Decimal, a text, or a whole number, not a {name}: write '12.50'")
    if isinstance(value, Decimal):
        if not value.is_finite():
            raise ValueError(f"{value} is not an amount")
        return format(value, "f")
    return str(value)


def decoder(kind: type[T]) -> Callable[[Any], T]:
    """Returns a function that makes a value of this type from JSON."""

    def decode(value: Any) -> T:
        decoded: T = _decoded(kind, value, kind.__name__)
        return decoded

    return decode


def list_decoder(kind: type[T]) -> Callable[[Any], tuple[T, ...]]:
    """Returns a function that makes a tuple of values of this type from a JSON list."""

    def decode(value: Any) -> tuple[T, ...]:
        decoded: tuple[T, ...] = _decoded(tuple[kind, ...], value, kind.__name__)  # type: ignore[valid-type]
        return decoded

    return decode


def is_optional(field: Field[Any]) -> bool:
    """Whether the service may leave the field out."""
    return field.default is not MISSING or field.default_factory is not MISSING


@functools.cache
def hints(kind: type) -> dict[str, Any]:
    """Returns the types of a dataclass's fields."""
    return get_type_hints(kind)


def _decoded(kind: Any, value: Any, place: str) -> Any:
    origin = get_origin(kind)
    if origin in (Union, types.UnionType):
        (inner,) = (each for each in get_args(kind) if each is not type(None))
        return None if value is None else _decoded(inner, value, place)
    if origin is tuple:
        elements = _typed(list, value, place)
        return tuple(_decoded(get_args(kind)[0], each, f"{place}[{index}]") for index, each in enumerate(elements))
    if origin is Literal:  # A newer service may have further words.
        return _typed(str, value, place)
    if is_dataclass(kind) and isinstance(kind, type):
        return _decoded_fields(kind, _typed(dict, value, place), place)
    try:
        if kind is Decimal:
            return Decimal(_typed(str, value, place))
        if kind is datetime:
            return datetime.fromisoformat(_typed(str, value, place))
    except (InvalidOperation, ValueError) as error:
        raise UnexpectedAnswer(f"{place} is no {kind.__name__} in the answer") from error
    return _typed(kind, value, place)


def _decoded_fields(kind: type, value: dict[str, Any], place: str) -> Any:
    found = {}
    for field in fields(kind):
        name = key(field.name)
        if name in value:
            found[field.name] = _decoded(hints(kind)[field.name], value[name], f"{place}.{field.name}")
        elif not is_optional(field):
            raise UnexpectedAnswer(f"{place}.{field.name} is missing in the answer")
    return kind(**found)


def _typed(kind: type[T], value: Any, place: str) -> T:
    if not isinstance(value, kind) or isinstance(value, bool) and kind is not bool:
        raise UnexpectedAnswer(f"{place} is no {kind.__name__} in the answer")
    return value
