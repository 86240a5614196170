"""Runs the tills of Examples/zvt-python and Examples/nexo-python at 'cardpresent terminal', which takes real payments at
a simulated reader, and kills it in the middle: each payment is found again by what its till calls it, and none is
charged twice.

usage: own_terminal_calls.py PROGRAM     (by Scripts/foreign-clients)

Ends with 1 at the first difference.
"""
import importlib.util
import json
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

from served_terminal import start

EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../Examples")
POI = "V400m-000000001"


def example(name):
    spec = importlib.util.spec_from_file_location(name.replace("-", "_"), f"{EXAMPLES}/{name}/till.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


zvt, nexo = example("zvt-python"), example("nexo-python")


class Terminal:
    """The command, with a database that stays when it is killed."""

    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        self.configuration = os.path.join(folder, "config.yaml")
        with open(self.configuration, "w", encoding="utf-8") as file:
            file.write("currency: EUR\n")
        self.files = ["--database", os.path.join(folder, "till.db"), "--config", self.configuration]
        self.process = None

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.process.terminate()
        status = self.process.wait(timeout=60)
        if status != 0:
            raise SystemExit(f"the terminal ended with {status}")

    def start(self):
        self.process, view = start([
            self.program, "terminal", "--protocol", "zvt", "--protocol", "nexo", "--protocol", "stripe", "--port", "0",
            "--port", "0", "--port", "0", "--http-port", "0", "--terminal", POI, "--reader", "simulated", "--json",
            *self.files])
        found = {terminal["protocol"]: terminal for terminal in view["terminals"]}
        self.zvt = found["zvt"]["address"]
        self.nexo = found["nexo"]["http"]
        self.stripe, self.reader = found["stripe"]["address"], found["stripe"]["reader"]

    def kill(self):
        self.process.kill()
        self.process.wait(timeout=60)

    def restart(self):
        self.kill()
        self.start()

    def payments(self):
        text = subprocess.check_output(
            [self.program, "payments", "list", "--json", "--limit", "500", *self.files], text=True)
        view = json.loads(text)
        return view["payments"] if isinstance(view, dict) else view

    def call(self, path, fields=None):
        body = urllib.parse.urlencode(fields).encode() if fields is not None else None
        request = urllib.request.Request(self.stripe + path, body, {"Authorization": "Bearer sk_test_1"})
        with urllib.request.urlopen(request, timeout=60) as response:
            return json.load(response)


def zvt_flow(terminal):
    till = zvt.Till(terminal.zvt)
    till.register()
    sale = till.pay(1250)
    assert sale.approved and sale.amount == 1250 and len(sale.receipts) == 2, sale.fields
    again = till.last(receipts=True)
    assert again.receipt == sale.receipt and again.receipts == sale.receipts
    assert till.reverse(sale.receipt, 1250).approved
    assert till.reverse(sale.receipt).code == 0xB4
    held = till.hold(5000)
    assert held.approved, held.fields
    captured = till.capture(held.receipt, 4000)
    assert captured.approved and captured.amount == 4000, captured.fields

    # What the till did not acknowledge is taken back after a crash. What it acknowledged stands.
    till.deaf_to = zvt.STATUS_INFORMATION
    try:
        till.pay(2000)
        raise SystemExit("the connection was not lost")
    except zvt.ConnectionLost:
        till.deaf_to = None
    terminal.restart()
    till = zvt.Till(terminal.zvt)
    till.wait_until_free()
    till.register()
    assert till.last().trace == captured.trace, "not paid"
    paid = till.pay(2100)
    assert paid.approved
    till.close()
    terminal.restart()
    till = zvt.Till(terminal.zvt)
    till.wait_until_free()
    till.register()
    last = till.last(receipts=True)
    assert last.receipt == paid.receipt and last.trace == paid.trace and len(last.receipts) == 2, last.fields
    assert till.reverse(paid.receipt).approved
    assert till.end_of_day().approved
    till.close()
    print("ZVT: sold, reversed, held, captured; killed, and found again")


def nexo_flow(terminal):
    till = nexo.Till(terminal.nexo, "/nexo/")
    service = nexo.new_id()
    payment = till.pay(12.5, service)
    assert nexo.result(payment) == "Success", payment
    before = till.status(service)
    terminal.restart()
    till = nexo.Till(terminal.nexo, "/nexo/")
    after = till.status(service)
    assert after["RepeatedMessageResponse"] == before["RepeatedMessageResponse"], after
    assert nexo.result(till.pay(12.5, service)) == "NotAllowed"
    assert nexo.result(till.reverse(payment, 5)) == "Success"
    terminal.restart()
    till = nexo.Till(terminal.nexo, "/nexo/")
    assert nexo.result(till.reverse(payment, 7.51)) == "NotAllowed"
    assert nexo.result(till.reverse(payment)) == "Success"
    hold, service = till.pay(30, kind="FirstReservation"), nexo.new_id()
    original = {"POITransactionID": hold["POIData"]["POITransactionID"]}
    release = {"OriginalPOITransaction": original, "ReversalReason": "MerchantCancel"}
    assert nexo.result(till.send("Reversal", release, service)) == "Success"
    terminal.restart()
    till = nexo.Till(terminal.nexo, "/nexo/")
    reference = {"MessageCategory": "Reversal", "SaleID": "TILL1", "ServiceID": service}
    status = till.send("TransactionStatus", {"MessageReference": reference})
    assert nexo.result(status) == "Success", status
    assert nexo.result(till.send("Reversal", release, service)) == "NotAllowed"
    diagnosis = till.send("Diagnosis", {"HostDiagnosisFlag": True})
    assert diagnosis["HostStatus"][0]["IsReachableFlag"] is True
    assert till.post("/sync", till.message("Login", {}, nexo.new_id()))[0] == 404
    print("nexo: sold; killed, found again, and given back in two parts")


def stripe_flow(terminal):
    intent = terminal.call("/v1/payment_intents", {"amount": 1500, "currency": "eur"})["id"]
    terminal.call(f"/v1/terminal/readers/{terminal.reader}/process_payment_intent", {"payment_intent": intent})
    while terminal.call(f"/v1/terminal/readers/{terminal.reader}")["action"]["status"] == "in_progress":
        time.sleep(0.05)
    before = terminal.call(f"/v1/payment_intents/{intent}")
    assert before["status"] == "succeeded", before
    terminal.restart()
    after = terminal.call(f"/v1/payment_intents/{intent}")
    assert after == before, (before, after)
    refund = terminal.call("/v1/refunds", {"payment_intent": intent, "amount": 300})
    assert refund["status"] == "succeeded", refund
    terminal.restart()
    assert terminal.call(f"/v1/charges/{after['latest_charge']}")["amount_refunded"] == 300
    print("stripe: sold; killed, found again with the same charge, and refunded")


def busy(terminal):
    """While the reader works for one till, tills of the other protocols get their busy errors."""
    till, heard = zvt.Till(terminal.zvt), []
    till.register()
    intent = terminal.call("/v1/payment_intents", {"amount": 1500, "currency": "eur"})["id"]
    receive = till.receive

    def interrupted():
        message = receive()
        if message[:2].hex() == zvt.STATUS_INFORMATION and not heard:
            # The terminal waits for the answer.
            heard.append(nexo.result(nexo.Till(terminal.nexo, "/nexo/").pay(1)))
            try:
                path = f"/v1/terminal/readers/{terminal.reader}/process_payment_intent"
                terminal.call(path, {"payment_intent": intent})
            except urllib.error.HTTPError as error:
                heard.append(json.load(error)["error"]["code"])
            try:
                zvt.Till(terminal.zvt).pay(100)
            except zvt.Refused as refused:
                heard.append(refused.code)
        return message

    till.receive = interrupted
    assert till.pay(1700).approved
    till.close()
    assert heard == ["Busy", "terminal_reader_busy", 0x9C], heard
    assert nexo.result(nexo.Till(terminal.nexo, "/nexo/").pay(1)) == "Success"
    print("busy: the tills of other protocols waited, and then paid")


def stripe_crashes(terminal, rounds):
    """Kills the terminal at any moment after a reader has taken a payment intent."""
    moments = random.Random(2)
    for number in range(rounds):
        units = 20_000 + number
        intent = terminal.call("/v1/payment_intents", {"amount": units, "currency": "eur"})["id"]
        terminal.call(f"/v1/terminal/readers/{terminal.reader}/process_payment_intent", {"payment_intent": intent})
        time.sleep(moments.uniform(0, 0.3))
        terminal.restart()
        status = terminal.call(f"/v1/payment_intents/{intent}")["status"]
        states = [payment["state"] for payment in terminal.payments() if payment["amount"] == units]
        assert len(states) <= 1, states
        assert (status == "succeeded") == (states == ["captured"]), (status, states)
        if status == "requires_payment_method":
            # The till goes on with the same intent.
            terminal.call(f"/v1/terminal/readers/{terminal.reader}/process_payment_intent", {"payment_intent": intent})
            while terminal.call(f"/v1/terminal/readers/{terminal.reader}")["action"]["status"] == "in_progress":
                time.sleep(0.05)
            assert terminal.call(f"/v1/payment_intents/{intent}")["status"] == "succeeded"
    print(f"killed {rounds} times behind process_payment_intent: each intent says what the journal has")


def zvt_crashes(terminal, rounds):
    """Kills the terminal at any moment of a ZVT payment. What the till finds is what it saw, or nothing."""
    moments = random.Random(3)
    for number in range(rounds):
        units, seen = 30_000 + number, []
        till = zvt.Till(terminal.zvt)
        till.register()

        def pay(till=till, units=units, seen=seen):
            try:
                seen.append(till.pay(units))
            except (zvt.ConnectionLost, zvt.Refused):
                pass

        thread = threading.Thread(target=pay)
        thread.start()
        time.sleep(moments.uniform(0, 0.5))
        terminal.restart()
        thread.join()
        till = zvt.Till(terminal.zvt)
        till.wait_until_free()
        last = till.last()
        till.close()
        found = [payment for payment in terminal.payments() if payment["amount"] == units]
        standing = [payment for payment in found if payment["state"] == "captured"]
        assert len(standing) <= 1, found
        assert (last.code == 0 and last.amount == units) == bool(standing), (last.fields, found)
        assert not seen or not seen[0].approved or standing, "a payment that the till saw completed stands"
    print(f"killed {rounds} times in a ZVT payment: repeat receipt shows what stands")


def crashes(terminal, rounds):
    """Kills the terminal at any moment of a payment. The till asks, and what it hears is what the journal has."""
    moments = random.Random(1)
    outcomes = {"paid": 0, "not paid": 0}
    for number in range(rounds):
        units, service = 10_000 + number, nexo.new_id()
        till = nexo.Till(terminal.nexo, "/nexo/")

        def pay(till=till, units=units, service=service):
            try:
                till.pay(units / 100, service)
            except Exception:  # the connection is lost
                pass

        thread = threading.Thread(target=pay)
        thread.start()
        time.sleep(moments.uniform(0, 0.4))
        terminal.restart()
        thread.join()
        till = nexo.Till(terminal.nexo, "/nexo/")
        status = till.status(service)
        found = [payment for payment in terminal.payments() if payment["amount"] == units]
        charged = [payment for payment in found if payment["state"] in ("captured", "authorized")]
        assert len(charged) <= 1, found
        if nexo.result(status) == "Success":
            body = status["RepeatedMessageResponse"]["RepeatedResponseMessageBody"]["PaymentResponse"]
            assert (nexo.result(body) == "Success") == bool(charged), (body, found)
        else:
            # The terminal never had the message.
            assert nexo.result(status) == "NotFound" and not found, (status, found)
        outcomes["paid" if charged else "not paid"] += 1
    print(f"killed {rounds} times in a payment: {outcomes['paid']} paid, {outcomes['not paid']} not, none in doubt")


def main():
    with tempfile.TemporaryDirectory() as folder, Terminal(sys.argv[1], folder) as terminal:
        zvt_flow(terminal)
        nexo_flow(terminal)
        stripe_flow(terminal)
        busy(terminal)
        crashes(terminal, 8)
        stripe_crashes(terminal, 6)
        zvt_crashes(terminal, 8)


if __name__ == "__main__":
    main()
