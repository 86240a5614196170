"""Writes secret keys into a token through its PKCS#11 library, with Python alone: tests take keys from there.

usage: token_keys.py MODULE TOKEN PIN LABEL=TYPE:HEX ...

TYPE is des2, des3, aes, or generic. The keys stay in the token: they are sensitive and can't be extracted. A TYPE with a
minus behind it, such as aes-, makes a key that permits nothing.
"""

import ctypes
import struct
import sys

Number = ctypes.c_ulong
TYPES = {"des2": 0x14, "des3": 0x15, "aes": 0x1F, "generic": 0x10}
# The places of the functions in the table of PKCS#11 2.40, behind the version.
INITIALIZE, SLOTS, TOKEN, OPEN, LOGIN, CREATE = 1, 5, 7, 13, 19, 21


class Attribute(ctypes.Structure):
    _fields_ = [("type", Number), ("value", ctypes.c_char_p), ("length", Number)]


def main(module, token, pin, *keys):
    table = ctypes.c_void_p()
    ctypes.CDLL(module).C_GetFunctionList(ctypes.byref(table))
    functions = ctypes.cast(table, ctypes.POINTER(ctypes.c_void_p))

    def call(place, *arguments):
        function = ctypes.CFUNCTYPE(Number, *(type(argument) for argument in arguments))(functions[place])
        code = function(*arguments)
        if code:
            sys.exit(f"token_keys.py: the function {place} answers 0x{code:x}")

    none = ctypes.c_void_p(None)
    call(INITIALIZE, none)
    count = Number(64)
    slots = (Number * 64)()
    call(SLOTS, ctypes.c_ubyte(1), ctypes.cast(slots, ctypes.c_void_p), ctypes.pointer(count))
    for slot in slots[: count.value]:
        info = ctypes.create_string_buffer(208)
        call(TOKEN, Number(slot), ctypes.cast(info, ctypes.c_void_p))
        if info.raw[:32].decode().rstrip() == token:
            break
    else:
        sys.exit(f"token_keys.py: there is no token '{token}'")
    session = Number(0)
    # CKF_SERIAL_SESSION and CKF_RW_SESSION, CKU_USER
    call(OPEN, Number(slot), Number(6), none, none, ctypes.pointer(session))
    call(LOGIN, session, Number(1), ctypes.c_char_p(pin.encode()), Number(len(pin)))
    for key in keys:
        label, _, rest = key.partition("=")
        kind, _, digits = rest.partition(":")
        use = b"\0" if kind.endswith("-") else b"\1"
        values = [
            (0x000, struct.pack("@L", 4)),  # class: secret key
            (0x100, struct.pack("@L", TYPES[kind.rstrip("-")])),
            (0x001, b"\1"),  # token
            (0x002, b"\1"),  # private
            (0x003, label.encode()),
            (0x011, bytes.fromhex(digits)),
            (0x103, b"\1"),  # sensitive
            (0x162, b"\0"),  # extractable
            (0x104, use),  # encrypt
            (0x105, use),  # decrypt
            (0x108, use),  # sign
        ]
        attributes = (Attribute * len(values))(*[Attribute(kind, value, len(value)) for kind, value in values])
        created = Number(0)
        call(
            CREATE, session, ctypes.cast(attributes, ctypes.c_void_p), Number(len(values)), ctypes.pointer(created)
        )


if __name__ == "__main__":
    main(*sys.argv[1:])
