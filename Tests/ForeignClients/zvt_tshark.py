"""Writes ZVT dialogs as packets, and compares them with what tshark reads in them."""
import os
import struct
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../Examples/zvt-python"))
from till import FIXED, VARIABLE, read_length, read_tag  # noqa: E402

PORT = 20007
HEADERS = 40

# The commands that tshark has a name for, with the bytes before the fields. The other ones are not looked at.
HEADS = {
    "0600": 6, "0601": 0, "060f": 0, "061e": 1, "0630": 3, "0631": 3, "0650": 3, "0670": 0, "0693": 3, "06d1": None,
    "06d3": 0, "040f": 0, "04ff": None,
}
# Of these commands tshark reads the name, the length, and a password.
NAMES_ONLY = {"0650", "0670", "0693", "06d1"}
# The fields where tshark stops without a word.
UNKNOWN = {0x37, 0x60, 0x88, 0x8C}
# The fields whose values tshark reads, with the attribute of each. Others are found by their lengths.
VALUES = {
    0x04: "zvt.amount", 0x0B: "zvt.trace_number", 0x0C: "zvt.time", 0x0D: "zvt.date", 0x22: "zvt.card_number",
    0x27: "zvt.result_code", 0x29: "zvt.terminal_id", 0x49: "zvt.cc", 0x8A: "zvt.card_type", 0x8B: "zvt.card_name",
}


def write_packets(path, dialogs):
    """Writes dialogs as a file of packets, each with a connection of its own, and each message in a packet. A dialog is
    a list of directions (E is the till, P the terminal) and messages."""
    with open(path, "wb") as file:
        # Packets that begin with IP.
        file.write(struct.pack("!IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 1 << 18, 101))
        moment = 0
        for number, dialog in enumerate(dialogs):
            sent = {"E": 1, "P": 1}
            for direction, message in dialog:
                moment += 1
                other = "P" if direction == "E" else "E"
                ports = (50000 + number, PORT) if direction == "E" else (PORT, 50000 + number)
                segment = struct.pack(
                    "!HHIIBBHHH", *ports, sent[direction], sent[other], 0x50, 0x18, 65535, 0, 0) + message
                packet = struct.pack(
                    "!BBHHHBBHII", 0x45, 0, 20 + len(segment), 0, 0, 64, 6, 0, 0x7F000001, 0x7F000001) + segment
                file.write(struct.pack("!IIII", moment, 0, len(packet), len(packet)) + packet)
                sent[direction] += len(message)


def read_packets(path):
    """Reads the packets with tshark, as elements."""
    command = ["tshark", "-r", path, "-d", f"tcp.port=={PORT},zvt", "-T", "pdml"]
    text = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout
    return list(ElementTree.fromstring(text).iter("packet"))


def spans(message):
    """Finds the fields of a message. Returns number, and the places of the first byte, of the value, and behind."""
    control = message[:2].hex()
    place = (5 if message[2] == 0xFF else 3) + (HEADS[control] or 0)
    found = []
    while place < len(message):
        start, number = place, message[place]
        place += 1
        if number == 0x06:
            count, place = read_length(message, place)
        elif number in FIXED:
            count = FIXED[number]
        else:
            digits = message[place:place + VARIABLE[number]]
            count = int("".join(f"{byte & 0xF}" for byte in digits))
            place += VARIABLE[number]
        found.append((number, start, place, place + count))
        place += count
    return found


def objects(message, start, end):
    """Finds the tags of data objects, also of those within others, in their order."""
    place, tags = start, []
    while place < end:
        tag, place = read_tag(message, place)
        count, place = read_length(message, place)
        tags.append(tag.hex())
        if tag[0] & 0x20:
            tags += objects(message, place, place + count)
        place += count
    return tags


def values(element, name):
    return [field.get("value") for field in element.iter("field") if field.get("name") == name]


def same(what, ours, theirs, message):
    if ours != theirs:
        raise AssertionError(f"{what} of {message.hex()}: {ours}, and tshark reads {theirs}")


def compare(message, packet):
    """Compares a message with what tshark reads. Returns how many fields agree."""
    malformed = [field.get("name") for field in packet.iter() if "malformed" in (field.get("name") or "")]
    same("the malformed parts", [], malformed, message)
    control = message[:2].hex()
    zvt = next((proto for proto in packet.iter("proto") if proto.get("name") == "zvt"), None)
    is_answer = control[:2] in ("80", "84")
    if zvt is None:
        if control in HEADS or is_answer:
            raise AssertionError(f"tshark reads nothing in {message.hex()}")
        return 0
    same("the length", len(message), int(zvt.get("size")), message)
    if is_answer:
        same("the answer", [control[:2], control[2:]], values(zvt, "zvt.ccrc") + values(zvt, "zvt.aprc"), message)
        return 1
    same("the control field", [control], values(zvt, "zvt.control_field"), message)
    if control not in HEADS or control in NAMES_ONLY or HEADS[control] is None:
        return 1
    # After a status enquiry, a completion has no fields.
    if control == "060f" and message[3:] and message[3] not in FIXED and message[3] not in VARIABLE and message[3] != 6:
        return 1
    if control == "060f" and len(message) == 4:
        return 1
    return 1 + compare_fields(message, zvt)


def compare_fields(message, zvt):
    groups = [field for field in zvt.iter("field") if (field.get("show") or "").startswith("Bitmap:")]
    ours = spans(message)
    known = []
    for span in ours:
        if span[0] in UNKNOWN:
            break
        known.append(span)
    same("the fields", [message[start:end].hex() for _, start, _, end in known],
         [group.get("value") for group in groups], message)
    for (number, start, value, end), group in zip(known, groups):
        same("a place", start, int(group.get("pos")) - HEADERS, message)
        same("a number", [f"{number:02x}"], values(group, "zvt.bmp"), message)
        if number in VALUES and end > value:
            same(f"field {number:02x}", [message[value:end].hex()], values(group, VALUES[number]), message)
        if number == 0x06:
            same("the tags", objects(message, value, end), values(group, "zvt.tlv.tag"), message)
    return len(known)
