"""Holds more than 60 dialogs of a ZVT till with a simulated terminal, and lets tshark read every message of them.

usage: zvt_calls.py PROGRAM     (by Scripts/foreign-clients)

Ends with 1 at the first difference.
"""
import os
import subprocess
import sys
import tempfile
import traceback

from served_terminal import Terminals
from zvt_dialogs import DIALOGS, UNREADABLE
from zvt_recorder import Recorder, zvt
from zvt_tshark import compare, read_packets, write_packets


def play(program, seed):
    """Holds all dialogs with one terminal. Returns them by name, each with its connections."""
    played = []
    with Terminals(program, "zvt", seed) as terminals:
        for name, hold in DIALOGS:
            till = Recorder(terminals.address)
            try:
                # The terminal may not have read yet how the connection before ended.
                till.wait_until_free()
                till.streams[-1].clear()
                hold(till)
            except Exception:
                traceback.print_exc()
                print(f"{name} failed; its messages:", file=sys.stderr)
                for direction, message in (line for stream in till.streams for line in stream):
                    print(f"  {direction} {message.hex()}", file=sys.stderr)
                sys.exit(1)
            till.close()
            played.append((name, till.streams))
    return played


def without_waiting(streams):
    """Leaves out how often a till asked whether the terminal is free, which depends on the speed of the machine."""
    kept = []
    for stream in streams:
        lines = list(stream)
        place = 0
        while place + 1 < len(lines):
            if lines[place][1][:2].hex() == zvt.STATUS and lines[place + 1][1].hex() == "849c00":
                del lines[place:place + 2]
            else:
                place += 1
        kept.append(lines)
    return kept


def main():
    program = sys.argv[1]
    assert len(DIALOGS) - len(UNREADABLE) >= 60, len(DIALOGS)
    played = play(program, 1)
    for (name, first), (_, second) in zip(played, play(program, 1)):
        assert without_waiting(first) == without_waiting(second), f"{name}: a seed repeats every byte"
    streams = [stream for name, streams in played if name not in UNREADABLE for stream in streams]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "dialogs.pcap")
        write_packets(path, streams)
        packets = read_packets(path)
    messages = [message for stream in streams for _, message in stream]
    assert len(packets) == len(messages), (len(packets), len(messages))
    agreed = sum(compare(message, packet) for message, packet in zip(messages, packets))
    example = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../Examples/zvt-python/till.py")
    with Terminals(program, "zvt") as terminals:
        subprocess.run([sys.executable, example, terminals.address], check=True)
    print(f"{len(DIALOGS)} ZVT dialogs, {len(messages)} messages: tshark agrees in {agreed} parts, none malformed")


if __name__ == "__main__":
    main()
