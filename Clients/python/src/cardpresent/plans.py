"""What a session is made of, and the faults that can be added to it. `None` stands for the service's default."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Literal

from .values import DiskCondition, PrinterCondition, Value

Amount = Decimal | str | int
"""A decimal amount in major units, such as `"12.50"`. A `float` is refused."""
Cardholder = Literal["automatic", "by_hand"]
"""`automatic`: the cardholder does what the card's profile says. `by_hand`: requests do it."""
Key = Literal["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "correct", "confirm", "cancel"]
IssuerFaultKind = Literal["not_reachable", "request_lost", "answer_lost", "answer_delayed"]
HostProfile = Literal["iso87-ascii", "iso87-bcd-tpdu", "iso93-ebcdic", "iso2003"]
IssuerMessage = Literal["authorize", "reverse", "advise", "inquire", "refund"]
ReaderFaultKind = Literal[
    "command_stalled",
    "answer_stalled",
    "zero_length_first",
    "wrong_sequence",
    "wrong_length",
    "huge_length",
    "truncated",
    "unanswered",
    "card_removed",
    "unplugged",
    "hang",
    "hardware_error",
]
Copy = Literal["customer", "merchant"]
ReceiptFormat = Literal["text", "html"]
ReceiptKind = Literal["sale", "refund"]


@dataclass(frozen=True, repr=False)
class CardPlan(Value):
    """A card of the session, made from a profile."""

    name: str
    profile: str = field(repr=False)
    """The name of a built-in profile, or a profile as YAML text (docs/card-profiles.md)."""


@dataclass(frozen=True, repr=False)
class ReaderFault(Value):
    """A fault of a reader."""

    fault: ReaderFaultKind
    at: int | None = None
    """The number of the affected command, counted from the next one (1)."""
    bytes: int | None = None
    """The number of bytes, for faults of lengths."""
    exchanges_only: bool | None = None
    """Whether to count only exchanges with the card."""
    until_reset: bool | None = None
    """Whether a reset of the device ends a hang."""


@dataclass(frozen=True, repr=False)
class ReaderPlan(Value):
    """A reader of the session."""

    name: str | None = None
    model: str | None = None
    """One of `Catalog.reader_models`."""
    plugged_in: bool | None = None
    battery_percent: int | None = None
    faults: Sequence[ReaderFault] | None = None


@dataclass(frozen=True, repr=False)
class IssuerFault(Value):
    """A fault of the connection to the issuer."""

    fault: IssuerFaultKind
    messages: Sequence[IssuerMessage] | None = None
    """The affected messages; all by default."""
    times: int | None = None
    """The number of affected messages; all by default."""
    seconds: int | None = None
    """The delay of a late answer."""


@dataclass(frozen=True, repr=False)
class IssuerPlan(Value):
    """The issuer of the session's cards."""

    rules: str | None = field(default=None, repr=False)
    """The name of built-in rules, or rules as YAML text (docs/issuer-rules.md)."""
    faults: Sequence[IssuerFault] | None = None


@dataclass(frozen=True, repr=False)
class HostPlan(Value):
    """A wire from the till to a simulated acquirer, which asks the issuer (docs/acquirer.md)."""

    wire: Literal["iso8583"]
    profile: HostProfile
    """The message profile, which is the acquirer's dialect."""
    faults: Sequence[str] | None = None
    """The faults of the acquirer, such as `answer-lost:sale:1`."""
    fault_percent: int | None = None
    """How many of a hundred messages about money get another fault at random."""


@dataclass(frozen=True, repr=False)
class StorePlan(Value):
    """The simulated store, which the till is signed in to."""

    orders: int | None = None
    """The number of generated orders."""
    unpaid: Sequence[Amount] | None = None
    """The amounts of unpaid orders, in US dollars."""
    stripe: bool | None = None
    """Whether the store has the Stripe extension as well."""
    faults: Sequence[str] | None = None
    """The faults, such as `POST /wc/v3/orders/* #1 lost-answer` (docs/simulate-store.md)."""


@dataclass(frozen=True, repr=False)
class PrinterChange(Value):
    """The printer's condition."""

    condition: PrinterCondition
    seconds: int | None = None
    """The delay of a slow printer."""


@dataclass(frozen=True, repr=False)
class DiskChange(Value):
    """The disk's condition."""

    condition: DiskCondition
    seconds: int | None = None
    """The delay of a slow disk."""
