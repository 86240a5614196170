"""A till with the official package of Stripe, at a simulated terminal. Only the address differs from the real one.

    pip install stripe
    cardpresent simulate terminal --protocol stripe --port 12111 --seed 1 &
    python3 Examples/stripe-python/till.py [ADDRESS]

It sells, is declined, refunds, and checks the signature of every message that the terminal sends.
"""
import http.server
import queue
import sys
import threading

import stripe


class Till:
    """Takes payments at one reader."""

    def __init__(self, address="http://127.0.0.1:12111", key="sk_test_till"):
        # This is the line that a till changes. A request whose answer is lost is sent again with the same key.
        self.client = stripe.StripeClient(key, base_addresses={"api": address}, max_network_retries=2).v1
        address = {"country": "US", "line1": "1 Main Street", "city": "Springfield"}
        location = self.client.terminal.locations.create({"display_name": "Market stall", "address": address})
        self.reader = self.client.terminal.readers.create(
            {"registration_code": "simulated-wpe", "label": "counter", "location": location.id})

    def ask(self, amount, capture="automatic"):
        """Asks the customer to pay an amount in cents, and returns the payment intent."""
        intent = self.client.payment_intents.create(
            {"amount": amount, "currency": "usd", "payment_method_types": ["card_present"], "capture_method": capture})
        self.send(intent.id)
        return intent.id

    def send(self, intent):
        """Sends a payment to the reader, which then waits for a card."""
        reader = self.client.terminal.readers.process_payment_intent(self.reader.id, {"payment_intent": intent})
        assert reader.action.status == "in_progress"

    def present(self, number=None):
        """Presents a test card, and returns what the reader did. A person does that at a real reader."""
        parameters = {"type": "card_present", "card_present": {"number": number}} if number else {}
        helper = self.client.test_helpers.terminal.readers
        return helper.present_payment_method(self.reader.id, parameters).action

    def intent(self, name):
        return self.client.payment_intents.retrieve(name, {"expand": ["latest_charge"]})

    def refund(self, intent, amount=None):
        parameters = {"payment_intent": intent}
        if amount:
            parameters["amount"] = amount
        return self.client.refunds.create(parameters)


class Webhooks:
    """An address that takes messages, and checks the signature of each with the package."""

    def __init__(self, client):
        self.events = queue.Queue()
        self.statuses = []
        self.refused = 0
        webhooks = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                status = webhooks.statuses.pop(0) if webhooks.statuses else webhooks.take(body, self.headers)
                self.send_response(status)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.endpoint = client.webhook_endpoints.create(
            {"url": f"http://127.0.0.1:{self.server.server_address[1]}/hook", "enabled_events": ["*"]})

    def take(self, body, headers):
        try:
            event = stripe.Webhook.construct_event(body, headers["Stripe-Signature"], self.endpoint.secret)
        except stripe.SignatureVerificationError:
            self.refused += 1
            return 400
        self.events.put(event)
        return 200

    def next(self, wanted, timeout=20):
        """Waits for the next event of a type; others before it are left out."""
        while True:
            event = self.events.get(timeout=timeout)
            if event.type == wanted:
                return event


def main():
    till = Till(*sys.argv[1:2])
    webhooks = Webhooks(till.client)

    sale = till.ask(1250)
    action = till.present()
    assert action.status == "succeeded", action
    charge = till.intent(sale).latest_charge
    assert charge.payment_method_details.card_present.last4 == "4242"
    event = webhooks.next("payment_intent.succeeded")
    assert event.data.object.id == sale
    print(f"approved: {charge.amount} {charge.currency}, card ending in 4242")

    declined = till.ask(900)
    action = till.present("4000000000009995")
    assert (action.status, action.failure_code) == ("failed", "card_declined")
    error = till.intent(declined).last_payment_error
    assert error.decline_code == "insufficient_funds"
    webhooks.next("payment_intent.payment_failed")
    print(f"declined: {error.message}")

    refund = till.refund(sale)
    assert refund.status == "succeeded"
    webhooks.next("charge.refunded")
    print(f"refunded: {refund.amount} {refund.currency}")


if __name__ == "__main__":
    main()
