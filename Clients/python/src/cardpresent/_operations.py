"""Every request of the service, once. The first parameter is the path of the session or of the reader."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TypeVar

from . import plans, values
from ._request import STREAM, Request, json_result, no_result, segment, text_result
from ._wire import amount as amount_text
from ._wire import decoder, list_decoder

T = TypeVar("T")
SESSIONS = "/v1/sessions"


def _read(path: str, kind: type[T]) -> Request[T]:
    return Request("GET", path, json_result(decoder(kind)))


def _list(path: str, kind: type[T]) -> Request[tuple[T, ...]]:
    return Request("GET", path, json_result(list_decoder(kind)))


def _act(path: str, kind: type[T], body: dict[str, object] | None = None, key: str | None = None) -> Request[T]:
    return Request("POST", path, json_result(decoder(kind)), body=body, idempotency_key=key)


def _put(path: str, kind: type[T], body: dict[str, object]) -> Request[T]:
    return Request("PUT", path, json_result(decoder(kind)), body=body)


def _payment(path: str, payment: values.Payment | str, action: str = "") -> str:
    return f"{path}/payments/{segment(payment if isinstance(payment, str) else payment.id)}{action}"


def _several(value: object) -> object:
    return value if value is None or isinstance(value, list | tuple) else [value]


# The service


def state(path: str) -> Request[values.ServiceState]:
    """Returns the load of the service."""
    return _read(f"{path}/v1", values.ServiceState)


def catalog(path: str) -> Request[values.Catalog]:
    """Returns the available cards, reader models, and issuer rules."""
    return _read(f"{path}/v1/catalogue", values.Catalog)


def sessions(path: str) -> Request[tuple[values.SessionState, ...]]:
    """Returns the open sessions."""
    return _list(path + SESSIONS, values.SessionState)


def session(
    path: str,
    cards: str | plans.CardPlan | Sequence[str | plans.CardPlan] | None = None,
    *,
    readers: str | plans.ReaderPlan | Sequence[str | plans.ReaderPlan] | None = None,
    seed: int | None = None,
    issuer: plans.IssuerPlan | None = None,
    host: plans.HostPlan | None = None,
    store: plans.StorePlan | None = None,
    printer: plans.PrinterChange | None = None,
    disk: plans.DiskChange | None = None,
    start: datetime | None = None,
    utc_offset_seconds: int | None = None,
    connect: bool | None = None,
) -> Request[values.SessionState]:
    """Starts a session.

    Args:
        cards: the cards, by the names of their profiles, or made from profiles. Payments use the first one.
        readers: the readers, by their models, or with details. The till connects to the first one.
        seed: the random seed. The same plan and requests give the same session, event for event.
        issuer: the issuer of the cards.
        host: a wire to the issuer; without it, the till has the issuer in its own process.
        store: a simulated store, which the till is signed in to.
        printer: the printer's condition.
        disk: the disk's condition.
        start: the start time on the session's clock, with a zone.
        utc_offset_seconds: the till's offset from UTC.
        connect: whether to connect the first reader at once, which is the default.
    """
    plan: dict[str, object] = {"cards": _several(cards), "readers": _several(readers), "seed": seed, "issuer": issuer}
    plan |= {"host": host, "store": store, "printer": printer, "disk": disk, "start": start, "connect": connect}
    return _act(path + SESSIONS, values.SessionState, plan | {"utc_offset_seconds": utc_offset_seconds})


def play_scenario(
    path: str, text: str, *, file: str | None = None, scenario: str | None = None, seed: int | None = None
) -> Request[values.PlayedScenario]:
    """Plays a scenario file from its beginning to its end, and returns its result, also of one that fails.

    Args:
        text: the scenario file as YAML text, which names no other files.
        file: the name of the file, for names and errors.
        scenario: the name of the scenario to play; the first one of the file by default.
        seed: the random seed, unless the scenario has its own; 1 by default.
    """
    body: dict[str, object] = {"text": text, "file": file, "scenario": scenario, "seed": seed}
    return _act(f"{path}/v1/scenarios/play", values.PlayedScenario, body)


# A session


def read_session(path: str) -> Request[values.SessionState]:
    """Returns the session: its readers, the display, what it waits for."""
    return _read(path, values.SessionState)


def delete(path: str) -> Request[None]:
    """Ends the session."""
    return Request("DELETE", path, no_result)


def reset(path: str) -> Request[values.SessionState]:
    """Replaces the session by a new one with the same plan. Event numbers start at 1 again."""
    return _act(f"{path}/reset", values.SessionState)


def clock(path: str) -> Request[values.Clock]:
    """Returns the session's clock."""
    return _read(f"{path}/clock", values.Clock)


