"""A payment host for tests of settlements: keeps its own totals of what it has approved, reversed, and refunded, and
compares them with those of each reconciliation. ISO 8583:1987 in characters, read and written with pyiso8583 alone.

usage: iso8583_settlement.py [--lose COUNT]

Prints its port, and then a line of JSON for each reconciliation, with its fields and the totals of the host. With
--lose, the first COUNT answers to reconciliations are not sent.
"""

import argparse
import json
import socket
import struct

import iso8583
from iso8583.specs import default_ascii

ECHOED = ("3", "4", "7", "11", "12", "13", "24", "41", "42", "49", "50")


def receive(stream, count):
    data = b""
    while len(data) < count:
        more = stream.recv(count - len(data))
        if not more:
            raise EOFError
        data += more
    return data


class Book:
    """What a terminal has moved since its last settlement, by trace number: the direction, the amount, and whether it
    was reversed."""

    def __init__(self):
        self.rows = {}
        self.settled = {}

    def add(self, fields):
        direction = "credit" if fields["3"].startswith("20") else "debit"
        self.rows[fields["11"]] = [direction, int(fields["4"]), False]

    def reverse(self, fields):
        row = self.rows.get(fields["11"])
        if row is None:
            return "25"
        row[2] = True
        return "00"

    def totals(self):
        """The fields of a reconciliation. What was reversed counts on both sides."""
        totals = dict.fromkeys(("74", "75", "76", "77", "86", "87", "88", "89"), 0)
        for direction, amount, is_reversed in self.rows.values():
            count, money, back_count, back_money = (
                ("76", "88", "77", "89") if direction == "debit" else ("74", "86", "75", "87"))
            totals[count] += 1
            totals[money] += amount
            if is_reversed:
                totals[back_count] += 1
                totals[back_money] += amount
        net = totals["88"] - totals["89"] - totals["86"] + totals["87"]
        texts = {field: f"{value:0{10 if int(field) < 80 else 16}d}" for field, value in totals.items()}
        texts["97"] = f"{'D' if net >= 0 else 'C'}{abs(net):016d}"
        return texts

    def settle(self, fields):
        key = (fields["41"], fields["11"], fields["7"])
        if key not in self.settled:
            own = self.totals()
            agrees = all(fields.get(field) == value for field, value in own.items())
            print(json.dumps({"sent": fields, "own": own, "agrees": agrees}, sort_keys=True), flush=True)
            self.settled[key] = ("00" if agrees else "95", own)
            if agrees:
                self.rows = {}
        return self.settled[key]


def answer(book, fields):
    reply = {field: fields[field] for field in ECHOED if field in fields}
    kind = fields["t"]
    reply["t"] = kind[:2] + {"0": "1", "2": "3"}[kind[2]] + "0"
    reply["39"] = "00"
    if kind in ("0200", "0220", "0221"):
        book.add(fields)
        reply["37"], reply["38"] = "REF" + fields["11"].rjust(9, "0"), "A1B2C3"
    elif kind in ("0420", "0421"):
        reply["39"] = book.reverse(fields)
    elif kind in ("0500", "0501"):
        reply["39"], own = book.settle(fields)
        reply.update(own)
        reply["66"] = "1" if reply["39"] == "00" else "2"
    elif kind == "0800":
        reply["70"] = fields["70"]
    return reply


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lose", type=int, default=0)
    lost = parser.parse_args().lose
    listener, book = socket.create_server(("127.0.0.1", 0)), Book()
    print(listener.getsockname()[1], flush=True)
    while True:
        stream, _ = listener.accept()
        try:
            while True:
                length = struct.unpack(">H", receive(stream, 2))[0]
                fields, _ = iso8583.decode(receive(stream, length), default_ascii)
                fields = {key: value for key, value in fields.items() if key not in ("h", "p", "1")}
                reply = answer(book, fields)
                if reply["t"] == "0510" and lost > 0:
                    lost -= 1
                    break
                message, _ = iso8583.encode(reply, default_ascii)
                stream.sendall(struct.pack(">H", len(message)) + message)
        except (EOFError, OSError):
            pass
        stream.close()


main()
