"""Runs whole flows at simulated terminals with the official package of Stripe for Python; only its address is changed.

usage: stripe_calls.py PROGRAM     (by Scripts/foreign-clients)

Ends with 1 at the first difference.
"""
import base64
import json
import os
import subprocess
import sys
import traceback
import urllib.error
import urllib.request

import stripe
from served_terminal import Terminals

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../Examples/stripe-python"))
from till import Till, Webhooks  # noqa: E402

FLOWS = []


def flow(function):
    FLOWS.append(function)
    return function


class Bench(Till):
    """A till that can ask for faults, and expects errors."""

    def __init__(self, address):
        super().__init__(address)
        self.address = address

    def raw(self, method, path, body=None, headers=None):
        """Sends bytes as they are. Returns status and JSON."""
        request = urllib.request.Request(self.address + path, body, method=method, headers=headers or {})
        if "Authorization" not in (headers or {}):
            request.add_header("Authorization", "Bearer sk_test_till")
        try:
            with urllib.request.urlopen(request, timeout=20) as answer:
                return answer.status, json.loads(answer.read())
        except urllib.error.HTTPError as error:
            return error.code, json.loads(error.read())

    def fault(self, name, **parameters):
        fields = "&".join(f"{key}={value}" for key, value in {"fault": name, **parameters}.items())
        status, answer = self.raw("POST", "/_simulator/faults", fields.encode())
        assert status == 200, answer

    def sell(self, amount=1250, number=None, capture="automatic"):
        intent = self.ask(amount, capture)
        action = self.present(number)
        assert action.status == "succeeded", action
        return self.intent(intent)


def fails(error, code, function, *arguments, **options):
    """Expects an error of the package, and returns it."""
    try:
        function(*arguments, **options)
    except error as caught:
        assert caught.code == code, (caught.code, str(caught))
        return caught
    raise AssertionError(f"no {error.__name__} with {code}")


@flow
def approved(till, _):
    intent = till.sell(1250)
    assert (intent.status, intent.amount_received, intent.amount_capturable) == ("succeeded", 1250, 0)
    charge = intent.latest_charge
    assert charge.captured and charge.paid and charge.status == "succeeded"
    assert charge.outcome.network_status == "approved_by_network"
    card = charge.payment_method_details.card_present
    assert (card.brand, card.last4, card.read_method) == ("visa", "4242", "contact_emv")
    assert card.receipt.dedicated_file_name == "A0000000031010" and len(card.receipt.application_cryptogram) == 16
    assert till.client.charges.retrieve(charge.id).id == charge.id


@flow
def brands(till, _):
    for number, brand in [
            ("4000056655665556", "visa"), ("5555555555554444", "mastercard"), ("378282246310005", "amex"),
            ("6011111111111117", "discover"), ("3566002020360505", "jcb"), ("6200000000000005", "unionpay"),
            # Its chip has Discover's application.
            ("3056930009020004", "discover")]:
        card = till.sell(500, number).latest_charge.payment_method_details.card_present
        assert (card.brand, card.last4) == (brand, number[-4:]), (number, card.brand, card.last4)


@flow
def pins(till, _):
    for number, method in [("4001007020000002", "offline_pin"), ("4001000360000005", "online_pin")]:
        card = till.sell(700, number).latest_charge.payment_method_details.card_present
        assert card.receipt.cardholder_verification_method == method, card.receipt


@flow
def declined(till, _):
    for number, code, reason in [
            ("4000000000000002", "card_declined", "generic_decline"),
            ("4000000000009995", "card_declined", "insufficient_funds"),
            ("4000000000009987", "card_declined", "lost_card"), ("4000000000009979", "card_declined", "stolen_card"),
            ("4000000000000069", "expired_card", "expired_card"),
            ("4000000000000119", "processing_error", "processing_error")]:
        intent = till.ask(800)
        action = till.present(number)
        assert (action.status, action.failure_code) == ("failed", code), (number, action)
        error = till.intent(intent).last_payment_error
        assert (error.code, error.decline_code) == (code, reason), error


@flow
def amounts(till, _):
    for cents, reason in [(1, "call_issuer"), (5, "generic_decline"), (55, "incorrect_pin"),
                          (65, "withdrawal_count_limit_exceeded"), (75, "pin_try_exceeded")]:
        intent = till.ask(1000 + cents)
        assert till.present().status == "failed"
        assert till.intent(intent).last_payment_error.decline_code == reason


