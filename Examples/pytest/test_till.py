"""Tests a till against simulated card payments, with the plugin of the package `cardpresent`.

pip install cardpresent-0.2.0-py3-none-any.whl pytest
pytest Examples/pytest
"""

from __future__ import annotations

from decimal import Decimal

import pytest
from cardpresent import InvalidRequest, Reader
from till import OutcomeUnknown, Till


@pytest.fixture
def till(simulated_reader: Reader) -> Till:
    return Till(simulated_reader.session)


@pytest.mark.simulated_reader("visa-credit")
def test_a_sale_is_approved_and_has_a_receipt(till: Till, simulated_reader: Reader) -> None:
    assert till.ask("12.50") == "card"
    simulated_reader.insert()
    simulated_reader.remove()
    assert till.finish()
    assert "TOTAL                             $12.50" in till.receipts[0]
    assert till.cashed_up() == Decimal("12.50")


@pytest.mark.simulated_reader("insufficient-funds")
def test_a_card_without_money_is_declined(till: Till, simulated_reader: Reader) -> None:
    till.ask("12.50")
    simulated_reader.insert()
    simulated_reader.remove()
    assert not till.finish()
    assert till.cashed_up() == 0


@pytest.mark.simulated_reader("pin-required", readers="pinpad")
def test_a_customer_who_mistypes_the_pin_is_asked_again(till: Till, simulated_reader: Reader) -> None:
    till.ask("3.00")
    simulated_reader.insert()
    again = simulated_reader.type_pin("9999").waiting_for
    assert again is not None and again.is_retry and again.tries_left == 2
    simulated_reader.type_pin("1234")
    simulated_reader.remove()
    assert till.finish()


@pytest.mark.simulated_reader("pin-required", readers="pinpad")
def test_a_card_that_is_pulled_out_too_early_costs_nothing(till: Till, simulated_reader: Reader) -> None:
    till.ask("3.00")
    assert simulated_reader.insert().waiting_for is not None
    simulated_reader.remove()
    assert not till.finish()
    assert simulated_reader.session.ledger() == ()


@pytest.mark.simulated_reader("visa-credit")
def test_nobody_inserts_a_card(till: Till, simulated_reader: Reader) -> None:
    till.ask("3.00")
    simulated_reader.session.advance(seconds=61)  # A minute of the session's time; no real time passes.
    assert not till.finish()
    assert till.cashed_up() == 0


@pytest.mark.simulated_reader("visa-credit")
def test_a_host_that_is_silent_once_is_asked_again(till: Till, simulated_reader: Reader) -> None:
    simulated_reader.session.add_issuer_fault("answer_lost", messages=["authorize"], times=1)
    till.ask("3.00")
    simulated_reader.insert()
    simulated_reader.remove()
    assert till.finish()
    assert till.cashed_up() == Decimal("3.00")


@pytest.mark.simulated_reader("visa-credit")
def test_a_host_that_stays_silent_leaves_the_outcome_open(till: Till, simulated_reader: Reader) -> None:
    simulated_reader.session.add_issuer_fault("answer_lost")
    till.ask("3.00")
    simulated_reader.insert()
    simulated_reader.remove()
    with pytest.raises(OutcomeUnknown):
        till.finish()
    simulated_reader.session.remove_issuer_faults()
    simulated_reader.session.crash()
    simulated_reader.session.restart()  # The next process of the till reverses what the last one left open.
    assert till.cashed_up() == 0


@pytest.mark.simulated_reader("visa-credit")
def test_a_mistake_in_a_request_says_where_it_is(till: Till) -> None:
    with pytest.raises(InvalidRequest, match="amount"):
        till.ask("twelve")
