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

    @Test(arguments: [
        ("4761.7390.0101.0010", "****.****.****.****"), ("4761,7390,0101,0010", "****,****,****,****"),
        ("4761/7390/0101/0010", "****/****/****/****"), ("4761:7390:0101:0010", "****:****:****:****"),
        ("4.761.739.001.010.010", "*.***.***.***.***.***"), ("47617390.01010010", "********.********"),
        ("47,61,73,90,01,01,00,10", "**,**,**,**,**,**,**,**"), ("4761'7390'0101'0010", "****'****'****'****"),
        ("4761; 7390; 0101; 0010", "****; ****; ****; ****"),
        ("4761\u{B7}7390\u{B7}0101\u{B7}0010", "****\u{B7}****\u{B7}****\u{B7}****"),
        // Zero width, as text from a web page may have it.
        ("4761\u{200B}7390\u{200B}0101\u{200B}0010", "****\u{200B}****\u{200B}****\u{200B}****"),
        // Mistyped in the layout of a card, with mixed punctuation, and behind a place in a file.
        ("4761.7390.0101.0011", "****.****.****.****"), ("4761.7390/0101 0010", "****.****/**** ****"),
        ("till.yaml:12: 4761.7390.0101.0010", "till.yaml:12: ****.****.****.****"),
        ("pay 5.00 47617390.01010010", "pay 5.00 ********.********"),
    ])
    func `other punctuation between the digits doesn't help either`(text: String, masked: String) {
        #expect(CardNumberMask.masked(text) == masked)
    }

    // With a check digit that is valid by chance.
    @Test(arguments: [
        "2026-01-02 12:06Z", "2026-01-02T13:00:05.678+01:00", "2026-01-02 13:00:05+01:00", "2026/01/02/12345",
        "https://shop.example/2026/01/02/12345", "192.168.100.209", "192.168.100.200:8080", "http://127.0.0.1:40567/",
        "1.2.3, 4.5.6 (7.8)", "12.50, 13.75, 14.20, 100.03", "12 of 3456, 00:12 left", "[1234, 5678]",
    ])
    func `dates, addresses, and amounts stay legible`(text: String) {
        #expect(CardNumberMask.masked(text) == text)
    }

    @Test func `each possible minute, port, and private address stays legible`() {
        for minute in 0..<1440 {
            let time = "\(minute / 600)\(minute / 60 % 10):\(minute % 60 / 10)\(minute % 10)"
            for text in ["2026-11-24 \(time)+01:00", "2026-11-24 \(time):05.678Z", "127.0.0.1:\(40000 + minute)"] {
                #expect(CardNumberMask.masked(text) == text)
            }
        }
        for last in 100...255 {
            #expect(CardNumberMask.masked("192.168.100.\(last)") == "192.168.100.\(last)")
        }
    }

    @Test func `a text that repeats a part of a masked number is masked, too`() {
        let message = "'47617390.01010010' has too many decimals"
        #expect(
            CardNumberMask.masked("write 47617390.01 or 47617390.02", besides: message)
                == "write ********.** or ********.02")
        #expect(CardNumberMask.masked(message + "; write 47617390.01").hasSuffix("decimals; write ********.**"))
        #expect(CardNumberMask.masked("write 12.50 or 99", besides: message) == "write 12.50 or 99")
        #expect(CardNumberMask.masked("write 47617390.01", besides: "no number") == "write 47617390.01")
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
