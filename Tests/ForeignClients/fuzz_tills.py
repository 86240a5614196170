"""Sends generated and broken requests of tills to simulated terminals, and sells between them.

usage: fuzz_tills.py PROGRAM [--seed NUMBER] [SECONDS [PROTOCOL...]]     (by Scripts/fuzz-tills)

Ends with 1 when a terminal breaks a rule, with the request.
"""
import argparse
import base64
import http.client
import json
import random
import socket
import sys
import threading
import time
import urllib.parse

from served_terminal import start

LIMIT = 10
"""The seconds in which every request is answered."""


class Broken(Exception):
    """A terminal broke a rule."""


class Times:
    """Counts requests by what they got, and keeps how long they took."""

    def __init__(self):
        self.lock, self.kinds, self.seconds = threading.Lock(), {}, []

    def add(self, kind, seconds):
        with self.lock:
            self.kinds[kind] = self.kinds.get(kind, 0) + 1
            self.seconds.append(seconds)

    def row(self, protocol):
        ordered = sorted(self.seconds) or [0]
        kinds = ", ".join(f"{kind} {count}" for kind, count in sorted(self.kinds.items(), key=str))
        return (f"{protocol:<8}{len(self.seconds):>9}{ordered[len(ordered) * 99 // 100] * 1000:>9.1f}"
                f"{ordered[-1] * 1000:>9.1f}  {kinds}")


# Pieces of any protocol.

TEXTS = ["", "0", "-1", "x", "true", "null", "é\u2028\U0001F4B3", "A" * 300, "%00", "a[b]", "9" * 40, "1e999", "../..", "{}"]


def text(rng):
    """A text that is likely to be wrong."""
    if rng.random() < 0.8:
        return rng.choice(TEXTS)
    return "".join(chr(rng.choice([rng.randrange(32, 127), rng.randrange(1, 0xD7FF)])) for _ in range(rng.randrange(40)))


def mutated(rng, data):
    """Bytes with a few changes."""
    data = bytearray(data)
    for _ in range(rng.randrange(1, 4)):
        place = rng.randrange(len(data) + 1)
        choice = rng.randrange(4)
        if choice == 0 and data:
            data[place % len(data)] ^= 1 << rng.randrange(8)
        elif choice == 1:
            data[place:place] = rng.randbytes(rng.randrange(1, 8))
        elif choice == 2:
            del data[place:place + rng.randrange(1, 8)]
        else:
            data[place:place] = data[max(0, place - 8):place]
    return bytes(data)


class Web:
    """Sends requests over HTTP, each with a deadline."""

    def __init__(self, address, times):
        self.address, self.times, self.connection = urllib.parse.urlsplit(address), times, None
        self.may_lose = False

    def send(self, method, target, body, headers):
        """Returns status and body; None when a fault closed the connection."""
        request = f"{method} {target[:300]} {headers} {body[:2000]!r}"
        began = time.monotonic()
        try:
            if self.connection is None:
                self.connection = http.client.HTTPConnection(self.address.hostname, self.address.port, timeout=LIMIT)
            self.connection.putrequest(method, target, skip_accept_encoding=True)
            for name, value in headers.items():
                self.connection.putheader(name, value)
            self.connection.putheader("Content-Length", str(len(body)))
            self.connection.endheaders(body)
            response = self.connection.getresponse()
            status, content = response.status, response.read()
        except (http.client.HTTPException, ConnectionError, BrokenPipeError, OSError) as error:
            self.connection.close()
            self.connection = None
            if isinstance(error, TimeoutError):
                raise Broken(f"no answer in {LIMIT} seconds: {request}") from error
            if not self.may_lose:
                raise Broken(f"{error!r}: {request}") from error
            self.times.add("lost", time.monotonic() - began)
            return None
        self.times.add(status, time.monotonic() - began)
        if status >= 500:
            raise Broken(f"{status} {content[:400]!r}: {request}")
        return status, content


