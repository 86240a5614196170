#!/usr/bin/env python3
"""Makes the vectors of XDA (EMV Book 2 section 12) in Tests/Card/EMVTests/OfflineAuthentication/ExtendedVectors.swift.

Usage: python3 Tests/Vectors/extended_authentication.py > FILE

The vectors are made from the tables of the book, without a line of CardPresent: points come from the Python package
"cryptography" (version 48.0), which is built on OpenSSL, and the rest is arithmetic on Python's integers. EC-SDSA is
ISO/IEC 14888-3, optimized: R = H(x of kG || M), s = k + R d mod n. A key is a hash of its name, so that nobody needs to
keep a secret, and its sign is chosen for the smaller y.
"""
import hashlib
from cryptography.hazmat.primitives.asymmetric import ec

CURVES = {
    "p256": (ec.SECP256R1(), 32, hashlib.sha256, 0x10,
             0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551,
             2**256 - 2**224 + 2**192 + 2**96 - 1),
    "p521": (ec.SECP521R1(), 66, hashlib.sha512, 0x11,
             0x01FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFA51868783BF2F966B7FCC0148F709A5D03BB5C9B8899C47AEBB6FB71E91386409,
             2**521 - 1),
}


def point(curve, number):
    numbers = ec.derive_private_key(number, CURVES[curve][0]).public_key().public_numbers()
    return numbers.x, numbers.y


def key(curve, name):
    _, _, digest, _, order, prime = CURVES[curve]
    secret = int.from_bytes(digest(("CardPresent XDA vector " + name).encode()).digest(), "big") % order
    return secret if point(curve, secret)[1] < (prime + 1) // 2 else order - secret


def x_of(curve, secret):
    return point(curve, secret)[0].to_bytes(CURVES[curve][1], "big")


def sign(curve, secret, message, name):
    _, length, digest, _, order, _ = CURVES[curve]
    nonce = int.from_bytes(digest(("nonce " + name).encode()).digest(), "big") % order
    commitment = digest(x_of(curve, nonce) + message).digest()
    return commitment + ((nonce + int.from_bytes(commitment, "big") * secret) % order).to_bytes(length, "big")


def tlv(tag, value):
    head = bytes.fromhex(tag)
    return head + (bytes([len(value)]) if len(value) < 128 else bytes([0x81, len(value)])) + value


def h(text):
    return bytes.fromhex(text)


RID, AID, PAN = h("A000000003"), h("A0000000031010"), "4761739001010010"
NUMBER = h("01020304")
CDOL1 = h("9F02069F03069F1A0295055F2A029A039C019F37049F3403")
CDOL2 = h("8A0295059B029F3704")
RECORDS = [
    tlv("5A", h(PAN)) + tlv("57", h(PAN + "D31122011000000000000F")) + tlv("5F24", h("311231")) + tlv("5F34", h("01")),
    tlv("8C", CDOL1) + tlv("8D", CDOL2) + tlv("8E", h("00000000000000001F00")),
    tlv("5F28", h("0840")) + tlv("9F42", h("0840")),
]


def vector(curve):
    suite = bytes([CURVES[curve][3]])
    authority, issuer, card = (key(curve, f"{owner}-{curve}") for owner in ("authority", "issuer", "card"))
    fields = h("12004761 73FFFF".replace(" ", "")) + suite + h("20491231" "000001") + RID + h("07") + x_of(curve, issuer)
    issuer_certificate = fields + sign(curve, authority, fields, "issuer certificate")
    static = RECORDS[0] + tlv("82", h("9C00")) + tlv("9F06", AID)
    fields = (h("1400") + suite + h("20491231" "2359" "000000000002" "00" "02") + hashlib.sha256(static).digest()
              + x_of(curve, card))
    card_certificate = fields + sign(curve, issuer, fields, "card certificate")
    # 12.50 USD on 2026-01-02, above the floor limit, no cardholder verification; XDA is selected.
    first = h("000000001250" "000000000000" "0840" "0100008000" "0840" "260102" "00") + NUMBER + h("1F0002")
    answer = (tlv("9F27", h("80")) + tlv("9F36", h("002A")) + tlv("9F26", h("A1A2A3A4A5A6A7A8"))
              + tlv("9F10", h("06010A03A00000")))
    first_signature = h("15") + sign(curve, card, h("15") + first + answer, "first")
    # Approved, and TSI: authentication, verification, card and terminal risk management.
    second = h("3030" "0100008000" "E800") + NUMBER
    final = (tlv("9F27", h("40")) + tlv("9F36", h("002A")) + tlv("9F26", h("B1B2B3B4B5B6B7B8"))
             + tlv("9F10", h("06010A03A00000")))
    second_signature = h("15") + sign(curve, card, h("15") + second + final, "second")
    fields = h("2000") + RID + h("07") + suite + x_of(curve, authority)
    return {
        "authorityX": x_of(curve, authority),
        "selfSigned": fields + sign(curve, authority, fields, "authority certificate"),
        "issuerCertificate": issuer_certificate, "cardCertificate": card_certificate, "cardX": x_of(curve, card),
        "firstData": first, "firstAnswer": tlv("77", answer + tlv("9F4B", first_signature)),
        "secondData": second, "secondAnswer": tlv("77", final + tlv("9F4B", second_signature)),
    }


def literal(value):
    digits = value.hex().upper()
    lines = [digits[at:at + 96] for at in range(0, len(digits), 96)]
    return "\n            + ".join(f'"{line}"' for line in lines)


print("// Made by Tests/Vectors/extended_authentication.py, which says how. Do not edit.\n")
print("/// One payment with XDA on each curve, byte for byte: certificates, what the terminal sends, and what the card answers.")
print("enum ExtendedVectors {")
print("    /// In hexadecimal digits.\n    struct Vector: Sendable {")
for name in vector("p256"):
    print(f"        var {name}: String")
print("    }\n")
print('    static let unpredictableNumber = "' + NUMBER.hex().upper() + '"\n')
for index, curve in enumerate(CURVES):
    print(f"    static let {curve} = Vector(")
    print(",\n".join(f"        {name}:\n            {literal(value)}" for name, value in vector(curve).items()) + ")" + ("\n" if index == 0 else ""))
print("}")
