"""A till for terminals that speak nexo, as Adyen's Terminal API has it, at a simulated terminal.

    pip install cryptography
    cardpresent simulate terminal --protocol nexo --port 8443 --seed 1 &
    python3 Examples/nexo-python/till.py [--address https://127.0.0.1:8443] [--http http://127.0.0.1:8444] [--ca FILE]

It is written from the protocol and shares no code with the terminal. It sells, is declined, refunds, aborts, loses an
answer and asks for it, in clear text and encrypted.
"""
import argparse
import base64
import hashlib
import hmac
import http.client
import http.server
import json
import os
import queue
import secrets
import ssl
import threading
import urllib.parse

from cryptography.hazmat.primitives import padding
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

POI = "V400m-000000001"


class Key:
    """The key that a till and a terminal share."""

    def __init__(self, passphrase="correct horse battery", identifier="CardPresent", version=1):
        material = hashlib.pbkdf2_hmac("sha1", passphrase.encode(), b"AdyenNexoV1Salt", 4000, 80)
        self.hmac_key, self.cipher_key, self.iv = material[:32], material[32:64], material[64:]
        self.identifier, self.version = identifier, version

    def cipher(self, nonce):
        iv = bytes(a ^ b for a, b in zip(self.iv, nonce))
        return Cipher(algorithms.AES(self.cipher_key), modes.CBC(iv))

    def seal(self, text, nonce=None):
        nonce = nonce or secrets.token_bytes(16)
        padder, encryptor = padding.PKCS7(128).padder(), self.cipher(nonce).encryptor()
        blob = encryptor.update(padder.update(text) + padder.finalize()) + encryptor.finalize()
        return {
            "NexoBlob": base64.b64encode(blob).decode(),
            "SecurityTrailer": {
                "AdyenCryptoVersion": 1, "KeyIdentifier": self.identifier, "KeyVersion": self.version,
                "Nonce": base64.b64encode(nonce).decode(),
                "Hmac": base64.b64encode(hmac.digest(self.hmac_key, text, "sha256")).decode()}}

    def open(self, message):
        trailer = message["SecurityTrailer"]
        assert (trailer["AdyenCryptoVersion"], trailer["KeyIdentifier"], trailer["KeyVersion"]) == (
            1, self.identifier, self.version)
        decryptor = self.cipher(base64.b64decode(trailer["Nonce"])).decryptor()
        unpadder = padding.PKCS7(128).unpadder()
        text = decryptor.update(base64.b64decode(message["NexoBlob"])) + decryptor.finalize()
        text = unpadder.update(text) + unpadder.finalize()
        assert hmac.compare_digest(
            hmac.digest(self.hmac_key, text, "sha256"), base64.b64decode(trailer["Hmac"])), "the message was changed"
        return text