def advance(path: str, seconds: int | None = None, *, milliseconds: int | None = None) -> Request[values.Clock]:
    """Lets time pass on the session's clock. No real time passes."""
    return _act(f"{path}/clock/advance", values.Clock, {"seconds": seconds, "milliseconds": milliseconds})


def cards(path: str) -> Request[tuple[values.Card, ...]]:
    """Returns the session's cards."""
    return _list(f"{path}/cards", values.Card)


def readers(path: str) -> Request[tuple[values.ReaderState, ...]]:
    """Returns the session's readers."""
    return _list(f"{path}/readers", values.ReaderState)


def add_reader(
    path: str,
    model: str | None = None,
    *,
    name: str | None = None,
    plugged_in: bool | None = None,
    battery_percent: int | None = None,
    faults: Sequence[plans.ReaderFault] | None = None,
) -> Request[values.ReaderState]:
    """Adds a reader of one of `Catalog.reader_models` to the session."""
    body: dict[str, object] = {"model": model, "name": name, "plugged_in": plugged_in, "faults": faults}
    return _act(f"{path}/readers", values.ReaderState, body | {"battery_percent": battery_percent})


def choose(path: str, application: int | None) -> Request[values.SessionState]:
    """Chooses an application of the card by its number from 0, or cancels the choice with None."""
    return _act(f"{path}/choice", values.SessionState, {"application": application})


def set_printer(
    path: str, condition: values.PrinterCondition, *, seconds: int | None = None
) -> Request[values.Printer]:
    """Sets the printer's condition."""
    return _put(f"{path}/printer", values.Printer, {"condition": condition, "seconds": seconds})


def printer(path: str) -> Request[values.Printer]:
    """Returns the printer with what it printed."""
    return _read(f"{path}/printer", values.Printer)


def set_disk(path: str, condition: values.DiskCondition, *, seconds: int | None = None) -> Request[values.Disk]:
    """Sets the condition of the disk with the till's database."""
    return _put(f"{path}/disk", values.Disk, {"condition": condition, "seconds": seconds})


def crash(path: str) -> Request[values.SessionState]:
    """Kills the till's process."""
    return _act(f"{path}/process/crash", values.SessionState)


def restart(path: str) -> Request[values.Restart]:
    """Starts another process of the till, which finishes what was open."""
    return _act(f"{path}/process/restart", values.Restart)


def events(
    path: str, *, after: int | None = None, limit: int | None = None, kind: values.EventKind | None = None
) -> Request[values.EventPage]:
    """Returns a page of events, those after the number `after`."""
    query: dict[str, object] = {"after": after, "limit": limit, "kind": kind}
    return Request("GET", f"{path}/events", json_result(decoder(values.EventPage)), query=query)


def stream(path: str, after: int | None) -> Request[None]:
    """Returns the request of a stream of events. It has all kinds: the service filters only pages."""
    return Request("GET", f"{path}/events", no_result, query={"after": after}, accept=STREAM)


def trace(path: str) -> Request[str]:
    """Returns the exchanges with the card, one per line, masked."""
    return Request("GET", f"{path}/trace", text_result)


def decode_event(path: str, event: int) -> Request[values.DecodedExchange]:
    """Decodes an exchange with the card, by the number of its event: its data objects and their bits."""
    return _read(f"{path}/events/{event}/decoding", values.DecodedExchange)


def requests(path: str) -> Request[tuple[values.KeptRequest, ...]]:
    """Returns the requests that may have changed the session, without keys of the PIN pad."""
    return _list(f"{path}/requests", values.KeptRequest)


def set_breakpoints(path: str, events: Sequence[str]) -> Request[values.SessionState]:
    """Sets the first words of the events after which the session pauses, such as `journal authorizing`."""
    return _put(f"{path}/breakpoints", values.SessionState, {"events": events})


def resume(path: str, events: int | None = None) -> Request[values.SessionState]:
    """Lets a paused session continue, until so many events later or until a breakpoint."""
    return _act(f"{path}/continue", values.SessionState, {"events": events})


def repeat(path: str, event: int | None = None) -> Request[values.SessionState]:
    """Repeats the session up to an event in a new session, which pauses there. `Service.attach` returns it."""
    return _act(f"{path}/repeat", values.SessionState, {"event": event})


def reconcile(path: str) -> Request[values.Reconciliation]:
    """Compares the till's journal with the issuer's ledger."""
    return _read(f"{path}/reconciliation", values.Reconciliation)


