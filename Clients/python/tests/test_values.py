"""Card numbers, amounts, and answers of other programs."""

from __future__ import annotations

import pickle
from datetime import datetime
from decimal import Decimal
from typing import Any

import pytest

from cardpresent import CardPlan, Event, InvalidRequest, IssuerPlan, UnexpectedAnswer, _wire, values
from cardpresent._request import EventParser
from cardpresent.errors import masked, service_error

NUMBER = "4761739001010010"


@pytest.mark.parametrize("number", [NUMBER, "4761 7390 0101 0010", "4761-7390-0101-0010", "378282246310005"])
def test_a_card_number_is_masked(number: str) -> None:
    text = masked(f"the card {number} is unknown")
    assert text == f"the card **** {number[-4:]} is unknown"


@pytest.mark.parametrize(
    "text", ["P000001", "00000001250000000000000840", "80A8000002830000", "4761739001010011", NUMBER + "1234567890"]
)
def test_other_digits_stay(text: str) -> None:
    assert masked(text) == text


def test_no_repr_has_a_card_number() -> None:
    event = Event(id=1, milliseconds=0, kind="apdu", detail=f"57 {NUMBER}D2512")
    plan = CardPlan("mine", f"card:\n  number: {NUMBER}")
    error = InvalidRequest(422, "unknown_card", f"no card '{NUMBER}'", fix=f"leave out {NUMBER}")
    for value in (event, plan, IssuerPlan(rules=NUMBER), error):
        assert NUMBER not in repr(value)
        assert NUMBER not in str(value)
    assert NUMBER not in f"{error.message} {error.fix}"
    assert event.detail == f"57 {NUMBER}D2512"


def test_a_value_is_shown_without_what_it_does_not_have() -> None:
    assert repr(values.WaitingFor("pin", tries_left=3)) == "WaitingFor(kind='pin', tries_left=3)"


def test_an_error_can_be_sent_to_another_process() -> None:
    error = InvalidRequest(422, "invalid_body", "unknown key 'amuont'", fix="did you mean 'amount'?", path="amuont")
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again), again.path, again.fix) == (type(error), str(error), error.path, error.fix)


@pytest.mark.parametrize(("amount", "text"), [("12.50", "12.50"), (12, "12"), (Decimal("1E+2"), "100")])
def test_an_amount_is_a_decimal_text(amount: Any, text: str) -> None:
    assert _wire.amount(amount) == text


@pytest.mark.parametrize("amount", [12.5, True, None])
def test_a_binary_fraction_is_no_amount(amount: Any) -> None:
    with pytest.raises(TypeError, match="write '12.50'"):
        _wire.amount(amount)


def test_a_time_without_a_zone_is_refused() -> None:
    with pytest.raises(ValueError, match="zone"):
        _wire.encoded({"start": datetime(2026, 1, 2)})


@pytest.mark.parametrize(
    "value",
    [
        {"sessions": 1, "sessionsLimit": 2},
        {"sessions": "1", "sessionsLimit": 2, "idleSeconds": 3},
        {"sessions": True, "sessionsLimit": 2, "idleSeconds": 3},
        [],
        None,
    ],
)
def test_an_answer_that_does_not_fit_is_an_error(value: Any) -> None:
    with pytest.raises(UnexpectedAnswer):
        _wire.decoder(values.ServiceState)(value)


def test_a_newer_service_may_say_more() -> None:
    value = {"id": 1, "milliseconds": 2, "kind": "news", "detail": "", "extra": []}
    event = _wire.decoder(Event)(value)
    assert str(event.kind) == "news"


def test_the_error_of_another_program_has_its_status() -> None:
    with pytest.raises(UnexpectedAnswer, match="502"):
        raise service_error(502, b"<html>Bad gateway</html>")


def test_events_arrive_in_any_pieces() -> None:
    data = b'data: {"id":1,"milliseconds":0,"kind":"display","detail":"\xe2\x80\xa8"}'
    text = b": alive\n\nid: 1\nevent: display\n" + data + b"\r\n\n"
    for size in (1, 2, 7, len(text)):
        parser = EventParser()
        found = [event for at in range(0, len(text), size) for event in parser.feed(text[at : at + size])]
        assert found == [Event(id=1, milliseconds=0, kind="display", detail="\u2028")]