@flow
def another_card_after_a_decline(till, _):
    intent = till.ask(800)
    assert till.present("4000000000000002").status == "failed"
    assert till.intent(intent).status == "requires_payment_method"
    till.send(intent)
    assert till.present().status == "succeeded"
    charges = till.client.charges.list({"payment_intent": intent}).data
    assert [charge.status for charge in charges] == ["succeeded", "failed"]


@flow
def canceled_at_the_reader(till, _):
    intent = till.ask(800)
    assert till.client.terminal.readers.cancel_action(till.reader.id).action is None
    assert till.intent(intent).status == "requires_payment_method"
    fails(stripe.InvalidRequestError, "resource_missing", till.client.terminal.readers.cancel_action, till.reader.id)
    canceled = till.client.payment_intents.cancel(intent, {"cancellation_reason": "abandoned"})
    assert (canceled.status, canceled.cancellation_reason) == ("canceled", "abandoned")


@flow
def canceled_while_the_reader_waits(till, _):
    intent = till.ask(800)
    assert till.client.payment_intents.cancel(intent).status == "canceled"
    assert till.client.terminal.readers.retrieve(till.reader.id).action is None


@flow
def replaced_by_another_payment(till, _):
    first, second = till.ask(800), till.ask(900)
    assert till.present().status == "succeeded"
    assert till.intent(first).status == "requires_payment_method" and till.intent(second).status == "succeeded"
    fails(stripe.InvalidRequestError, "intent_invalid_state", till.send, second)


@flow
def offline(till, _):
    till.fault("reader_offline", reader=till.reader.id)
    intent = till.client.payment_intents.create({"amount": 500, "currency": "usd"}).id
    fails(stripe.InvalidRequestError, "terminal_reader_offline", till.send, intent)
    assert till.reader.id in [reader.id for reader in till.client.terminal.readers.list({"status": "offline"}).data]
    till.fault("reader_online", reader=till.reader.id)
    till.send(intent)
    assert till.present().status == "succeeded"


@flow
def timeout_before_the_reader(till, _):
    intent = till.client.payment_intents.create({"amount": 500, "currency": "usd"}).id
    till.fault("reader_timeout")
    fails(stripe.InvalidRequestError, "terminal_reader_timeout", till.send, intent)
    till.send(intent)
    assert till.present().status == "succeeded"


@flow
def timeout_behind_the_reader(till, _):
    intent = till.client.payment_intents.create({"amount": 500, "currency": "usd"}).id
    till.fault("reader_timeout_received")
    fails(stripe.InvalidRequestError, "terminal_reader_timeout", till.send, intent)
    action = till.client.terminal.readers.retrieve(till.reader.id).action
    assert (action.status, action.process_payment_intent.payment_intent) == ("in_progress", intent)
    assert till.present().status == "succeeded"


@flow
def lost_answer(till, _):
    before = len(list(till.client.payment_intents.list({"limit": 100}).auto_paging_iter()))
    till.fault("response_lost")
    # The package repeats the request with the same key.
    intent = till.client.payment_intents.create({"amount": 500, "currency": "usd"})
    assert len(list(till.client.payment_intents.list({"limit": 100}).auto_paging_iter())) == before + 1
    till.send(intent.id)
    till.fault("response_lost")
    assert till.present().status == "succeeded"
    till.fault("response_lost")
    assert till.refund(intent.id, 200).status == "succeeded"
    assert till.intent(intent.id).latest_charge.amount_refunded == 200


@flow
def captured(till, _):
    intent = till.sell(1500, capture="manual")
    assert (intent.status, intent.amount_capturable, intent.latest_charge.captured) == ("requires_capture", 1500, False)
    captured = till.client.payment_intents.capture(intent.id)
    assert (captured.status, captured.amount_received) == ("succeeded", 1500)
    fails(stripe.InvalidRequestError, "payment_intent_unexpected_state", till.client.payment_intents.capture, intent.id)


