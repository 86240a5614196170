"""A till that speaks ZVT over TCP, at a simulated terminal. Only the address differs from that of a real one.

    cardpresent simulate terminal --protocol zvt --port 20007 --seed 1 &
    python3 Examples/zvt-python/till.py [HOST:PORT]

It registers, sells, is declined, takes a sale back, gives money back, holds an amount and charges a part of it, loses
its connection and finds out what became of its payment, stops waiting for a card, and closes the day. It needs Python
3.9 and no package.
"""
import socket
import sys
import time

EURO = "0978"
PASSWORD = "000000"
ACKNOWLEDGMENT = bytes.fromhex("800000")
NOT_PRINTED = bytes.fromhex("84cc00")

# Commands of the till.
REGISTRATION, LOG_OFF, STATUS, LANGUAGE = "0600", "0602", "0501", "0830"
AUTHORIZATION, REVERSAL, REFUND, REPEAT = "0601", "0630", "0631", "0620"
HOLD, CAPTURE_LESS, CAPTURE, RELEASE = "0622", "0623", "0624", "0625"
END_OF_DAY, TOTALS, DIAGNOSIS, INITIALIZATION, ABORT = "0650", "0610", "0670", "0693", "06b0"
# Messages of the terminal.
STATUS_INFORMATION, INTERMEDIATE = "040f", "04ff"
COMPLETION, FAILURE = "060f", "061e"
PRINT_LINE, PRINT_BLOCK = "06d1", "06d3"

INSERT_CARD, ENTER_PIN, HOST_IS_ASKED, WRONG_PIN, REMOVE_CARD = 0x0A, 0x01, 0x04, 0x15, 0x4B

# The number of bytes of each field with a fixed length.
FIXED = {
    0x01: 1, 0x02: 1, 0x03: 1, 0x04: 6, 0x05: 1, 0x0B: 3, 0x0C: 3, 0x0D: 2, 0x0E: 2, 0x17: 2, 0x19: 1, 0x27: 1,
    0x29: 4, 0x2A: 15, 0x37: 3, 0x3A: 2, 0x3B: 8, 0x3D: 3, 0x49: 2, 0x87: 2, 0x88: 3, 0x8A: 1, 0x8C: 1, 0xA0: 1,
    0xAA: 3, 0xBA: 5,
}
# The number of digits of the length of the others: F1 F2 is 12.
VARIABLE = {0x22: 2, 0x23: 2, 0x24: 3, 0x2D: 2, 0x2E: 3, 0x3C: 3, 0x60: 3, 0x8B: 2, 0x9A: 3, 0xA7: 2, 0xAF: 3}


class ConnectionLost(Exception):
    """The terminal closed the connection, or did not answer in time."""


class Refused(Exception):
    """The terminal did not take a command."""

    def __init__(self, answer):
        super().__init__(f"the terminal answered {answer.hex()}")
        self.code = answer[1]


def digits(number, count):
    """Packs a number into so many bytes, two digits in each."""
    return bytes.fromhex(f"{number:0{2 * count}d}")


def message(command, data=b""):
    """Puts control field and length before the data of a message."""
    data = bytes(data)
    length = bytes([len(data)]) if len(data) < 0xFF else b"\xff" + len(data).to_bytes(2, "little")
    return bytes.fromhex(command) + length + data


def field(number, value):
    return bytes([number]) + value


def amount(cents):
    return field(0x04, digits(cents, 6)) + field(0x49, bytes.fromhex(EURO))


def container(*objects):
    """Makes the field that has data objects."""
    data = b"".join(objects)
    return field(0x06, object_length(len(data)) + data)


def data_object(tag, value):
    return bytes.fromhex(tag) + object_length(len(value)) + value


def object_length(count):
    if count < 0x80:
        return bytes([count])
    return b"\x81" + bytes([count]) if count < 0x100 else b"\x82" + count.to_bytes(2, "big")


