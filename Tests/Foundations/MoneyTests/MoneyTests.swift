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

struct AmountSpellingTests {
    @Test(arguments: [
        ("12,50", "write 12.50"), ("1,5", "write 1.5"), ("1.250,00", "write 1250.00"), ("1,250.00", "write 1250.00"),
        ("1 250,00", "write 1250.00"), ("1'250.00", "write 1250.00"), ("12,345,678.90", "write 12345678.90"),
    ])
    func `an amount with a decimal comma or thousands says how to write it`(text: String, fix: String) {
        #expect(MoneyError.malformed(text).description == "'\(text)' is not an amount: \(fix)")
    }

    @Test(arguments: [
        ("12.50", "JPY", ["12", "13"]), ("12.00", "JPY", ["12"]), ("0.5", "JPY", ["1"]), (".0", "JPY", []),
        ("12.345", "USD", ["12.34", "12.35"]), ("12.340", "USD", ["12.34"]), (".999", "USD", ["0.99", "1.00"]),
        ("999999999999.5", "JPY", ["999999999999"]), ("1234567890123.5", "JPY", []),
    ])
    func `an amount with too many decimals has spellings next to it`(
        text: String, code: String, spellings: [String]
    ) throws {
        let currency = try Currency(code: code)
        let error = #expect(throws: MoneyError.self) { try Money(text, currency: currency) }
        #expect(error?.nearestSpellings == spellings)
        #expect(MoneyError.negative(text).nearestSpellings.isEmpty)
    }

    @Test func `a currency without decimals says that it has none`() throws {
        #expect(
            MoneyError.tooManyDecimals("12.50", currency: "JPY", allowed: 0).description
                == "'12.50' has too many decimals: JPY has none")
    }

    @Test(arguments: ["1,250", "abc", ",", ",50", "1,2,3", "1e3", "1,,5", "1.2.3", "12,5x", "1,25.00"])
    func `an amount that can be read in two ways or in none gets no spelling`(text: String) {
        #expect(MoneyError.malformed(text).description.hasSuffix("at most one decimal point, such as 12.50"))
    }
}
