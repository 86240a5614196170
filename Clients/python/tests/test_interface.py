"""Compares the client with the service's own description of itself, so that neither has what the other lacks."""

from __future__ import annotations

import dataclasses
import inspect
import json
import re
import types
import urllib.request
from collections.abc import Callable
from typing import Any, Literal, Union, get_args, get_origin

import pytest

from cardpresent import Reader, Service, Session, _operations, _wire, asynchronous, plans, service, values
from cardpresent._request import Request

PATHS = {
    "Service": "",
    "Session": "/v1/sessions/{session}",
    "Reader": "/v1/sessions/{session}/readers/{reader}",
}
VALUES = {
    "ArmedFault": values.ArmedFault,
    "Card": values.Card,
    "CardPlan": plans.CardPlan,
    "Catalogue": values.Catalog,
    "Clock": values.Clock,
    "DecodedExchange": values.DecodedExchange,
    "DecodedValue": values.DecodedValue,
    "Disk": values.Disk,
    "DiskChange": plans.DiskChange,
    "Event": values.Event,
    "EventDecoding": values.EventDecoding,
    "EventPage": values.EventPage,
    "HostPlan": plans.HostPlan,
    "IssuerEntry": values.IssuerEntry,
    "IssuerFault": plans.IssuerFault,
    "IssuerPlan": plans.IssuerPlan,
    "Mismatch": values.Mismatch,
    "Need": values.WaitingFor,
    "Payment": values.Payment,
    "PlayedScenario": values.PlayedScenario,
    "PrintJob": values.PrintJob,
    "Printer": values.Printer,
    "PrinterChange": plans.PrinterChange,
    "Reader": values.ReaderState,
    "ReaderFault": plans.ReaderFault,
    "ReaderPlan": plans.ReaderPlan,
    "Reconciliation": values.Reconciliation,
    "Request": values.KeptRequest,
    "Restart": values.Restart,
    "Service": values.ServiceState,
    "Session": values.SessionState,
    "StandingFault": values.StandingFault,
    "Store": values.Store,
    "StorePlan": plans.StorePlan,
}
BODIES = {"Advance", "Battery", "CardChoice", "Choice", "Conduct", "Keys", "PaymentPlan", "Plan", "Refund", "Rules"}
BODIES |= {"StoreFault", "Error", "Health", "Breakpoints", "Continue", "Repeat", "ScenarioText"}


@pytest.fixture(scope="module")
def document(cardpresent_service: Service) -> Any:
    with urllib.request.urlopen(cardpresent_service.address + "/openapi.json", timeout=30) as response:
        return json.load(response)


def test_every_schema_is_known(document: Any) -> None:
    assert set(document["components"]["schemas"]) == set(VALUES) | BODIES


@pytest.mark.parametrize("name", VALUES)
def test_a_dataclass_has_the_fields_of_its_schema(document: Any, name: str) -> None:
    compare(VALUES[name], document["components"]["schemas"][name], document)


def compare(kind: Any, schema: Any, document: Any) -> None:
    fields = {_wire.key(field.name): field for field in dataclasses.fields(kind)}
    assert set(fields) == set(schema["properties"]), kind
    required = {name for name, field in fields.items() if not _wire.is_optional(field)}
    assert required == set(schema.get("required", []))
    for name, field in fields.items():
        compare_type(_wire.hints(kind)[field.name], schema["properties"][name], document)


def compare_type(kind: Any, schema: Any, document: Any) -> None:
    if get_origin(kind) in (Union, types.UnionType):
        kind = next(each for each in get_args(kind) if each is not type(None))
    if "enum" in schema and get_origin(kind) is Literal:
        assert set(get_args(kind)) == set(schema["enum"])
    elif get_origin(kind) is tuple and schema.get("type") == "array":
        compare_type(get_args(kind)[0], schema["items"], document)
    elif dataclasses.is_dataclass(kind) and "properties" in schema:
        compare(kind, schema, document)


def operations(handle: type) -> dict[str, Callable[..., Request[Any]]]:
    found = {name: inspect.unwrap(each) for name, each in vars(handle).items() if hasattr(each, "__wrapped__")}
    return {name: make for name, make in found.items() if make.__module__ == _operations.__name__}


