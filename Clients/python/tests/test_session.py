"""Payments at a simulated reader, and everything around them that can be asked or broken."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from decimal import Decimal
from threading import Thread

import pytest

from cardpresent import (
    CardPlan,
    DeadlinePassed,
    DiskChange,
    HostPlan,
    InvalidRequest,
    IssuerFault,
    IssuerPlan,
    NotFound,
    NotPossibleNow,
    PrinterChange,
    Reader,
    ReaderFault,
    ReaderPlan,
    Service,
    Session,
    StorePlan,
    UnexpectedAnswer,
    WaitingFor,
)


def test_a_cardholder_pays_without_further_requests(simulated_session: Session) -> None:
    payment = simulated_session.pay("12.50")
    assert (payment.outcome, payment.amount, payment.currency) == ("approved", Decimal("12.50"), "USD")
    assert payment.card is not None and payment.card.last_four is not None
    assert simulated_session.payments() == (payment,)
    assert [entry.minor_units for entry in simulated_session.ledger()] == [1250]
    assert simulated_session.reconcile().agrees


def test_the_same_seed_gives_the_same_events(cardpresent_service: Service) -> None:
    def events() -> object:
        with cardpresent_service.session("visa-credit", seed=7) as session:
            session.pay(Decimal("12.50"))
            return session.events().events

    assert events() == events()


@pytest.mark.simulated_reader("pin-required", readers="pinpad")
def test_a_person_acts_step_by_step(simulated_reader: Reader) -> None:
    session = simulated_reader.session
    payment = session.pay("3.00", cardholder="by_hand")
    assert payment.running and payment.waiting_for == WaitingFor("card", ways=("insert",))
    first = simulated_reader.insert().waiting_for
    assert first is not None and (first.kind, first.is_retry, first.tries_left) == ("pin", False, 3)
    typed = simulated_reader.press("1", "2").waiting_for
    assert typed is not None and typed.typed_digits == 2
    simulated_reader.press("cancel")
    simulated_reader.remove()
    assert session.payment(payment).outcome in ("cancelled", "declined")
    assert "1234" not in repr(session.events())


@pytest.mark.simulated_reader("multi-application")
def test_an_application_is_chosen(simulated_reader: Reader) -> None:
    session = simulated_reader.session
    payment = session.pay("3.00", cardholder="by_hand")
    need = simulated_reader.insert().waiting_for
    assert need is not None and need.kind == "application" and need.applications is not None
    session.choose(len(need.applications) - 1)
    simulated_reader.remove()
    assert session.payment(payment.id).outcome == "approved"
    simulated_reader.session.pay("4.00", cardholder="by_hand")
    simulated_reader.insert()
    session.choose(None)
    simulated_reader.remove()
    assert session.payments()[-1].outcome == "cancelled"


@pytest.mark.simulated_reader("stripe-only", readers=ReaderPlan(name="counter", model="combo"))
def test_a_card_is_swiped(simulated_reader: Reader) -> None:
    payment = simulated_reader.session.pay("3.00", cardholder="by_hand")
    simulated_reader.swipe()
    payment = simulated_reader.session.payment(payment)
    assert simulated_reader.name == "counter"
    assert payment.card is not None and payment.card.entry_mode == "swipe"


def test_time_passes_on_the_clock_of_the_session(cardpresent_service: Service) -> None:
    start = datetime(2026, 7, 1, 12, tzinfo=timezone(timedelta(hours=2)))
    with cardpresent_service.session(start=start, utc_offset_seconds=7200) as session:
        assert session.clock().now == start
        payment = session.pay("3.00", cardholder="by_hand", card_timeout_seconds=30)
        session.advance(31)
        assert session.payment(payment).error_code == "card_timeout"
        assert session.advance(milliseconds=500).now >= start + timedelta(seconds=31.5)
        assert "1 Jul 2026 12:00:31 UTC+02:00" in session.receipt(session.pay("1.00"))


def test_a_payment_is_cancelled_retried_refunded_and_printed(simulated_session: Session) -> None:
    payment = simulated_session.pay("9.99", cardholder="by_hand", currency="EUR")
    assert simulated_session.cancel(payment).outcome == "cancelled"
    payment = simulated_session.retry(payment, forced_online=True)
    assert payment.outcome == "approved"
    assert simulated_session.refund(payment, "2.50").refunded == Decimal("2.50")
    assert simulated_session.refund(payment).refunded == Decimal("9.99")
    assert "9.99" in simulated_session.receipt(payment)
    html = simulated_session.receipt(payment, format="html", copy="merchant", kind="refund")
    assert "<html" in html and "REFUND" in html.upper()
    job = simulated_session.print_receipt(payment, copy="merchant")
    assert job.name.startswith("J")
    assert any("MERCHANT COPY" in line for each in simulated_session.printer().documents for line in each.lines)
    assert "9000" in simulated_session.trace()


def test_a_repeated_request_does_not_pay_twice(simulated_session: Session) -> None:
    first = simulated_session.pay("5.00", idempotency_key="sale-1")
    assert simulated_session.pay("5.00", idempotency_key="sale-1") == first
    with pytest.raises(InvalidRequest, match="idempotency_key_reused"):
        simulated_session.pay("6.00", idempotency_key="sale-1")
    assert len(simulated_session.payments()) == 1


def test_a_second_payment_has_to_wait(simulated_session: Session) -> None:
    simulated_session.pay("5.00", cardholder="by_hand")
    with pytest.raises(NotPossibleNow, match="running") as raised:
        simulated_session.pay("6.00")
    assert raised.value.code == "busy"


def test_the_issuer_follows_rules_and_fails(simulated_session: Session) -> None:
    simulated_session.set_issuer_rules("cents")
    assert simulated_session.pay("10.51").outcome == "declined"
    simulated_session.set_issuer_rules("rules:\n  - { name: all, answer: { responseCode: '00' } }\n")
    assert simulated_session.pay("10.51").outcome == "approved"
    simulated_session.add_issuer_fault("not_reachable", messages=["authorize"], times=1)
    assert simulated_session.pay("1.00", forced_online=True).outcome == "failed"
    assert simulated_session.pay("1.00", forced_online=True).outcome == "approved"
    simulated_session.add_issuer_fault("answer_delayed", seconds=90)
    simulated_session.remove_issuer_faults()
    assert simulated_session.pay("1.00", forced_online=True).outcome == "approved"


@pytest.mark.simulated_reader(
    [CardPlan("mine", "visa-credit"), "insufficient-funds"],
    readers=["short-apdu", ReaderPlan("old", "tpdu", plugged_in=False)],
    issuer=IssuerPlan("cents", [IssuerFault("answer_delayed", seconds=1, times=1)]),
    store=StorePlan(orders=2, unpaid=["7.50"], faults=[]),
    printer=PrinterChange("slow", 1),
    disk=DiskChange("working"),
    seed=3,
    connect=False,
)
def test_a_plan_has_everything(simulated_session: Session) -> None:
    state = simulated_session.state()
    assert (state.seed, state.printer, state.disk) == (3, "slow", "working")
    assert [card.name for card in simulated_session.cards()] == ["mine", "insufficient-funds"]
    assert [(reader.connected, reader.plugged_in) for reader in state.readers] == [(False, True), (False, False)]
    simulated_session.reader().connect()
    (order,) = simulated_session.store().unpaid
    assert simulated_session.pay(order=order, expected="7.50").order == order
    assert [charge.hundredths for charge in simulated_session.store().charges] == [750]
    simulated_session.add_store_fault("POST /wc/v3/orders/* #1 lost-answer")


@pytest.mark.simulated_reader("visa-credit", host=HostPlan("iso8583", "iso87-ascii", faults=["answer-lost:sale:1"]))
def test_a_session_has_a_wire_with_faults(simulated_session: Session) -> None:
    assert simulated_session.pay("12.50").state == "reversed"
    assert simulated_session.pay("20.00").outcome == "approved"
    details = [event.detail for event in simulated_session.events(kind="host").events]
    assert "wire 0420 reversal answered 00" in details


def test_readers_are_added_plugged_and_connected(simulated_session: Session) -> None:
    added = simulated_session.add_reader("battery", name="till 2", battery_percent=50, faults=[ReaderFault("hang")])
    assert (added.name, added.model) == ("till 2", "battery")
    other = simulated_session.reader("till 2")
    other.set_battery(4)
    assert not next(each for each in other.unplug().readers if each.name == "till 2").plugged_in
    other.plug()
    assert other.state().plugged_in
    simulated_session.reader().disconnect()
    assert [reader.connected for reader in simulated_session.readers()] == [False, False]
    assert simulated_session.reader().connect().readers[0].connected


def test_a_faulty_reader_fails_the_payment_and_no_money_moves(simulated_reader: Reader) -> None:
    simulated_reader.add_fault("card_removed", at=3, exchanges_only=True)
    payment = simulated_reader.session.pay("3.00")
    assert (payment.outcome, payment.error_code) == ("failed", "card_removed")
    assert simulated_reader.session.ledger() == ()


def test_printer_and_disk_fail_and_are_mended(simulated_session: Session) -> None:
    assert simulated_session.set_printer("out_of_paper").condition == "out_of_paper"
    assert simulated_session.set_printer("slow", seconds=2).condition == "slow"
    assert simulated_session.set_disk("full").condition == "full"
    with pytest.raises(NotPossibleNow, match="the disk is full"):
        simulated_session.pay("3.00")
    assert simulated_session.set_disk("working").condition == "working"
    assert simulated_session.pay("3.00").outcome == "approved"


def test_the_till_crashes_and_its_next_process_finishes_the_work(simulated_session: Session) -> None:
    simulated_session.add_issuer_fault("answer_lost", times=1)
    simulated_session.pay("3.00", forced_online=True)
    assert not simulated_session.crash().process_runs
    with pytest.raises(NotPossibleNow, match="process"):
        simulated_session.pay("4.00")
    assert simulated_session.restart().open == 0
    assert simulated_session.reconcile().agrees


def test_a_reset_starts_again(simulated_session: Session) -> None:
    simulated_session.pay("3.00")
    assert simulated_session.reset().id == simulated_session.id
    assert simulated_session.payments() == ()


def test_events_come_in_pages_and_by_kind(simulated_session: Session) -> None:
    simulated_session.pay("3.00")
    first = simulated_session.events(limit=2)
    assert [event.id for event in first.events] == [1, 2]
    assert simulated_session.events(after=first.last, limit=1).events[0].id == 3
    host = simulated_session.events(kind="host").events
    assert [event.detail for event in host] == ["authorize sent", "authorize answered 00"]


def test_events_stream_while_another_thread_pays(simulated_session: Session) -> None:
    last = simulated_session.state().events
    till = Thread(target=simulated_session.pay, args=("3.00",))
    with simulated_session.stream_events(after=last, deadline=20) as events:
        till.start()
        kinds = []
        for event in events:
            kinds.append(event.kind)
            if event.kind == "step_ended":
                break
    till.join()
    assert kinds[0] == "step" and "authorizing" in kinds
    assert simulated_session.wait_for_event("host", "answered", after=last).detail == "authorize answered 00"


def test_a_wait_for_an_event_has_a_deadline_and_ends_with_the_session(simulated_session: Session) -> None:
    with pytest.raises(DeadlinePassed, match="0.2 seconds"):
        simulated_session.wait_for_event("crash", deadline=0.2)
    with simulated_session.stream_events(kind="crash") as events:
        simulated_session.delete()
        assert list(events) == []


def test_a_wait_ends_when_another_thread_ends_the_session(cardpresent_service: Service) -> None:
    with cardpresent_service.session() as session:
        ending = Thread(target=session.delete)
        with pytest.raises((UnexpectedAnswer, NotFound), match=session.id):
            ending.start()
            session.wait_for_event("crash", deadline=20)
        ending.join()


def test_handles_say_what_they_are(cardpresent_service: Service, simulated_reader: Reader) -> None:
    session = simulated_reader.session
    assert repr(cardpresent_service) == f"Service('{cardpresent_service.address}')"
    assert repr(session) == f"Session('{session.id}', seed=1)"
    assert repr(simulated_reader) == f"Reader('reader', session='{session.id}')"
    assert repr(session.within(3)) == repr(session)
