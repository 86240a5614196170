"""A payment host for tests of the program: answers messages of ISO 8583:1987 in characters, read and written with
pyiso8583. Prints its port.

usage: iso8583_host.py [--code CODE] [--way WAY] [--certificate FILE --key FILE [--ca FILE]]

WAY says what it does instead of answering:
- `silent`: nothing.
- `close`: closes the connection after the first message.
- `packed`: answers in packed digits behind a TPDU, as a host of another profile does.
- `page`: sends a page of the web.
- `stranger`: answers another terminal.
"""

import argparse
import copy
import socket
import ssl
import struct

import iso8583
from iso8583.specs import default_ascii


def receive(stream, count):
    data = b""
    while len(data) < count:
        more = stream.recv(count - len(data))
        if not more:
            raise EOFError
        data += more
    return data


def packed(fields):
    """The same message in packed digits with a binary bitmap, behind a TPDU."""
    spec = copy.deepcopy(default_ascii)
    fields["h"] = "6000000001"
    lengths = {"h": 5, "t": 2, "p": 8, "1": 8, "3": 3, "7": 5, "11": 3, "12": 3, "13": 2, "24": 2, "70": 2}
    for field, length in lengths.items():
        spec[field].update(data_enc="b", max_len=length)
        if field in fields:
            fields[field] = fields[field].rjust(2 * length, "0")
    return iso8583.encode(fields, spec)[0]


def serve(stream, options):
    while True:
        length = struct.unpack(">H", receive(stream, 2))[0]
        fields, _ = iso8583.decode(receive(stream, length), default_ascii)
        if options.way == "silent":
            continue
        if options.way == "close":
            return
        if options.way == "page":
            stream.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
            continue
        answer = {key: value for key, value in fields.items() if key not in ("p", "1", "h")}
        answer["t"] = fields["t"][:2] + "10"
        answer["39"] = options.code
        if options.way == "stranger":
            answer["41"] = "OTHER001"
        message = packed(answer) if options.way == "packed" else iso8583.encode(answer, default_ascii)[0]
        stream.sendall(struct.pack(">H", len(message)) + message)


def main():
    parser = argparse.ArgumentParser()
    for name in ("code", "way", "certificate", "key", "ca"):
        parser.add_argument("--" + name, default="00" if name == "code" else None)
    options = parser.parse_args()
    context = None
    if options.certificate:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(options.certificate, options.key)
        if options.ca:
            context.load_verify_locations(options.ca)
            context.verify_mode = ssl.CERT_REQUIRED
    listener = socket.create_server(("127.0.0.1", 0))
    print(listener.getsockname()[1], flush=True)
    while True:
        stream, _ = listener.accept()
        try:
            if context:
                stream = context.wrap_socket(stream, server_side=True)
            serve(stream, options)
        except (EOFError, OSError):
            pass
        stream.close()


main()