# Stripe-compatible terminals.

STRIPE_PATHS = [
    "/v1/account", "/v1/terminal/locations", "/v1/terminal/locations/<tml>", "/v1/terminal/connection_tokens",
    "/v1/terminal/readers", "/v1/terminal/readers/<tmr>", "/v1/terminal/readers/<tmr>/process_payment_intent",
    "/v1/terminal/readers/<tmr>/cancel_action", "/v1/terminal/readers/<tmr>/set_reader_display",
    "/v1/terminal/readers/<tmr>/refund_payment", "/v1/terminal/readers/<tmr>/collect_inputs",
    "/v1/test_helpers/terminal/readers/<tmr>/present_payment_method",
    "/v1/test_helpers/terminal/readers/<tmr>/succeed_input_collection",
    "/v1/test_helpers/terminal/readers/<tmr>/timeout_input_collection",
    "/v1/payment_intents", "/v1/payment_intents/<pi>", "/v1/payment_intents/<pi>/capture",
    "/v1/payment_intents/<pi>/cancel", "/v1/payment_intents/<pi>/confirm", "/v1/charges", "/v1/charges/<ch>",
    "/v1/refunds", "/v1/refunds/<re>", "/v1/events", "/v1/events/<evt>", "/v1/webhook_endpoints",
    "/v1/webhook_endpoints/<we>", "/_simulator/faults", "/_simulator/inputs", "/v1/customers",
]
STRIPE_FIELDS = {
    "amount": ["1250", "1", "1001", "99999999", "0"], "currency": ["usd", "eur", "jpy", "xxx"],
    "payment_intent": ["<pi>"], "charge": ["<ch>"], "registration_code": ["simulated-wpe"], "location": ["<tml>"],
    "capture_method": ["manual", "automatic"], "payment_method_types[]": ["card_present"], "limit": ["1", "100", "0"],
    "payment_method_options[card_present][capture_method]": ["manual_preferred", "automatic"], "confirm": ["true"],
    "final_capture": ["false", "true"],
    "starting_after": ["<pi>", "<ch>"], "ending_before": ["<evt>"], "expand[]": ["charge", "data.payment_intent"],
    "card_present[number]": ["4242424242424242", "4000000000000002", "4001007020000002"], "amount_tip": ["100"],
    "amount_to_capture": ["700"], "display_name": ["A"], "address[country]": ["DE"], "metadata[a]": ["b"],
    "type": ["cart"], "cart[currency]": ["usd"], "cart[total]": ["10"], "cart[tax]": ["1"],
    "cart[line_items][0][description]": ["x"], "cart[line_items][0][amount]": ["10"],
    "cart[line_items][0][quantity]": ["1"], "inputs[0][type]": ["email", "selection", "text"],
    "inputs[0][custom_text][title]": ["Mail"], "inputs[0][required]": ["true"], "reader": ["<tmr>"],
    "answers[]": ["a@example.com"], "cancel": ["true"], "fault": ["reader_offline", "reader_online", "webhook_lost"],
    "times": ["1"], "enabled_events[]": ["*"], "url": ["http://127.0.0.1:9/"], "process_config[skip_tipping]": ["true"],
    "cancellation_reason": ["abandoned"], "reason": ["requested_by_customer"],
}
STRIPE_NEEDS = {
    "payment_intents": ["amount", "currency"], "readers": ["registration_code"], "refunds": ["payment_intent"],
    "process_payment_intent": ["payment_intent"], "refund_payment": ["payment_intent"], "faults": ["fault"],
    "webhook_endpoints": ["url", "enabled_events[]"], "locations": ["display_name", "address[country]"],
    "collect_inputs": ["inputs[0][type]", "inputs[0][custom_text][title]"], "inputs": ["reader", "answers[]"],
}