def read_length(data, place):
    """Reads the length of data objects. Returns it and the place behind."""
    first = data[place]
    if first < 0x80:
        return first, place + 1
    more = first & 0x7F
    return int.from_bytes(data[place + 1:place + 1 + more], "big"), place + 1 + more


def read_tag(data, place):
    """Reads the tag of a data object. Returns it and the place behind."""
    end = place + 1
    if data[place] & 0x1F == 0x1F:
        while data[end] & 0x80:
            end += 1
        end += 1
    return data[place:end], end


def read_objects(data):
    """Reads data objects. Returns tags and values; what has others in it is read, too."""
    place, objects = 0, []
    while place < len(data):
        tag, place = read_tag(data, place)
        count, place = read_length(data, place)
        value = data[place:place + count]
        objects.append((tag.hex(), read_objects(value) if tag[0] & 0x20 else value))
        place += count
    return objects


def read_fields(data):
    """Reads the fields of a message. Returns numbers and values."""
    place, fields = 0, {}
    while place < len(data):
        number = data[place]
        place += 1
        if number == 0x06:
            count, place = read_length(data, place)
            fields[number] = read_objects(data[place:place + count])
        elif number in FIXED:
            count = FIXED[number]
            fields[number] = data[place:place + count]
        elif number in VARIABLE:
            end = place + VARIABLE[number]
            count = int("".join(f"{byte & 0xF}" for byte in data[place:end]))
            place = end
            fields[number] = data[place:place + count]
        else:
            raise ValueError(f"no field has the number {number:02x}")
        place += count
    return fields


class Result:
    """What came back for a command."""

    def __init__(self):
        self.fields = {}
        self.statuses = []
        self.receipts = []
        self.code = None
        self.completion = b""

    @property
    def approved(self):
        return self.code == 0

    def number(self, bmp):
        """The packed digits of a field as a number; None without the field."""
        return int(self.fields[bmp].hex()) if bmp in self.fields else None

    @property
    def receipt(self):
        return self.number(0x87)

    @property
    def trace(self):
        return self.number(0x0B)

    @property
    def amount(self):
        return self.number(0x04)

    @property
    def card(self):
        return self.fields.get(0x8B, b"").rstrip(b"\0").decode("ascii")


