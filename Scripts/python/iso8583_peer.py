"""Reads and writes messages with pyiso8583, and computes MACs and PIN blocks with psec: reads a JSON list of questions,
writes a JSON list of answers.

A question has one of:
- `decode`: the bytes of a message in hexadecimal digits, with `spec`, the formats as pyiso8583 takes them. The answer
  has `fields`, the values by field.
- `encode`: the values by field, with `spec`. The answer has `bytes`.
- `mac`: the bytes that a retail MAC covers, with `key` (16 bytes) and `padding` (1 or 2). The answer has `mac`.
- `pin`: the digits of a PIN, with `pan`, `format` (0 or 4), and `key`. The answer has `block`, the enciphered block.
- `block`: an enciphered block with `pan`, `format`, and `key`. The answer has `pin`.
"""

import json
import sys

import iso8583
from psec import des, mac, pinblock


def retail_mac(question):
    key = bytes.fromhex(question["key"])
    # In psec, the second key is that of the last step.
    return mac.generate_retail_mac(key[:8], key[8:], bytes.fromhex(question["mac"]), question["padding"])


def pin_block(question):
    pin, pan, key = question["pin"], question["pan"], bytes.fromhex(question["key"])
    if question["format"] == 4:
        return pinblock.encipher_pinblock_iso_4(key, pin, pan)
    return des.encrypt_tdes_ecb(key, pinblock.encode_pinblock_iso_0(pin, pan))


def pin(question):
    block, pan, key = bytes.fromhex(question["block"]), question["pan"], bytes.fromhex(question["key"])
    if question["format"] == 4:
        return pinblock.decipher_pinblock_iso_4(key, block, pan)
    return pinblock.decode_pinblock_iso_0(des.decrypt_tdes_ecb(key, block), pan)


def answer(question):
    if "decode" in question:
        fields, _ = iso8583.decode(bytes.fromhex(question["decode"]), question["spec"])
        return {"fields": fields}
    if "encode" in question:
        message, _ = iso8583.encode(question["encode"], question["spec"])
        return {"bytes": message.hex().upper()}
    if "mac" in question:
        return {"mac": retail_mac(question).hex().upper()}
    if "pin" in question:
        return {"block": pin_block(question).hex().upper()}
    return {"pin": pin(question)}


json.dump([answer(question) for question in json.load(sys.stdin)], sys.stdout)