class StripeTill:
    """A till that asks anything."""

    def __init__(self, address, times, rng):
        self.web, self.rng, self.ids = Web(address, times), rng, {}

    def filled(self, value):
        for kind in ("tml", "tmr", "pi", "ch", "re", "evt", "we"):
            if f"<{kind}>" in value:
                value = value.replace(f"<{kind}>", self.rng.choice(self.ids.get(kind) or [kind + "_1"]))
        return value

    def call(self, method, path, fields=(), headers=None, raw=None):
        body = raw if raw is not None else urllib.parse.urlencode(list(fields)).encode("utf-8", "replace")
        target = path
        if method == "GET" and body:
            target, body = path + "?" + body.decode("latin-1"), b""
        answer = self.web.send(method, target, body, {
            "Authorization": "Bearer sk_test_1", "Content-Type": "application/x-www-form-urlencoded", **(headers or {})})
        if answer is None:
            return None
        status, content = answer
        if method == "HEAD":
            return status, None
        try:
            value = json.loads(content)
        except ValueError as error:
            raise Broken(f"{status} is no JSON {content[:200]!r}: {method} {target[:300]}") from error
        if status >= 400 and not isinstance(value.get("error", {}).get("message"), str):
            raise Broken(f"{status} has no error object {content[:200]!r}: {method} {target[:300]}")
        if isinstance(value.get("id"), str):
            known = self.ids.setdefault(value["id"].split("_")[0], [])
            known.append(value["id"])
            del known[:-5]
        return status, value

    def any(self):
        rng = self.rng
        path = self.filled(rng.choice(STRIPE_PATHS))
        # Most requests have what the call needs, so that it is reached, and half of them nothing else.
        names = STRIPE_NEEDS.get(path.split("/")[-1], []) if rng.random() < 0.8 else []
        if rng.random() < 0.5:
            names = names + rng.sample(sorted(STRIPE_FIELDS), rng.randrange(1, 4))
        fields = [(name, self.filled(rng.choice(STRIPE_FIELDS[name]))) for name in names]
        if fields and rng.random() < 0.3:
            place = rng.randrange(len(fields))
            fields[place] = (fields[place][0] if rng.random() < 0.7 else text(rng), text(rng))
        headers = {}
        if rng.random() < 0.3:
            headers["Idempotency-Key"] = rng.choice(["a", "b", "c", str(rng.random())])
        if rng.random() < 0.05:
            headers["Authorization"] = rng.choice(["", "Bearer sk_live_1", "Basic !!", "Bearer " + "x" * 400])
        if rng.random() < 0.05:
            headers["Stripe-Version"] = rng.choice(["1999-01-01", "x"])
        raw = None
        if rng.random() < 0.1:
            raw = mutated(rng, urllib.parse.urlencode(fields).encode() or b"a=b")
        method = rng.choice(["POST"] * 6 + ["GET"] * 3 + ["DELETE", "PUT", "HEAD", "PATCH"])
        if method == "GET" and raw is not None:
            method = "POST"
        # What waits for a person would hold this till, and not the others.
        self.call(method, urllib.parse.quote(path, safe="/_<>") if rng.random() < 0.98 else "/" + urllib.parse.quote(text(rng)),
                  fields, headers, raw)

    def end(self):
        """Has nothing to give back."""

    def sale(self):
        """Sells at a reader of its own."""
        self.call("DELETE", "/_simulator/faults")
        _, reader = self.call("POST", "/v1/terminal/readers", [("registration_code", "simulated-wpe")])
        _, intent = self.call("POST", "/v1/payment_intents", [("amount", "1250"), ("currency", "usd")])
        path = f"/terminal/readers/{reader['id']}"
        self.call("POST", "/v1" + path + "/process_payment_intent", [("payment_intent", intent["id"])])
        self.call("POST", "/v1/test_helpers" + path + "/present_payment_method")
        _, intent = self.call("GET", "/v1/payment_intents/" + intent["id"])
        if intent.get("status") not in ("succeeded", "canceled"):
            raise Broken(f"a sale is {intent.get('status')}: {json.dumps(intent)[:400]}")
        self.call("DELETE", "/v1" + path)