class Till:
    """One till at one terminal. A connection is opened for a command, and kept until it is lost or closed."""

    def __init__(self, address="127.0.0.1:20007", timeout=30):
        host, port = address.rsplit(":", 1)
        # This is the line that a till changes.
        self.address, self.timeout = (host, int(port)), timeout
        self.socket = None
        self.pending = b""
        self.can_print = True
        # The message in whose place the connection ends; None for none.
        self.deaf_to = None

    # The connection.

    def connect(self):
        self.close()
        self.socket = socket.create_connection(self.address, timeout=self.timeout)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def close(self):
        if self.socket:
            self.socket.close()
        self.socket, self.pending = None, b""

    def send(self, data):
        if not self.socket:
            self.connect()
        try:
            self.socket.sendall(data)
        except OSError as error:
            self.close()
            raise ConnectionLost(str(error)) from None

    def receive(self):
        """Waits for the next message of the terminal."""
        head = self.take(3)
        count = head[2]
        if count == 0xFF:
            head += self.take(2)
            count = int.from_bytes(head[3:5], "little")
        return head + self.take(count)

    def take(self, count):
        while len(self.pending) < count:
            try:
                more = self.socket.recv(4096) if self.socket else b""
            except OSError:
                more = b""
            if not more:
                self.close()
                raise ConnectionLost("the terminal is gone")
            self.pending += more
        taken, self.pending = self.pending[:count], self.pending[count:]
        return taken

    # Commands.

    def start(self, command, data=b""):
        """Sends a command, and waits until the terminal takes it."""
        self.send(message(command, data))
        answer = self.receive()
        if answer[:2] not in (b"\x80\x00", b"\x84\x00"):
            raise Refused(answer)

    def command(self, command, data=b"", on_status=None):
        self.start(command, data)
        return self.follow(on_status)

    def follow(self, on_status=None):
        """Answers messages until the terminal says that the command is over. `on_status` is called with each
        intermediate status before its answer."""
        result = Result()
        while True:
            whole = self.receive()
            control = whole[:2].hex()
            data = whole[5:] if whole[2] == 0xFF else whole[3:]
            if control == self.deaf_to:
                self.close()
                raise ConnectionLost("the till closed the connection")
            answer = ACKNOWLEDGMENT
            if control == INTERMEDIATE:
                result.statuses.append(data[0])
                if on_status:
                    on_status(data[0])
            elif control == STATUS_INFORMATION:
                result.fields = read_fields(data)
                result.code = result.fields[0x27][0]
            elif control in (PRINT_LINE, PRINT_BLOCK):
                self.print(control, data, result)
                answer = ACKNOWLEDGMENT if self.can_print else NOT_PRINTED
            elif control == COMPLETION:
                result.code, result.completion = result.code or 0, data
            elif control == FAILURE:
                result.code, result.completion = data[0], data
            elif control == "8000":
                # The answer to an abort.
                continue
            else:
                raise ValueError(f"the terminal sent {whole.hex()}")
            self.send(answer)
            if control in (COMPLETION, FAILURE):
                return result

    def print(self, control, data, result):
        """Takes a part of a receipt. The last part of each says that it is the last."""
        if not result.receipts or result.receipts[-1][1]:
            result.receipts.append([[], False])
        if control == PRINT_LINE:
            attribute, text = data[0], data[1:].decode("cp437")
            if attribute & 0x80:
                result.receipts[-1][1] = True
            else:
                result.receipts[-1][0].append(text)
            return
        for tag, value in dict(read_fields(data)[0x06])["25"]:
            if tag == "07":
                result.receipts[-1][0].append(value.decode("cp437"))
            elif value == b"\xff":
                result.receipts[-1][1] = True

    def register(self, configuration=0x8E, columns=40, blocks=True):
        """Says what the till wants: with 8E, intermediate statuses, and all receipts as print commands."""
        permitted = data_object("0a", bytes.fromhex(PRINT_LINE))
        if blocks:
            permitted = data_object("0a", bytes.fromhex(PRINT_BLOCK)) + permitted
        choices = container(data_object("26", permitted), data_object("12", digits(columns, 1)))
        head = bytes.fromhex(PASSWORD) + bytes([configuration]) + bytes.fromhex(EURO)
        result = self.command(REGISTRATION, head + field(0x03, b"\0") + choices)
        result.fields = read_fields(result.completion)
        return result

    def pay(self, cents, on_status=None, extra=b""):
        return self.command(AUTHORIZATION, amount(cents) + field(0x19, b"\x40") + extra, on_status)

    def reverse(self, receipt, cents=None):
        data = bytes.fromhex(PASSWORD) + field(0x87, digits(receipt, 2))
        return self.command(REVERSAL, data + (amount(cents) if cents is not None else b""))

    def refund(self, cents):
        return self.command(REFUND, bytes.fromhex(PASSWORD) + amount(cents))

    def hold(self, cents):
        return self.command(HOLD, amount(cents))

    def capture(self, receipt, cents):
        """Charges a part of what is held; the rest is released."""
        return self.command(CAPTURE, field(0x87, digits(receipt, 2)) + amount(cents))

    def release(self, receipt):
        return self.command(RELEASE, field(0x87, digits(receipt, 2)))

    def end_of_day(self):
        return self.command(END_OF_DAY, bytes.fromhex(PASSWORD))

    def is_ready(self):
        """Asks whether the terminal takes commands."""
        data = bytes.fromhex(PASSWORD) + field(0x03, b"\x02")
        return self.command(STATUS, data).completion[:1] == b"\0"

    def last(self, receipts=False):
        """Asks for the last payment that stands. A till asks so when it lost the connection in a payment."""
        service = b"\x01" if receipts else b"\x03"
        return self.command(REPEAT, bytes.fromhex(PASSWORD) + field(0x03, service))

    def abort(self):
        """Ends a command that runs. What the terminal sends for the command says how it ended."""
        self.send(message(ABORT))

    def lose(self, where, command):
        """Carries out a command, and closes the connection in place of the answer to a message of the terminal, as a
        broken cable does. Then waits until the terminal takes commands again."""
        self.deaf_to = where
        try:
            command()
            raise AssertionError("the connection was not lost")
        except ConnectionLost:
            self.deaf_to = None
        self.wait_until_free()

    def wait_until_free(self):
        """Asks until the terminal has done with what ran when the connection was lost."""
        while True:
            try:
                if self.is_ready():
                    return
            except Refused as refused:
                if refused.code != 0x9C:
                    raise
            time.sleep(0.05)