@flow
def captured_in_part(till, _):
    intent = till.sell(1500, capture="manual")
    fails(stripe.InvalidRequestError, "amount_too_large", till.client.payment_intents.capture, intent.id,
          {"amount_to_capture": 1501})
    captured = till.client.payment_intents.capture(intent.id, {"amount_to_capture": 1000})
    assert (captured.status, captured.amount_received) == ("succeeded", 1000)
    charge = till.intent(intent.id).latest_charge
    assert (charge.amount_captured, charge.amount_refunded, charge.refunded) == (1000, 500, False)


@flow
def released(till, _):
    intent = till.sell(1500, capture="manual")
    assert till.client.payment_intents.cancel(intent.id).status == "canceled"
    assert till.intent(intent.id).latest_charge.refunded
    fails(stripe.InvalidRequestError, "charge_not_refundable", till.refund, intent.id)


@flow
def refunded_in_parts(till, _):
    intent = till.sell(1000)
    first = till.refund(intent.id, 400)
    assert (first.status, first.amount, first.payment_intent) == ("succeeded", 400, intent.id)
    fails(stripe.InvalidRequestError, None, till.refund, intent.id, 601)
    assert till.refund(intent.id).amount == 600
    assert till.intent(intent.id).latest_charge.refunded
    fails(stripe.InvalidRequestError, "charge_already_refunded", till.refund, intent.id)
    assert till.client.refunds.retrieve(first.id).amount == 400
    assert len(till.client.refunds.list({"payment_intent": intent.id}).data) == 2


@flow
def refunded_while_the_reader_waits(till, _):
    sold = till.sell(1000)
    waiting = till.ask(300)
    assert till.refund(sold.id).status == "succeeded"
    assert till.present().status == "succeeded"
    assert till.intent(waiting).status == "succeeded"


@flow
def refunded_at_the_reader(till, _):
    intent = till.sell(1000)
    reader = till.client.terminal.readers.refund_payment(
        till.reader.id, {"payment_intent": intent.id, "amount": 250})
    assert (reader.action.type, reader.action.status) == ("refund_payment", "succeeded")
    assert till.client.refunds.retrieve(reader.action.refund_payment.refund).amount == 250


@flow
def cart(till, _):
    reader = till.client.terminal.readers.set_reader_display(till.reader.id, {"type": "cart", "cart": {
        "currency": "usd", "total": 1250, "tax": 50,
        "line_items": [{"description": "Tea", "amount": 600, "quantity": 2}]}})
    assert (reader.action.type, reader.action.status) == ("set_reader_display", "succeeded")
    assert reader.action.set_reader_display.cart.line_items[0].description == "Tea"


@flow
def asks_the_customer(till, _):
    readers, helper = till.client.terminal.readers, till.client.test_helpers.terminal.readers
    inputs = [
        {"type": "email", "custom_text": {"title": "Your address", "skip_button": "No, thanks"},
         "toggles": [{"title": "Send me news", "default_value": "disabled"}]},
        {"type": "selection", "custom_text": {"title": "Size"}, "required": True, "selection": {"choices": [
            {"id": "s", "text": "Small", "style": "primary"}, {"id": "l", "text": "Large"}]}},
        {"type": "numeric", "custom_text": {"title": "Member"}}, {"type": "phone", "custom_text": {"title": "Phone"}},
        {"type": "signature", "custom_text": {"title": "Sign here"}}]

    def ask(questions=inputs):
        action = readers.collect_inputs(till.reader.id, {"inputs": questions, "metadata": {"order": "17"}}).action
        assert (action.type, action.status) == ("collect_inputs", "in_progress"), action
        return action.collect_inputs

    asked = ask()
    assert asked.inputs[0].email.value is None and asked.metadata["order"] == "17"
    action = helper.succeed_input_collection(till.reader.id).action
    given = action.collect_inputs.inputs
    assert action.status == "succeeded" and not any(one.skipped for one in given), action
    assert given[0].email.value and given[0].toggles[0].value == "disabled" and given[2].numeric.value.isdigit()
    assert (given[1].selection.id, given[1].selection.text) == ("s", "Small")

    ask()
    given = helper.succeed_input_collection(till.reader.id, {"skip_non_required_inputs": "all"}).action
    assert [one.skipped for one in given.collect_inputs.inputs] == [True, False, True, True, True], given

    ask()
    action = helper.timeout_input_collection(till.reader.id).action
    assert (action.status, action.failure_code) == ("failed", "collect_inputs_timed_out"), action
    fails(stripe.InvalidRequestError, None, helper.succeed_input_collection, till.reader.id)

    ask(inputs[:2])
    form = f"reader={till.reader.id}&answers[]=ann%40example.com&answers[]=l".encode()
    status, reader = till.raw("POST", "/_simulator/inputs", form)
    given = reader["action"]["collect_inputs"]["inputs"]
    assert status == 200 and given[0]["email"]["value"] == "ann@example.com", reader
    assert given[1]["selection"]["text"] == "Large", reader

    ask(inputs[:1])
    _, reader = till.raw("POST", "/_simulator/inputs", f"reader={till.reader.id}&cancel=true".encode())
    assert reader["action"]["failure_code"] == "customer_canceled", reader

    ask()
    assert readers.cancel_action(till.reader.id).action is None
    ask()
    intent = till.ask(700)  # A payment ends the questions.
    assert till.present().status == "succeeded" and till.intent(intent).status == "succeeded"
    fails(stripe.InvalidRequestError, "parameter_missing", readers.collect_inputs, till.reader.id,
          {"inputs": [{"type": "email"}]})