# Nexo-compatible terminals.

POI = "V400m-000000001"
TIME = "2026-01-02T12:00:00Z"
SALE = {"SaleTransactionID": {"TransactionID": "1", "TimeStamp": TIME}}
REFERENCE = {"MessageCategory": "Payment", "ServiceID": "<service>", "SaleID": "TILL1"}
ORIGINAL = {"POITransactionID": {"TransactionID": "<transaction>", "TimeStamp": TIME}}
OUTPUT = {"OutputFormat": "Text", "OutputText": [{"Text": "x"}]}
NEXO = {
    "Payment": [
        {"SaleData": SALE, "PaymentTransaction": {"AmountsReq": {"Currency": "EUR", "RequestedAmount": amount}},
         "PaymentData": {"PaymentType": kind}}
        for amount in (12.5, 11.24, 11.66, 0.01) for kind in ("Normal", "Refund", "FirstReservation")],
    "Reversal": [{"OriginalPOITransaction": ORIGINAL, "ReversalReason": "MerchantCancel"},
                 {"OriginalPOITransaction": ORIGINAL, "ReversalReason": "MerchantCancel", "ReversedAmount": 1}],
    "TransactionStatus": [{"MessageReference": REFERENCE, "ReceiptReprintFlag": True}, {}],
    "Abort": [{"MessageReference": REFERENCE, "AbortReason": "MerchantAbort"}],
    "CardAcquisition": [{"SaleData": SALE, "CardAcquisitionTransaction": {}}],
    "EnableService": [{"TransactionAction": "AbortTransaction"}],
    "Diagnosis": [{"HostDiagnosisFlag": True}, {}],
    "Login": [{"DateTime": TIME, "OperatorLanguage": "en", "SaleSoftware": {
        "ApplicationName": "Till", "SoftwareVersion": "1", "CertificationCode": "x"}}],
    "Logout": [{}], "GetTotals": [{}], "Reconciliation": [{"ReconciliationType": "SaleReconciliation"}],
    "Display": [{"DisplayOutput": [{"Device": "CustomerDisplay", "InfoQualify": "Display", "OutputContent": OUTPUT}]}],
    "Print": [{"PrintOutput": {"DocumentQualifier": "Document", "ResponseMode": "PrintEnd", "OutputContent": OUTPUT}}],
    "Input": [{"InputData": {"Device": "CustomerInput", "InfoQualify": "Input", "InputCommand": "GetConfirmation"},
               "DisplayOutput": {"Device": "CustomerDisplay", "InfoQualify": "Display", "OutputContent": OUTPUT}}],
    "StoredValue": [{}], "Event": [{}], "PIN": [{}],
}
DEVICES = ("Display", "Print", "Input", "PIN")
CONTROL = [
    ("cardholder", {"mode": "automatic"}), ("present", {}), ("present", {"card": "amex"}), ("cancel", {}),
    ("answer", {"answer": "yes"}), ("faults", {"fault": "out_of_paper"}), ("faults", {"fault": "paper_loaded"}),
    ("faults", {"fault": "notification_twice"}), ("events", {"address": None}), ("nothing", {}),
]


def places(value, path=()):
    """All places in a JSON value."""
    yield path
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, member in members:
        yield from places(member, path + (name,))


def changed(rng, value):
    """A JSON value with another one somewhere in it."""
    value = json.loads(json.dumps(value))
    place = rng.choice(list(places(value)))
    if not place:
        return value
    inner = value
    for name in place[:-1]:
        inner = inner[name]
    choice = rng.randrange(4)
    if choice == 0:
        del inner[place[-1]]
    elif choice == 1 and isinstance(inner, dict):
        inner[text(rng)] = text(rng)
    else:
        inner[place[-1]] = rng.choice([None, True, 1e30, -1, 0.001, [], {}, [[[]]], text(rng)])
    return value


