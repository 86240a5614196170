"""Dialogs of a ZVT till with a simulated terminal. Each is a function that takes a till."""
from zvt_recorder import Recorder, zvt
from till import amount, container, data_object, digits, field

PASSWORD = bytes.fromhex(zvt.PASSWORD)
DIALOGS = []
# Dialogs in which the till says what nobody can read.
UNREADABLE = set()
DECLINES = [1, 2, 5, 12, 14, 41, 43, 51, 54, 55, 57, 61, 62, 65, 75, 91, 96]


def dialog(function):
    DIALOGS.append((function.__name__, function))
    return function


def unreadable(function):
    UNREADABLE.add(function.__name__)
    return function


# Registrations.

@dialog
def registered(till):
    result = till.register()
    assert result.fields[0x29] == bytes.fromhex("00000001") and result.fields[0x49] == bytes.fromhex(zvt.EURO)
    assert dict(result.fields[0x06])["12"] == b"\x40"


@dialog
def registered_for_lines(till):
    assert "26" not in dict(till.register(blocks=False).fields[0x06])


@dialog
def registered_with_an_empty_container(till):
    till.command(zvt.REGISTRATION, PASSWORD + b"\xbe" + bytes.fromhex(zvt.EURO) + field(3, b"\0") + container())


@dialog
def registered_without_a_container(till):
    till.command(zvt.REGISTRATION, PASSWORD + b"\x8e" + bytes.fromhex(zvt.EURO))
    sale = till.pay(1250)
    assert sale.approved and 0x06 not in sale.fields


@dialog
def registered_in_another_currency(till):
    till.refuses(0x1E, zvt.REGISTRATION, PASSWORD + b"\x8e" + bytes.fromhex("0756"))


@dialog
def registered_with_another_password(till):
    till.refuses(0x83, zvt.REGISTRATION, bytes.fromhex("123456") + b"\x8e" + bytes.fromhex(zvt.EURO))


@dialog
def logged_off(till):
    till.register()
    till.start(zvt.LOG_OFF)
    sale = till.pay(1250)
    # The defaults: receipts as lines, and no steps.
    assert sale.approved and not sale.statuses and 0x06 not in sale.fields


# Payments.

@dialog
def sold(till):
    till.register()
    sale = till.pay(1250)
    assert sale.approved and (sale.amount, sale.card.lower()) == (1250, "visa credit"), sale.fields
    assert sale.fields[0x22][-2:] == bytes.fromhex("0010") and sale.fields[0x22][:6] == b"\xee" * 6
    assert sale.statuses == [0x0A, 0x0E, 0x04, 0x4B], sale.statuses
    assert dict(sale.fields[0x06])["43"] == bytes.fromhex("a0000000031010")
    assert [complete for _, complete in sale.receipts] == [True, True]
    assert any("12" in line and "50" in line for line in sale.receipts[1][0]), sale.receipts


@dialog
def sold_with_lines(till):
    till.register(columns=32, blocks=False)
    receipts = till.pay(1250).receipts
    assert len(receipts) == 2 and all(len(line) <= 32 for lines, _ in receipts for line in lines)


@dialog
def sold_without_receipts(till):
    till.register(configuration=0x0E)
    assert till.pay(1250).receipts == []


@dialog
def sold_without_steps(till):
    till.register(configuration=0x86)
    assert till.pay(1250).statuses == []


@dialog
def sold_with_the_amount_alone(till):
    till.register()
    assert till.command(zvt.AUTHORIZATION, field(0x04, digits(1250, 6))).approved


@dialog
def sold_to_a_mastercard(till):
    till.register()
    sale = till.pay(1272)
    assert sale.approved and sale.fields[0x8A] == b"\x06"


@dialog
def sold_to_a_maestro_card(till):
    till.register()
    sale = till.pay(1273)
    assert sale.approved and (sale.fields[0x8A], sale.fields[0x19]) == (b"\x2e", b"\x70")
    assert zvt.ENTER_PIN in sale.statuses


@dialog
def sold_with_a_pin(till):
    till.register()
    sale = till.pay(1267)
    assert sale.approved and sale.statuses == [0x0A, 0x0E, 0x01, 0x04, 0x4B], sale.statuses


@dialog
def sold_with_the_second_pin(till):
    till.register()
    sale = till.pay(1269)
    assert sale.approved and sale.statuses == [0x0A, 0x0E, 0x01, 0x15, 0x01, 0x04, 0x4B], sale.statuses


@dialog
def sold_with_a_tip(till):
    till.register()
    assert till.pay(1450, extra=container(data_object("1f36", digits(200, 6)))).amount == 1450


@dialog
def sold_with_the_customers_copy_only(till):
    till.register()
    assert len(till.pay(1250, extra=container(data_object("1f04", b"\x80"))).receipts) == 1


