"""What the service answers: sessions, readers, payments, events, and the books of issuer and store."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from datetime import datetime
from decimal import Decimal
from typing import Literal

from .errors import masked

Outcome = Literal["approved", "declined", "cancelled", "failed", "unknown", "pending"]
"""How a payment ended. `failed`: certainly no money moved; `unknown`: it may have."""
Need = Literal["card", "removal", "pin", "application"]
"""What a person must do now."""
Way = Literal["insert", "swipe", "tap"]
"""How a card is presented."""
Operation = Literal["payment", "refund"]
AttemptKind = Literal["sale", "refund", "increment"]
PrinterCondition = Literal["ready", "out_of_paper", "jammed", "offline", "refusing", "away", "slow", "failing"]
ScenarioStatus = Literal["passed", "failed", "failedAsExpected", "passedUnexpectedly"]
"""`failedAsExpected` and `passedUnexpectedly` are of a scenario whose file expects a failure."""
DiskCondition = Literal["working", "full", "read_only", "slow", "failing"]
EventKind = Literal[
    "step",
    "step_ended",
    "act",
    "crash",
    "start",
    "plugged_in",
    "unplugged",
    "card_in",
    "card_out",
    "waiting",
    "display",
    "card_inserted",
    "card_swiped",
    "card_tapped",
    "card_removed",
    "kernel",
    "card_details_collected",
    "authorizing",
    "remove_card",
    "approved_and_removed",
    "low_battery",
    "battery_resolved",
    "recovering",
    "disconnected",
    "reconnection",
    "update",
    "apdu",
    "host",
    "site",
    "print",
    "action",
    "saving",
    "journal",
    "capture",
    "receipt",
    "print_job",
    "disk_refused",
]
"""What an event tells about; see "Events" in docs/scenarios.md."""


@dataclass(frozen=True, repr=False)
class Value:
    """A value that is shown without the fields that it does not have, and without a card number."""

    def __repr__(self) -> str:
        found = ((each.name, getattr(self, each.name)) for each in fields(self) if each.repr)
        shown = ", ".join(f"{name}={value!r}" for name, value in found if value is not None)
        return masked(f"{type(self).__name__}({shown})")


@dataclass(frozen=True, repr=False)
class ServiceState(Value):
    """The load of the service."""

    sessions: int
    sessions_limit: int
    idle_seconds: int
    """The time after which a session without requests ends."""


@dataclass(frozen=True, repr=False)
class Card(Value):
    """A simulated card."""

    name: str
    summary: str
    chip: bool
    stripe: bool
    contactless: bool
    """Whether it can be tapped."""


@dataclass(frozen=True, repr=False)
class Catalog(Value):
    """What a session can be made of."""

    cards: tuple[Card, ...]
    reader_models: tuple[str, ...]
    issuer_rules: tuple[str, ...]
    standard_cards: tuple[str, ...]
    """The cards of a session without a list of cards."""


@dataclass(frozen=True, repr=False)
class Clock(Value):
    """A session's own clock, which stops between requests."""

    now: datetime
    elapsed_milliseconds: int
    """The time since the start of the session."""


@dataclass(frozen=True, repr=False)
class WaitingFor(Value):
    """The action that a person must take now."""

    kind: Need
    ways: tuple[Way, ...] | None = None
    """How the card can be presented."""
    applications: tuple[str, ...] | None = None
    """The applications to choose from, by number from 0."""
    is_retry: bool | None = None
    """Whether the previous PIN was wrong."""
    tries_left: int | None = None
    """The remaining PIN tries, if the card tells them."""
    typed_digits: int | None = None
    """The number of PIN digits typed."""


@dataclass(frozen=True, repr=False)
class ArmedFault(Value):
    """A fault of a reader that has not happened yet, or a hang that has not ended."""

    fault: str
    at: int | None = None
    """The number of the affected command or transfer, counted from now."""
    exchanges_only: bool | None = None
    """Whether only card exchanges are counted."""
    bytes: int | None = None
    """The number of bytes, for faults of lengths."""
    until_reset: bool | None = None
    """Whether a device reset ends the hang."""


@dataclass(frozen=True, repr=False)
class StandingFault(Value):
    """A fault of the connection to the issuer that still affects messages."""

    fault: str
    messages: tuple[str, ...]
    seconds: int | None = None
    """The delay of a late answer."""
    times_left: int | None = None
    """The number of messages still affected; None for all."""