class NexoTill:
    """A till that sends anything."""

    def __init__(self, address, times, rng):
        self.web, self.rng, self.count = Web(address, times), rng, 0
        self.name, self.transaction = f"T{rng.randrange(10**9)}", "x"

    def message(self, category, request, service=None):
        self.count += 1
        return {"SaleToPOIRequest": {
            "MessageHeader": {
                "ProtocolVersion": "3.0", "MessageClass": "Device" if category in DEVICES else "Service",
                "MessageCategory": category, "MessageType": "Request", "SaleID": self.name,
                "ServiceID": service or str(self.count), "POIID": POI},
            f"{category}Request": request}}

    def call(self, path, body, method="POST"):
        answer = self.web.send(method, path, body, {"Content-Type": "application/json", "x-api-key": "x"})
        if answer is None:
            return None
        status, content = answer
        if method == "HEAD" or content in (b"", b"ok"):
            return status, None
        try:
            value = json.loads(content)
        except ValueError as error:
            raise Broken(f"{status} is no JSON {content[:200]!r}: {path[:100]} {body[:1000]!r}") from error
        if status >= 400 and "errors" not in value:
            raise Broken(f"{status} has no errors {content[:200]!r}: {path[:100]} {body[:1000]!r}")
        mark = b'"POITransactionID":{"TransactionID":"'
        if mark in content:
            self.transaction = content.split(mark, 1)[1].split(b'"', 1)[0].decode()
        return status, value

    def any(self):
        rng = self.rng
        if rng.random() < 0.15:
            name, fields = rng.choice(CONTROL)
            body = json.dumps(fields if rng.random() < 0.7 else {text(rng): text(rng)}).encode()
            return self.call(f"/_simulator/{name}", body, rng.choice(["POST", "POST", "POST", "GET", "DELETE"]))
        if rng.random() < 0.05:
            path = rng.choice([
                "/v1/merchants/M/connectedDevices", f"/v1/merchants/M/devices/{POI}/status", "/nexo", "/x", "/",
                "/v1/merchants/M/devices/%zz/sync", "/" + urllib.parse.quote(text(rng))])
            return self.call(path, b"", rng.choice(["GET", "POST", "PUT", "HEAD"]))
        category = rng.choice(sorted(NEXO) + ["Payment"] * 4)
        service = str(rng.randrange(max(1, self.count - 3), self.count + 1)) if rng.random() < 0.1 and self.count else None
        message = self.message(category, rng.choice(NEXO[category]), service)
        raw = json.dumps(message).replace("<service>", str(max(1, self.count - 1))).replace("<transaction>", self.transaction)
        if rng.random() < 0.5:
            raw = json.dumps(changed(rng, json.loads(raw)))
        body = raw.encode()
        if rng.random() < 0.15:
            body = mutated(rng, body)
        if rng.random() < 0.1:
            value = message["SaleToPOIRequest"]
            body = json.dumps({"SaleToPOIRequest": {
                "MessageHeader": value["MessageHeader"], "NexoBlob": base64.b64encode(rng.randbytes(64)).decode(),
                "SecurityTrailer": {
                    "AdyenCryptoVersion": 1, "KeyIdentifier": rng.choice(["CardPresent", "x"]), "KeyVersion": 1,
                    "Nonce": base64.b64encode(rng.randbytes(16)).decode(),
                    "Hmac": base64.b64encode(rng.randbytes(rng.choice([32, 3]))).decode()}}}).encode()
        path = rng.choice(["/nexo/", "/nexo", "/sync", "/async", f"/v1/merchants/M/devices/{POI}/sync"])
        self.call(path, body)

    def end(self):
        """Lets the terminal go: a card that was read holds it."""
        self.call("/sync", json.dumps(self.message(
            "EnableService", {"TransactionAction": "AbortTransaction"})).encode())

    def sale(self):
        """Sells, when no other till does."""
        self.call("/_simulator/faults", b"", "DELETE")
        self.call("/_simulator/cardholder", b'{"mode": "automatic"}')
        end = time.monotonic() + 3 * LIMIT
        while True:
            request = NEXO["Payment"][0]
            _, value = self.call("/sync", json.dumps(self.message("Payment", request)).encode())
            response = value["SaleToPOIResponse"]["PaymentResponse"]["Response"]
            if response["Result"] == "Success":
                return
            if response.get("ErrorCondition") not in ("Busy", "Cancel"):
                raise Broken(f"a sale failed: {response}")
            if time.monotonic() > end:
                raise Broken(f"no sale in {3 * LIMIT} seconds: {response}")
            # A till that will not come back may have left a card in the reader.
            if response.get("ErrorCondition") == "Busy":
                self.call("/_simulator/cancel", b"{}")
            time.sleep(0.02)


