import CardSecrets
import Testing

struct CardNumberMaskTests {
    @Test(arguments: [
        ("4761739001010010", "****************"),
        ("'4761739001010010' is no payment", "'****************' is no payment"),
        // A mistyped number, without a valid check digit.
        ("4761739001010011", "****************"), ("card:378282246310005.", "card:***************."),
        ("4761739001010010D35122010012345678F", "****************D*****************F"),
        ("50 4761739001010010", "50 ****************"), ("639000000005", "************"),
        ("0004761739001010010", "*******************"),
    ])
    func `a run of digits that may be a card number is masked`(text: String, masked: String) {
        #expect(CardNumberMask.masked(text) == masked)
    }

    @Test(arguments: [
        ("4761 7390 0101 0010", "**** **** **** ****"), ("4761-7390-0101-0010", "****-****-****-****"),
        ("4761 - 7390 - 0101 - 0010", "**** - **** - **** - ****"), ("4761_7390_0101_0010", "****_****_****_****"),
        ("4761\u{A0}7390\u{2009}0101\t0010", "****\u{A0}****\u{2009}****\t****"),
        ("4761\u{2013}7390\u{2013}0101\u{2013}0010", "****\u{2013}****\u{2013}****\u{2013}****"),
        // Mistyped in the layout of a card, and right in another one.
        ("4761 7390 0101 0011", "**** **** **** ****"), ("3782 822463 10005", "**** ****** *****"),
        ("47 61 73 90 01 01 00 10", "** ** ** ** ** ** ** **"),
        ("pay 5 4761 7390 0101 0010", "pay 5 **** **** **** ****"),
    ])
    func `blanks and dashes between the digits don't help`(text: String, masked: String) {
        #expect(CardNumberMask.masked(text) == masked)
    }

    @Test func `digits of another script count as digits`() {
        #expect(CardNumberMask.masked("\u{FF14}761739001010010") == "****************")
        #expect(CardNumberMask.masked("\u{664}\u{667}61739001010010") == "****************")
    }

    @Test(arguments: [
        "", "12.50", "99999999999.00", "2026-01-02 12:00Z", "2026-01-02T15:04:05Z", "P000001", "000000000001",
        "000000000000001",
        "'100000000000' is not in 0...99999999999", "A0000000031010", "192.168.100.200", "card.yaml:7: expiry",
        "+1 555 0100", "no digits at all",
    ])
    func `other texts stay as they are`(text: String) {
        #expect(CardNumberMask.masked(text) == text)
    }

    @Test func `a number that is spread over words is masked in each`() {
        #expect(
            CardNumberMask.masked(words: ["pay", "4761", "7390", "0101", "0010", "--json"])
                == ["pay", "****", "****", "****", "****", "--json"])
        #expect(CardNumberMask.masked(words: ["pay", "", "12.50"]) == ["pay", "", "12.50"])
        #expect(CardNumberMask.masked(words: []) == [])
    }

    @Test func `a masked text is masked`() {
        let once = CardNumberMask.masked("4761 7390 0101 0010 and 4761739001010010")
        #expect(once == "**** **** **** **** and ****************")
        #expect(CardNumberMask.masked(once) == once)
    }
}
