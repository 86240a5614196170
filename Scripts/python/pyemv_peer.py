"""Answers for an issuer and a card with pyemv: reads a JSON list of questions, writes a JSON list of answers.

A question has the cryptogram version, the issuer's master key, PAN, PAN sequence number, the data objects of the
transaction, and what the issuer answers: `code` (two bytes, method 1) or `update` (method 2). An answer has the
application cryptogram and tag 91. pyemv has no AES, so the AES version is computed here by EMV Book 2 with the package
cryptography.
"""

import json
import sys

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.cmac import CMAC
from pyemv import ac, cvn, kd

TERMINAL = ["9F02", "9F03", "9F1A", "95", "5F2A", "9A", "9C", "9F37", "82", "9F36"]
KEY = bytes(range(16))  # keys for secure messaging, which no answer depends on
PEERS = {
    "cvn10": cvn.VisaCVN10,
    "cvn18": cvn.VisaCVN18,
    "mChip": cvn.MasterCardCVN16,
    "mChipCommonSessionKey": cvn.MasterCardCVN20,
}


def tags(data, names=TERMINAL):
    return {"tag_" + name.lower(): data[name] for name in names}


def visa_or_mastercard(question, key, data):
    version = question["version"]
    card = PEERS[version](key, KEY, KEY, question["pan"], question["psn"])
    issuer_data = data["9F10"]
    if version == "cvn18":
        cryptogram = card.generate_ac(**tags(data), tag_9f10=issuer_data)
        update = bytes.fromhex(question["update"])
        return cryptogram, card.generate_arpc(cryptogram, data["9F36"], update) + update
    code = bytes.fromhex(question["code"])
    if version == "cvn10":
        cryptogram = card.generate_ac(**tags(data), cvr=issuer_data[3:7])
        return cryptogram, card.generate_arpc(cryptogram, code) + code
    cryptogram = card.generate_ac(**tags(data), cvr=issuer_data[2:8])
    counter = [data["9F36"]] if version == "mChipCommonSessionKey" else []
    return cryptogram, card.generate_arpc(cryptogram, *counter, code) + code


def emv2000(question, key, data):
    master = kd.derive_icc_mk_a(key, question["pan"], question["psn"])
    session = kd.derive_emv2000_tree_sk(master, data["9F36"], 8, 4)
    message = b"".join(data[name] for name in TERMINAL) + data["9F10"][2:8]
    cryptogram = ac.generate_ac(session, message, ac.PaddingType.EMV, 8)
    code = bytes.fromhex(question["code"])
    return cryptogram, ac.generate_arpc_1(session, cryptogram, code) + code


def aes(question, key, data):
    def encrypt(secret, block):
        return Cipher(algorithms.AES(secret), modes.ECB()).encryptor().update(block)

    def mac(secret, message):
        code = CMAC(algorithms.AES(secret))
        code.update(message)
        return code.finalize()

    digits = (question["pan"] + question["psn"]).rjust(32, "0")
    session = encrypt(encrypt(key, bytes.fromhex(digits)), data["9F36"].ljust(16, b"\0"))
    cryptogram = mac(session, b"".join(data[name] for name in TERMINAL) + data["9F10"])[:8]
    update = bytes.fromhex(question["update"])
    return cryptogram, mac(session, cryptogram + update)[:4] + update


def answer(question):
    key = bytes.fromhex(question["key"])
    data = {name: bytes.fromhex(value) for name, value in question["data"].items()}
    other = {"mChipEMV2000": emv2000, "aes": aes}
    cryptogram, proof = other.get(question["version"], visa_or_mastercard)(question, key, data)
    return {"cryptogram": cryptogram.hex().upper(), "proof": proof.hex().upper()}


json.dump([answer(question) for question in json.load(sys.stdin)], sys.stdout)