# Payments


def pay(
    path: str,
    amount: plans.Amount | None = None,
    *,
    order: int | None = None,
    currency: str | None = None,
    card: str | None = None,
    cardholder: plans.Cardholder | None = None,
    card_timeout_seconds: int | None = None,
    expected: plans.Amount | None = None,
    forced_online: bool | None = None,
    reader: str | None = None,
    idempotency_key: str | None = None,
) -> Request[values.Payment]:
    """Starts a payment. It returns at its end, or where a person must act (`waiting_for`).

    Args:
        amount: the amount; or else give an order.
        order: the number of an order of the store.
        currency: the ISO 4217 code; USD by default.
        card: one of the session's cards; the first one by default.
        cardholder: `by_hand` when the test inserts the card and types the PIN.
        card_timeout_seconds: how long the till waits for a card, on the session's clock.
        expected: the total that the customer saw; the payment fails if the order has another one.
        forced_online: whether to ask the host also when the card would not.
        reader: the reader that the cardholder uses; the connected one by default.
        idempotency_key: the same key with the same body never starts a second payment.
    """
    body: dict[str, object] = {"order": order, "currency": currency, "forced_online": forced_online}
    body |= {"card": card, "cardholder": cardholder, "card_timeout_seconds": card_timeout_seconds, "reader": reader}
    for name, value in (("amount", amount), ("expected", expected)):
        body[name] = None if value is None else amount_text(value)
    return _act(f"{path}/payments", values.Payment, body, idempotency_key)


def payments(path: str) -> Request[tuple[values.Payment, ...]]:
    """Returns the payments of the till's journal."""
    return _list(f"{path}/payments", values.Payment)


def payment(path: str, payment: values.Payment | str) -> Request[values.Payment]:
    """Returns the current state of a payment."""
    return _read(_payment(path, payment), values.Payment)


def cancel(path: str, payment: values.Payment | str) -> Request[values.Payment]:
    """Cancels a payment that runs."""
    return _act(_payment(path, payment, "/cancel"), values.Payment)


def retry(
    path: str,
    payment: values.Payment | str,
    *,
    card: str | None = None,
    cardholder: plans.Cardholder | None = None,
    card_timeout_seconds: int | None = None,
    forced_online: bool | None = None,
    reader: str | None = None,
    idempotency_key: str | None = None,
) -> Request[values.Payment]:
    """Starts another attempt of a payment that did not succeed."""
    body: dict[str, object] = {"card": card, "cardholder": cardholder, "card_timeout_seconds": card_timeout_seconds}
    body |= {"forced_online": forced_online, "reader": reader}
    return _act(_payment(path, payment, "/retry"), values.Payment, body, idempotency_key)


def refund(
    path: str,
    payment: values.Payment | str,
    amount: plans.Amount | None = None,
    *,
    idempotency_key: str | None = None,
) -> Request[values.Payment]:
    """Refunds a payment; without an amount, what is left of it."""
    body: dict[str, object] = {"amount": None if amount is None else amount_text(amount)}
    return _act(_payment(path, payment, "/refund"), values.Payment, body, idempotency_key)


def receipt(
    path: str,
    payment: values.Payment | str,
    *,
    format: plans.ReceiptFormat = "text",
    copy: plans.Copy = "customer",
    kind: plans.ReceiptKind = "sale",
) -> Request[str]:
    """Returns the receipt of a payment or of its refund."""
    query = {"format": format, "copy": copy, "kind": kind}
    return Request("GET", _payment(path, payment, "/receipt"), text_result, query=query)


def print_receipt(
    path: str, payment: values.Payment | str, *, copy: plans.Copy = "customer"
) -> Request[values.PrintJob]:
    """Prints the receipt of a payment."""
    parse = json_result(decoder(values.PrintJob))
    return Request("POST", _payment(path, payment, "/print"), parse, query={"copy": copy})


# The issuer and the store


def ledger(path: str) -> Request[tuple[values.IssuerEntry, ...]]:
    """Returns the issuer's ledger."""
    return _list(f"{path}/issuer/ledger", values.IssuerEntry)


def set_issuer_rules(path: str, rules: str) -> Request[None]:
    """Sets the issuer's rules: the name of built-in rules, or rules as YAML text."""
    return Request("PUT", f"{path}/issuer/rules", no_result, body={"rules": rules})