@flow
def tips(till, _):
    readers, helper = till.client.terminal.readers, till.client.test_helpers.terminal.readers
    for capture, status in [("automatic", "succeeded"), ("manual", "requires_capture")]:
        intent = till.client.payment_intents.create({"amount": 1000, "currency": "usd", "capture_method": capture}).id
        action = readers.process_payment_intent(till.reader.id, {
            "payment_intent": intent, "process_config": {"tipping": {"amount_eligible": 900}}}).action
        assert action.process_payment_intent.process_config.tipping.amount_eligible == 900
        assert helper.present_payment_method(till.reader.id, {"amount_tip": 150}).action.status == "succeeded"
        paid = till.intent(intent)
        assert (paid.status, paid.amount, paid.amount_details.tip.amount) == (status, 1150, 150), paid
        assert paid.latest_charge.amount == 1150
    assert till.client.payment_intents.capture(intent).amount_received == 1150
    assert till.refund(intent).amount == 1150

    intent = till.ask(1000)
    declined = {"amount_tip": 150, "type": "card_present", "card_present": {"number": "4000000000000002"}}
    assert helper.present_payment_method(till.reader.id, declined).action.status == "failed"
    assert till.intent(intent).amount == 1000 and till.intent(intent).latest_charge.amount == 1150
    readers.process_payment_intent(
        till.reader.id, {"payment_intent": intent, "process_config": {"skip_tipping": True}})
    fails(stripe.InvalidRequestError, None, helper.present_payment_method, till.reader.id, {"amount_tip": 1})
    assert till.present().status == "succeeded" and till.intent(intent).amount_received == 1000


@flow
def same_key(till, _):
    create = till.client.payment_intents.create
    options = {"idempotency_key": "order-17"}
    first = create({"amount": 500, "currency": "usd", "metadata": {"order id": "17"}}, options)
    assert create({"amount": 500, "currency": "usd", "metadata": {"order id": "17"}}, options).id == first.id
    assert first.metadata["order id"] == "17"
    try:
        create({"amount": 501, "currency": "usd"}, options)
    except stripe.IdempotencyError as error:
        assert error.http_status == 400
    else:
        raise AssertionError("another request with the same key was taken")


@flow
def pages(till, _):
    ids = [till.client.payment_intents.create({"amount": 100 + i, "currency": "usd"}).id for i in range(7)]
    seen = [intent.id for intent in till.client.payment_intents.list({"limit": 3}).auto_paging_iter()]
    assert seen[:7] == ids[::-1] and len(seen) == len(set(seen))
    events = till.client.events.list({"type": "payment_intent.created", "limit": 1}).data
    assert till.client.events.retrieve(events[0].id).data.object.id == ids[-1]