def read_totals(field):
    """Reads BMP 60. Returns the first and the last receipt, and number and sum by group of cards."""
    groups = ["girocard", "jcb", "mastercard", "amex", "visa", "diners", "others"]
    totals = {}
    for place, group in enumerate(groups):
        start = 4 + 7 * place
        totals[group] = field[start], int(field[start + 1:start + 7].hex())
    return int(field[:2].hex()), int(field[2:4].hex()), totals


def euros(cents):
    return f"{cents // 100}.{cents % 100:02d} EUR"


def main():
    till = Till(*sys.argv[1:2])
    registered = till.register()
    print(f"registered: terminal {registered.fields[0x29].hex()}")
    assert till.is_ready()

    sale = till.pay(1250)
    assert sale.approved and sale.amount == 1250 and len(sale.receipts) == 2, sale.fields
    assert sale.statuses[0] == INSERT_CARD and HOST_IS_ASKED in sale.statuses, sale.statuses
    print(f"approved: {euros(sale.amount)}, {sale.card}, receipt {sale.receipt}")

    declined = till.pay(1251)
    assert declined.code == 51, declined.code
    print(f"declined: the issuer's code is {declined.code}")

    reversal = till.reverse(sale.receipt, 1250)
    assert reversal.approved and reversal.number(0x37) == sale.trace, reversal.fields
    assert till.reverse(sale.receipt).code == 0xB4
    print(f"reversed: receipt {sale.receipt}")

    sale = till.pay(3000)
    refund = till.refund(500)
    assert refund.approved and refund.amount == 500, refund.fields
    print(f"refunded: {euros(refund.amount)}")

    held = till.hold(5000)
    assert held.approved, held.fields
    captured = till.capture(held.receipt, 4000)
    assert captured.approved and captured.amount == 4000, captured.fields
    print(f"held {euros(held.amount)}, and charged {euros(captured.amount)}")

    # With this amount, no customer comes.
    aborted = till.pay(1266, on_status=lambda _: till.abort())
    assert aborted.code == 0x6C, aborted.code
    print("aborted: nobody presented a card")

    # The connection ends when the terminal has the result: what the till did not acknowledge is taken back.
    till.lose(STATUS_INFORMATION, lambda: till.pay(2000))
    assert till.last().receipt == captured.receipt
    print("connection lost before the result: not paid")

    # The till has acknowledged the result: it stands.
    till.lose(COMPLETION, lambda: till.pay(2000))
    last = till.last(receipts=True)
    assert last.approved and last.amount == 2000 and len(last.receipts) == 2, last.fields
    print(f"connection lost behind the result: paid, receipt {last.receipt}")

    day = till.end_of_day()
    first, final, totals = read_totals(day.fields[0x60])
    assert day.approved and totals["visa"] == (3, 9000), totals
    print(f"end of day: receipts {first} to {final}, {euros(day.amount)}")
    till.close()


if __name__ == "__main__":
    main()