def not_paid(name, cents, code):
    def ends_with_its_code(till):
        till.register()
        result = till.pay(1200 + cents)
        assert result.code == code and result.fields[0x27] == bytes([code]) and not result.receipts, result.code
    return name, ends_with_its_code


DIALOGS += [not_paid(f"declined_with_{code:02d}", code, code) for code in DECLINES]
DIALOGS += [not_paid("pulled_out", 70, 0x66), not_paid("not_reached", 92, 0xA3)]


@dialog
def declined_with_a_receipt(till):
    till.register()
    result = till.pay(1251, extra=container(data_object("1f04", b"\x50")))
    assert result.code == 51 and len(result.receipts) == 2, result.receipts


@dialog
def not_answered(till):
    till.register()
    result = till.pay(1268)
    assert result.code == 0xA3 and 0x05 in result.statuses, (result.code, result.statuses)


@dialog
def paid_in_another_currency(till):
    till.register()
    data = field(0x04, digits(1250, 6)) + field(0x49, bytes.fromhex("0756"))
    assert till.command(zvt.AUTHORIZATION, data).code == 0x6F


@dialog
def paid_with_the_tills_card(till):
    till.register()
    till.refuses(0x83, zvt.AUTHORIZATION, amount(1250) + field(0x22, b"\xf0\xf8" + bytes.fromhex("4761739001010010")))


# Ends before the result.

@dialog
def aborted(till):
    till.register()
    ended = till.pay(1266, on_status=lambda _: till.abort())
    assert (ended.code, ended.fields[0x27]) == (0x6C, b"\x6c")


@dialog
def aborted_without_a_command(till):
    till.register()
    till.start(zvt.ABORT)


@dialog
def left_before_the_card(till):
    till.register()
    before = till.pay(1250).receipt
    till.start(zvt.AUTHORIZATION, amount(1266))
    till.close()
    till.wait_until_free()
    assert till.last().receipt == before


@dialog
def wanted_by_two(till):
    till.register()
    till.start(zvt.AUTHORIZATION, amount(1266))
    assert till.receive()[:2].hex() == zvt.INTERMEDIATE
    other = Recorder("%s:%d" % till.address)
    for command, data in [(zvt.AUTHORIZATION, amount(500)), (zvt.STATUS, b""), (zvt.END_OF_DAY, PASSWORD)]:
        other.refuses(0x9C, command, data)
    other.close()
    till.streams[:0] = other.streams
    till.send(zvt.ACKNOWLEDGMENT)
    till.abort()
    assert till.follow().code == 0x6C


# Results that do not arrive, and tills that do not want them.

@dialog
def lost_before_the_result(till):
    till.register()
    before = till.pay(1250).receipt
    assert till.lose_payment(zvt.STATUS_INFORMATION).receipt == before


@dialog
def lost_within_the_receipt(till):
    till.register()
    before = till.pay(1250).receipt
    assert till.lose_payment(zvt.PRINT_BLOCK).receipt == before


@dialog
def lost_behind_the_result(till):
    till.register()
    before = till.pay(1250).receipt
    last = till.lose_payment(zvt.COMPLETION)
    assert last.receipt > before and last.amount == 2000


@dialog
def cut_before_the_result(till):
    till.register()
    before = till.pay(1250).receipt
    assert till.lose_payment(None, 2097).receipt == before


@dialog
def cut_behind_the_result(till):
    till.register()
    assert till.lose_payment(None, 2098).amount == 2098


@dialog
def goods_not_given(till):
    till.register()
    before = till.pay(1250).receipt
    result = till.answer_once(zvt.STATUS_INFORMATION, "846600")
    assert result.code == 0x6C and 0x05 in result.statuses
    assert till.last().receipt == before


@dialog
def receipt_not_printed(till):
    till.register()
    before = till.pay(1250).receipt
    till.can_print = False
    assert till.pay(1250).code == 0xCC
    till.can_print = True
    assert till.last().receipt == before


@dialog
def more_time_wanted(till):
    till.register()
    assert till.answer_once(zvt.STATUS_INFORMATION, "849c00").approved


@dialog
def not_seen_by_a_till_of_the_newer_rule(till):
    till.register()

    def pay(known, cents):
        extra = container(data_object("1f1f", digits(known, 2)))
        return till.command(zvt.AUTHORIZATION, amount(cents) + extra)

    seen = pay(1, 1250)
    assert dict(seen.fields[0x06])["1f1f"] == digits(seen.receipt, 2)
    till.lose(zvt.STATUS_INFORMATION, lambda: pay(seen.receipt, 1300))
    # It stands until the till says that it did not see it.
    assert till.last().amount == 1300
    assert pay(seen.receipt, 1400).approved
    assert till.last().amount == 1400


# Money that goes back, and amounts that are held.

