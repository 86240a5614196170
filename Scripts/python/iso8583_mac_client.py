"""A client of a payment host with MACs, written with pyiso8583 and psec alone: signs on, gets keys, sells with a MAC and
a PIN under them, sells with a damaged MAC, and reverses the sale.

usage: iso8583_mac_client.py PORT MASTER_KEY PIN < TRACK2

Speaks ISO 8583:1987 in ASCII with hexadecimal bitmaps behind a length of two bytes, to 127.0.0.1: retail MACs (padding
method 1) in field 64 or 128, PIN blocks of format 0. Writes a JSON list of the answers, each with the values by field
and `mac`: whether psec computes the same one, or null without it.
"""

import copy
import json
import socket
import struct
import sys
import time
import warnings

warnings.simplefilter("ignore")

import iso8583
from iso8583.specs import default_ascii
from psec import des, mac, pinblock

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


def retail_mac(key, covered):
    # In psec, the second key is that of the last step.
    return mac.generate_retail_mac(key[:8], key[8:], bytes(covered), 1).hex().upper()


def exchange(connection, message):
    connection.sendall(struct.pack(">H", len(message)) + message)
    (length,) = struct.unpack(">H", receive(connection, 2))
    data = receive(connection, length)
    answer, _ = iso8583.decode(data, spec)
    return answer, data


def ask(connection, fields, key=None, damage=False):
    place = None
    if key:
        place = "128" if any(name.isdigit() and int(name) > 64 for name in fields) else "64"
        fields = dict(fields, **{place: "0" * 16})
    message, _ = iso8583.encode(fields, spec)
    if key:
        code = retail_mac(key, message[:-16])
        if damage:
            code = "0000" + code[4:]
        message = message[:-16] + code.encode()
    answer, data = exchange(connection, bytes(message))
    place = "128" if "128" in answer else "64" if "64" in answer else None
    answer["mac"] = retail_mac(key, data[:-16]) == answer[place] if key and place else None
    return answer


def message(kind, trace, **more):
    fields = {
        "t": kind, "7": time.strftime("%m%d%H%M%S", utc), "11": f"{trace:06d}",
        "12": time.strftime("%H%M%S", local), "13": time.strftime("%m%d", local), "41": "PYTHON01",
        "42": "MERCHANT0000001", "24": "001",
    }
    fields.update({name[1:]: value for name, value in more.items()})
    return fields


def keys(field, master):
    """The keys of field 48: each under the master key, with a check value of three bytes."""
    found = []
    for part in (field[:38], field[38:76]):
        key = des.decrypt_tdes_ecb(master, bytes.fromhex(part[:32]))
        assert des.generate_kcv(key, 3).hex().upper() == part[32:], "check value"
        found.append(key)
    return found


def main():
    port, master, pin = int(sys.argv[1]), bytes.fromhex(sys.argv[2]), sys.argv[3]
    track = sys.stdin.readline().strip()
    money = {"_3": "000000", "_4": "000000001250", "_22": "901", "_25": "00", "_49": "840"}
    with socket.create_connection(("127.0.0.1", port), timeout=600) as connection:
        answers = [ask(connection, message("0800", 1, _70="001")), ask(connection, message("0800", 2, _70="101"))]
        pin_key, mac_key = keys(answers[1].pop("48"), master)
        block = des.encrypt_tdes_ecb(pin_key, pinblock.encode_pinblock_iso_0(pin, track.split("=")[0]))
        card = {"_35": track, "_52": block.hex().upper(), "_26": "12"}
        sale = message("0200", 3, **money, **card)
        answers.append(ask(connection, sale, mac_key))
        answers.append(ask(connection, message("0200", 4, **money, **card), mac_key, damage=True))
        original = "0200" + sale["11"] + sale["7"] + "0" * 22
        reversal = message("0420", 3, _39="68", _90=original, **{k: v for k, v in money.items() if k != "_22"})
        answers.append(ask(connection, reversal, mac_key))
        answers.append(ask(connection, dict(reversal, t="0421"), mac_key))
    json.dump(answers, sys.stdout)


main()
