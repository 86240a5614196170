import Money
import Testing

@Suite struct FloatNoiseTests {
    private func read(_ text: String) -> String? { ExactDecimal(floating: text.utf8)?.description }

    @Test(arguments: [
        ("722.1799999999998", "722.18"), ("722.17999999999995", "722.18"), ("26.872500000000002", "26.8725"),
        ("0.30000000000000004", "0.3"), ("-0.30000000000000004", "-0.3"), ("999999999.9900001", "999999999.99"),
        ("-5.329070518201751e-15", "0"), ("1e-15", "0"), ("0.1000000000000227", "0.1"), ("2.0000000000000004", "2"),
        ("1.0658141036401503e-14", "0"), ("5.329070518201751e-25", "0"),
    ])
    func `the noise of a calculation in binary floating point is removed`(text: String, number: String) {
        #expect(read(text) == number)
    }

    @Test(arguments: [
        "12.345", "0.3333333333333333", "33.333333333333336", "0.352941", "17.647059", "123456789.123456", "0.00000001",
        "123456789012.34", "12.50", "1234567890123456", "-12.345678", "0.1234567890123",
        "800.100000000000000001", "0.999999999999999999",
    ])
    func `a number that has these decimals keeps them`(text: String) {
        #expect(read(text) == text)
    }

    @Test(arguments: ["", "-", "1,5", "NaN", "1e9999", "999999999999999999999999999999999999999", "0x1p-60x"])
    func `other texts are refused`(text: String) {
        #expect(read(text) == nil)
    }

    @Test func `every amount of cents survives a detour through binary floating point`() throws {
        var wrong: [Double] = []
        for cents in stride(from: 1, to: 2_000_000, by: 37) {
            let amount = ExactDecimal(coefficient: Int128(cents), scale: 2)
            // A division, and a sum and a difference, each with its rounding.
            for float in [Double(cents) / 100, (Double(cents) / 100 + 1234.56) - 1234.56]
            where ExactDecimal(floating: float.description.utf8) != amount { wrong.append(float) }
        }
        #expect(wrong == [])
    }

    @Test func `sums have the digits of both numbers`() throws {
        let number = { (text: String) throws in try #require(ExactDecimal(text)) }
        #expect(try number("38.55").adding(number("1.68"))?.description == "40.23")
        #expect(try number("1").adding(number("-1.005"))?.description == "-0.005")
        #expect(try number("1.50").negated.description == "-1.50")
        #expect(try number("99999999999999999999999999999999999999").adding(number("0.01")) == nil)
        let most = ExactDecimal(coefficient: .max)
        #expect(most.adding(most) == nil)
    }

    @Test(arguments: [
        ("26.8725", "USD", "26.87 USD"), ("26.875", "USD", "26.88 USD"), ("-26.875", "USD", "-26.88 USD"),
        ("7", "EUR", "7.00 EUR"),
        ("100.5", "JPY", "101 JPY"), ("1.2345", "KWD", "1.235 KWD"), ("0", "JPY", "0 JPY"),
        ("-0.004", "USD", "0.00 USD"),
    ])
    func `an amount for people has the decimals of its currency`(text: String, code: String, shown: String) throws {
        #expect(try #require(ExactDecimal(text)).text(in: Currency(code: code)) == shown)
    }
}
