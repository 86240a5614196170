"""A back office with lanes and payments, served by `cardpresent fleet serve`, for Scripts/console and Scripts/schemathesis.

usage: served_office.py COMMAND [ARGUMENT...]   runs a command with OFFICE, its address, and OFFICE_TOKEN, a manager's
"""
import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")


class ServedOffice:
    """A PostgreSQL server in a temporary directory, two shops, three lanes, and a server of the back office."""

    def __init__(self):
        self.program = os.environ.get("CARDPRESENT") or os.path.join(ROOT, ".build/debug/cardpresent")
        self.folder = tempfile.mkdtemp(prefix="cardpresent-office-")
        self.database = f"/tmp/cardpresent-office-{os.getpid()}"
        self.process = None
        try:
            self.begin()
        except BaseException:
            self.end()
            raise

    def begin(self):
        started = subprocess.run([os.path.join(ROOT, "Scripts/postgresql-server"), "start", self.database, str(os.getpid())],
                                 check=True, capture_output=True, text=True)
        self.owner = started.stdout.strip()
        for shop in ["harbor", "hill"]:
            self.fleet("init", "--shop", shop)
        for shop, lane, amounts in [("harbor", "till 1", [12.50, 3]), ("harbor", "till 2", [7]), ("hill", "till 1", [5])]:
            token = self.fleet("invite", shop, lane)
            records = os.path.join(self.folder, f"{shop}-{lane}.sqlite")
            self.fleet("enroll", "--token-file", "-", "--database", records, text=token)
            for amount in amounts:
                self.run("pay", str(amount), "--database", records)
            self.fleet("ship", "--database", records)
        self.sql("UPDATE fleet.payment SET state = 'unknown' WHERE amount = 300")
        for login, office in [("manager_m", "manager"), ("clerk_c", "clerk"), ("office_server", "server")]:
            self.sql(f"CREATE ROLE {login} LOGIN")
            self.fleet("grant", login, "--as", office, *(["--shop", "hill"] if office == "clerk" else []))
        self.manager = self.fleet("token", "make", "manager_m").strip()
        self.clerk = self.fleet("token", "make", "clerk_c").strip()
        self.serve()

    def serve(self, port=0):
        address = self.owner.replace("user=tester", "user=office_server")
        self.process = subprocess.Popen([self.program, "fleet", "serve", "--port", str(port), "--json"],
                                        env=dict(os.environ, CARDPRESENT_FLEET=address), stdout=subprocess.PIPE, text=True)
        lines = ""
        for line in self.process.stdout:
            lines += line
            if line.startswith("}"):
                self.address = json.loads(lines)["address"]
                return
        raise SystemExit(f"'{self.program} fleet serve' has ended")

    def run(self, *arguments, text=None):
        environment = dict(os.environ, CARDPRESENT_FLEET=self.owner)
        result = subprocess.run([self.program, *arguments], input=text, capture_output=True, text=True, env=environment,
                                timeout=120)
        if result.returncode != 0:
            raise SystemExit(f"cardpresent {' '.join(arguments)}: {result.stderr}")
        return result.stdout

    def fleet(self, *arguments, text=None):
        return self.run("fleet", *arguments, text=text)

    def pay(self, shop, lane, amount):
        """Takes a payment at a lane, and ships it."""
        records = os.path.join(self.folder, f"{shop}-{lane}.sqlite")
        self.run("pay", str(amount), "--database", records)
        self.fleet("ship", "--database", records)

    def sql(self, text):
        psql = sorted(glob.glob("/usr/lib/postgresql/*/bin/psql"))[-1]
        subprocess.run([psql, "--quiet", "--set", "ON_ERROR_STOP=1", "--dbname", self.owner, "--command", text], check=True)

    def restart(self):
        subprocess.run([os.path.join(ROOT, "Scripts/postgresql-server"), "restart", self.database], check=True)

    def halt(self):
        subprocess.run([os.path.join(ROOT, "Scripts/postgresql-server"), "crash", self.database], check=True)

    def end(self):
        if self.process:
            self.process.terminate()
            self.process.wait()
        subprocess.run([os.path.join(ROOT, "Scripts/postgresql-server"), "stop", self.database], check=False)
        shutil.rmtree(self.folder, ignore_errors=True)


def main():
    if len(sys.argv) < 2:
        raise SystemExit(__doc__.strip())
    office = ServedOffice()
    try:
        environment = dict(os.environ, OFFICE=office.address, OFFICE_TOKEN=office.manager)
        status = subprocess.run(sys.argv[1:], env=environment).returncode
    finally:
        office.end()
    raise SystemExit(status)


if __name__ == "__main__":
    main()
