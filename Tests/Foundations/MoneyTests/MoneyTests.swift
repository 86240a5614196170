import Money
import Testing

struct MoneyTests {
    private let dollar: Currency
    private let yen: Currency
    private let dinar: Currency

    init() throws {
        dollar = try Currency(code: "usd")
        yen = try Currency(code: "JPY")
        dinar = try Currency(code: "KWD")
    }

    @Test(
        arguments: [
            ("12.50", 1250), ("12", 1200), (".5", 50), ("0", 0), ("0.01", 1), ("000000000000000012.5", 1250),
            ("9999999999.99", 999_999_999_999),
        ] as [(String, Int64)])
    func `plain decimals are read to the cent`(text: String, minorUnits: Int64) throws {
        #expect(try Money(text, currency: dollar).minorUnits == minorUnits)
    }

    @Test(arguments: [
        ("", MoneyError.malformed("")), ("-", .malformed("-")), (".", .malformed(".")), ("1.", .malformed("1.")),
        ("1,50", .malformed("1,50")), ("1.2.3", .malformed("1.2.3")), ("1e3", .malformed("1e3")),
        ("+1", .malformed("+1")), (" 1", .malformed(" 1")), ("0x10", .malformed("0x10")), ("١", .malformed("١")),
        ("1\u{301}", .malformed("1\u{301}")), ("-1", .negative("-1")), ("-0", .negative("-0")),
        ("1.505", .tooManyDecimals("1.505", currency: "USD", allowed: 2)), ("10000000000", .tooLarge("10000000000")),
        ("99999999999999999999999999", .tooLarge("99999999999999999999999999")),
    ])
    func `anything else is rejected, never truncated or rounded`(text: String, error: MoneyError) {
        #expect(throws: error) { try Money(text, currency: dollar) }
    }

    @Test func `the currency defines the number of decimals`() throws {
        #expect(try Money("1.234", currency: dinar).minorUnits == 1234)
        #expect(try Money("500", currency: yen).minorUnits == 500)
        #expect(throws: MoneyError.tooManyDecimals("5.0", currency: "JPY", allowed: 0)) {
            try Money("5.0", currency: yen)
        }
        #expect(try Money(minorUnits: 5, currency: dinar).description == "0.005 KWD")
        #expect(try Money(minorUnits: 5, currency: yen).description == "5 JPY")
        #expect(try Money(minorUnits: 1205, currency: dollar).decimalText == "12.05")
    }

    @Test func `sums stay in one currency and within twelve digits`() throws {
        let one = try Money(minorUnits: 1, currency: dollar)
        #expect(try one.adding(one).minorUnits == 2)
        #expect(throws: MoneyError.currencyMismatch("USD", "JPY")) {
            try one.adding(try Money(minorUnits: 1, currency: yen))
        }
        let most = try Money(minorUnits: Money.maximumMinorUnits, currency: dollar)
        #expect(throws: MoneyError.tooLarge("1000000000000")) { try most.adding(one) }
        #expect(throws: MoneyError.negative("-1")) { try Money(minorUnits: -1, currency: dollar) }
        #expect(throws: MoneyError.tooLarge(String(Int64.max))) { try Money(minorUnits: .max, currency: dollar) }
    }

    @Test func `written amounts are read back unchanged`() throws {
        for currency in Currency.all {
            for minorUnits in [0, 1, 9, 10, 99, 100, 12_345, Money.maximumMinorUnits] as [Int64] {
                let money = try Money(minorUnits: minorUnits, currency: currency)
                #expect(try Money(money.decimalText, currency: currency) == money)
            }
        }
    }

    @Test func `currencies have three letters, and each number is one currency's`() throws {
        #expect(Set(Currency.all.map(\.code)).count == Currency.all.count)
        #expect(Set(Currency.all.map(\.numericCode)).count == Currency.all.count)
        for currency in Currency.all {
            #expect(currency.code.utf8.count == 3 && currency.code.utf8.allSatisfy { (0x41...0x5A).contains($0) })
            #expect((1...999).contains(currency.numericCode) && (0...4).contains(currency.exponent))
            #expect(Currency(numericCode: currency.numericCode) == currency)
        }
        #expect(Currency.all.map(\.code) == Currency.all.map(\.code).sorted())
        #expect(try Currency(code: "EUR").numericCode == 978)
        #expect(try Currency(code: "GBP").numericCode == 826)
        #expect(Currency(numericCode: 532)?.code == "XCG")
        #expect(Currency(numericCode: 0) == nil)
        #expect(throws: MoneyError.unknownCurrency("XXQ")) { try Currency(code: "XXQ") }
    }
}