@dataclass(frozen=True, repr=False)
class ReaderState(Value):
    """A reader of the session."""

    name: str
    model: str
    plugged_in: bool
    connected: bool
    """Whether the till is connected to it."""
    has_card: bool
    card_in_field: bool
    """Whether its card is in the field, not in the slot."""
    ways: tuple[Way, ...]
    """How a card can be presented to it."""
    faults: tuple[ArmedFault, ...]
    """The faults that have not happened yet, and a hang."""


@dataclass(frozen=True, repr=False)
class SessionState(Value):
    """A session at the end of a request."""

    id: str
    seed: int
    clock: Clock
    readers: tuple[ReaderState, ...]
    cards: tuple[Card, ...]
    issuer_faults: tuple[StandingFault, ...]
    """The faults that still affect messages to the issuer."""
    printer: PrinterCondition
    disk: DiskCondition
    process_runs: bool
    """Whether the till's process runs: not after a crash, until a restart."""
    events: int
    """The number of events so far."""
    breakpoints: tuple[str, ...]
    """The first words of events after which the session pauses."""
    display: str | None = None
    """The text on the reader's display."""
    running: Operation | None = None
    waiting_for: WaitingFor | None = None
    paused_after: int | None = None
    """The event after which the session is paused; None while it is not."""
    event_hash: str | None = None
    """A hash of the events so far. A session with the same plan and requests has the same one."""
    issuer_rules: str | None = None
    """The built-in rules of the issuer in the plan, such as `cents`."""


@dataclass(frozen=True, repr=False)
class PaidCard(Value):
    """What the till knows of the card of a payment. The number is not part of it."""

    application: str | None = None
    brand: str | None = None
    entry_mode: str | None = None
    last_four: str | None = None


@dataclass(frozen=True, repr=False)
class Attempt(Value):
    """An attempt to move money, with its states in the journal, in order."""

    kind: AttemptKind
    amount: Decimal
    states: tuple[str, ...]
    last_error: str | None = None


@dataclass(frozen=True, repr=False)
class Payment(Value):
    """A payment in the till's journal."""

    id: str
    """Its name, such as `P000001`."""
    outcome: Outcome
    state: str
    """Its state in the journal, such as `captured` or `reversed`."""
    amount: Decimal
    currency: str
    refunded: Decimal
    attempts: tuple[Attempt, ...]
    """Oldest first."""
    running: bool
    authorization_code: str | None = None
    card: PaidCard | None = None
    error_code: str | None = None
    """Why it did not succeed, such as `card_removed` or `host_timeout`."""
    error_message: str | None = None
    order: int | None = None
    """The number of the store's order."""
    terminal_verification_results: str | None = None
    """Tag 95 in hexadecimal."""
    transaction_status_information: str | None = None
    """Tag 9B in hexadecimal."""
    verification: str | None = None
    """How the cardholder was verified, such as `offline_pin`."""
    waiting_for: WaitingFor | None = None


@dataclass(frozen=True, repr=False)
class Event(Value):
    """Something that happened in a session."""

    id: int
    """Its number, from 1."""
    milliseconds: int
    """The time since the start of the session, on its clock."""
    kind: EventKind
    detail: str
    display: str | None = None
    """The English text on the reader's display after an event `display`; empty when cleared."""


@dataclass(frozen=True, repr=False)
class EventPage(Value):
    """A page of events."""

    events: tuple[Event, ...]
    last: int
    """The last number of this page: `after` of the next page."""


@dataclass(frozen=True, repr=False)
class KeptRequest(Value):
    """A request that may have changed the session, without what was typed on a PIN pad."""

    events: int
    """The number of events before the request."""
    method: str
    path: str
    """The path behind the session's own, with the query."""
    body: str | None = None
    """The body as sent; None for key presses."""


@dataclass(frozen=True, repr=False)
class DecodedFlag(Value):
    """The meaning of one or more bits of a byte."""

    byte: int
    """1 is the leftmost byte."""
    mask: str
    """The bits in hexadecimal digits: 80 is b8."""
    name: str


@dataclass(frozen=True, repr=False)
class DecodedValue(Value):
    """A value of an exchange with the card, and its parts."""

    name: str
    offset: int
    """The offset of its first byte in command and answer."""
    length: int
    masked: bool
    """Whether it is not shown because it is, or may be, card data."""
    flags: tuple[DecodedFlag, ...]
    """The bits that are set, and all bit fields."""
    problems: tuple[str, ...]
    children: tuple[DecodedValue, ...]
    tag: str | None = None
    format: str | None = None
    source: str | None = None
    hex: str | None = None
    meaning: str | None = None