def add_issuer_fault(
    path: str,
    fault: plans.IssuerFaultKind,
    *,
    messages: Sequence[plans.IssuerMessage] | None = None,
    times: int | None = None,
    seconds: int | None = None,
) -> Request[None]:
    """Adds a fault of the connection to the issuer.

    Args:
        fault: `not_reachable`, `request_lost`, `answer_lost`, or `answer_delayed`.
        messages: the affected messages; all by default.
        times: the number of affected messages; all by default.
        seconds: the delay of a late answer.
    """
    body: dict[str, object] = {"fault": fault, "messages": messages, "times": times, "seconds": seconds}
    return Request("POST", f"{path}/issuer/faults", no_result, body=body)


def remove_issuer_faults(path: str) -> Request[None]:
    """Removes all faults of the connection to the issuer."""
    return Request("DELETE", f"{path}/issuer/faults", no_result)


def store(path: str) -> Request[values.Store]:
    """Returns the store's orders and charges."""
    return _read(f"{path}/store", values.Store)


def add_store_fault(path: str, rule: str) -> Request[None]:
    """Adds a fault of the store, such as `POST /wc/v3/orders/* #1 lost-answer`."""
    return Request("POST", f"{path}/store/faults", no_result, body={"rule": rule})


# A reader


def read_reader(path: str) -> Request[values.ReaderState]:
    """Returns the reader's state."""
    return _read(path, values.ReaderState)


def connect(path: str) -> Request[values.SessionState]:
    """Connects the till to the reader."""
    return _act(f"{path}/connect", values.SessionState)


def disconnect(path: str) -> Request[values.SessionState]:
    """Disconnects the till from the reader."""
    return _act(f"{path}/disconnect", values.SessionState)


def plug(path: str) -> Request[values.SessionState]:
    """Plugs the reader in."""
    return _act(f"{path}/plug", values.SessionState)


def unplug(path: str) -> Request[values.SessionState]:
    """Unplugs the reader."""
    return _act(f"{path}/unplug", values.SessionState)


def insert(path: str, card: str | None = None) -> Request[values.SessionState]:
    """Inserts one of the session's cards; the payment's card by default."""
    return _act(f"{path}/insert", values.SessionState, {"card": card})


def swipe(path: str, card: str | None = None) -> Request[values.SessionState]:
    """Swipes one of the session's cards; the payment's card by default."""
    return _act(f"{path}/swipe", values.SessionState, {"card": card})


def tap(path: str, card: str | None = None) -> Request[values.SessionState]:
    """Holds one of the session's cards in the field; the payment's card by default."""
    return _act(f"{path}/tap", values.SessionState, {"card": card})


def move_away(path: str) -> Request[values.SessionState]:
    """Takes the card out of the field."""
    return _act(f"{path}/away", values.SessionState)


def unlock(path: str, card: str) -> Request[values.SessionState]:
    """Lets the owner of a device unlock it."""
    return _act(f"{path}/cards/{segment(card)}/unlock", values.SessionState)


def remove(path: str) -> Request[values.SessionState]:
    """Removes the card."""
    return _act(f"{path}/remove", values.SessionState)


def press(path: str, *keys: plans.Key) -> Request[values.SessionState]:
    """Presses keys in this order: digits, `correct`, `confirm`, `cancel`."""
    return _act(f"{path}/press", values.SessionState, {"keys": keys})


def type_pin(path: str, pin: str) -> Request[values.SessionState]:
    """Presses the digits of a PIN and `confirm`."""
    return _act(f"{path}/press", values.SessionState, {"keys": [*pin, "confirm"]})


def add_fault(
    path: str,
    fault: plans.ReaderFaultKind,
    *,
    at: int | None = None,
    bytes: int | None = None,
    exchanges_only: bool | None = None,
    until_reset: bool | None = None,
) -> Request[values.SessionState]:
    """Adds a fault of the reader.

    Args:
        fault: what happens, such as `card_removed` or `unplugged`.
        at: the number of the affected command, counted from the next one (1).
        bytes: the number of bytes, for faults of lengths.
        exchanges_only: whether to count only exchanges with the card.
        until_reset: whether a reset of the device ends a hang.
    """
    body: dict[str, object] = {"fault": fault, "at": at, "bytes": bytes}
    body |= {"exchanges_only": exchanges_only, "until_reset": until_reset}
    return _act(f"{path}/faults", values.SessionState, body)


def remove_faults(path: str) -> Request[None]:
    """Removes the faults of the reader that have not happened yet, and ends a hang."""
    return Request("DELETE", f"{path}/faults", no_result)


def set_battery(path: str, percent: int) -> Request[values.SessionState]:
    """Sets the charge of the reader's battery."""
    return _act(f"{path}/battery", values.SessionState, {"percent": percent})
