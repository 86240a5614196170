"""A ZVT till that keeps what goes over its connections, and expects refusals."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../Examples/zvt-python"))
import till as zvt  # noqa: E402
from till import Refused, Till, amount  # noqa: E402


class Recorder(Till):
    """A till that keeps what goes over its connections."""

    def __init__(self, address):
        super().__init__(address)
        self.streams = []

    def connect(self):
        super().connect()
        self.streams.append([])

    def send(self, data):
        if not self.socket:
            self.connect()
        self.streams[-1].append(("E", data))
        super().send(data)

    def receive(self):
        stream = self.streams[-1]
        message = super().receive()
        stream.append(("P", message))
        return message

    def lose_payment(self, where, cents=2000):
        """Pays, and loses the connection at a message of the terminal. Returns the last payment that stands."""
        self.lose(where, lambda: self.pay(cents))
        return self.last()

    def refuses(self, code, command, data=b""):
        """Expects a negative answer."""
        try:
            self.start(command, data)
        except Refused as refused:
            assert refused.code == code, f"{refused.code:02x}"
            return
        raise AssertionError(f"{command} was taken")

    def answer_once(self, wanted, answer, cents=1250):
        """Pays, and answers the first message of a kind so. Returns what came behind it."""
        self.start(zvt.AUTHORIZATION, amount(cents))
        while True:
            message = self.receive()
            if message[:2].hex() == wanted:
                self.send(bytes.fromhex(answer))
                return self.follow()
            self.send(zvt.ACKNOWLEDGMENT)
