"""Runs the till of Examples/nexo-python at simulated terminals, over TLS and over plain HTTP.

usage: nexo_calls.py PROGRAM     (by Scripts/foreign-clients)

Ends with 1 at the first difference.
"""
import json
import os
import re
import ssl
import subprocess
import sys
import tempfile

from served_terminal import start

TILL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../Examples/nexo-python/till.py")
# What the vendor's libraries compare the certificate's subject with.
NAME = re.compile(r"[A-Za-z0-9]+-[A-Za-z0-9]+\.test\.terminal\.adyen\.com")


def check_name(certificate):
    subject = ssl._ssl._test_decode_cert(certificate)["subject"]
    name = next(value for part in subject for key, value in part if key == "commonName")
    if not NAME.fullmatch(name):
        raise SystemExit(f"libraries of the vendor would not take the common name {name}")


def main():
    program = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        made = json.loads(subprocess.check_output(
            [program, "simulate", "certificates", "--certificates", folder, "--json"], text=True))
        check_name(made["certificate"])
        process, told = start([
            program, "simulate", "terminal", "--protocol", "nexo", "--port", "0", "--http-port", "0", "--seed", "1",
            "--certificates", folder, "--json"])
        try:
            subprocess.run(
                [sys.executable, TILL, "--address", told["address"], "--http", told["http"], "--ca",
                 told["authority"]], check=True, timeout=300)
        finally:
            process.terminate()
            status = process.wait(timeout=30)
        if status != 0:
            raise SystemExit(f"the terminals ended with {status}")


if __name__ == "__main__":
    main()