class Till:
    """Sends messages to one terminal."""

    def __init__(self, address, path="/sync", sale_id="TILL1", key=None, ca=None):
        self.address, self.path, self.sale_id, self.key = urllib.parse.urlsplit(address), path, sale_id, key
        self.context = ssl.create_default_context(cafile=ca) if ca else None

    def post(self, path, body, method="POST"):
        """Sends one request over a connection of its own, and returns the status and the bytes."""
        host, port = self.address.hostname, self.address.port
        if self.context:
            connection = http.client.HTTPSConnection(host, port, timeout=60, context=self.context)
        else:
            connection = http.client.HTTPConnection(host, port, timeout=60)
        try:
            connection.request(method, path, body, {"Content-Type": "application/json", "x-api-key": "test"})
            response = connection.getresponse()
            return response.status, response.read()
        finally:
            connection.close()

    def message(self, category, request, service_id, device=False):
        header = {
            "ProtocolVersion": "3.0", "MessageClass": "Device" if device else "Service", "MessageCategory": category,
            "MessageType": "Request", "SaleID": self.sale_id, "ServiceID": service_id, "POIID": POI}
        text = json.dumps({"SaleToPOIRequest": {"MessageHeader": header, f"{category}Request": request}}).encode()
        if self.key:
            text = json.dumps({"SaleToPOIRequest": {"MessageHeader": header, **self.key.seal(text)}}).encode()
        return text

    def send(self, category, request, service_id=None, device=False):
        """Sends a message, and returns the object of its response; None for an empty one."""
        service_id = service_id or new_id()
        status, body = self.post(self.path, self.message(category, request, service_id, device))
        assert status == 200, (status, body)
        if not body:
            return None
        outer = json.loads(body)["SaleToPOIResponse"]
        if self.key:
            inner = json.loads(self.key.open(outer))["SaleToPOIResponse"]
            assert inner["MessageHeader"] == outer["MessageHeader"]
            outer = inner
        header = outer["MessageHeader"]
        assert (header["MessageType"], header["ServiceID"], header["SaleID"]) == ("Response", service_id, self.sale_id)
        return outer[f"{category}Response"]

    def pay(self, amount, service_id=None, kind="Normal", **data):
        return self.send("Payment", {
            "SaleData": {
                "SaleToAcquirerData": "tenderOption=ReceiptHandler",
                "SaleTransactionID": {"TransactionID": "order-17", "TimeStamp": "2026-01-02T12:00:00Z"}},
            "PaymentTransaction": {"AmountsReq": {"Currency": "EUR", "RequestedAmount": amount}},
            "PaymentData": {"PaymentType": kind, **data}}, service_id)

    def reverse(self, payment, amount=None):
        request = {
            "OriginalPOITransaction": {"POITransactionID": payment["POIData"]["POITransactionID"]},
            "ReversalReason": "MerchantCancel"}
        if amount:
            request["ReversedAmount"] = amount
        return self.send("Reversal", request)

    def status(self, service_id, sale_id=None):
        """Asks what became of a payment."""
        reference = {"MessageCategory": "Payment", "ServiceID": service_id, "SaleID": sale_id or self.sale_id}
        return self.send("TransactionStatus", {"MessageReference": reference, "ReceiptReprintFlag": True})

    def simulate(self, call, **fields):
        """Steers the simulation. A real terminal has no such calls."""
        status, body = self.post(f"/_simulator/{call}", json.dumps(fields).encode())
        assert status == 200, body


def new_id():
    return secrets.token_hex(5)


def result(response):
    """The result, or the condition of a failure."""
    response = response["Response"]
    return response["Result"] if response["Result"] == "Success" else response["ErrorCondition"]


def details(response):
    return dict(urllib.parse.parse_qsl(response["Response"].get("AdditionalResponse", "")))


def in_background(function):
    """Runs a call in a thread; the returned function waits for its value."""
    values = queue.Queue()

    def run():
        try:
            values.put(function())
        except Exception as error:  # the caller looks at it
            values.put(error)

    threading.Thread(target=run, daemon=True).start()
    return lambda: values.get(timeout=60)


def sell(till):
    payment = till.pay(12.5)
    assert result(payment) == "Success", payment
    amounts = payment["PaymentResult"]["AmountsResp"]
    assert (amounts["AuthorizedAmount"], amounts["Currency"]) == (12.5, "EUR")
    assert {receipt["DocumentQualifier"] for receipt in payment["PaymentReceipt"]} == {
        "CashierReceipt", "CustomerReceipt"}
    assert details(payment)["posAuthAmountValue"] == "1250"
    print(f"  approved: {amounts['AuthorizedAmount']} {amounts['Currency']}")
    return payment