# ZVT terminals.

ACKNOWLEDGMENT = bytes.fromhex("800000")
COMMANDS = [bytes.fromhex(command) for command in (
    "0600170000008e09780300060d26080a0206d30a0206d1120140", "06000600000008" "0978",
    "06010a04000000001250490978", "06010a04000000001297490978", "06010a04000000001298490978",
    "06010a04000000001266490978", "06010a04000000001269490978", "06010a04000000001051490978", "800000", "06b000",
    "06011904000000001450490978060d1f36060000000002001f1f0117", "06301000000087000104000000001250490978",
    "0620050000000303", "065003000000", "06230387ffff", "0501050000000302", "849c00", "08300101", "06700506031b0101",
    "06310d00000004000000000500490978", "06220a04000000005000490978", "06240a87000104000000004000",
    "06230a87000104000000001000", "062503870001", "069303000000", "061003000000", "060200", "050100", "840000", "84cc00",
)]


class ZVTTill:
    """A till that sends any bytes."""

    def __init__(self, address, times, rng):
        host, _, port = address.rpartition(":")
        self.address, self.times, self.rng, self.socket = (host.strip("[]"), int(port)), times, rng, None
        self.buffer = b""

    def connect(self):
        self.close()
        self.socket, self.buffer = socket.create_connection(self.address, timeout=LIMIT), b""

    def end(self):
        self.close()

    def close(self):
        if self.socket:
            self.socket.close()
        self.socket = None

    def message(self, patience):
        """The next message; None when none comes in time. A closed connection is an EOFError."""
        end = time.monotonic() + patience
        while True:
            data = self.buffer
            if len(data) >= 3 and data[2] < 0xFF:
                count = 3 + data[2]
            elif len(data) >= 5:
                count = 5 + data[3] + 256 * data[4]
            else:
                count = None
            if count is not None and len(data) >= count:
                self.buffer = data[count:]
                if data[0] not in (0x04, 0x06, 0x80, 0x84):
                    raise Broken(f"no message of a terminal: {data[:count].hex()}")
                return data[:count]
            rest = end - time.monotonic()
            if rest <= 0:
                return None
            self.socket.settimeout(rest)
            try:
                more = self.socket.recv(65536)
            except TimeoutError:
                return None
            except OSError as error:
                raise EOFError from error
            if not more:
                raise EOFError
            self.buffer += more

    def send(self, data):
        try:
            self.socket.sendall(data)
        except TimeoutError as error:
            raise Broken(f"the terminal does not read: {data[:200].hex()}") from error
        except OSError as error:
            raise EOFError from error

    def any(self):
        """A command or what looks like one, and any answers to what follows."""
        rng, began = self.rng, time.monotonic()
        if self.socket is None or rng.random() < 0.1:
            self.connect()
        data = rng.choice(COMMANDS)
        if rng.random() < 0.4:
            data = mutated(rng, data)
        if rng.random() < 0.05:
            data = rng.randbytes(rng.randrange(1, 600))
        kind = "answered"
        try:
            for start in range(0, len(data), cut := rng.choice([1, 3, 1000])):
                self.send(data[start:start + cut])
            while (message := self.message(0.02)) is not None:
                if message[0] in (0x80, 0x84):
                    continue
                choice = rng.random()
                if choice < 0.9:
                    self.send(ACKNOWLEDGMENT)
                elif choice < 0.93:
                    self.send(rng.choice(COMMANDS))
                elif choice < 0.96:
                    self.send(bytes.fromhex("846c00"))
                else:
                    break
        except EOFError:
            self.close()
            kind = "closed"
        self.times.add(kind, time.monotonic() - began)

    def command(self, data):
        """Sends a command and follows it. Returns the messages."""
        self.connect()
        self.send(data)
        messages = []
        while not messages or messages[-1][0] not in (0x84,) and messages[-1][:2] not in (b"\x06\x0f", b"\x06\x1e"):
            message = self.message(LIMIT)
            if message is None:
                raise Broken(f"no answer in {LIMIT} seconds: {data.hex()}")
            messages.append(message)
            if message[0] not in (0x80, 0x84):
                self.send(ACKNOWLEDGMENT)
        return messages

    def sale(self):
        """Sells, when no other till does."""
        end = time.monotonic() + 6 * LIMIT
        while True:
            try:
                messages = self.command(bytes.fromhex("06010a04000000001250490978"))
                if messages[-1][:2] == b"\x06\x0f":
                    return
                if messages[-1][:2] != b"\x84\x9c":
                    raise Broken(f"a sale ended with {messages[-1].hex()}")
            except EOFError:
                pass
            if time.monotonic() > end:
                raise Broken(f"no sale in {6 * LIMIT} seconds")
            self.close()
            time.sleep(0.05)


