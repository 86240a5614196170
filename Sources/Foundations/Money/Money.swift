import Text

/// An amount of money: a whole number of minor units of a currency.
///
/// An amount is never negative and never wider than the twelve digits that a card and a host accept
/// (EMV Book 3, tag 9F02; ISO 8583 DE 4). A text with too many digits is an error, never truncated.
public struct Money: Hashable, Sendable, CustomStringConvertible {
    /// The number of minor units, 0...999,999,999,999.
    public let minorUnits: Int64
    /// The currency, which defines the minor units.
    public let currency: Currency

    /// The largest number of minor units, twelve nines.
    public static let maximumMinorUnits: Int64 = 999_999_999_999

    /// - Throws: ``MoneyError/negative(_:)``, ``MoneyError/tooLarge(_:)``
    public init(minorUnits: Int64, currency: Currency) throws(MoneyError) {
        guard minorUnits >= 0 else { throw .negative(String(minorUnits)) }
        guard minorUnits <= Self.maximumMinorUnits else { throw .tooLarge(String(minorUnits)) }
        (self.minorUnits, self.currency) = (minorUnits, currency)
    }

    /// Reads a plain decimal such as `12.50`, `12` or `.5`; no sign, no grouping, no exponent.
    ///
    /// - Throws: every ``MoneyError`` except `unknownCurrency` and `currencyMismatch`.
    public init(_ text: String, currency: Currency) throws(MoneyError) {
        let isNegative = text.utf8.first == UInt8(ascii: "-")
        let digits = isNegative ? text.dropFirst() : text[...]
        let parts = digits.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let whole = parts.first ?? ""
        let fraction = parts.count == 2 ? parts[1] : ""
        let allDigits = (whole + fraction).utf8
        guard !allDigits.isEmpty, allDigits.allSatisfy({ (0x30...0x39).contains($0) }),
            parts.count == 1 || !fraction.isEmpty
        else { throw .malformed(text) }
        guard !isNegative else { throw .negative(text) }
        guard fraction.utf8.count <= currency.exponent else {
            throw .tooManyDecimals(text, currency: currency.code, allowed: currency.exponent)
        }
        let padding = String(repeating: "0", count: currency.exponent - fraction.utf8.count)
        let significant = (whole + fraction + padding).drop { $0 == "0" }
        guard significant.utf8.count <= 12 else { throw .tooLarge(text) }
        try self.init(minorUnits: Int64(significant) ?? 0, currency: currency)
    }

    /// Returns the sum of two amounts in one currency.
    ///
    /// - Throws: ``MoneyError/currencyMismatch(_:_:)``, ``MoneyError/tooLarge(_:)``
    public func adding(_ other: Money) throws(MoneyError) -> Money {
        guard currency == other.currency else { throw .currencyMismatch(currency.code, other.currency.code) }
        return try Money(minorUnits: minorUnits + other.minorUnits, currency: currency)
    }

    /// The amount as a plain decimal without the currency, for example `12.50`.
    public var decimalText: String {
        minorUnits.decimalText(scale: currency.exponent)
    }

    /// The amount with its currency, for example `12.50 USD`.
    public var description: String { "\(decimalText) \(currency.code)" }
}

/// The reason why a text or a number is not an amount of money.
public enum MoneyError: Error, Hashable, Sendable, CustomStringConvertible {
    /// No ISO 4217 currency has this code.
    case unknownCurrency(String)
    /// The text is not a plain decimal number such as `12.50`.
    case malformed(String)
    /// More digits after the separator than the currency has.
    case tooManyDecimals(String, currency: String, allowed: Int)
    /// The amount is negative.
    case negative(String)
    /// More than twelve digits of minor units, the width of tag 9F02 and DE 4.
    case tooLarge(String)
    /// Two amounts in different currencies cannot be added or compared.
    case currencyMismatch(String, String)

    public var description: String {
        switch self {
        case .unknownCurrency(let code):
            "unknown currency '\(code)': give an ISO 4217 code such as USD, EUR or JPY"
        case .malformed(let text):
            "'\(text)' is not an amount: "
                + (Self.plainSpelling(of: text).map { "write \($0)" }
                    ?? "write digits with at most one decimal point, such as 12.50")
        case .tooManyDecimals(let text, let currency, let allowed):
            "'\(text)' has too many decimals: \(currency) has \(allowed == 0 ? "none" : "\(allowed)")"
        case .negative(let text):
            "'\(text)' is negative: an amount is zero or more"
        case .tooLarge(let text):
            "'\(text)' is too large: an amount has at most 12 digits of minor units"
        case .currencyMismatch(let first, let second):
            "amounts in \(first) and \(second) cannot be combined"
        }
    }

    /// The amounts next to one with too many decimals, as a person writes them: `12` and `13` for `12.50` in JPY, `12`
    /// for `12.00`. Zero is left out. Empty for every other reason.
    public var nearestSpellings: [String] {
        guard case .tooManyDecimals(let text, let code, let allowed) = self, let currency = try? Currency(code: code),
            let point = text.firstIndex(of: ".")
        else { return [] }
        let decimals = text[text.index(after: point)...]
        let whole = point == text.startIndex ? "0" : text[..<point]
        let cut = allowed == 0 ? String(whole) : "\(whole).\(decimals.prefix(allowed))"
        guard let below = try? Money(cut, currency: currency) else { return [] }
        let isExact = decimals.dropFirst(allowed).allSatisfy { $0 == "0" }
        let above = isExact ? nil : try? Money(minorUnits: below.minorUnits + 1, currency: currency)
        return [below, above].compactMap(\.self).filter { $0.minorUnits > 0 }.map(\.decimalText)
    }

    /// Returns an amount with a decimal comma or separated thousands as a plain decimal: `12.50` for `12,50`, `1250.00`
    /// for `1.250,00`, `1,250.00`, and `1 250,00`. Nil when the text can be read in two ways, as `1,250` can, or in
    /// none.
    static func plainSpelling(of text: String) -> String? {
        func isNumber(_ part: some StringProtocol) -> Bool {
            !part.isEmpty && part.utf8.allSatisfy { (0x30...0x39).contains($0) }
        }
        let compact = text.filter { $0 != " " && $0 != "'" && $0 != "\u{A0}" && $0 != "\u{202F}" }
        guard compact.utf8.count <= 20, let mark = compact.last(where: { $0 == "," || $0 == "." }) else { return nil }
        let parts = compact.split(separator: mark, omittingEmptySubsequences: false)
        guard parts.count == 2, let decimals = parts.last, isNumber(decimals) else { return nil }
        let groups = parts[0].split(omittingEmptySubsequences: false) { $0 == "," || $0 == "." }
        guard groups.allSatisfy({ isNumber($0) }), groups.dropFirst().allSatisfy({ $0.count == 3 }) else { return nil }
        // Three digits after the only mark may be thousands.
        guard decimals.count <= 2 || groups.count > 1 else { return nil }
        return groups.joined() + "." + decimals
    }
}