def flows(till, control):
    """The flows of a shop's day."""
    now = {"DateTime": "2026-01-02T12:00:00Z", "OperatorLanguage": "en", "SaleSoftware": {
        "ApplicationName": "till.py", "SoftwareVersion": "1", "CertificationCode": "none"}}
    assert result(till.send("Login", now)) == "Success"
    diagnosis = till.send("Diagnosis", {"HostDiagnosisFlag": True})
    assert diagnosis["POIStatus"]["GlobalStatus"] == "OK" and diagnosis["HostStatus"][0]["IsReachableFlag"] is True

    payment = sell(till)
    declined = till.pay(11.24)
    assert result(declined) == "Refusal" and "AmountsResp" not in declined["PaymentResult"]
    print(f"  declined: {details(declined)['refusalReason']}")
    assert result(till.pay(11.34)) == "WrongPIN" and result(till.pay(11.54)) == "Cancel"

    refund = till.reverse(payment, 5)
    assert result(refund) == "Success" and refund["ReversedAmount"] == 5
    assert result(till.reverse(payment, 8)) == "NotAllowed"
    reversal = till.reverse(payment)
    assert result(reversal) == "Success" and reversal["ReversedAmount"] == 7.5
    assert result(till.reverse(payment)) == "NotAllowed"
    print(f"  refunded: {refund['ReversedAmount']}, reversed: {reversal['ReversedAmount']} EUR")

    hold = till.pay(20, kind="OneTimeReservation")
    assert result(hold) == "Success" and result(till.reverse(hold)) == "Success"
    print("  reserved and released: 20 EUR")

    control.simulate("cardholder", mode="by_hand")
    service_id = new_id()
    wait = in_background(lambda: till.pay(9.99, service_id))
    while result(till.status(service_id)) == "NotFound":
        pass
    assert result(till.status(service_id)) == "InProgress"
    other = Till(control.address.geturl(), "/sync", "TILL2")
    busy = other.pay(1)
    assert result(busy) == "Busy" and details(busy)["serviceId"] == service_id
    reference = {"MessageCategory": "Payment", "SaleID": till.sale_id, "ServiceID": service_id}
    assert till.send("Abort", {"MessageReference": reference, "AbortReason": "MerchantAbort"}) is None
    assert result(wait()) == "Aborted"
    control.simulate("cardholder", mode="automatic")
    print("  aborted, and another till was told to wait")

    service_id = new_id()
    control.simulate("faults", fault="response_lost")
    try:
        till.pay(7.77, service_id)
        raise SystemExit("the answer should have been lost")
    except (http.client.HTTPException, OSError):
        pass
    status = till.status(service_id)
    found = status["RepeatedMessageResponse"]["RepeatedResponseMessageBody"]["PaymentResponse"]
    assert result(status) == "Success" and result(found) == "Success"
    assert found["PaymentResult"]["AmountsResp"]["AuthorizedAmount"] == 7.77
    again = till.pay(7.77, service_id)
    assert result(again) == "NotAllowed", again
    assert result(till.status(new_id())) == "NotFound"
    print("  answer lost, found by TransactionStatus, and not charged again")

    card = till.send("CardAcquisition", {
        "SaleData": {"SaleTransactionID": {"TransactionID": "order-18", "TimeStamp": "2026-01-02T12:00:00Z"}},
        "CardAcquisitionTransaction": {}})
    brand = card["PaymentInstrumentData"]["CardData"]["PaymentBrand"]
    assert result(card) == "Success" and result(other.pay(1)) == "Busy"
    paid = till.pay(3, CardAcquisitionReference=card["POIData"]["POITransactionID"])
    assert result(paid) == "Success"
    print(f"  card acquired ({brand}), and charged")

    lines = {"OutputFormat": "Text", "OutputText": [{"Text": "Welcome", "EndOfLineFlag": True}]}
    screen = {"Device": "CustomerDisplay", "InfoQualify": "Display", "OutputContent": lines}
    shown = till.send("Display", {"DisplayOutput": [screen]}, device=True)
    assert result(shown["OutputResult"][0]) == "Success"
    asked = till.send("Input", {"DisplayOutput": screen, "InputData": {
        "Device": "CustomerInput", "InfoQualify": "Input", "InputCommand": "GetConfirmation"}}, device=True)
    assert asked["InputResult"]["Input"]["ConfirmedFlag"] is True
    paper = {"PrintOutput": {"DocumentQualifier": "Document", "ResponseMode": "PrintEnd", "OutputContent": lines}}
    assert result(till.send("Print", paper, device=True)) == "Success"
    control.simulate("faults", fault="out_of_paper")
    assert result(till.send("Print", paper, device=True)) == "UnavailableDevice"
    control.simulate("faults", fault="paper_loaded")

    totals = till.send("GetTotals", {})["TransactionTotals"][0]["PaymentTotals"][0]
    closed = till.send("Reconciliation", {"ReconciliationType": "SaleReconciliation"})
    assert closed["TransactionTotals"][0]["PaymentTotals"][0] == totals
    assert till.send("GetTotals", {})["TransactionTotals"] == []
    print(f"  reconciled: {totals['TransactionCount']} payments, {totals['TransactionAmount']} EUR")
    assert result(till.send("Logout", {})) == "Success"


def mistakes(till):
    """What the terminal refuses; nothing changes."""
    unknown = till.send("Payment", {"Oops": 1})
    assert result(unknown) == "MessageFormat" and "Oops" in details(unknown)["errors"]
    assert result(till.send("Payment", {"SaleData": {"SaleTransactionID": {
        "TransactionID": "1", "TimeStamp": "x"}}, "PaymentTransaction": {"AmountsReq": {
            "Currency": "EUR", "RequestedAmount": 1.005}}})) == "MessageFormat"
    assert result(till.send("StoredValue", {})) == "UnavailableService"
    text = till.message("Diagnosis", {}, new_id()).replace(b'"3.0"', b'"9.9"')
    assert b"MessageFormat" in till.post(till.path, text)[1]
    event = json.loads(till.post(till.path, b"[]")[1])["SaleToPOIRequest"]["EventNotification"]
    assert event["EventToNotify"] == "Reject"