def test_every_request_of_the_service_is_a_method(document: Any) -> None:
    stream = {("GET", "/v1/sessions/{session}/events")}
    reached = stream.copy()
    for handle in (Service, Session, Reader):
        for make in operations(handle).values():
            request = called(make, PATHS[handle.__name__])
            reached.add((request.method, described_path(request)))
    described = {(method.upper(), path) for path, item in document["paths"].items() for method in item}
    others = {"/", "/console/{file}", "/healthz", "/metrics", "/openapi.json", "/readyz"}
    assert reached == described - {("GET", path) for path in others}


def described_path(request: Request[Any]) -> str:
    path = re.sub("payments/[^/]+", "payments/{payment}", request.path)
    path = re.sub("cards/[^/]+/", "cards/{card}/", path)
    return re.sub("events/[^/]+/", "events/{event}/", path)


SAMPLES = {
    "payment": "P000001",
    "keys": "1",
    "cards": "visa-credit",
    "readers": "tpdu",
    "card": "k8-phone",
    "pin": "1234",
    "seconds": 1,
}


def called(make: Callable[..., Request[Any]], path: str) -> Request[Any]:
    """Returns the request with a value for every parameter."""
    arguments: list[Any] = []
    options: dict[str, Any] = {}
    for name, parameter in list(inspect.signature(make).parameters.items())[1:]:
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY:
            options[name] = SAMPLES.get(name, "1")
        else:
            arguments.append(SAMPLES.get(name, "1"))
    return make(path, *arguments, **options)


def test_bodies_and_queries_have_the_described_keys(document: Any) -> None:
    for handle in (Service, Session, Reader):
        for name, make in operations(handle).items():
            request = called(make, PATHS[handle.__name__])
            path = described_path(request)
            described = document["paths"][path][request.method.lower()]
            schema = described.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
            schema = document["components"]["schemas"].get(schema.get("$ref", "").rpartition("/")[2], schema)
            sent = json.loads(request.content or b"{}")
            assert set(sent) == set(schema.get("properties", {})), name
            parameters = described.get("parameters", [])
            assert set(request.query) == {each["name"] for each in parameters if each["in"] == "query"}, name
            has_key = any(each["name"] == "Idempotency-Key" for each in parameters)
            assert (request.idempotency_key is not None) == has_key, name


@pytest.mark.parametrize(
    ("kind", "schema"),
    [
        (plans.Key, ("Keys", "keys", "items")),
        (plans.Cardholder, ("Conduct", "cardholder", "oneOf", 0)),
        (plans.IssuerFaultKind, ("IssuerFault", "fault")),
        (plans.IssuerMessage, ("IssuerFault", "messages", "items")),
        (plans.ReaderFaultKind, ("ReaderFault", "fault")),
    ],
)
def test_the_words_are_the_described_ones(document: Any, kind: Any, schema: tuple[str, ...]) -> None:
    name, key, *rest = schema
    words = document["components"]["schemas"][name]["properties"][key]
    for step in rest:
        words = words[step]
    assert set(get_args(kind)) == set(words["enum"])


@pytest.mark.parametrize(
    ("synchronous", "other"),
    [
        (Service, asynchronous.AsyncService),
        (Session, asynchronous.AsyncSession),
        (Reader, asynchronous.AsyncReader),
        (service, asynchronous),
    ],
)
def test_the_asynchronous_client_has_the_same_methods(synchronous: Any, other: Any) -> None:
    def signatures(handle: Any) -> dict[str, list[str]]:
        names = handle.__all__ if inspect.ismodule(handle) else vars(handle)
        return {
            name: list(inspect.signature(each).parameters)
            for name in names
            if not name.startswith("_") and inspect.isfunction(each := getattr(handle, name))
        }

    assert signatures(synchronous) == signatures(other)


def test_every_operation_is_described() -> None:
    for handle in (Service, Session, Reader):
        for name, make in operations(handle).items():
            assert make.__doc__, name