@flow
def objects(till, _):
    client = till.client
    location = client.terminal.locations.create({"display_name": "A", "address": {"country": "US"}})
    assert client.terminal.locations.update(location.id, {"display_name": "B"}).display_name == "B"
    assert client.terminal.locations.delete(location.id).deleted
    assert client.terminal.connection_tokens.create().secret.startswith("pst_test_")
    reader = client.terminal.readers.create({"registration_code": "simulated-s700"})
    assert reader.device_type == "simulated_stripe_s700"
    assert client.terminal.readers.update(reader.id, {"label": "second", "metadata": {"a": "1"}}).label == "second"
    assert client.terminal.readers.delete(reader.id).deleted
    assert client.terminal.readers.retrieve(reader.id).deleted
    intent = client.payment_intents.create({"amount": 500, "currency": "usd", "description": "Tea"})
    updated = client.payment_intents.update(intent.id, {"amount": 600, "metadata": {"order": "1"}})
    assert (updated.amount, updated.metadata["order"], updated.description) == (600, "1", "Tea")
    fails(stripe.InvalidRequestError, "payment_intent_unexpected_state", client.payment_intents.confirm, intent.id)
    fails(stripe.InvalidRequestError, "resource_missing", client.payment_intents.retrieve, "pi_none")
    fails(stripe.InvalidRequestError, "parameter_missing", client.payment_intents.create, {"currency": "usd"})


@flow
def keys(till, _):
    other = stripe.StripeClient("sk_live_1", base_addresses={"api": till.address}).v1
    fails(stripe.AuthenticationError, None, other.payment_intents.list)
    basic = {"Authorization": "Basic " + base64.b64encode(b"sk_test_till:").decode()}
    assert till.raw("GET", "/v1/account", headers=basic)[0] == 200
    assert till.raw("GET", "/v1/account", headers={"Authorization": "Basic !"})[0] == 401
    assert till.raw("POST", "/v1/payment_intents", b"{}", {"Content-Type": "application/json"})[0] == 400
    assert till.raw("POST", "/v1/payment_intents", b"a=" + b"x" * 300_000)[0] == 413
    assert till.raw("GET", "/v1/setup_intents")[0] == 404
    form = b"amount=500&currency=usd&payment_method_types[]=card_present"
    assert till.raw("POST", "/v1/payment_intents", form)[0] == 200


@flow
def webhooks_are_signed(till, webhooks):
    intent = till.sell(1100)
    for wanted in ["payment_intent.created", "charge.succeeded", "payment_intent.succeeded",
                   "terminal.reader.action_succeeded"]:
        event = webhooks.next(wanted)
        assert event.data.object.id in (intent.id, intent.latest_charge.id, till.reader.id)
    assert webhooks.refused == 0


@flow
def webhooks_with_faults(till, webhooks):
    till.fault("webhook_bad_signature")
    first = till.client.payment_intents.create({"amount": 500, "currency": "usd"})
    till.fault("webhook_twice")
    second = till.client.payment_intents.create({"amount": 500, "currency": "usd"})
    seen = [webhooks.next("payment_intent.created").data.object.id for _ in range(2)]
    assert seen == [second.id, second.id] and webhooks.refused == 1, (seen, first.id)


@flow
def webhooks_come_again(till, webhooks):
    webhooks.statuses = [500]
    intent = till.client.payment_intents.create({"amount": 500, "currency": "usd"})
    assert webhooks.next("payment_intent.created").data.object.id == intent.id


def names(program, seed):
    """The IDs and times of a short session."""
    with Terminals(program, "stripe", seed) as terminals:
        till = Bench(terminals.address)
        intent = till.sell(1250)
        return [till.reader.id, intent.id, intent.created, intent.latest_charge.id, intent.latest_charge.created,
                intent.latest_charge.payment_method_details.card_present.receipt.application_cryptogram]


def main():
    program = sys.argv[1]
    with Terminals(program, "stripe") as terminals:
        for function in FLOWS:
            till = Bench(terminals.address)
            webhooks = Webhooks(till.client) if function.__name__.startswith("webhooks") else None
            try:
                function(till, webhooks)
            except Exception:
                traceback.print_exc()
                print(f"flow {function.__name__}", file=sys.stderr)
                sys.exit(1)
            if webhooks:
                till.client.webhook_endpoints.delete(webhooks.endpoint.id)
                webhooks.server.shutdown()
        examples = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../Examples")
        subprocess.run([sys.executable, f"{examples}/stripe-python/till.py", terminals.address], check=True)
        subprocess.run(["bash", f"{examples}/stripe-curl/pay.sh", terminals.address], check=True)
    assert names(program, 5) == names(program, 5) != names(program, 6)
    print(f"{len(FLOWS)} flows with the package of Stripe")


if __name__ == "__main__":
    main()
