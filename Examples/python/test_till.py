#!/usr/bin/env python3
"""Tests a tiny till against simulated card payments. It needs nothing but Python.

    cardpresent simulate serve &
    python3 Examples/python/test_till.py

CARDPRESENT_SIMULATOR is the simulator's address, CARDPRESENT_TOKEN its token where it wants one.
"""
import json
import os
import unittest
import urllib.error
import urllib.request

ADDRESS = os.environ.get("CARDPRESENT_SIMULATOR", "http://127.0.0.1:8200")


def ask(method, path, body=None, **headers):
    """Sends a request; returns the answer's JSON, or its text."""
    request = urllib.request.Request(ADDRESS + path, method=method)
    for name, value in headers.items():
        request.add_header(name.replace("_", "-"), value)
    if "CARDPRESENT_TOKEN" in os.environ:
        request.add_header("Authorization", "Bearer " + os.environ["CARDPRESENT_TOKEN"])
    if body is not None:
        request.add_header("Content-Type", "application/json")
        request.data = json.dumps(body).encode()
    with urllib.request.urlopen(request, timeout=30) as answer:
        text = answer.read().decode()
        is_json = answer.headers.get_content_type() == "application/json"
        return json.loads(text) if is_json else text


class Till:
    """What is tested: it sells, and tries again once when the network was at fault."""

    def __init__(self, session):
        self.session = session
        self.sales = 0

    def sell(self, amount, **conduct):
        self.sales += 1
        payment = ask("POST", self.session + "/payments", {"amount": amount, **conduct},
                      Idempotency_Key=f"sale-{self.sales}")
        if payment["outcome"] == "failed" and payment.get("errorCode", "").startswith("host_"):
            payment = ask("POST", f"{self.session}/payments/{payment['id']}/retry", {})
        return payment


class TillTests(unittest.TestCase):
    cards = ["visa-credit", "insufficient-funds", "pin-required"]

    def setUp(self):
        made = ask("POST", "/v1/sessions", {"seed": 1, "cards": self.cards})
        self.session = "/v1/sessions/" + made["id"]
        self.addCleanup(ask, "DELETE", self.session)
        self.till = Till(self.session)

    def books_agree(self):
        return ask("GET", self.session + "/reconciliation")["agrees"]

    def test_a_sale_is_approved_and_has_a_receipt(self):
        payment = self.till.sell("12.50")
        self.assertEqual(payment["outcome"], "approved")
        self.assertIn("12.50", ask("GET", f"{self.session}/payments/{payment['id']}/receipt"))
        self.assertTrue(self.books_agree())

    def test_a_card_without_money_is_declined(self):
        payment = self.till.sell("12.50", card="insufficient-funds")
        self.assertEqual(payment["outcome"], "declined")
        self.assertTrue(self.books_agree())

    def test_a_sale_survives_a_network_that_is_away_once(self):
        ask("POST", self.session + "/issuer/faults", {"fault": "not_reachable", "messages": ["authorize"], "times": 1})
        self.assertEqual(self.till.sell("3.00", forcedOnline=True)["outcome"], "approved")
        self.assertTrue(self.books_agree())

    def test_nobody_inserts_a_card(self):
        payment = self.till.sell("3.00", cardholder="by_hand", cardTimeoutSeconds=30)
        self.assertEqual(payment["waitingFor"]["kind"], "card")
        # Half a minute of the session's time; no real time passes.
        ask("POST", self.session + "/clock/advance", {"seconds": 31})
        payment = ask("GET", f"{self.session}/payments/{payment['id']}")
        self.assertEqual(payment["errorCode"], "card_timeout")
        self.assertEqual(ask("GET", self.session + "/issuer/ledger"), [])

    def test_the_pin_is_typed_at_the_second_try(self):
        reader = self.session + "/readers/reader"
        payment = self.till.sell("3.00", card="pin-required", cardholder="by_hand")
        ask("POST", reader + "/insert", {})
        ask("POST", reader + "/press", {"keys": ["9", "9", "9", "9", "confirm"]})
        again = ask("POST", reader + "/press", {"keys": ["1", "2", "3", "4", "confirm"]})
        self.assertEqual(again["waitingFor"]["kind"], "removal")
        ask("POST", reader + "/remove")
        payment = ask("GET", f"{self.session}/payments/{payment['id']}")
        self.assertEqual(payment["outcome"], "approved")

    def test_a_mistake_in_a_request_says_where_it_is(self):
        with self.assertRaises(urllib.error.HTTPError) as raised:
            ask("POST", self.session + "/payments", {"amuont": "1.00"})
        error = json.load(raised.exception)["error"]
        self.assertEqual((error["code"], error["path"]), ("invalid_body", "amuont"))
        self.assertIn("'amount'", error["fix"])


if __name__ == "__main__":
    unittest.main()
