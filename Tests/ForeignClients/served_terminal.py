"""Runs servers of the command for the clients of this folder."""
import json
import subprocess


def start(command):
    """Starts a server. Returns its process, and the JSON that it writes at its start."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)
    text = ""
    while True:
        line = process.stdout.readline()
        if not line:
            raise SystemExit(f"{' '.join(command[1:3])} did not start: {text}")
        text += line
        try:
            return process, json.loads(text)
        except ValueError:
            continue


class Terminals:
    """Runs 'cardpresent simulate terminal' while it is entered. `address` is where tills find them."""

    def __init__(self, program, protocol, seed=1):
        self.command = [program, "simulate", "terminal", "--protocol", protocol, "--port", "0", "--seed", str(seed)]

    def __enter__(self):
        self.process, view = start(self.command + ["--json"])
        self.address = view["address"]
        return self

    def __exit__(self, *_):
        self.process.terminate()
        status = self.process.wait(timeout=30)
        if status != 0:
            raise SystemExit(f"the terminals ended with {status}")