@dialog
def reversed_once(till):
    till.register()
    sale = till.pay(1250)
    result = till.reverse(sale.receipt, 1250)
    assert result.approved and result.number(0x37) == sale.trace and result.receipt > sale.receipt
    assert till.reverse(sale.receipt).code == 0xB4


@dialog
def reversed_with_another_amount(till):
    till.register()
    assert till.reverse(till.pay(1250).receipt, 1300).code == 0xB5


@dialog
def reversed_without_a_payment(till):
    till.register()
    assert till.reverse(9999).code == 0xB5


@dialog
def refunded(till):
    till.register()
    till.pay(3000)
    result = till.refund(500)
    assert result.approved and result.amount == 500


@dialog
def refunded_more_than_was_paid(till):
    till.register()
    assert till.refund(99999999).code == 0xB5


@dialog
def booked(till):
    till.register()
    held = till.hold(5000)
    result = till.capture(held.receipt, 4000)
    assert result.approved and result.amount == 4000 and result.number(0x37) == held.trace
    assert till.capture(held.receipt, 500).code == 0xB5


@dialog
def booked_too_much(till):
    till.register()
    held = till.hold(5000)
    assert till.capture(held.receipt, 5001).code == 0xC3
    assert till.release(held.receipt).approved


@dialog
def booked_less_an_amount(till):
    till.register()
    held = till.hold(5000)
    unused = field(0x87, digits(held.receipt, 2)) + amount(1000)
    assert till.command(zvt.CAPTURE_LESS, unused).amount == 4000


@dialog
def released(till):
    till.register()
    held = till.hold(5000)
    assert till.release(held.receipt).amount == 5000
    assert till.release(held.receipt).code == 0xB5


@dialog
def asked_for_what_is_held(till):
    till.register()
    ask = field(0x87, b"\xff\xff")
    assert till.command(zvt.CAPTURE_LESS, ask).completion == bytes.fromhex("b887ffff")
    held = till.hold(5000)
    assert till.command(zvt.CAPTURE_LESS, ask).completion == b"\xb8\x87" + digits(held.receipt, 2)
    assert till.release(held.receipt).approved


@dialog
def hold_lost_before_the_result(till):
    till.register()
    till.lose(zvt.STATUS_INFORMATION, lambda: till.hold(5000))
    assert till.command(zvt.CAPTURE_LESS, field(0x87, b"\xff\xff")).completion == bytes.fromhex("b887ffff")


# The terminal.

@dialog
def totals(till):
    till.register()
    first = till.command(zvt.TOTALS, PASSWORD)
    till.pay(1250)
    second = till.command(zvt.TOTALS, PASSWORD)
    assert second.amount == first.amount + 1250 and len(second.receipts) == 1
    groups = zvt.read_totals(second.fields[0x60])[2]
    assert second.amount == sum(amount for _, amount in groups.values())


@dialog
def end_of_day(till):
    till.register()
    sale = till.pay(1250)
    assert till.end_of_day().approved
    assert till.end_of_day().amount == 0
    assert till.reverse(sale.receipt).code == 0xB5


@dialog
def diagnosis(till):
    till.register()
    assert till.command(zvt.DIAGNOSIS, container(data_object("1b", b"\x01"))).approved


@dialog
def initialization(till):
    till.register()
    assert till.command(zvt.INITIALIZATION, PASSWORD).approved


@dialog
def asked_for_its_status(till):
    till.register()
    assert till.is_ready()
    answer = till.command(zvt.STATUS).completion
    assert answer == bytes.fromhex("f0f1f1") + b"CardPresent" + b"\0", answer


@dialog
def language(till):
    till.register()
    till.command(zvt.LANGUAGE, b"\x01")
    till.refuses(0x83, zvt.LANGUAGE, b"\x20")


@dialog
def repeated(till):
    till.register()
    sale = till.pay(1250)
    assert till.last().receipt == sale.receipt
    again = till.last(receipts=True)
    assert again.receipts == sale.receipts
    paper = till.command(zvt.REPEAT, PASSWORD)
    assert not paper.fields and paper.receipts == sale.receipts


@dialog
def unknown_commands(till):
    till.register()
    for command in ["06c0", "0685", "0618", "0000", "ffff"]:
        till.refuses(0x83, command)


@dialog
@unreadable
def wrong_lengths(till):
    till.register()
    till.refuses(0x9A, zvt.AUTHORIZATION, bytes.fromhex("0400000012"))
    till.refuses(0x9A, zvt.AUTHORIZATION, amount(1250) + bytes.fromhex("06820fff"))
    till.refuses(0x83, zvt.AUTHORIZATION, bytes.fromhex("630000"))
    before = till.pay(1250).receipt
    till.send(bytes.fromhex("0601ffffff"))
    till.lose(None, till.receive)
    assert till.last().receipt == before