@dataclass(frozen=True, repr=False)
class DecodedExchange(Value):
    """A decoded exchange with the card."""

    values: tuple[DecodedValue, ...]
    """The command, and the answer if there is one."""
    problem: str | None = None
    """Why decoding stopped early."""


@dataclass(frozen=True, repr=False)
class EventDecoding(Value):
    """A decoded exchange of a played scenario."""

    event: int
    """The number of the event."""
    exchange: DecodedExchange


@dataclass(frozen=True, repr=False)
class Mismatch(Value):
    """What differs from an expectation of a scenario."""

    key: str
    """The key of the expectation; `step` if the step itself failed."""
    line: int
    """The line of the expectation in the file."""
    sentence: str
    difference: tuple[str, ...]
    """The lines that differ: `-` expected, `+` seen."""
    step: int | None = None
    """The number of the step, from 1; None for the whole scenario."""
    action: str | None = None
    """The action of the step, such as `pay 12.50 USD`."""


@dataclass(frozen=True, repr=False)
class PlayedScenario(Value):
    """A scenario that was played, with its result."""

    name: str
    """The name of the scenario: that of the file, with the case in brackets."""
    scenarios: tuple[str, ...]
    """The names of all scenarios of the file."""
    description: str
    tags: tuple[str, ...]
    seed: int
    status: ScenarioStatus
    virtual_milliseconds: int
    """The duration on the session's clock."""
    mismatches: tuple[Mismatch, ...]
    """What differs from the expectations, in order."""
    events: tuple[Event, ...] = field(repr=False)
    """The events of the session, the first 20,000 of more."""
    decodings: tuple[EventDecoding, ...] = field(repr=False)
    """The exchanges with the card, decoded."""
    expected_failure: str | None = None
    """The file's reason for an expected failure."""
    reason: str | None = None
    """The reason of a failure in one sentence."""
    later_events: int | None = None
    """The number of events that are left out; None if all are there."""


@dataclass(frozen=True, repr=False)
class IssuerEntry(Value):
    """An entry of the issuer's ledger."""

    kind: str
    minor_units: int
    currency: str
    authorization_code: str | None = None
    last_four: str | None = None
    reason: str | None = None
    response_code: str | None = None
    rule: str | None = None
    """The issuer rule that decided."""


@dataclass(frozen=True, repr=False)
class PrintedDocument(Value):
    """What the printer got."""

    job: int
    title: str
    state: str
    reasons: tuple[str, ...]
    lines: tuple[str, ...]


@dataclass(frozen=True, repr=False)
class Printer(Value):
    """The printer, with its documents, oldest first."""

    condition: PrinterCondition
    documents: tuple[PrintedDocument, ...]


@dataclass(frozen=True, repr=False)
class PrintJob(Value):
    """A print of the till."""

    name: str
    """Its name, such as `J000001`."""
    printer: str
    state: str
    """`queued`, `accepted`, `sent`, `completed`, `failed`, or `unknown`."""


@dataclass(frozen=True, repr=False)
class Disk(Value):
    """The disk with the till's database."""

    condition: DiskCondition


@dataclass(frozen=True, repr=False)
class Restart(Value):
    """The open attempts that a new process of the till found."""

    finished: int
    open: int
    failed: int


@dataclass(frozen=True, repr=False)
class Difference(Value):
    """A difference between the till's journal and the issuer's ledger."""

    kind: str
    payment: str | None = None


@dataclass(frozen=True, repr=False)
class Reconciliation(Value):
    """The comparison of the till's journal with the issuer's ledger."""

    agrees: bool
    attempts: int
    """The number of compared attempts."""
    differences: tuple[Difference, ...]


@dataclass(frozen=True, repr=False)
class StoreOrder(Value):
    """An order of the simulated store."""

    id: int
    status: str
    total: Decimal
    currency: str
    paid: bool


@dataclass(frozen=True, repr=False)
class StoreCharge(Value):
    """A charge that the simulated store recorded."""

    id: str
    order: int
    hundredths: int


@dataclass(frozen=True, repr=False)
class Store(Value):
    """The simulated store."""

    unpaid: tuple[int, ...]
    """The numbers of the plan's unpaid orders."""
    orders: tuple[StoreOrder, ...]
    charges: tuple[StoreCharge, ...]