def tampering(till, ca):
    """An encrypted message that is replayed, changed, or made with another key is refused with 401."""
    sealed = till.message("Diagnosis", {}, new_id())
    assert till.post(till.path, sealed)[0] == 200
    replayed = till.post(till.path, sealed)
    assert replayed[0] == 401 and json.loads(replayed[1])["errors"] == ["Nexo Service: crypto error"]
    for key in [Key("another"), Key(identifier="Another"), Key(version=2)]:
        other = Till(till.address.geturl(), till.path, key=key, ca=ca)
        assert other.post(other.path, other.message("Diagnosis", {}, new_id()))[0] == 401
    changed = json.loads(till.message("Diagnosis", {}, new_id()))
    changed["SaleToPOIRequest"]["MessageHeader"]["SaleID"] = "TILL9"
    assert till.post(till.path, json.dumps(changed).encode())[0] == 401
    print("  replayed, changed, and with wrong keys: refused")


def asynchronous(address):
    """The response of /async comes to the event address, after the display notifications."""
    events = queue.Queue()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            events.put(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    till = Till(address, "/async")
    till.simulate("events", address=f"http://127.0.0.1:{server.server_address[1]}/")
    service_id = new_id()
    body = till.message("Payment", {
        "SaleData": {"SaleTransactionID": {"TransactionID": "order-19", "TimeStamp": "2026-01-02T12:00:00Z"}},
        "PaymentTransaction": {"AmountsReq": {"Currency": "EUR", "RequestedAmount": 4}}}, service_id)
    assert till.post("/async", body) == (200, b"ok")
    steps = []
    while True:
        event = events.get(timeout=20)
        if "SaleToPOIResponse" in event:
            break
        output = event["SaleToPOIRequest"]["DisplayRequest"]["DisplayOutput"][0]["OutputContent"]
        steps.append(dict(urllib.parse.parse_qsl(output["PredefinedContent"]["ReferenceID"]))["event"])
    assert event["SaleToPOIResponse"]["MessageHeader"]["ServiceID"] == service_id
    assert result(event["SaleToPOIResponse"]["PaymentResponse"]) == "Success"
    assert steps[0] == "TENDER_CREATED", steps
    till.simulate("events", address=None)
    server.shutdown()
    print(f"  asynchronous: {', '.join(steps)}, approved")


def vector():
    """A message that was encrypted by another program."""
    header = {
        "ProtocolVersion": "3.0", "MessageClass": "Service", "MessageCategory": "Diagnosis", "MessageType": "Request",
        "ServiceID": "0000000001", "SaleID": "TILL1", "POIID": "P400Plus-000000001"}
    text = json.dumps({"SaleToPOIRequest": {"MessageHeader": header, "DiagnosisRequest": {
        "HostDiagnosisFlag": False}}}, separators=(",", ":")).encode()
    sealed = Key().seal(text, bytes(range(16)))
    assert sealed["SecurityTrailer"]["Hmac"] == "SxdpVfPvqgFitZc1xCAv8XQ1jbCYY9OwShEHbFEDvhw="
    assert sealed["NexoBlob"].startswith("pBxSjGMrY7nVMluofgHR3+6fOo/7JLnfj2Hptcd+")


def main():
    data = os.environ.get("XDG_DATA_HOME") or os.path.expanduser("~/.local/share")
    parser = argparse.ArgumentParser(description="Runs a till's flows at a simulated nexo terminal.")
    parser.add_argument("--address", default="https://127.0.0.1:8443")
    parser.add_argument("--http", default="http://127.0.0.1:8444")
    parser.add_argument("--ca", default=f"{data}/cardpresent/terminal-certificates/ca.pem")
    arguments = parser.parse_args()

    vector()
    control = Till(arguments.http)
    print("clear text, over HTTP:")
    flows(Till(arguments.http), control)
    mistakes(control)
    asynchronous(arguments.http)
    print("encrypted, over TLS:")
    sealed = Till(arguments.address, "/nexo/", "TILL3", Key(), arguments.ca)
    flows(sealed, control)
    tampering(sealed, arguments.ca)


if __name__ == "__main__":
    main()
