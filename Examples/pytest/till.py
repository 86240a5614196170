"""A till at a market stall: it sells, prints receipts, and knows what to do when a payment does not end well."""

from __future__ import annotations

from decimal import Decimal
from itertools import count

from cardpresent import Payment, Session


class OutcomeUnknown(Exception):
    """The host did not answer: the customer must not be asked to pay again before the payment is settled."""


class Till:
    """Takes payments at one reader, one customer at a time."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._numbers = count(1)
        self._running: Payment | None = None
        self.receipts: list[str] = []

    def ask(self, amount: Decimal | str, card: str | None = None) -> str:
        """Asks the customer to pay, and returns what the reader waits for: the kind of a person's action."""
        # The same key never pays twice, however often the request is sent.
        key = f"sale-{next(self._numbers)}"
        self._running = self._session.pay(amount, card=card, cardholder="by_hand", idempotency_key=key)
        return self._running.waiting_for.kind if self._running.waiting_for else "nothing"

    def finish(self) -> bool:
        """Ends the sale, and returns whether the customer paid.

        Raises:
            OutcomeUnknown: when only the host knows.
        """
        if self._running is None:
            raise ValueError("ask for a payment first")
        payment, self._running = self._session.payment(self._running), None
        if payment.running:
            payment = self._session.cancel(payment)
        if payment.outcome == "failed" and (payment.error_code or "").startswith("host_"):
            # The host did not take the money: the till reversed what it had sent. So try once more.
            payment = self._session.retry(payment)
        if payment.outcome in ("unknown", "pending"):
            raise OutcomeUnknown(f"{payment.id}: {payment.error_message}")
        if payment.outcome == "approved":
            self.receipts.append(self._session.receipt(payment))
        return payment.outcome == "approved"

    def cashed_up(self) -> Decimal:
        """Returns the day's takings, after a comparison with the issuer's books."""
        if not self._session.reconcile().agrees:
            raise OutcomeUnknown("the till's journal and the issuer's ledger differ")
        paid = (each for each in self._session.payments() if each.outcome == "approved")
        return sum((each.amount - each.refunded for each in paid), Decimal(0))