TILLS = {"stripe": StripeTill, "nexo": NexoTill, "zvt": ZVTTill}


def fuzz(program, protocol, seconds, seed):
    """Sends requests of several tills for so many seconds. Returns the row of the table."""
    command = [program, "simulate", "terminal", "--protocol", protocol, "--port", "0", "--seed", "1", "--json"]
    if protocol == "nexo":
        command += ["--http-port", "0"]
    process, view = start(command)
    # What a terminal prints would fill the pipe.
    threading.Thread(target=lambda: process.stdout.read(), daemon=True).start()
    address = view["http"] if protocol == "nexo" else view["address"]
    times, failures, end = Times(), [], time.monotonic() + seconds

    def run(number):
        till = TILLS[protocol](address, times, random.Random(f"{seed}/{number}"))
        try:
            while time.monotonic() < end and not failures:
                till.any()
            till.end()
        except Exception as error:
            failures.append(error if isinstance(error, Broken) else Broken(repr(error)))

    threads = [threading.Thread(target=run, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    try:
        if process.poll() is not None:
            raise Broken(f"the program ended with {process.returncode}: {failures[:1]}")
        if failures:
            raise failures[0]
        TILLS[protocol](address, Times(), random.Random(0)).sale()
    finally:
        process.terminate()
        status = process.wait(timeout=60)
    if status != 0:
        raise Broken(f"the program ended with {status}")
    return times.row(protocol)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--seed", default="1")
    parser.add_argument("seconds", nargs="?", type=int, default=30)
    parser.add_argument("protocols", nargs="*", metavar="protocol")
    options = parser.parse_intermixed_args()
    unknown = [name for name in options.protocols if name not in TILLS]
    if unknown:
        parser.error(f"no protocol {unknown[0]}: choose of {', '.join(TILLS)}")
    print(f"{'protocol':<8}{'requests':>9}{'p99 ms':>9}{'max ms':>9}  answers", flush=True)
    failed = False
    for protocol in options.protocols or TILLS:
        try:
            print(fuzz(options.program, protocol, options.seconds, options.seed), flush=True)
        except Broken as broken:
            failed = True
            print(f"{protocol:<8} failed: {broken}", flush=True)
    sys.exit(failed)


if __name__ == "__main__":
    main()
