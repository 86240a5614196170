"""A client of a payment host, written with pyiso8583 alone: signs on, sells by magnetic stripe, sells without any card
data, reverses the sale, and repeats the reversal.

usage: iso8583_client.py PORT < TRACK2

Speaks ISO 8583:1987 in ASCII with hexadecimal bitmaps behind a length of two bytes, to 127.0.0.1. Writes a JSON list of
the answers, each with the values by field, of which pyiso8583 has read every one.
"""

import copy
import json
import socket
import struct
import sys
import time

import iso8583
from iso8583.specs import default_ascii

spec = copy.deepcopy(default_ascii)
now = time.time()
local, utc = time.localtime(now), time.gmtime(now)


def receive(connection, count):
    data = b""
    while len(data) < count:
        more = connection.recv(count - len(data))
        if not more:
            sys.exit("the host hung up")
        data += more
    return data


def ask(connection, fields):
    message, _ = iso8583.encode(fields, spec)
    connection.sendall(struct.pack(">H", len(message)) + message)
    (length,) = struct.unpack(">H", receive(connection, 2))
    answer, _ = iso8583.decode(receive(connection, length), spec)
    return answer


def message(kind, trace, **more):
    fields = {
        "t": kind, "7": time.strftime("%m%d%H%M%S", utc), "11": f"{trace:06d}",
        "12": time.strftime("%H%M%S", local), "13": time.strftime("%m%d", local), "41": "PYTHON01",
        "42": "MERCHANT0000001", "24": "001",
    }
    fields.update({name[1:]: value for name, value in more.items()})
    return fields


def main():
    track = sys.stdin.readline().strip()
    money = {"_3": "000000", "_4": "000000001250", "_22": "901", "_25": "00", "_49": "840"}
    with socket.create_connection(("127.0.0.1", int(sys.argv[1])), timeout=600) as connection:
        answers = [ask(connection, message("0800", 1, _70="001"))]
        sale = message("0200", 2, _35=track, **money)
        answers.append(ask(connection, sale))
        # An answer has nothing of the card.
        assert "35" not in answers[-1] and "2" not in answers[-1]
        for field in ("3", "4", "7", "11", "12", "13", "41", "49"):
            assert answers[-1][field] == sale[field], field
        answers.append(ask(connection, message("0200", 3, **money)))
        original = "0200" + sale["11"] + sale["7"] + "0" * 22
        reversal = message("0420", 2, _39="68", _90=original, **{k: v for k, v in money.items() if k != "_22"})
        answers.append(ask(connection, reversal))
        answers.append(ask(connection, dict(reversal, t="0421")))
    json.dump(answers, sys.stdout)


main()
