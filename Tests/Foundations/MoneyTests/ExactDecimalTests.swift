import Money
import Testing

struct ExactDecimalTests {
    @Test(arguments: [
        ("33.30", "33.30"), ("-0.352941", "-0.352941"), ("0", "0"), (".5", "0.5"), ("1e3", "1000"),
        ("1.5E-3", "0.0015"),
        ("00012", "12"), ("-0", "0"),
        ("99999999999999999999999999999999999999", "99999999999999999999999999999999999999"),
    ])
    func `a number is read exactly and written as it was`(text: String, expected: String) {
        #expect(ExactDecimal(text)?.description == expected)
    }

    @Test(arguments: [
        "", "-", ".", "1.", "1e", "1e+", "+1", " 1", "1 ", "1,5", "0x1", "NaN", "--1", "1.2.3", "1e9999", "1e40",
        "999999999999999999999999999999999999999", "1e-39",
    ])
    func `other texts are rejected`(text: String) {
        #expect(ExactDecimal(text) == nil)
    }

    @Test func `zeros at the end do not make another number`() {
        #expect(ExactDecimal("1.50") == ExactDecimal("1.5"))
        #expect(Set([ExactDecimal("1.50"), ExactDecimal("1.5"), ExactDecimal("15e-1")]).count == 1)
        #expect(ExactDecimal("1.50") != ExactDecimal("1.51"))
    }

    @Test func `numbers are in the order of their values, to the last digit`() throws {
        let ordered = [
            "-99999999999999999999999999999999999999", "-1.5", "-1.05", "-1",
            "-0.00000000000000000000000000000000000001",
            "0", "0.00000000000000000000000000000000000001", "0.1", "0.9", "9", "10",
            "10.00000000000000000000000000001",
            "99999999999999999999999999999999999998", "99999999999999999999999999999999999999",
        ]
        let numbers = try ordered.map { try #require(ExactDecimal($0)) }
        #expect(numbers.reversed().sorted().map(\.description) == ordered)
        let (long, short) = (try #require(ExactDecimal("1.50")), try #require(ExactDecimal("1.5")))
        #expect(long <= short)
        #expect(!(long < short))
    }

    @Test func `an amount is created without rounding`() throws {
        let dollars = try Currency(code: "USD")
        #expect(try Money(#require(ExactDecimal("33.3000")), currency: dollars).minorUnits == 3330)
        #expect(try Money(#require(ExactDecimal("7")), currency: dollars).minorUnits == 700)
        #expect(throws: MoneyError.tooManyDecimals("1.005", currency: "USD", allowed: 2)) {
            try Money(#require(ExactDecimal("1.005")), currency: dollars)
        }
        #expect(throws: MoneyError.negative("-1")) { try Money(#require(ExactDecimal("-1")), currency: dollars) }
        #expect(throws: MoneyError.self) { try Money(#require(ExactDecimal("1e30")), currency: dollars) }
    }
}
